// SPDX-License-Identifier: GPL-2.0
/*
 * Find the valid columns of a member that is being rebuilt.
 *
 * Invariant, from the moment the superblocks call a member rebuilding: the data in its data
 * zones is valid up to their write pointers.  A reset reaches these zones like all others.
 * A power cut can leave a logical zone that ends below the member's write pointer: the
 * column is emptied then, and rebuilt from its start.
 *
 * Full zones have no write pointer, and drives may finish zones by themselves; so a full
 * member zone only counts as whole after a check of its end, which is left to the rebuild:
 * see raizn_rebuild_ends_right().
 */
#include "start/start.h"

/**
 * struct found - zone report of a member's drive
 * @m:		member
 * @written:	sectors, by member zone from the first reserved one on
 * @conds:	BLK_ZONE_COND_*
 * @blank:	the drive is new
 * @nr_extra:	partly written zones beyond the count of users' active zones
 */
struct found {
	struct raizn_member *m;
	u32 *written;
	u8 *conds;
	bool blank;
	u32 nr_extra;
};

static int note_zone(struct blk_zone *zone, unsigned int idx, void *data)
{
	struct found *found = data;

	found->conds[idx] = zone->cond;
	/* A full zone has no valid write pointer. */
	if (zone->cond == BLK_ZONE_COND_FULL)
		found->written[idx] = found->m->arr->geo.member_zone_cap;
	else if (zone->cond == BLK_ZONE_COND_EMPTY)
		found->written[idx] = 0;
	else
		found->written[idx] = min_t(u64, zone->wp - zone->start,
					    found->m->arr->geo.member_zone_cap);
	return 0;
}

static int report_member_zones(struct raizn_member *m, struct found *found)
{
	u32 nr = m->nr_physical;
	int ret;

	found->m = m;
	found->written = kvcalloc(nr, sizeof(u32), GFP_KERNEL);
	found->conds = kvcalloc(nr, sizeof(u8), GFP_KERNEL);
	if (!found->written || !found->conds)
		return -ENOMEM;
	ret = raizn_bdev_report_zones(m->bdev,
				      raizn_reserved_zone_start(&m->arr->geo, 0), nr,
				      note_zone, found);
	if (ret >= 0 && ret < nr)
		ret = -EIO;
	return ret < 0 ? ret : 0;
}

/* Reset a member zone.  The next start would believe data that an error leaves in the zone. */
static int empty_zone(struct raizn_member *m, struct found *found, u32 physical)
{
	u64 start = raizn_reserved_zone_start(&m->arr->geo, physical);

	if (found->conds[physical] == BLK_ZONE_COND_EMPTY)
		return 0;
	found->written[physical] = 0;
	found->conds[physical] = BLK_ZONE_COND_EMPTY;
	return raizn_member_zone_op(m, REQ_OP_ZONE_RESET, start);
}

/*
 * As empty_zone(): no row of the column is spoilt after that.  Of a new drive, the rows are those
 * of the drive before it, which may come back if the new one fails to join.
 */
static int start_over(struct raizn_zone *z, struct found *found, u32 physical)
{
	int err = empty_zone(found->m, found, physical);

	raizn_column_hold(z, raizn_zone_column(z, found->m->slot), false);
	if (!err && !found->blank)
		raizn_general_drop_spoilt(z, raizn_zone_column(z, found->m->slot));
	return err;
}

/*
 * A member zone of a member that is back must not stay active.  Another column may be unreadable
 * where it has data: raizn_rebuild_keep() puts it in quarantine.  Without memory it is emptied.
 */
static int note_rows(struct raizn_zone *z, struct found *found, u32 physical)
{
	struct raizn_array *arr = z->arr;
	u32 column = raizn_zone_column(z, found->m->slot);
	u32 rows = min(found->written[physical], raizn_relocation_start(z, column));

	/* As in raizn_keep_column(), not all of its rows are right. */
	if ((raizn_bad_columns(z) | z->heal) & BIT(column))
		return start_over(z, found, physical);
	mutex_lock(&arr->place_mutex);
	raizn_quarantine_begin(z, column, rows, rows);
	mutex_unlock(&arr->place_mutex);
	return raizn_quarantine_find(z, column, rows) == physical ?
	       0 : start_over(z, found, physical);
}

static bool is_zone_unusable(u8 cond)
{
	return cond == BLK_ZONE_COND_READONLY || cond == BLK_ZONE_COND_OFFLINE;
}

static bool is_same_life(const struct raizn_zone *z, const struct raizn_zone_state *known)
{
	const struct raizn_zone_state *zs =
		&z->arr->zone_state[raizn_zone_number(z)];

	known += known ? raizn_zone_number(z) : 0;
	return known && known->generation == zs->generation &&
	       !(known->flags & RAIZN_ZONE_RESETTING);
}

/*
 * Is the member's column of a zone of the zone's present life?  A member that was not away
 * holds only data that it was given since it took part: RAIZN_ZONE_TRUNCATED, which
 * distrusts absent members, does not concern it.
 */
static bool is_current(const struct raizn_zone *z,
		       const struct raizn_zone_state *known, bool former)
{
	const struct raizn_zone_state *zs =
		&z->arr->zone_state[raizn_zone_number(z)];

	if (!former)
		return true;
	if (zs->flags & RAIZN_ZONE_TRUNCATED)
		return false;
	return is_same_life(z, known);
}

/*
 * A partly written zone is active on the member.  The count of users' active zones covers
 * the zone if its column is whole and users have it active; all other zones take the places
 * of rebuild jobs.  So do incomplete columns of users' zones: a user may finish such a
 * zone, which does not reach the member, and open another one.
 */
static bool may_stay_active(struct raizn_zone *z, struct found *found,
			    u32 written, u32 end, bool full)
{
	u32 most = raizn_member_extra_zones(found->m);

	if (!written || full || most == U32_MAX || (z->oz && written == end))
		return true;
	if (found->nr_extra++ >= most)
		return false;
	raizn_rebuild_left(z, raizn_zone_column(z, found->m->slot));
	return true;
}

/*
 * Rows that are spoilt in place are with the column as far as its member's log has them.  A job in
 * place does not write around them, so it is all or nothing.
 */
static bool lacks_spoilt(const struct raizn_zone *z, u32 column, u32 end, u32 written)
{
	return raizn_relocation_start(z, column) != U32_MAX &&
	       (written != raizn_relocation_end(z, column, end) ||
		!raizn_relocation_whole(z, column, end));
}

static int load_zone(struct raizn_zone *z, struct found *found,
		     const struct raizn_zone_state *known, bool former)
{
	struct raizn_member *m = found->m;
	const struct raizn_zone_state *zs =
		&z->arr->zone_state[raizn_zone_number(z)];
	u32 column = raizn_zone_column(z, m->slot);
	u32 end = raizn_column_end(z, column);
	u32 physical = raizn_zone_map_physical(&z->arr->geo, &z->arr->map,
					       raizn_zone_number(z), column);
	bool full;
	u32 last;

	/* A column that takes part is as the start has left it. */
	if (physical == RAIZN_NOWHERE || !(z->missing & BIT(column)))
		return 0;
	if (is_zone_unusable(found->conds[physical])) {
		/* The zone was usable when raizn_rebuild_disown() looked. */
		if (!is_current(z, known, former))
			return -EIO;
		raizn_spare_set(m, physical, RAIZN_USE_BAD);
		return 0;
	}
	/*
	 * The end of a damaged zone is unknown; the member's data of this life may be the
	 * way to restore the zone.
	 */
	if (raizn_zone_damaged(z)) {
		if (!is_current(z, known, former) && !raizn_column_is_whole(z, column, NULL))
			return start_over(z, found, physical);
		raizn_column_hold(z, column, raizn_is_cond_active(found->conds[physical]));
		return 0;
	}
	full = found->conds[physical] == BLK_ZONE_COND_FULL;
	if (full)
		found->written[physical] = zs->flags & RAIZN_ZONE_FINISHED ?
					   end : z->arr->geo.member_zone_cap;
	last = raizn_relocation_end(z, column, end);
	if (!is_current(z, known, former) || found->written[physical] > last)
		return start_over(z, found, physical);
	if (lacks_spoilt(z, column, end, full ? last : found->written[physical]) ||
	    !may_stay_active(z, found, found->written[physical], last, full))
		return former ? note_rows(z, found, physical) :
				start_over(z, found, physical);
	/*
	 * A full member zone was written to its end, or its drive has finished it: a job
	 * checks.  A job also finishes a column that is to end finished and is still
	 * active.
	 */
	if (found->written[physical] == last && !full &&
	    !raizn_column_ends_finished(z, m))
		raizn_column_is_back(z, column, !end);
	return 0;
}

/**
 * raizn_column_is_whole() - does a column count when its member is being rebuilt at the next start?
 * @z:		zone of an array that takes no I/O
 * @column:	column
 * @unused:	-
 *
 * It takes part in its zone; or it is marked, and a damaged zone needs it when the member
 * zone is usable again, or the member is back.
 *
 * For raizn_general_mark().  Context: process.
 */
bool raizn_column_is_whole(const struct raizn_zone *z, u32 column, const void *unused)
{
	const struct raizn_array *arr = z->arr;

	return !(z->missing & BIT(column)) ||
	       (raizn_zone_damaged(z) &&
		raizn_zone_map_whole(&arr->geo, &arr->map, raizn_zone_number(z), column));
}

/**
 * raizn_column_stays_kept() - does a member that is back hold all of a damaged zone?
 * @z:		zone of an array that takes no I/O
 * @column:	column of the member
 * @known:	states of the zones by the member's own log, or NULL
 *
 * A start that found the zone damaged left the member out, and marked its column.  A recovery
 * without the member removes the mark: so RAIZN_ZONE_TRUNCATED is of a time before the member was
 * last whole.  A reset does not remove it: so the generation decides.
 *
 * For raizn_general_mark().  Context: process.
 */
bool raizn_column_stays_kept(const struct raizn_zone *z, u32 column, const void *known)
{
	const struct raizn_array *arr = z->arr;

	return raizn_zone_damaged(z) && is_same_life(z, known) &&
	       raizn_zone_map_whole(&arr->geo, &arr->map, raizn_zone_number(z), column);
}

/**
 * raizn_rebuild_disown() - take a new member's columns out of zones that cannot be used now
 * @m:		member that is not live yet
 * @conds:	BLK_ZONE_COND_*, by member zone from the first reserved one on
 * @nr:		member zones; the drive may have fewer than the one before
 * @known:	states of the zones by its own log, or NULL
 * @former:	it was a member before, and @known tells which columns it holds
 *
 * Old data in such a zone cannot be reset.  The zone may be usable again at the next start,
 * which believes all data on a member that is being rebuilt.  So the map must be durable
 * before the superblocks call the member rebuilding.
 *
 * Context: process; the array takes no I/O.  Return: 0 or -errno.
 */
int raizn_rebuild_disown(struct raizn_member *m, const u8 *conds, u32 nr,
			 const struct raizn_zone_state *known, bool former)
{
	struct raizn_array *arr = m->arr;
	u32 physical, column, i;
	int err = 0;

	for (i = 0; !err && i < arr->geo.nr_zones; i++) {
		column = raizn_zone_column(&arr->zones[i], m->slot);
		physical = raizn_zone_map_physical(&arr->geo, &arr->map, i, column);
		if (physical == RAIZN_NOWHERE ||
		    (physical < nr && (!is_zone_unusable(conds[physical]) ||
				       (former && is_current(&arr->zones[i], known, former)))))
			continue;
		err = raizn_general_map(arr, i, column, RAIZN_NOWHERE);
	}
	return err;
}

/**
 * raizn_rebuild_keep() - put member zones in quarantine that must not stay active
 * @m:		member that is back, with its logs begun, after raizn_rebuild_load()
 *
 * Until then they are active as they were when the member went.
 *
 * Context: process; the array takes no I/O.  Return: 0 or -errno.
 */
int raizn_rebuild_keep(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	struct raizn_zone *z;
	u32 column, physical;
	int err = 0;

	for (z = arr->zones; !err && z < arr->zones + arr->geo.nr_zones; z++) {
		if (list_empty(&arr->quarantine))
			break;
		column = raizn_zone_column(z, m->slot);
		physical = raizn_zone_map_physical(&arr->geo, &arr->map, raizn_zone_number(z),
						   column);
		if (physical != RAIZN_NOWHERE &&
		    raizn_quarantine_find(z, column, 0) == physical)
			err = raizn_rebuild_keep_column(z, column);
	}
	return err;
}

/* Zones that are in no map are spare. */
static void load_spares(struct found *found)
{
	struct raizn_member *m = found->m;
	u32 i;

	for (i = RAIZN_NR_LOG_ZONES; i < m->nr_physical; i++) {
		if (m->use[i] != RAIZN_USE_FREE)
			continue;
		if (is_zone_unusable(found->conds[i]))
			m->use[i] = RAIZN_USE_BAD;
		else if (found->conds[i] != BLK_ZONE_COND_EMPTY)
			m->use[i] = RAIZN_USE_DIRTY;
	}
	raizn_spare_clean_member(m);
}

/**
 * raizn_rebuild_load() - find the valid columns of a member, and empty its other zones
 * @m:		member in state rebuilding; only its missing columns are looked at
 * @known:	states of the zones by its own log, or NULL
 * @former:	it was away, so only zones count that @known has in their present generation
 *
 * Context: process; the array takes no I/O.  Return: 0 or -errno.
 */
int raizn_rebuild_load(struct raizn_member *m,
		       const struct raizn_zone_state *known, bool former)
{
	struct raizn_array *arr = m->arr;
	struct found found = { .blank = !former && !m->general->ready };
	u32 i;
	int err;

	err = report_member_zones(m, &found);
	for (i = 0; !err && i < arr->geo.nr_zones; i++) {
		err = load_zone(&arr->zones[i], &found, known, former);
		cond_resched();
	}
	if (!err)
		load_spares(&found);
	kvfree(found.conds);
	kvfree(found.written);
	return err;
}
