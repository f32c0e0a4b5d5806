// SPDX-License-Identifier: GPL-2.0
/*
 * Completion of batches.  Batches of a zone complete in any order and retire in
 * order: only retiring moves completed, protected and durable, lets data be
 * read and ends the user's bios.
 */
#include "raizn.h"
#include "trace.h"

/**
 * raizn_io_put() - one part of a user bio is done
 * @bio:	the user's bio (the clone device mapper gave us)
 * @status:	how it went
 *
 * Ends the bio with the last part, see raizn_end_bio().  Context: any.
 */
void raizn_io_put(struct bio *bio, blk_status_t status)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	if (unlikely(status))
		WRITE_ONCE(io->status, status);
	if (!atomic_dec_and_test(&io->refs))
		return;
	raizn_end_bio(io->arr, bio, READ_ONCE(io->status));
}

/**
 * raizn_end_bios() - raizn_io_put() for a list
 * @bios:	user bios; emptied
 * @status:	how it went
 *
 * Context: any.
 */
void raizn_end_bios(struct bio_list *bios, blk_status_t status)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios)))
		raizn_io_put(bio, status);
}

/**
 * raizn_parity_free() - give a parity buffer back
 * @arr:	array
 * @pb:		buffer
 *
 * Context: any.
 */
void raizn_parity_free(struct raizn_array *arr, struct raizn_parity_buffer *pb)
{
	mempool_free(pb, &arr->parity_pool);
}

/*
 * Take the oldest batch of a zone off the list.  Its bios go where they belong:
 * to the flush worker when they need a flush, to oz->last when the zone has to
 * be released first, else to @acks.  zone->lock is held.
 */
static void retire(struct raizn_batch *b, struct bio_list *acks,
		   struct bio_list *fua)
{
	struct raizn_open_zone *oz = b->oz;
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	bool covered = b->has_pp || !(b->end % geo->stripe);

	lockdep_assert_held(&oz->zone->lock);
	list_del(&b->node);
	if (b->relog)
		oz->relog = false;
	if (unlikely(b->status || READ_ONCE(arr->failed))) {
		bio_list_merge(acks, &b->bios);
		return;
	}

	oz->completed = b->end;
	if (!oz->zone->resets && likely(!raizn_zone_newly_lost(oz->zone)))
		WRITE_ONCE(oz->zone->readable, b->end);
	if (unlikely(!list_empty(&oz->lost)))
		raizn_lost_drop(oz, b->end / geo->stripe);
	if (covered)
		oz->protected = b->end;
	else
		oz->protected = max(oz->protected,
				    rounddown(b->end, geo->stripe));
	if (!arr->volatile_cache)
		oz->durable = oz->protected;
	else if (b->fua && raizn_fua_keeps_order() && covered &&
		 (oz->durable == b->start ||
		  raizn_is_mutant(RAIZN_MUTANT_FUA_ALONE)))
		oz->durable = b->end;

	if (b->fua && oz->durable < b->end)
		bio_list_merge(fua, &b->bios);
	else if (b->end == geo->zone_cap)
		bio_list_merge(&oz->last, &b->bios);
	else
		bio_list_merge(acks, &b->bios);
}

static void batch_done(struct raizn_batch *batch)
{
	struct raizn_open_zone *oz = batch->oz;
	struct raizn_zone *z = oz->zone;
	struct raizn_array *arr = z->arr;
	struct bio_list acks = BIO_EMPTY_LIST;
	struct bio_list fua = BIO_EMPTY_LIST;
	struct raizn_parity_buffer *pb;
	struct raizn_batch *b, *next;
	LIST_HEAD(retired);
	unsigned long flags;

	trace_raizn_batch_done(z, batch);
	while ((pb = batch->parity)) {
		batch->parity = pb->next;
		raizn_parity_free(arr, pb);
	}
	raizn_copies_free(arr, batch);
	WRITE_ONCE(batch->held, 0);
	if (batch->continued)
		raizn_io_put(batch->continued, batch->status);
	spin_lock_irqsave(&z->lock, flags);
	batch->done = true;
	list_for_each_entry_safe(b, next, &oz->batches, node) {
		if (!b->done)
			break;
		retire(b, &acks, &fua);
		list_add_tail(&b->node, &retired);
	}
	if (!list_empty(&retired) && list_empty(&oz->batches) &&
	    (z->cond == BLK_ZONE_COND_FULL || z->cond == BLK_ZONE_COND_EMPTY ||
	     !bio_list_empty(&oz->last)))
		queue_work(arr->zone_wq, &z->work);
	spin_unlock_irqrestore(&z->lock, flags);

	if (wq_has_sleeper(&arr->sync_wait))
		wake_up(&arr->sync_wait);
	/* There may be room for some that had to wait. */
	if (unlikely(raizn_early_waits(z)))
		queue_work(arr->zone_wq, &z->work);
	list_for_each_entry_safe(b, next, &retired, node) {
		if (b->flush)
			raizn_flush_put(b->flush, b->status);
		mempool_free(b, &arr->batch_pool);
	}
	raizn_end_bios(&acks, READ_ONCE(arr->failed) ? BLK_STS_IOERR : BLK_STS_OK);
	if (!bio_list_empty(&fua))
		raizn_flush_queue(arr, &fua, true);
}

/**
 * raizn_batch_put() - one member bio or record of a batch is done
 * @batch:	batch
 *
 * Context: any.  The read-side section is for raizn_array_free(): whoever saw a
 * batch retired may tear the array down while batch_done() is still at it.
 */
void raizn_batch_put(struct raizn_batch *batch)
{
	rcu_read_lock();
	if (atomic_dec_and_test(&batch->refs))
		batch_done(batch);
	rcu_read_unlock();
}

/**
 * raizn_member_bio_endio() - completion of a bio to a member's data zone
 * @bio:	embedded in struct raizn_member_bio
 */
void raizn_member_bio_endio(struct bio *bio)
{
	struct raizn_member_bio *mb =
		container_of(bio, struct raizn_member_bio, bio);
	struct raizn_member *m = mb->member;
	struct raizn_batch *batch = mb->batch;

	if (unlikely(bio->bi_status)) {
		if (!raizn_column_failed(batch->oz->zone, m->slot, "write",
					 bio->bi_status))
			WRITE_ONCE(batch->status, bio->bi_status);
	} else if (m->volatile_cache && !(bio->bi_opf & REQ_FUA)) {
		atomic64_inc(&m->written);
	}
	bio_put(bio);
	raizn_batch_put(batch);
}

static bool drained(struct raizn_zone *z)
{
	bool empty;

	spin_lock_irq(&z->lock);
	empty = !z->oz || list_empty(&z->oz->batches);
	spin_unlock_irq(&z->lock);
	return empty;
}

/**
 * raizn_wait_drained() - wait until all issued batches of a zone are retired
 * @z:		zone whose worker is the caller, or is frozen
 *
 * Context: process.
 */
void raizn_wait_drained(struct raizn_zone *z)
{
	wait_event(z->arr->sync_wait, drained(z));
}
