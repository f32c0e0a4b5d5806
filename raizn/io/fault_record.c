// SPDX-License-Identifier: GPL-2.0
/*
 * Recording failures: failures become durable on the members that are left, and then the
 * user bios that fault.c holds back end.
 *
 *   crash after		the next start
 *   the error			trusts the member: its column of the zones written
 *				last is short, the others and parity make up for it.
 *				A reset intent that it lacks makes it stale
 *   new superblock (or		the same, or goes on without the member: nothing
 *   zone map) on some		was acknowledged that depends on the choice
 *   ... on all			goes on without the member
 *
 * Bios are held back until the active zones do without the column, too: before that, the
 * data written to these zones cannot be read.
 *
 * The contents of a column that failed are not trusted any more, so its zone map entry says
 * that the column is nowhere, until it is rebuilt somewhere else.
 */
#include "io/io.h"
#include "member/bad_block.h"

/*
 * Fail the member if it does not answer or has too many errors.  A member zone that turned
 * read-only or offline does not fail the member.
 */
static void judge_column(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map,
					       raizn_zone_number(z), column);
	int cond = raizn_member_zone_condition(m, physical);

	if (cond < 0)
		raizn_member_failed(m, "zone report", errno_to_blk_status(cond));
	else if (cond == BLK_ZONE_COND_READONLY || cond == BLK_ZONE_COND_OFFLINE)
		raizn_error_is_retired(m);
	else
		raizn_judge_errors(m, "the last of a command");
}

/*
 * Never persist the failure of a column beyond the parity count: others may have failed since.
 * Without the locks a concurrent reset may be seen in part.
 */
static bool lost_too_much(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	bool too_much;

	if (likely(!raizn_zone_too_many(z, raizn_zone_lost(z))))
		return false;
	spin_lock_irq(&z->lock);
	spin_lock(&arr->fail_lock);
	too_much = !raizn_may_drop(z, column, RAIZN_DROP_LOST);
	spin_unlock(&arr->fail_lock);
	spin_unlock_irq(&z->lock);
	return too_much;
}

/**
 * raizn_keep_column() - note how many rows of a failed column are right
 * @z:		zone; nothing is noted if it is not active
 * @column:	column that failed, and has not taken part since
 *
 * Rows that were completed before the failure are.  A placeholder would be taken for data when the
 * column is nowhere, and of a column that was to be healed some rows are wrong.
 *
 * Context: process, place_mutex is held.
 */
void raizn_keep_column(struct raizn_zone *z, u32 column)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	bool bad = raizn_bad_columns(z) & BIT(column);
	u32 end = 0, durable = 0;

	spin_lock_irq(&z->lock);
	if (z->oz && !z->resets && !bad && !(z->heal & BIT(column))) {
		end = min(z->oz->sound, z->oz->completed) / geo->stripe << geo->su_shift;
		durable = min(z->oz->sound_durable, z->oz->durable) / geo->stripe << geo->su_shift;
	}
	spin_unlock_irq(&z->lock);
	raizn_quarantine_begin(z, column, end, durable);
}

/* Record that a failed column is nowhere, unless a rebuild has given it another place. */
static int record_column_nowhere(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 old = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
	s64 there = old == RAIZN_NOWHERE ? 0 : raizn_member_zone_written(m, old);
	bool kept = false;
	bool nowhere;
	int err = 0;

	mutex_lock(&arr->place_mutex);
	if (old != raizn_zone_map_physical(&arr->geo, &arr->map, zone, column))
		there = 0;
	old = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
	nowhere = READ_ONCE(z->failing) & BIT(column);
	if (nowhere)
		raizn_keep_column(z, column);
	if (nowhere && lost_too_much(z, column)) {
		raizn_array_fail(arr, "another column of a degraded zone", BLK_STS_IOERR);
		err = -EIO;
	}
	if (nowhere && !err)
		err = raizn_general_map(arr, zone, column, RAIZN_NOWHERE);
	if (nowhere && !err)
		kept = raizn_quarantine_keep(z, column, there);
	mutex_unlock(&arr->place_mutex);
	if (nowhere && !err)
		raizn_member_give_up_zone(m, old, kept);
	return err;
}

/* There is no memory for the zone map.  Returns whether the array goes on without the member. */
static bool map_too_large(struct raizn_member *m)
{
	return raizn_member_failed(m, "memory for its zone map", BLK_STS_RESOURCE);
}

/**
 * raizn_zone_disown() - record that columns that a reset did not reach are nowhere
 * @z:		zone that is being reset; the intent is durable
 *
 * A member zone that cannot be used keeps its data.  It may be usable again at a later
 * start, which must not take the old data for data of the zone's next life.
 *
 * Failures of members meanwhile are durable only after raizn_settle().
 *
 * Durable on return.  Context: process; no job has the zone.  Return: 0 or -errno.
 */
int raizn_zone_disown(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	int err = 0;
	u32 c;

	mutex_lock(&arr->place_mutex);
	for (c = 0; !err && c < arr->geo.nr_members; c++) {
		if (!raizn_column_is_unusable(z, c))
			continue;
		err = raizn_general_map(arr, zone, c, RAIZN_NOWHERE);
		if (err == -ENOMEM && map_too_large(raizn_zone_member(z, c)))
			err = 0;
	}
	mutex_unlock(&arr->place_mutex);
	return err;
}

static int record_column(struct raizn_zone *z, u32 column)
{
	struct raizn_member *m = raizn_zone_member(z, column);
	int err;

	if (!raizn_member_live(m))
		return 0;
	judge_column(z, column);
	if (!raizn_member_live(m))
		return 0;
	err = record_column_nowhere(z, column);
	return err == -ENOMEM && map_too_large(m) ? 0 : err;
}

/* Failed columns that the zone map does not call nowhere yet. */
static u32 unrecorded(const struct raizn_zone *z)
{
	const struct raizn_array *arr = z->arr;
	u32 columns = READ_ONCE(z->failing);
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		if (raizn_zone_map_physical(&arr->geo, &arr->map,
					    raizn_zone_number(z), c) ==
		    RAIZN_NOWHERE)
			columns &= ~BIT(c);
	return columns;
}

static int record_columns(struct raizn_array *arr)
{
	struct raizn_zone *z;
	unsigned long zone;
	u32 columns;
	int err = 0;

	for_each_set_bit(zone, arr->fail_map, arr->geo.nr_zones) {
		z = &arr->zones[zone];
		spin_lock_irq(&arr->fail_lock);
		__clear_bit(zone, arr->fail_map);
		spin_unlock_irq(&arr->fail_lock);
		for (columns = unrecorded(z); !err && columns;
		     columns &= columns - 1)
			err = record_column(z, __ffs(columns));
		if (err)
			return err;
	}
	return 0;
}

static int record_members(struct raizn_array *arr)
{
	u32 failing;
	int err;

	spin_lock_irq(&arr->fail_lock);
	failing = arr->failing;
	spin_unlock_irq(&arr->fail_lock);
	if (!failing)
		return 0;
	err = raizn_general_superblock(arr, false);
	if (err)
		return err;
	spin_lock_irq(&arr->fail_lock);
	arr->failing &= ~failing;
	spin_unlock_irq(&arr->fail_lock);
	return 0;
}

static bool all_recorded(struct raizn_array *arr)
{
	bool done;

	spin_lock_irq(&arr->fail_lock);
	done = raizn_array_failed(arr) ||
	       (!arr->failing && bitmap_empty(arr->fail_map, arr->geo.nr_zones));
	if (done && arr->settling == RAIZN_UNRECORDED)
		WRITE_ONCE(arr->settling, RAIZN_RECORDED);
	spin_unlock_irq(&arr->fail_lock);
	wake_up(&arr->sync_wait);
	return done;
}

/* Do all active zones do without their lost columns? */
static bool all_degraded(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z && raizn_zone_newly_lost(z))
			return false;
	}
	/* See raizn_zone_degrade(). */
	smp_rmb();
	return true;
}

/*
 * Run the worker of every zone that newly lost a column, or is damaged now, and wait for the active
 * zones.
 */
static void degrade_zones(struct raizn_array *arr)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		if (raizn_zone_newly_lost(&arr->zones[i]) ||
		    raizn_zone_lost_data(&arr->zones[i]))
			queue_work(arr->zone_wq, &arr->zones[i].work);
	/* A worker may wait for another failure to be recorded. */
	wait_event(arr->sync_wait, all_degraded(arr) ||
		   READ_ONCE(arr->settling) == RAIZN_UNRECORDED ||
		   raizn_array_failed(arr));
}

/*
 * Take the held bios unless another failure was marked since.  An array that has failed
 * never becomes settled: bios with commands under way would end as if the failures that
 * were absorbed for them were durable.
 */
static bool release_held(struct raizn_array *arr, struct bio_list *held)
{
	bool failed, done;

	spin_lock_irq(&arr->fail_lock);
	failed = raizn_array_failed(arr);
	done = arr->settling != RAIZN_UNRECORDED && (failed || all_degraded(arr));
	if (done) {
		*held = arr->held;
		bio_list_init(&arr->held);
		WRITE_ONCE(arr->settling, failed ? RAIZN_RECORDED : RAIZN_SETTLED);
	}
	spin_unlock_irq(&arr->fail_lock);
	return done;
}

/* Make all failures durable, unless the array has failed. */
static void record_failures(struct raizn_array *arr)
{
	int err;

	do {
		if (raizn_array_failed(arr))
			continue;
		err = record_columns(arr);
		if (!err)
			err = record_members(arr);
		if (err)
			raizn_array_fail(arr, "recording a failure",
					 errno_to_blk_status(err));
	} while (!all_recorded(arr));
}

/**
 * raizn_fail_work() - make failures durable
 * @work:	arr->fail_work
 */
void raizn_fail_work(struct work_struct *work)
{
	struct raizn_array *arr = container_of(work, struct raizn_array,
					       fail_work);
	struct bio_list held = BIO_EMPTY_LIST;
	struct bio *bio;

	do {
		record_failures(arr);
		degrade_zones(arr);
	} while (!release_held(arr, &held));

	/* Writes that wait for space in a log fail now. */
	if (raizn_array_failed(arr))
		raizn_active_zones_kick(arr);
	while ((bio = bio_list_pop(&held))) {
		if (raizn_array_failed(arr) && !bio->bi_status)
			bio->bi_status = BLK_STS_IOERR;
		bio_endio(bio);
	}
	/*
	 * Jobs for one member may have waited for a zone that lacked a column of another, and for
	 * member zones of failed columns, which come free now.
	 */
	if (raizn_array_in_use(arr))
		raizn_rebuild_kick(arr);
	raizn_array_event(arr);
}
