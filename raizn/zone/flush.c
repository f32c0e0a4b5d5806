// SPDX-License-Identifier: GPL-2.0
/*
 * Flushes, and FUA writes that find unflushed data before them in their zone.
 *
 * One worker serves all flushes that have gathered: it asks every zone concerned to
 * protect its tail, waits until the data and parity are written, flushes the members that
 * have unflushed writes, and ends the bios.  Records of partial parity are FUA writes, so
 * they are under way at the same time.  A flush that need not wait for data does without
 * the worker: see flush_here().
 *
 * A flush covers the writes that are completed when it comes.  Later writes may have changed
 * the running parity of the last stripe of these: they are part of its record then, or have
 * filled the stripe, and the flush waits for them as well, for less than a stripe.
 *
 * Invariant: all data that a record is made of is written before the members are flushed:
 * a record is of no use if any data in it is lost, and there may be no older one.
 *
 *   crash after		the flush has promised
 *   any of the tails logged	nothing: the flush has not completed
 *   any of the members flushed	nothing.  A record may be durable before its data: then
 *				recovery takes an older one, as an earlier flush promised
 *   all of both		nothing yet, but all of it is durable
 *   bios ended			all of it: data, parity and partial parity of
 *				everything completed before the flush
 */
#include "zone/zone.h"
#include "trace.h"

/* A full zone is settled only when it is released: see go_idle(). */
static bool reaches_target(const struct raizn_flush_target *t, u32 offset)
{
	return offset >= t->offset && t->offset != t->zone->arr->geo.zone_cap;
}

/*
 * Does a zone have completed writes that are not durable?  If so, fills @t with the part to
 * be protected.  zone->lock is held.
 */
static bool is_unflushed(struct raizn_zone *z, struct raizn_flush_target *t)
{
	lockdep_assert_held(&z->lock);
	if (!z->oz || (!z->ops && z->oz->durable >= z->oz->completed))
		return false;
	t->zone = z;
	t->life = z->life;
	/*
	 * A reset or finish under way settles the writes before it when it is
	 * done, or has failed, and no write after it can have completed.
	 */
	t->offset = z->ops ? U32_MAX : z->oz->completed;
	t->work = !reaches_target(t, z->oz->protected);
	return true;
}

/*
 * Ask a zone to protect its completed writes.  Returns whether there is something to
 * wait for, and if so fills @t.
 */
static bool want_sync(struct raizn_zone *z, struct raizn_flush_target *t)
{
	bool wait;

	spin_lock_irq(&z->lock);
	wait = is_unflushed(z, t);
	if (wait) {
		z->oz->sync_wanted = t->work;
		WRITE_ONCE(z->oz->sync_offset, t->offset);
		z->oz->sync_end = 0;
	}
	spin_unlock_irq(&z->lock);
	return wait;
}

static bool is_written(const struct raizn_flush_target *t)
{
	const struct raizn_open_zone *oz = t->zone->oz;

	lockdep_assert_held(&t->zone->lock);
	if (t->work)
		return reaches_target(t, oz->sync_end) && oz->completed >= oz->sync_end;
	return reaches_target(t, oz->completed);
}

/* Is all data of a target written, or, with @records, protected? */
static bool target_is_reached(const struct raizn_flush_target *t, bool records)
{
	struct raizn_zone *z = t->zone;
	bool ok;

	spin_lock_irq(&z->lock);
	ok = !z->oz || z->life != t->life ||
	     (records ? reaches_target(t, z->oz->protected) : is_written(t));
	spin_unlock_irq(&z->lock);
	return ok || raizn_array_failed(z->arr);
}

static u32 want_all(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z && want_sync(z, &arr->flush->targets[nr]))
			nr++;
	}
	return nr;
}

static u32 want_zones_of(struct raizn_array *arr, struct bio_list *fua)
{
	struct raizn_zone *z, *last = NULL;
	struct bio *bio;
	u32 nr = 0;
	u32 i;

	bio_list_for_each(bio, fua) {
		z = &arr->zones[bio->bi_iter.bi_sector >> arr->geo.zone_shift];
		if (z == last)
			continue;
		last = z;
		/* More zones than that may have been active, one after the other. */
		if (nr == arr->nr_open_zones)
			return want_all(arr);
		for (i = 0; i < nr && arr->flush->targets[i].zone != z; i++)
			;
		if (i == nr && want_sync(z, &arr->flush->targets[nr]))
			nr++;
	}
	return nr;
}

/* Log the tail of one zone here, while workers log those of the other zones. */
static void log_tails(struct raizn_array *arr, u32 nr)
{
	struct raizn_zone *last = NULL;
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!arr->flush->targets[i].work)
			continue;
		if (last)
			queue_work(arr->zone_wq, &last->work);
		last = arr->flush->targets[i].zone;
	}
	if (last && !raizn_zone_sync(last))
		queue_work(arr->zone_wq, &last->work);
}

static void wait_for_targets(struct raizn_array *arr, u32 nr, bool records)
{
	u32 i;

	for (i = 0; i < nr; i++)
		wait_event(arr->sync_wait,
			   target_is_reached(&arr->flush->targets[i], records));
}

static int sync_targets(struct raizn_array *arr, u32 nr)
{
	int err = 0;
	u32 i;

	log_tails(arr, nr);
	wait_for_targets(arr, nr, false);
	if (!raizn_array_failed(arr))
		err = raizn_flush_members(arr);
	wait_for_targets(arr, nr, true);
	if (raizn_array_failed(arr))
		err = -EIO;
	for (i = 0; !err && i < nr; i++)
		raizn_set_durable(&arr->flush->targets[i]);
	return err;
}

/**
 * raizn_sync_all() - make everything the array has completed durable
 * @arr:	array that gets no new I/O
 *
 * Context: process; the flush worker is idle.  Return: 0 or -errno.
 */
int raizn_sync_all(struct raizn_array *arr)
{
	return sync_targets(arr, want_all(arr));
}

static void end_flushes(struct raizn_array *arr, struct bio_list *bios, int err)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios)))
		raizn_end_bio(arr, bio, errno_to_blk_status(err));
}

/**
 * raizn_flush_work() - the flush worker
 * @work:	arr->flush->work
 */
void raizn_flush_work(struct work_struct *work)
{
	struct raizn_array *arr =
		container_of(work, struct raizn_flusher, work)->arr;
	struct bio_list flushes, fua;
	int err;
	u32 nr;

	for (;;) {
		spin_lock_irq(&arr->flush->lock);
		flushes = arr->flush->bios;
		fua = arr->flush->fua;
		bio_list_init(&arr->flush->bios);
		bio_list_init(&arr->flush->fua);
		spin_unlock_irq(&arr->flush->lock);
		if (bio_list_empty(&flushes) && bio_list_empty(&fua))
			return;

		if (bio_list_empty(&flushes))
			nr = want_zones_of(arr, &fua);
		else
			nr = want_all(arr);
		trace_raizn_flush_begin(bio_list_size(&flushes),
					bio_list_size(&fua), nr);
		err = sync_targets(arr, nr);
		trace_raizn_flush_end(err);
		end_flushes(arr, &flushes, err);
		end_flushes(arr, &fua, err);
	}
}

/* Can a zone be flushed without its worker?  Notes the zone if it has unflushed writes. */
static bool look_here(struct raizn_zone *z, struct raizn_io *io)
{
	struct raizn_flush_target t;
	bool ready = true;

	spin_lock_irq(&z->lock);
	if (is_unflushed(z, &t)) {
		ready = io->nr_synced < RAIZN_FLUSH_HERE &&
			(!t.work || raizn_zone_is_idle(z));
		if (ready)
			io->synced[io->nr_synced++] = t;
	}
	spin_unlock_irq(&z->lock);
	return ready;
}

/* Can all zones be flushed here?  None is claimed yet: with many writers this fails. */
static bool look_everywhere(struct raizn_array *arr, struct raizn_io *io)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z && !look_here(z, io))
			return false;
	}
	return true;
}

static bool claim_for_flush(struct raizn_flush_target *t)
{
	struct raizn_zone *z = t->zone;
	bool idle;

	spin_lock_irq(&z->lock);
	idle = z->life == t->life && raizn_zone_is_idle(z);
	if (idle) {
		z->busy = true;
		t->offset = z->wp;
	}
	spin_unlock_irq(&z->lock);
	return idle;
}

/* Claim the zones that have a tail to be logged.  On false, none is claimed. */
static bool claim_all_for_flush(struct raizn_io *io)
{
	u32 i;

	for (i = 0; i < io->nr_synced; i++)
		if (io->synced[i].work && !claim_for_flush(&io->synced[i]))
			break;
	if (i == io->nr_synced)
		return true;
	while (i--)
		if (io->synced[i].work)
			raizn_zone_unclaim(io->synced[i].zone);
	return false;
}

static void log_all(struct raizn_io *io, struct bio *bio)
{
	struct raizn_batch *batch;
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < io->nr_synced; i++) {
		if (!io->synced[i].work)
			continue;
		z = io->synced[i].zone;
		batch = raizn_batch_open(z->oz, false);
		raizn_flush_get(bio);
		batch->flush = bio;
		if (!raizn_log_tail(z->oz))
			WRITE_ONCE(io->again, true);
		raizn_zone_unclaim(z);
	}
}

/*
 * A flush of few zones that have completed all of their writes needs no worker: waking
 * the worker, and waiting for it, takes as long as a fast drive.  Records and flushes of
 * members are under way together, and the last of them to complete ends the bio.  For the
 * bio list see issue_here().
 */
static bool flush_here(struct raizn_array *arr, struct bio *bio)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct bio_list *outer = current->bio_list;
	bool claimed;

	atomic_set(&io->refs, 1);
	io->status = BLK_STS_OK;
	io->arr = arr;
	io->again = false;
	io->nr_synced = 0;
	if (raizn_array_failed(arr) || !look_everywhere(arr, io) ||
	    !percpu_down_read_trylock(&arr->freeze))
		return false;
	current->bio_list = NULL;
	claimed = claim_all_for_flush(io);
	if (claimed) {
		trace_raizn_flush_begin(1, 0, io->nr_synced);
		log_all(io, bio);
	}
	percpu_up_read(&arr->freeze);
	if (claimed)
		raizn_flush_members_for(arr, bio);
	current->bio_list = outer;
	if (claimed)
		raizn_flush_put(bio, BLK_STS_OK);
	return claimed;
}

/**
 * raizn_flush() - carry a flush out
 * @arr:	array
 * @bio:	clone from device mapper, without data
 *
 * Context: process, may sleep; a map function.
 */
void raizn_flush(struct raizn_array *arr, struct bio *bio)
{
	if (!flush_here(arr, bio))
		raizn_flush_queue(arr, bio);
}
