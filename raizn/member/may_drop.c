// SPDX-License-Identifier: GPL-2.0
/*
 * May a zone do without a column?  This is asked before a column, a member, or the member zone that
 * a column left is given up: see docs/failures.md.
 */
#include "member/bad_block.h"
#include "member/fault.h"

/**
 * raizn_rows_needed() - does it take the rows of a column to compute those that others lack?
 * @z:		zone
 * @column:	column
 *
 * Unreadable sectors of other columns are decoded with it, and rows of other columns that are
 * lost cannot help to decode its own.
 *
 * Context: any.
 */
bool raizn_rows_needed(const struct raizn_zone *z, u32 column)
{
	u32 lacking = raizn_zone_lost(z) | READ_ONCE(z->heal);

	return !raizn_bad_can_spare(z, column) ||
	       (lacking & ~BIT(column) && raizn_zone_too_many(z, lacking | BIT(column)));
}

/**
 * raizn_may_drop() - may a zone do without a column?
 * @z:		zone
 * @column:	column, which may be lost already
 * @why:	permitted cost
 *
 * The member zone of a column that failed is in quarantine: it may have the only data of rows
 * that others lack.  Of other lost columns nothing is kept but the rows that a rebuild has written.
 *
 * Context: any; under fail_lock, and zone->lock if a reset must not be seen in part.
 */
bool raizn_may_drop(const struct raizn_zone *z, u32 column, enum raizn_drop why)
{
	u32 lost = raizn_zone_lost(z);
	bool has_rows = !(lost & BIT(column)) || READ_ONCE(z->failing) & BIT(column);

	if (!raizn_zone_at_risk(z) &&
	    (why > RAIZN_DROP_UNASKED || raizn_zone_too_many(z, lost)))
		return true;
	if (raizn_zone_too_many(z, lost | BIT(column)))
		return false;
	return why == RAIZN_DROP_LOST || !has_rows || !raizn_rows_needed(z, column);
}
