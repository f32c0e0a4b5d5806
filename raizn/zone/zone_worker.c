// SPDX-License-Identifier: GPL-2.0
/*
 * The zone worker: carries out accepted writes and operations, in order.
 *
 * One caller at a time issues the writes of a zone: its worker, or, for small writes to a
 * zone that has no batch under way, the submitter itself, because waking the worker takes
 * longer than all else: see issue_here().
 */
#include "zone/zone.h"

/* Sectors, at most, that are issued by their submitter. */
#define HERE_SECTORS	256U

/* A write to a zone that is broken ends when the worker has seen to that. */
static void fail_later(struct raizn_open_zone *oz, struct bio *bio)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	WRITE_ONCE(io->status, BLK_STS_IOERR);
	spin_lock_irq(&oz->zone->lock);
	bio_list_add(&oz->last, bio);
	spin_unlock_irq(&oz->zone->lock);
}

/* Carry out @todo.  Returns false when an operation has to wait: the rest is pending again. */
static bool process_pending(struct raizn_zone *z, struct bio_list *todo, u32 sectors)
{
	struct bio *bio;

	while ((bio = bio_list_pop(todo))) {
		switch (bio_op(bio)) {
		case REQ_OP_ZONE_RESET:
			raizn_zone_reset(z, bio);
			break;
		case REQ_OP_ZONE_FINISH:
			if (raizn_zone_finish(z, bio))
				break;
			bio_list_add_head(todo, bio);
			spin_lock_irq(&z->lock);
			bio_list_merge_head(&z->pending, todo);
			spin_unlock_irq(&z->lock);
			return false;
		default:
			if (unlikely(z->broken)) {
				fail_later(z->oz, bio);
				break;
			}
			z->oz->column_vecs = raizn_column_vecs(z->arr, sectors);
			raizn_issue_write(z->oz, bio);
		}
	}
	return true;
}

/*
 * Log the tail for a flush, which waits for the data before it flushes the members, but not for
 * the record: the record has a batch of its own.  No record is needed if the last stripe of the
 * flush has become full: its parity is issued.  Without log space sync_wanted stays set.
 */
static void sync_tail(struct raizn_open_zone *oz)
{
	u32 offset = READ_ONCE(oz->sync_offset);
	u32 stripe = oz->zone->arr->geo.stripe;
	u32 end = oz->issued;
	bool logged = true;

	raizn_batch_close(oz);
	if (offset <= rounddown(end, stripe))
		end = roundup(offset, stripe);
	else
		logged = raizn_log_tail(oz);
	spin_lock_irq(&oz->zone->lock);
	if (!logged)
		oz->sync_wanted = true;
	else if (oz->sync_offset == offset)
		oz->sync_end = end;
	spin_unlock_irq(&oz->zone->lock);
	/* All data may have been written long ago. */
	if (logged && wq_has_sleeper(&oz->zone->arr->sync_wait))
		wake_up(&oz->zone->arr->sync_wait);
}

static void relog_tail(struct raizn_open_zone *oz)
{
	raizn_batch_close(oz);
	raizn_batch_open(oz, false);
	if (!raizn_pp_relog(oz, oz->batch))
		raizn_array_fail(oz->zone->arr, "partial-parity log switch",
				 BLK_STS_NOSPC);
	raizn_batch_close(oz);
}

/*
 * A member that does not answer any more has failed as a whole; see judge_column().
 * Returns the columns (bit by column) in member zones that their drives have retired.
 */
static u32 ask_members(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m;
	u32 physical, c;
	u32 retired = 0;
	int cond;

	for (c = 0; c < arr->geo.nr_members; c++) {
		if (!raizn_column_live(z, c))
			continue;
		m = raizn_zone_member(z, c);
		physical = raizn_zone_map_physical(&arr->geo, &arr->map,
						   raizn_zone_number(z), c);
		cond = raizn_member_zone_condition(m, physical);
		if (cond < 0)
			raizn_member_failed(m, "zone report", errno_to_blk_status(cond));
		if (cond != BLK_ZONE_COND_READONLY && cond != BLK_ZONE_COND_OFFLINE)
			continue;
		raizn_error_is_retired(m);
		retired |= BIT(c);
	}
	return retired;
}

/*
 * A write failed, and parity does not make up for it.  Go back to the last write that was
 * completed, unless more bios are to be ended first, or a reset does all that.
 */
static void end_writing(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	struct raizn_open_zone *oz = z->oz;
	u32 retired;
	bool over;
	int err;

	raizn_batch_close(oz);
	raizn_job_cancel(z);
	raizn_wait_drained(z);
	retired = ask_members(z);
	/* If a member has just failed, the zone lacks too much: see raizn_zone_degrade(). */
	if (READ_ONCE(z->resets) || raizn_zone_newly_lost(z))
		return;
	err = raizn_tail_go_back(oz);
	/* If a reset was accepted meanwhile, the data does not matter. */
	if (err && !READ_ONCE(z->resets))
		raizn_array_fail(arr, "reading the end of a zone", errno_to_blk_status(err));
	if (err)
		return;
	spin_lock_irq(&z->lock);
	/* Writes before it have failed, and none can come after it: a finish waits for this. */
	over = !z->resets && (bio_list_empty(&z->pending) ||
			      bio_op(z->pending.head) == REQ_OP_ZONE_FINISH);
	if (over)
		raizn_zone_end_writing(z, retired);
	spin_unlock_irq(&z->lock);
	/* Jobs passed over the zone; the next start may need the columns that it lacks. */
	if (over && raizn_zone_wanted(z))
		raizn_rebuild_kick(arr);
	if (!over || !raizn_zone_damaged(z))
		return;
	DMERR("array %pU: parity does not make up for that: logical zone %u can be read up to sector %u, and takes no more writes until it is reset, or the array is stopped and started%s",
	      arr->uuid, raizn_zone_number(z), oz->completed,
	      raizn_zone_too_many(z, raizn_zone_lost(z) | retired) ?
	      "; as it is, a start could read less of it" : "");
	raizn_array_event(arr);
}

/*
 * One round: all that is pending now.  The request of a flush is taken together with
 * the pending bios, so that the tail that is logged contains all data that the flush
 * waits for.  The request of a log switch is taken afterwards, because a reset in the
 * round fulfils it.  Returns false when there was nothing to do.
 */
static bool zone_round(struct raizn_zone *z)
{
	struct bio_list failed = BIO_EMPTY_LIST;
	struct raizn_open_zone *oz;
	struct bio_list todo;
	bool relog = false;
	bool sync = false;
	struct bio *bio;
	u32 sectors = 0;
	bool worked;

	spin_lock_irq(&z->lock);
	raizn_zone_accept_early(z, &failed);
	todo = z->pending;
	bio_list_init(&z->pending);
	if (z->oz && raizn_array_writable(z->arr)) {
		sync = z->oz->sync_wanted;
		z->oz->sync_wanted = false;
	}
	spin_unlock_irq(&z->lock);

	while (unlikely((bio = bio_list_pop(&failed))))
		bio_endio(bio);
	if (unlikely(raizn_zone_newly_lost(z)))
		raizn_zone_degrade(z);
	if (unlikely(z->job))
		raizn_job_work(z);
	worked = !bio_list_empty(&todo);
	bio_list_for_each(bio, &todo)
		sectors += bio_sectors(bio);
	worked &= process_pending(z, &todo, sectors);
	if (unlikely(z->broken)) {
		end_writing(z);
		return !raizn_array_failed(z->arr);
	}

	spin_lock_irq(&z->lock);
	oz = z->oz;
	if (oz && raizn_array_writable(z->arr)) {
		relog = oz->relog && !oz->relog_issued;
		oz->relog_issued |= relog;
	}
	spin_unlock_irq(&z->lock);
	if (!oz)
		return worked;
	if (sync)
		sync_tail(oz);
	if (relog)
		relog_tail(oz);
	raizn_batch_close(oz);
	if (sync && READ_ONCE(oz->sync_wanted))
		return worked;
	return worked || sync || relog;
}

/* Is all of a zone on the members?  zone->lock is held. */
static bool is_zone_complete(const struct raizn_zone *z)
{
	return z->oz && z->oz->completed == z->arr->geo.zone_cap && !z->ops;
}

/*
 * A full zone stays active until it is durable: a zone that loses its end in a power cut
 * is active again, and recovery needs room for it.  Member zones that do not end with the
 * last stripe unit are finished, because they stay active until then.  Returns whether the
 * zone was complete, so that this was done, or tried.
 */
static bool settle_full(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	bool complete;

	spin_lock_irq(&z->lock);
	complete = is_zone_complete(z);
	spin_unlock_irq(&z->lock);
	if (complete && raizn_array_writable(arr) &&
	    !raizn_flush_members(arr) && raizn_members_padded(arr))
		raizn_data_zone_op(arr, REQ_OP_ZONE_FINISH, raizn_zone_number(z));
	return complete;
}

/*
 * Call a full zone damaged that lacks too much, once that is durable: raizn_judge_members()
 * does not look at damaged zones.  zone->lock is held.
 */
static bool damage_full(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	bool damaged;

	if (likely(!raizn_zone_lost_data(z)))
		return false;
	spin_lock(&arr->fail_lock);
	damaged = !raizn_array_failed(arr) && arr->settling != RAIZN_UNRECORDED;
	spin_unlock(&arr->fail_lock);
	if (damaged)
		raizn_zone_damage(z);
	return damaged;
}

/*
 * The worker has nothing more to do.  A full or emptied zone needs no state in
 * memory and no active zones on the members any more; the bios that filled it end
 * only now, so that their user can open a new zone at once.
 */
static void go_idle(struct raizn_zone *z)
{
	struct bio_list last = BIO_EMPTY_LIST;
	bool settled = settle_full(z);
	bool damaged;

	/* A job computes the end of its column from the write pointer.  No other job begins. */
	if (unlikely(raizn_zone_lost_data(z)))
		raizn_job_cancel(z);
	spin_lock_irq(&z->lock);
	/* A completion since then has queued the worker again. */
	if (settled || !is_zone_complete(z))
		raizn_zone_release(z, &last);
	damaged = damage_full(z);
	z->busy = false;
	spin_unlock_irq(&z->lock);
	if (unlikely(damaged)) {
		DMERR_LIMIT("array %pU: logical zone %u lost more than parity makes up for: it can be read in part",
			    z->arr->uuid, raizn_zone_number(z));
		raizn_array_event(z->arr);
	}
	wake_up(&z->arr->sync_wait);
	raizn_end_bios(&last, BLK_STS_OK);
}

static bool claim_zone(struct raizn_zone *z)
{
	bool claimed;

	spin_lock_irq(&z->lock);
	claimed = !z->busy;
	z->busy = true;
	spin_unlock_irq(&z->lock);
	return claimed;
}

/**
 * raizn_zone_work() - the worker of a zone
 * @work:	zone->work
 */
void raizn_zone_work(struct work_struct *work)
{
	struct raizn_zone *z = container_of(work, struct raizn_zone, work);

	percpu_down_read(&z->arr->freeze);
	wait_event(z->arr->sync_wait, claim_zone(z));
	while (zone_round(z))
		cond_resched();
	go_idle(z);
	percpu_up_read(&z->arr->freeze);
}

/*
 * Claim a zone in which there is nothing to do but to issue the pending writes.  With
 * batches under way it is left to the worker, which can issue more writes together.
 */
static bool claim_here(struct raizn_zone *z, struct bio_list *todo, u32 *sectors)
{
	struct raizn_open_zone *oz;
	bool claimed = false;

	spin_lock_irq(&z->lock);
	oz = z->oz;
	if (!z->busy && oz && list_empty(&oz->batches) &&
	    !bio_list_empty(&z->pending) && !z->ops && !z->job &&
	    !oz->sync_wanted && !oz->relog && !z->broken &&
	    z->wp - oz->issued <= HERE_SECTORS && !raizn_zone_newly_lost(z)) {
		*sectors = z->wp - oz->issued;
		*todo = z->pending;
		bio_list_init(&z->pending);
		z->busy = true;
		claimed = true;
	}
	spin_unlock_irq(&z->lock);
	return claimed;
}

/**
 * raizn_zone_unclaim() - let others issue writes of a zone
 * @z:		zone that the caller claimed in place of its worker
 *
 * Writes accepted meanwhile have queued the worker.
 *
 * Context: process.
 */
void raizn_zone_unclaim(struct raizn_zone *z)
{
	spin_lock_irq(&z->lock);
	z->busy = false;
	spin_unlock_irq(&z->lock);
	if (wq_has_sleeper(&z->arr->sync_wait))
		wake_up(&z->arr->sync_wait);
}

/*
 * Issue pending writes in the context of their submitter.  In a map function
 * submit_bio() only puts bios on the submitter's list, to be submitted when all of
 * this has returned and the zone is no longer claimed: another submitter could reach
 * a member first.  So the list is hidden.  Its purpose is still served: the stack
 * grows by one device only, and no task waits for bios on a list, because all bios
 * that are waited for here were submitted, not listed.
 *
 * A drive may complete at once, and the completion may submit the next write.  Device mapper
 * ends no bio of a user before its own part has returned, and then the list is there again:
 * a chain of such writes does not recurse.
 *
 * Context: process, may sleep.  Return: false when the worker has to do it.
 */
static bool issue_here(struct raizn_zone *z)
{
	struct bio_list *outer = current->bio_list;
	struct raizn_array *arr = z->arr;
	struct bio_list todo;
	u32 sectors;

	if (!percpu_down_read_trylock(&arr->freeze))
		return false;
	if (!claim_here(z, &todo, &sectors)) {
		percpu_up_read(&arr->freeze);
		return false;
	}
	current->bio_list = NULL;
	process_pending(z, &todo, sectors);
	raizn_batch_close(z->oz);
	current->bio_list = outer;
	raizn_zone_unclaim(z);
	percpu_up_read(&arr->freeze);
	return true;
}

/* Is a zone not busy, with at most its tail left to be logged? */
static bool has_only_tail(const struct raizn_zone *z)
{
	lockdep_assert_held(&z->lock);
	/* For a zone without data, leave_active() relies on the worker to be the busy one. */
	return !z->busy && z->oz && bio_list_empty(&z->pending) && z->wp &&
	       z->wp < z->arr->geo.zone_cap && !z->ops && !z->job && !z->broken &&
	       !z->oz->relog && !raizn_zone_newly_lost(z) &&
	       raizn_array_writable(z->arr);
}

/**
 * raizn_zone_is_idle() - are all writes of a zone completed?
 * @z:		zone; its lock is held
 *
 * Also, nothing is left to be done in the zone but to log its tail, and no flush has asked
 * the worker for that.
 *
 * Return: true when the caller may set zone->busy, to log the tail, if it holds
 * arr->freeze for reading.  raizn_zone_unclaim() clears zone->busy.
 */
bool raizn_zone_is_idle(const struct raizn_zone *z)
{
	return has_only_tail(z) && z->oz->completed == z->wp &&
	       !z->oz->sync_wanted;
}

/**
 * raizn_zone_sync() - log a zone's tail for a flush, in place of its worker
 * @z:		zone
 *
 * Context: process, may sleep; not in a map function.
 * Return: false when the worker has to do it.
 */
bool raizn_zone_sync(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	struct raizn_open_zone *oz;
	bool claimed;

	if (!percpu_down_read_trylock(&arr->freeze))
		return false;
	spin_lock_irq(&z->lock);
	oz = z->oz;
	claimed = has_only_tail(z) && oz->sync_wanted;
	if (claimed) {
		oz->sync_wanted = false;
		z->busy = true;
	}
	spin_unlock_irq(&z->lock);
	if (claimed) {
		sync_tail(oz);
		raizn_zone_unclaim(z);
	}
	percpu_up_read(&arr->freeze);
	return claimed;
}

/**
 * struct zone_kick - wakes a zone's worker when its submitter's plug ends
 * @cb:		its data is the zone
 * @counted:	in arr->plugs
 * @nowait:	some of its writes must not sleep
 */
struct zone_kick {
	struct blk_plug_cb cb;
	bool counted;
	bool nowait;
};

static void zone_kick_unplug(struct blk_plug_cb *cb, bool from_schedule)
{
	struct zone_kick *k = container_of(cb, struct zone_kick, cb);
	struct raizn_zone *z = cb->data;
	struct raizn_array *arr = z->arr;
	bool nowait = k->nowait;

	kfree(k);
	if (from_schedule || nowait || !issue_here(z))
		queue_work(arr->zone_wq, &z->work);
	/* Once the plug is not counted any more, only RCU keeps the array alive. */
	rcu_read_lock();
	if (atomic_dec_and_test(&arr->plugs))
		wake_up(&arr->sync_wait);
	rcu_read_unlock();
}

/**
 * raizn_zone_kick() - issue accepted bios, or wake the zone's worker
 * @z:		zone
 * @waiting:	sectors that were accepted and not yet issued
 * @nowait:	do not sleep
 *
 * Writes that come under one plug are better issued as one batch than one by one, so
 * they are issued when the plug ends, or when there are enough for a whole batch.
 *
 * Context: any that may submit bios.
 */
void raizn_zone_kick(struct raizn_zone *z, u32 waiting, bool nowait)
{
	struct raizn_array *arr = z->arr;
	struct blk_plug_cb *cb = NULL;
	struct zone_kick *k;

	if (waiting < RAIZN_BATCH_SECTORS)
		cb = blk_check_plugged(zone_kick_unplug, z, sizeof(*k));
	if (!cb) {
		if (nowait || waiting > HERE_SECTORS || !issue_here(z))
			queue_work(arr->zone_wq, &z->work);
		return;
	}
	k = container_of(cb, struct zone_kick, cb);
	if (!k->counted)
		atomic_inc(&arr->plugs);
	k->counted = true;
	k->nowait |= nowait;
}
