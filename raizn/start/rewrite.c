// SPDX-License-Identifier: GPL-2.0
/*
 * Move a column to another zone of its member.
 *
 * Debris, data beyond a zone's write pointer after a power cut, can neither be used nor
 * overwritten.  The valid part of the column is copied to a free member zone:
 *
 *   crash after		recovery finds
 *   copy			the column at its old place; it resets the copy,
 *				which is in no map
 *   flush			the same
 *   ZONE_MAP record, FUA	the column at its new place; it resets the old zone,
 *				which is in no map
 *   reset of the old zone	the column at its new place
 *
 * Sectors that the drive cannot read are decoded, and no other ones: of two members that
 * contradict each other, neither is known to be wrong.  dm-kcopyd would copy in larger
 * pieces, but when it cannot read a piece in the middle, it never says so.
 *
 * The same steps replace a column that is full though its zone is not: its drive may have
 * finished it at any time, so its data is not believed.
 */
#include "start/start.h"

/*
 * Record the new zone of a column, and free the old one.  An old zone that cannot be reset
 * is not used any more.
 */
static int leave_old_zone(struct raizn_array *arr, u32 zone, u32 column, u32 old,
			  u32 physical)
{
	struct raizn_member *m = raizn_zone_member(&arr->zones[zone], column);
	int err;

	/* The record vouches for the copy. */
	err = raizn_flush_members(arr);
	if (!err)
		err = raizn_general_map(arr, zone, column, physical);
	if (err)
		return err;
	err = raizn_bad_tidy(&arr->zones[zone]);
	raizn_spare_set(m, old, RAIZN_USE_DIRTY);
	raizn_spare_clean_member(m);
	return err;
}

/* Reset the member zone of a column that has no data. */
static int empty_column(struct raizn_array *arr, u32 zone, u32 column)
{
	int err = raizn_general_forget_spoilt(arr, zone, column);

	return err ? err : raizn_member_zone_op(raizn_zone_member(&arr->zones[zone], column),
						REQ_OP_ZONE_RESET,
						raizn_column_start(arr, zone, column));
}

/**
 * raizn_rewrite_column() - rid a column of debris, beyond w->plan.want
 * @arr:	array that takes no I/O yet, with all zones filled
 * @w:		the zone
 * @column:	column, live
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_rewrite_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column)
{
	struct raizn_member *m = raizn_zone_member(&arr->zones[w->zone], column);
	u32 old = raizn_zone_map_physical(&arr->geo, &arr->map, w->zone, column);
	u32 physical, c;
	int err;

	if (!w->plan.want[column])
		return empty_column(arr, w->zone, column);

	err = raizn_spare_take(m, &physical);
	if (err) {
		DMERR("%pg: no free zone is left to move a column to", m->bdev);
		return err;
	}
	/* The old partial-parity logs are gone, and so is debris of columns moved before. */
	w->facts.missing = arr->zones[w->zone].missing;
	w->facts.nr_pp = 0;
	/* All rows are there by now, in place or in memory. */
	w->facts.nr_spoilt = 0;
	for (c = 0; c < arr->geo.nr_members; c++)
		w->facts.extents[c] = w->plan.want[c];
	w->moves_to = physical;
	err = raizn_recover_column(arr, w, column,
				   raizn_reserved_zone_start(&arr->geo, physical),
				   0, raizn_member_write);
	w->moves_to = 0;
	if (err) {
		DMERR("%pg: its column of logical zone %u cannot be moved: %d%s",
		      m->bdev, w->zone, err,
		      w->facts.missing ? "" : "; start without this member");
		return err;
	}
	raizn_count(arr, RAIZN_REBUILD_WRITTEN, w->plan.want[column]);
	/* The column is rewritten. */
	w->unreadable &= ~BIT(column);
	return leave_old_zone(arr, w->zone, column, old, physical);
}

/* Returns true if the column is in the new zone now; else that zone is free again. */
static bool compute_column(struct raizn_array *arr, struct raizn_zone_work *w,
			   u32 column, u32 physical)
{
	struct raizn_member *m = raizn_zone_member(&arr->zones[w->zone], column);
	int err;

	err = raizn_recover_column(arr, w, column,
				   raizn_reserved_zone_start(&arr->geo, physical),
				   0, raizn_member_try_write);
	if (!err)
		return true;
	DMWARN("logical zone %u: the column of member %u (%pg) cannot be recomputed now: %d",
	       w->zone, m->slot, m->bdev, err);
	/* Free the zone at once: moving debris may need it. */
	raizn_spare_set(m, physical, RAIZN_USE_DIRTY);
	raizn_spare_clean_member(m);
	return false;
}

/**
 * raizn_renew_column() - rebuild a column with undefined contents
 * @arr:	array that takes no I/O yet
 * @w:		the zone
 * @column:	column, missing though its member is there
 *
 * As raizn_rewrite_column(), but the column is decoded from the other columns.  Without a
 * free zone, or with an error of the new zone or in reading the others, the column stays
 * missing, to be rebuilt later: the array can do without it.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_renew_column(struct raizn_array *arr, struct raizn_zone_work *w,
		       u32 column)
{
	struct raizn_member *m = raizn_zone_member(&arr->zones[w->zone], column);
	u32 old = raizn_zone_map_physical(&arr->geo, &arr->map, w->zone, column);
	sector_t start = raizn_reserved_zone_start(&arr->geo, old);
	u32 physical;
	int err = 0;

	if (w->plan.want[column]) {
		if (raizn_spare_take(m, &physical)) {
			DMWARN("logical zone %u: member %u (%pg) has no free zone for its recomputed column, which is rebuilt later",
			       w->zone, m->slot, m->bdev);
			return 0;
		}
		if (!compute_column(arr, w, column, physical))
			return 0;
		err = leave_old_zone(arr, w->zone, column, old, physical);
	} else if (raizn_member_try_zone_op(m, REQ_OP_ZONE_RESET, start)) {
		return 0;
	}
	if (err)
		return err;
	arr->zones[w->zone].missing &= ~BIT(column);
	DMINFO("logical zone %u: the column of member %u (%pg) is right again",
	       w->zone, m->slot, m->bdev);
	return 0;
}
