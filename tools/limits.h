/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an array can offer, given its drives.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include "../raizn/core/geometry.h"
#include "drive.h"

/**
 * struct limits - zones that may be open and active at once
 * @max_open:	open
 * @max_active:	active
 */
struct limits {
	u32 max_open;
	u32 max_active;
};

/**
 * struct member_limits - what the members set
 * @max_open, @max_active: the least of all members', 0 for no limit
 * @log:	bytes of a log zone that partial parity of all active zones may fill
 */
struct member_limits {
	u32 max_open;
	u32 max_active;
	u64 log;
};

/* Take one more member into account. */
void limits_add_member(struct member_limits *members,
		       const struct drive *drive);

/* Limits of an array with @stripe_unit (bytes). */
struct limits limits_of_array(const struct member_limits *members,
			      u64 stripe_unit);

/* Bytes of the partial-parity records of @active zones. */
u64 partial_parity_bytes(u64 stripe_unit, u32 active);

/* Does the partial parity of all active zones fit? */
bool stripe_unit_fits(const struct member_limits *members, u64 stripe_unit);

/* The largest stripe unit (bytes) that fits; 0 if none does. */
u64 largest_stripe_unit(const struct member_limits *members);

#endif /* LIMITS_H */
