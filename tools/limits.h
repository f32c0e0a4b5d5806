/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an array can offer, given its drives.
 */
#ifndef LIMITS_H
#define LIMITS_H

#include "../raizn/geometry.h"
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

/* Make @member_max, 0 for no limit, the least of itself and @drive_max. */
void limits_lower(u32 *member_max, u32 drive_max);

/* The array's limits from the least of its members', 0 for no limit. */
struct limits limits_of_array(u32 member_max_open, u32 member_max_active);

/* Bytes of partial-parity records for the tails of @active zones. */
u64 partial_parity_bytes(u64 stripe_unit, u32 active);

/* Largest stripe unit (bytes) whose partial parity fits half a log zone of
 * @capacity sectors; 0 if none does.
 */
u64 largest_stripe_unit(u64 capacity, u32 active);

#endif /* LIMITS_H */
