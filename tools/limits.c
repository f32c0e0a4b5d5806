// SPDX-License-Identifier: GPL-2.0
/*
 * What an array can offer, given its drives.
 */
#include "limits.h"
#include "member.h"

/* Parity bytes one record carries. */
#define RECORD_PARITY	(RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE)

static void lower(u32 *limit, u32 other)
{
	if (other && (!*limit || other < *limit))
		*limit = other;
}

void limits_add_member(struct member_limits *members,
		       const struct drive *drive)
{
	lower(&members->max_open, drive->max_open);
	lower(&members->max_active, drive->max_active);
}

u64 partial_parity_bytes(u64 stripe_unit, u32 active)
{
	u64 records = (stripe_unit + RECORD_PARITY - 1) / RECORD_PARITY;

	return (stripe_unit + records * RAIZN_BLOCK_SIZE) * active;
}

struct limits limits_of_array(const struct member_limits *members,
			      u64 stripe_unit)
{
	u64 room = members->log / partial_parity_bytes(stripe_unit, 1);
	struct limits limits;

	if (members->max_active)
		limits.max_active = members->max_active - MD_ACTIVE_ZONES;
	else
		limits.max_active = room < DEFAULT_ACTIVE_ZONES ?
				    room : DEFAULT_ACTIVE_ZONES;
	limits.max_open = limits.max_active;
	if (members->max_open &&
	    members->max_open - MD_ACTIVE_ZONES < limits.max_open)
		limits.max_open = members->max_open - MD_ACTIVE_ZONES;
	return limits;
}

bool stripe_unit_fits(const struct member_limits *members, u64 stripe_unit)
{
	u32 active = limits_of_array(members, stripe_unit).max_active;

	return active && partial_parity_bytes(stripe_unit, active) <= members->log;
}

u64 largest_stripe_unit(const struct member_limits *members)
{
	u64 su;

	for (su = RAIZN_MAX_SU << 9; su >= RAIZN_MIN_SU << 9; su /= 2)
		if (stripe_unit_fits(members, su))
			return su;
	return 0;
}
