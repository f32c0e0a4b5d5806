// SPDX-License-Identifier: GPL-2.0
/*
 * Reset, reset-all and finish, carried out by the zone's worker in the order in
 * which they were accepted among the zone's writes.
 *
 * Reset			after a crash here recovery
 *   1 drain			finds the old data
 *   2 log the intent, FUA	resets the members' zones, then goes on at 4
 *   3 reset members' zones	same: some may be reset, the intent says all.  A member
 *     that fails here is known to have failed before 4, and a column that is whole now,
 *     because its member is being rebuilt, is known to be so
 *   4 log "done", FUA		finds an empty zone of the next generation
 *   5 lost columns get free	the same, with these columns or without: records of their
 *     member zones		places are FUA, and come before the first write
 *   6 end the bio
 * The first write of the next life is behind the reset in the worker's queue,
 * so the new generation is durable before it.
 *
 * Finish			after a crash here recovery
 *   1 log tail, drain, flush	finds the zone open, all of its data durable
 *   2 log (zone, wp), FUA	writes the tail's parity, finishes the zones
 *   3 write the tail's parity	same
 *   4 flush, finish		same, for those that are not finished yet
 *   5 end the bio
 * Step 1 is a flush because step 2 vouches for a write pointer: data below it must
 * not be younger than the record, and must survive the loss of a member with it.
 * A zone that was filled or finished by the operation just before has nothing left to be
 * logged: only the flush of step 1, and steps 4 and 5 remain.
 */
#include "zone/zone.h"
#include "trace.h"

/* The operation took effect, or failed for good: the next life begins. */
static void op_done(struct raizn_zone *z, struct bio *bio, int err)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct bio_list last = BIO_EMPTY_LIST;
	struct raizn_array *arr = z->arr;

	if (err)
		WRITE_ONCE(io->status, errno_to_blk_status(err));
	spin_lock_irq(&z->lock);
	z->ops--;
	if (bio_op(bio) == REQ_OP_ZONE_RESET) {
		WRITE_ONCE(z->resets, z->resets - 1);
		/* Data that was written between two resets expires with the second one. */
		z->expiring = z->resets;
		if (unlikely(err))
			raizn_zone_lose(z);
	}
	z->life++;
	/* The operation may have removed the cause of a failed rebuild. */
	WRITE_ONCE(z->tried, 0);
	/* A user that learns that @bio has ended may open another zone at once. */
	bio_list_add(z->oz ? &z->oz->last : &last, bio);
	raizn_zone_release(z, &last);
	spin_unlock_irq(&z->lock);
	wake_up(&arr->sync_wait);
	raizn_end_bios(&last, BLK_STS_OK);
	/* No column of the zone was rebuilt while the operation was pending. */
	if (unlikely(raizn_zone_wanted(z)))
		raizn_rebuild_kick(arr);
}

/**
 * raizn_zone_find_columns() - an empty zone has all columns that there is room for
 * @z:		zone that was reset
 *
 * Nothing of it is active on its members.  The array fails if its columns are too few for writes
 * that were accepted behind the reset.
 *
 * Context: process; nothing of the zone is under way.
 * Return: whether the zone has columns again that it lacked, or could not read.
 */
bool raizn_zone_find_columns(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	u32 before;
	bool too_little;
	u32 missing;
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		raizn_column_hold(z, c, false);
	/* A column is newly lost if its member fails from now on. */
	spin_lock_irq(&z->lock);
	spin_lock(&arr->fail_lock);
	before = z->missing | z->heal;
	missing = raizn_zone_dead(z);
	for (c = 0; c < arr->geo.nr_members; c++)
		if (!raizn_column_exists(z, c))
			missing |= BIT(c);
	WRITE_ONCE(z->missing, missing);
	WRITE_ONCE(z->heal, 0);
	WRITE_ONCE(z->tried, 0);
	too_little = raizn_zone_too_many(z, missing) && z->cond != BLK_ZONE_COND_EMPTY;
	spin_unlock(&arr->fail_lock);
	spin_unlock_irq(&z->lock);
	if (too_little)
		raizn_array_fail(arr, "another column of a zone that is written",
				 BLK_STS_IOERR);
	return before & ~missing;
}

/* Drop the tail's running parity and all offsets, which belong to the previous life. */
static void forget_progress(struct raizn_open_zone *oz)
{
	struct raizn_array *arr = oz->zone->arr;
	u32 i;

	for (i = 0; i < arr->geo.nr_parity; i++) {
		if (oz->parity[i])
			raizn_parity_free(arr, oz->parity[i]);
		oz->parity[i] = NULL;
	}
	spin_lock_irq(&oz->zone->lock);
	raizn_lost_drop(oz, U32_MAX);
	oz->issued = 0;
	oz->logged = 0;
	oz->completed = 0;
	oz->sound = U32_MAX;
	oz->sound_durable = U32_MAX;
	oz->rebuild_at = 0;
	oz->protected = 0;
	oz->durable = 0;
	oz->sync_wanted = false;
	oz->relog = false;
	oz->zone->broken = false;
	spin_unlock_irq(&oz->zone->lock);
}

/*
 * Every column that was reset is whole: mark those of members that are being rebuilt.  A column
 * that has failed is recorded as nowhere, by raizn_zone_disown() or before raizn_settle() returns.
 */
static int mark_columns(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	int err = 0;
	u32 c;

	if (likely(!READ_ONCE(arr->rebuilding)))
		return 0;
	mutex_lock(&arr->place_mutex);
	for (c = 0; !err && c < arr->geo.nr_members; c++)
		if (raizn_column_rebuilding(z, c) && raizn_column_exists(z, c))
			err = raizn_general_map(arr, zone, c,
						raizn_zone_map_physical(&arr->geo, &arr->map,
									zone, c));
	mutex_unlock(&arr->place_mutex);
	return err;
}

/* As mark_columns(), for a reset of all zones. */
static bool is_reset(const struct raizn_zone *z, u32 column, const void *unused)
{
	const struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);

	return raizn_zone_map_whole(&arr->geo, &arr->map, zone, column) ||
	       (test_bit(zone, arr->reset_all->map) && raizn_column_exists(z, column));
}

static int mark_all_columns(struct raizn_array *arr)
{
	u32 slots = READ_ONCE(arr->rebuilding);
	int err;

	if (likely(!slots))
		return 0;
	mutex_lock(&arr->place_mutex);
	err = raizn_general_mark(arr, slots, is_reset, NULL);
	mutex_unlock(&arr->place_mutex);
	return err;
}

/* Take a free member zone that its drive calls empty: others may have turned bad. */
static bool take_empty_zone(struct raizn_member *m, u32 *physical)
{
	int cond;

	while (!raizn_spare_take(m, physical) || !raizn_spare_unstick(m, physical)) {
		cond = raizn_member_zone_condition(m, *physical);
		if (cond == BLK_ZONE_COND_EMPTY)
			return true;
		if (cond != BLK_ZONE_COND_READONLY && cond != BLK_ZONE_COND_OFFLINE) {
			raizn_spare_set(m, *physical, RAIZN_USE_FREE);
			break;
		}
		raizn_spare_set(m, *physical, RAIZN_USE_BAD);
	}
	return false;
}

/*
 * Give a column that is nowhere a free member zone.  Of a surplus zone, superblocks would have to
 * tell first: that is left to the rebuild.  place_mutex is held.
 */
static void place_column(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 physical;

	lockdep_assert_held(&arr->place_mutex);
	if (!raizn_member_live(m) || !take_empty_zone(m, &physical))
		return;
	if (physical >= raizn_common_zones(&arr->geo) ||
	    raizn_general_map(arr, raizn_zone_number(z), column, physical)) {
		raizn_spare_set(m, physical, RAIZN_USE_FREE);
		return;
	}
	WRITE_ONCE(m->healed, m->healed + 1);
	spin_lock_irq(&arr->fail_lock);
	WRITE_ONCE(z->failing, z->failing & ~BIT(column));
	spin_unlock_irq(&arr->fail_lock);
}

/*
 * An empty column needs no rebuild, only a place: columns that are lost, perhaps in this reset, get
 * one before the writes that were accepted behind the reset.  Failures are recorded; the next start
 * finds an empty zone with the column or without it.
 */
static void place_columns(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	u32 c;

	/* Without a map, no column is nowhere. */
	if (likely(!READ_ONCE(arr->map.entries)))
		return;
	mutex_lock(&arr->place_mutex);
	for (c = 0; c < arr->geo.nr_members; c++)
		if (raizn_zone_map_physical(&arr->geo, &arr->map, zone, c) == RAIZN_NOWHERE)
			place_column(z, c);
	mutex_unlock(&arr->place_mutex);
}

/* Nothing is left of the data that member zones are kept for. */
static void end_quarantine(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;

	if (likely(list_empty(&arr->quarantine)))
		return;
	mutex_lock(&arr->place_mutex);
	raizn_quarantine_end(z, U32_MAX);
	mutex_unlock(&arr->place_mutex);
}

/* The next start would reset the zone, too: its old data is not at risk any more. */
static void end_of_life(struct raizn_zone *z)
{
	spin_lock_irq(&z->lock);
	z->expiring = false;
	spin_unlock_irq(&z->lock);
}

/**
 * raizn_zone_reset() - carry a reset out
 * @z:		zone
 * @bio:	the accepted reset; ended
 *
 * Context: the zone's worker.
 */
void raizn_zone_reset(struct raizn_zone *z, struct bio *bio)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	int err = -EIO;

	if (z->oz) {
		raizn_batch_close(z->oz);
		raizn_wait_drained(z);
	}
	raizn_job_cancel(z);
	if (raizn_array_writable(arr))
		err = raizn_general_reset(arr, zone, RAIZN_RESET_INTENT);
	/* A failed column must have no place now, which others might take during the reset. */
	if (!err)
		err = raizn_settle(arr);
	if (!err) {
		end_of_life(z);
		err = raizn_data_zone_op(arr, REQ_OP_ZONE_RESET, zone);
	}
	if (!err)
		err = raizn_zone_disown(z);
	if (!err)
		err = mark_columns(z);
	if (!err)
		err = raizn_settle(arr);
	if (!err)
		err = raizn_general_reset(arr, zone, RAIZN_RESET_DONE);
	if (!err) {
		end_quarantine(z);
		place_columns(z);
	}
	/* The zone may be the last one that a member lacked, or that needed a member. */
	if (!err && unlikely(raizn_zone_find_columns(z)))
		raizn_rebuild_eased(arr);
	trace_raizn_reset(zone, err);
	if (z->oz)
		forget_progress(z->oz);
	op_done(z, bio, err);
}

/* Steps 2 and 3 of a finish, and the flush of 4. */
static int end_zone(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	int err;

	err = raizn_general_finish(arr, raizn_zone_number(z), z->oz->issued);
	if (err)
		return err;
	raizn_issue_parity_tail(z->oz);
	raizn_wait_drained(z);
	/* Without its parity in place, the end must be found by recovery. */
	if (!raizn_array_writable(arr) || z->broken)
		return -EIO;
	/* A finished zone takes no more writes: make its data durable first. */
	return raizn_flush_members(arr);
}

/* Must the zone go back to the end that could be written, before anything else? */
static bool must_go_back(const struct raizn_zone *z)
{
	return z->broken && raizn_array_writable(z->arr);
}

/* Have a finish wait until its zone has gone back.  A zone that is to be reset never does. */
static bool wait_to_go_back(struct raizn_zone *z, struct bio *bio)
{
	if (!READ_ONCE(z->resets))
		return false;
	op_done(z, bio, -EIO);
	return true;
}

/**
 * raizn_zone_finish() - carry a finish out
 * @z:		zone, with the state of an active one
 * @bio:	the accepted finish; ended
 *
 * Context: the zone's worker.
 * Return: false when there is no space to log the tail, and the worker is woken when the log
 * has switched; or when the zone is broken.  The finish has not begun then.
 */
bool raizn_zone_finish(struct raizn_zone *z, struct bio *bio)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	struct raizn_open_zone *oz = z->oz;
	/* Only this worker resets or finishes the zone. */
	bool ended = oz->issued == arr->geo.zone_cap ||
		     READ_ONCE(arr->zone_state[zone].flags) & RAIZN_ZONE_FINISHED;
	int err = -EIO;

	raizn_batch_close(oz);
	if (unlikely(must_go_back(z)))
		return wait_to_go_back(z, bio);
	if (!ended && raizn_array_writable(arr) && !raizn_log_tail(oz))
		return false;
	raizn_wait_drained(z);
	/* A write before the finish may have failed, and with it the record of the tail. */
	if (unlikely(must_go_back(z)))
		return wait_to_go_back(z, bio);
	if (raizn_array_writable(arr))
		err = raizn_flush_members(arr);
	if (!err)
		err = raizn_settle(arr);
	/* A flush may have relied on this finish to make all data durable. */
	if (!err && raizn_zone_damaged(z))
		err = -EIO;
	if (!err && !ended)
		err = end_zone(z);
	if (!err)
		err = raizn_data_zone_op(arr, REQ_OP_ZONE_FINISH, zone);
	trace_raizn_finish(zone, oz->issued, err);
	op_done(z, bio, err);
	return true;
}

/*
 * Take all bios that were accepted and not carried out, and begin every zone's next
 * life.  Writes among the bios count as written before the reset: they succeed with it.
 * The workers are frozen and drained.
 */
static void steal_and_empty(struct raizn_array *arr, struct bio_list *stolen)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		spin_lock_irq(&z->lock);
		__assign_bit(i, arr->reset_all->map, raizn_zone_needs_reset(z));
		bio_list_merge(stolen, &z->pending);
		bio_list_init(&z->pending);
		z->expiring = raizn_zone_at_risk(z);
		/* Holds the zone's state until the reset is done. */
		z->ops = 1;
		/* Pairs with raizn_zone_at_risk(). */
		smp_wmb();
		WRITE_ONCE(z->resets, 1);
		raizn_zone_empty(z);
		spin_unlock_irq(&z->lock);
	}
}

/* Has every zone a generation left? */
static bool may_reset_all(const struct raizn_array *arr)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		if (!raizn_zone_may_reset(&arr->zones[i]))
			return false;
	return true;
}

static int reset_all(struct raizn_array *arr)
{
	unsigned int i;
	int err;

	if (bitmap_empty(arr->reset_all->map, arr->geo.nr_zones))
		return 0;
	err = raizn_general_reset(arr, RAIZN_ZONE_ALL, RAIZN_RESET_INTENT);
	if (err)
		return err;
	for (i = 0; i < arr->geo.nr_zones; i++) {
		end_of_life(&arr->zones[i]);
		raizn_job_cancel(&arr->zones[i]);
	}
	/* As in raizn_zone_reset(). */
	err = raizn_settle(arr);
	if (err)
		return err;
	for_each_set_bit(i, arr->reset_all->map, arr->geo.nr_zones) {
		err = raizn_data_zone_op(arr, REQ_OP_ZONE_RESET, i);
		if (!err)
			err = raizn_zone_disown(&arr->zones[i]);
		if (err)
			return err;
	}
	err = mark_all_columns(arr);
	if (!err)
		err = raizn_settle(arr);
	if (err)
		return err;
	return raizn_general_reset(arr, RAIZN_ZONE_ALL, RAIZN_RESET_DONE);
}

/**
 * raizn_reset_all_queue() - accept a reset of all zones
 * @arr:	array
 * @bio:	clone from device mapper; ended later if the return is BLK_STS_OK
 *
 * Context: any.
 */
blk_status_t raizn_reset_all_queue(struct raizn_array *arr, struct bio *bio)
{
	unsigned long flags;

	if (!raizn_array_writable(arr))
		return BLK_STS_IOERR;
	spin_lock_irqsave(&arr->reset_all->lock, flags);
	bio_list_add(&arr->reset_all->bios, bio);
	spin_unlock_irqrestore(&arr->reset_all->lock, flags);
	queue_work(arr->zone_wq, &arr->reset_all->work);
	return BLK_STS_OK;
}

/**
 * raizn_reset_all_work() - reset all zones under one pair of records
 * @work:	arr->reset_all->work
 */
void raizn_reset_all_work(struct work_struct *work)
{
	struct raizn_array *arr =
		container_of(work, struct raizn_reset_all, work)->arr;
	struct bio_list stolen = BIO_EMPTY_LIST;
	struct bio_list bios;
	struct raizn_zone *z;
	bool eased = false;
	struct bio *bio;
	int err;
	u32 i;

	percpu_down_write(&arr->freeze);
	spin_lock_irq(&arr->reset_all->lock);
	bios = arr->reset_all->bios;
	bio_list_init(&arr->reset_all->bios);
	spin_unlock_irq(&arr->reset_all->lock);
	/* An earlier run that waited for this lock may have taken the bios of this run. */
	if (bio_list_empty(&bios)) {
		percpu_up_write(&arr->freeze);
		return;
	}
	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z)
			raizn_wait_drained(z);
	}

	/* Check all of this before any zone changes. */
	if (!raizn_array_writable(arr) || !may_reset_all(arr)) {
		percpu_up_write(&arr->freeze);
		wake_up(&arr->sync_wait);
		while ((bio = bio_list_pop(&bios)))
			raizn_end_bio(arr, bio, BLK_STS_IOERR);
		return;
	}
	steal_and_empty(arr, &stolen);
	err = reset_all(arr);
	trace_raizn_reset(RAIZN_ZONE_ALL, err);
	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		if (!err && test_bit(i, arr->reset_all->map)) {
			end_quarantine(z);
			place_columns(z);
			eased |= raizn_zone_find_columns(z);
		}
		/* Not earlier: up to here a log switch must not drop records. */
		if (z->oz)
			forget_progress(z->oz);
		spin_lock_irq(&z->lock);
		z->ops--;
		WRITE_ONCE(z->resets, z->resets - 1);
		z->life++;
		if (unlikely(err) && test_bit(i, arr->reset_all->map))
			raizn_zone_lose(z);
		raizn_zone_release(z, &stolen);
		spin_unlock_irq(&z->lock);
	}
	percpu_up_write(&arr->freeze);
	wake_up(&arr->sync_wait);
	if (unlikely(eased))
		raizn_rebuild_eased(arr);
	else if (unlikely(raizn_rebuild_wanted(arr)))
		raizn_rebuild_kick(arr);

	raizn_end_bios(&stolen, errno_to_blk_status(err));
	while ((bio = bio_list_pop(&bios)))
		raizn_end_bio(arr, bio, errno_to_blk_status(err));
}
