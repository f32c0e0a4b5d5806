// SPDX-License-Identifier: GPL-2.0
/*
 * What an array can offer, given its drives.
 */
#include "limits.h"
#include "member.h"

/* Parity bytes one record carries. */
#define RECORD_PARITY	(RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE)

void limits_lower(u32 *member_max, u32 drive_max)
{
	if (drive_max && (!*member_max || drive_max < *member_max))
		*member_max = drive_max;
}

struct limits limits_of_array(u32 member_max_open, u32 member_max_active)
{
	struct limits limits;

	limits.max_active = member_max_active ?
			    member_max_active - MD_ACTIVE_ZONES :
			    DEFAULT_ACTIVE_ZONES;
	limits.max_open = member_max_open ? member_max_open - MD_ACTIVE_ZONES :
					    limits.max_active;
	if (limits.max_open > limits.max_active)
		limits.max_open = limits.max_active;
	return limits;
}

u64 partial_parity_bytes(u64 stripe_unit, u32 active)
{
	u64 records = (stripe_unit + RECORD_PARITY - 1) / RECORD_PARITY;

	return (stripe_unit + records * RAIZN_BLOCK_SIZE) * active;
}

u64 largest_stripe_unit(u64 capacity, u32 active)
{
	u64 su;

	for (su = RAIZN_MAX_SU << 9; su >= RAIZN_MIN_SU << 9; su /= 2)
		if (partial_parity_bytes(su, active) <= (capacity << 9) / 2)
			return su;
	return 0;
}
