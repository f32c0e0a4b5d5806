// SPDX-License-Identifier: GPL-2.0
/*
 * Completion.  Batches of a zone complete in any order and retire in order: retiring a
 * batch moves completed, protected and durable, makes its data readable and ends the user
 * bios.  A flush ends with the last batch or member flush that it waits for.  Kept data of
 * missing columns is freed when the parity of its stripe is in place.  Functions at the
 * end of the file direct reads to members.
 */
#include <linux/highmem.h>

#include "io/io.h"
#include "member/bad_block.h"
#include "member/relocation.h"
#include "trace.h"

/**
 * raizn_io_put() - one part of a user bio is done
 * @bio:	user bio (the clone from device mapper)
 * @status:	error, or BLK_STS_OK
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
 * @status:	error, or BLK_STS_OK
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

/* No batch of the zone counts as written any more.  zone->lock is held. */
static bool is_over(const struct raizn_zone *z)
{
	return raizn_array_failed(z->arr) || z->broken;
}

/* The record that was made for a flush does not count: the flush worker makes another one. */
static void flush_again(struct bio *bio)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	WRITE_ONCE(io->again, true);
}

static void note_error(struct bio_list *bios)
{
	struct raizn_io *io;
	struct bio *bio;

	bio_list_for_each(bio, bios) {
		io = dm_per_bio_data(bio, sizeof(*io));
		WRITE_ONCE(io->status, BLK_STS_IOERR);
	}
}

/* A rebuild waits until the stripe at which it ended is complete. */
static void rebuild_again(struct raizn_open_zone *oz)
{
	if (oz->completed < oz->rebuild_at)
		return;
	oz->rebuild_at = 0;
	WRITE_ONCE(oz->zone->tried, 0);
	raizn_rebuild_kick(oz->zone->arr);
}

/*
 * Take the oldest batch of a zone off the list.  Its bios go to @fua if they need a flush,
 * to oz->last if the zone has to be released first, else to @acks.  zone->lock is held.
 */
static void retire(struct raizn_batch *b, struct bio_list *acks,
		   struct bio_list *fua)
{
	struct raizn_open_zone *oz = b->oz;
	struct raizn_array *arr = oz->zone->arr;
	const struct raizn_geometry *geo = &arr->geo;
	bool covered = b->has_pp || !(b->end % geo->stripe) ||
		       !raizn_running_parities(geo);

	lockdep_assert_held(&oz->zone->lock);
	list_del(&b->node);
	if (unlikely(b->status || is_over(oz->zone))) {
		if (b->flush && !raizn_array_failed(arr))
			flush_again(b->flush);
		/* The record that was to replace others may be of data that was not written. */
		if (b->relog)
			oz->relog_issued = false;
		/* If the zone is broken, the worker first asks whether a member has failed. */
		note_error(&b->bios);
		bio_list_merge(oz->zone->broken ? &oz->last : acks, &b->bios);
		return;
	}
	if (b->relog)
		oz->relog = false;

	oz->completed = b->end;
	if (!oz->zone->resets && likely(!raizn_zone_newly_lost(oz->zone)))
		WRITE_ONCE(oz->zone->readable, b->end);
	if (unlikely(!list_empty(&oz->lost)))
		raizn_lost_drop(oz, b->end / geo->stripe);
	if (unlikely(oz->rebuild_at))
		rebuild_again(oz);
	if (covered)
		oz->protected = b->end;
	else
		oz->protected = max(oz->protected,
				    rounddown(b->end, geo->stripe));
	if (!arr->volatile_cache)
		oz->durable = oz->protected;
	else if (b->fua && raizn_fua_keeps_order() && covered &&
		 oz->durable == b->start)
		oz->durable = b->end;

	if (b->fua && oz->durable < b->end)
		bio_list_merge(fua, &b->bios);
	else if (b->end == geo->zone_cap)
		bio_list_merge(&oz->last, &b->bios);
	else
		bio_list_merge(acks, &b->bios);
}

/* Hand flushes, or FUA writes with their data written, to the flush worker. */
static void queue_for_flush(struct raizn_array *arr, struct bio_list *bios, bool fua)
{
	unsigned long flags;

	spin_lock_irqsave(&arr->flush->lock, flags);
	bio_list_merge(fua ? &arr->flush->fua : &arr->flush->bios, bios);
	/* A running worker may take and end the bios as soon as the lock is free. */
	queue_work(arr->flush_wq, &arr->flush->work);
	spin_unlock_irqrestore(&arr->flush->lock, flags);
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
	/* There may be room for writes that had to wait. */
	if (unlikely(raizn_early_waits(z)))
		queue_work(arr->zone_wq, &z->work);
	list_for_each_entry_safe(b, next, &retired, node) {
		if (b->flush)
			raizn_flush_put(b->flush, b->status);
		mempool_free(b, &arr->batch_pool);
	}
	raizn_end_bios(&acks, raizn_array_failed(arr) ? BLK_STS_IOERR : BLK_STS_OK);
	if (!bio_list_empty(&fua))
		queue_for_flush(arr, &fua, true);
}

/**
 * raizn_batch_put() - one member bio or record of a batch is done
 * @batch:	batch
 *
 * Context: any.  The read-side section is for array_free(): a task that saw a batch retired
 * may tear the array down while batch_done() still runs.
 */
void raizn_batch_put(struct raizn_batch *batch)
{
	rcu_read_lock();
	if (atomic_dec_and_test(&batch->refs))
		batch_done(batch);
	rcu_read_unlock();
}

/**
 * raizn_note_sound() - note how far a zone is right before one of its columns fails
 * @z:		zone
 *
 * Context: any; a batch with a failed write is not retired yet.
 */
void raizn_note_sound(struct raizn_zone *z)
{
	unsigned long flags;

	spin_lock_irqsave(&z->lock, flags);
	if (z->oz) {
		z->oz->sound = min(z->oz->sound, z->oz->completed);
		z->oz->sound_durable = min(z->oz->sound_durable, z->oz->durable);
	}
	spin_unlock_irqrestore(&z->lock, flags);
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
	struct raizn_zone *z;

	if (unlikely(bio->bi_status)) {
		z = batch->oz->zone;
		raizn_note_sound(z);
		if (!raizn_column_failed(z, raizn_zone_column(z, m->slot), "write",
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
 * @z:		zone that gets no batches meanwhile: the caller is its worker, or the zone
 *		is frozen
 *
 * Context: process.
 */
void raizn_wait_drained(struct raizn_zone *z)
{
	wait_event(z->arr->sync_wait, drained(z));
}

/**
 * raizn_set_durable() - move the durable offset of a zone after a flush of the members
 * @t:		zone, and the offset below which it was protected before the flush
 *
 * Nothing happens if the zone was reset meanwhile.  Context: any.
 */
void raizn_set_durable(const struct raizn_flush_target *t)
{
	struct raizn_zone *z = t->zone;
	unsigned long flags;

	spin_lock_irqsave(&z->lock, flags);
	if (z->oz && z->life == t->life && z->oz->protected >= t->offset)
		z->oz->durable = max(z->oz->durable, t->offset);
	spin_unlock_irqrestore(&z->lock, flags);
}

/**
 * raizn_flush_get() - count one more batch or member flush that a flush waits for
 * @bio:	flush that its submitter carries out
 *
 * Context: any; the caller holds another reference.
 */
void raizn_flush_get(struct bio *bio)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	atomic_inc(&io->refs);
}

/**
 * raizn_flush_queue() - hand a flush to the flush worker
 * @arr:	array
 * @bio:	flush
 *
 * Context: any.
 */
void raizn_flush_queue(struct raizn_array *arr, struct bio *bio)
{
	struct bio_list flushes = BIO_EMPTY_LIST;

	bio_list_add(&flushes, bio);
	queue_for_flush(arr, &flushes, false);
}

/**
 * raizn_flush_put() - a batch or member flush that a flush waits for is done
 * @bio:	flush that its submitter carries out
 * @status:	error, or BLK_STS_OK
 *
 * Context: any.
 */
void raizn_flush_put(struct bio *bio, blk_status_t status)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct raizn_array *arr = io->arr;
	u32 i;

	if (unlikely(status))
		WRITE_ONCE(io->status, status);
	if (!atomic_dec_and_test(&io->refs))
		return;
	if (unlikely(io->again)) {
		raizn_flush_queue(arr, bio);
		return;
	}
	status = raizn_array_failed(arr) ? BLK_STS_IOERR : READ_ONCE(io->status);
	for (i = 0; !status && i < io->nr_synced; i++)
		raizn_set_durable(&io->synced[i]);
	trace_raizn_flush_end(blk_status_to_errno(status));
	raizn_end_bio(arr, bio, status);
}

/**
 * raizn_lost_put() - drop a reference of a unit of a missing column
 * @arr:	array
 * @lu:		unit
 *
 * Context: any.
 */
void raizn_lost_put(struct raizn_array *arr, struct raizn_lost_unit *lu)
{
	if (refcount_dec_and_test(&lu->refs))
		mempool_free(lu, &arr->lost_pool);
}

/**
 * raizn_lost_drop() - free kept data that can be decoded from now on
 * @oz:		open zone; its zone's lock is held, unless no other task knows the zone
 * @stripes:	stripes below this one are complete
 */
void raizn_lost_drop(struct raizn_open_zone *oz, u32 stripes)
{
	struct raizn_lost_unit *lu, *next;

	list_for_each_entry_safe(lu, next, &oz->lost, node) {
		if (lu->stripe >= stripes)
			continue;
		list_del(&lu->node);
		raizn_lost_put(oz->zone->arr, lu);
	}
}

static void user_flush_endio(struct bio *bio)
{
	struct raizn_member_bio *mb =
		container_of(bio, struct raizn_member_bio, bio);
	struct raizn_member *m = mb->member;
	blk_status_t status = bio->bi_status;
	struct bio *user = bio->bi_private;

	if (likely(!status))
		raizn_note_flushed(m, mb->written);
	else if (raizn_member_failed(m, "flush", status))
		status = BLK_STS_OK;
	bio_put(bio);
	raizn_flush_put(user, status);
}

/**
 * raizn_flush_members_for() - flush all members for a flush of a user, without waiting
 * @arr:	array
 * @user:	the user's flush; each member's flush has a reference to it
 *
 * Context: process.
 */
void raizn_flush_members_for(struct raizn_array *arr, struct bio *user)
{
	struct bio *bio;
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		bio = raizn_flush_bio(&arr->members[slot]);
		if (!bio)
			continue;
		bio->bi_private = user;
		bio->bi_end_io = user_flush_endio;
		raizn_flush_get(user);
		submit_bio(bio);
	}
}

/**
 * raizn_copy_to_bio() - copy data from memory to a part of a read
 * @bio:	the read
 * @iter:	position in the read; advanced
 * @data:	data to copy
 * @bytes:	number of bytes
 */
void raizn_copy_to_bio(struct bio *bio, struct bvec_iter *iter,
		       const void *data, u32 bytes)
{
	struct bio_vec bv;
	u32 n;

	while (bytes) {
		bv = bio_iter_iovec(bio, *iter);
		n = min(bytes, bv.bv_len);
		memcpy_to_page(bv.bv_page, bv.bv_offset, data, n);
		flush_dcache_page(bv.bv_page);
		bio_advance_iter_single(bio, iter, n);
		data += n;
		bytes -= n;
	}
}

/* Is the parity of the stripe perhaps not in place yet? */
static bool is_tail(struct raizn_array *arr, u32 zone, u32 stripe)
{
	return (stripe + 1) * arr->geo.stripe > READ_ONCE(arr->zones[zone].readable);
}

/* For the choice of a copy; raizn_read_done() takes the read from the count. */
static void note_read(struct raizn_member *m, const struct bio *bio)
{
	atomic_inc(&m->reading);
	WRITE_ONCE(m->read_end, bio_end_sector(bio));
}

/**
 * raizn_remap() - direct a read to the member that holds its data
 * @arr:	array
 * @bio:	read inside one stripe unit, which the caller submits
 * @zone:	logical zone number
 * @place:	place of the unit
 *
 * Context: any.  Return: false if the member has a placeholder there, or rows that are spoilt, so
 * that the read is refused in place of the member: see raizn_decode_queue().
 */
bool raizn_remap(struct raizn_array *arr, struct bio *bio, u32 zone,
		 const struct raizn_place *place)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	struct raizn_zone *z = &arr->zones[zone];
	struct raizn_member *m = raizn_zone_member(z, place->column);
	bool spoilt;

	io->arr = arr;
	io->column = place->column;
	io->slot = m->slot;
	io->iter = bio->bi_iter;
	io->flags = bio->bi_flags;
	io->life = READ_ONCE(z->life);
	io->moves = raizn_moves(arr);
	/* Asked first: if they are not spoilt because the column moves, its new place is next. */
	spoilt = raizn_rows_are_spoilt(z, place->column, place->sector, bio_sectors(bio));
	if (unlikely(!raizn_rows_at(z, place->column, place->sector,
				    bio_sectors(bio), &io->sent) || spoilt))
		return false;
	raizn_count(arr, RAIZN_MEMBER_READ, bio_sectors(bio));
	io->remapped = true;
	/* A drive gives up such reads early, which must not count as an error of the drive. */
	bio->bi_opf &= ~(REQ_RAHEAD | REQ_FAILFAST_MASK);
	/*
	 * A drive that cannot read a block fails the whole request.  Other blocks of the
	 * request are then decoded, but blocks of a tail cannot be: they get a request of
	 * their own.
	 */
	if (is_tail(arr, zone, place->stripe))
		bio->bi_opf |= REQ_NOMERGE;
	bio_set_dev(bio, m->bdev);
	bio->bi_iter.bi_sector = io->sent;
	if (raizn_is_mirror(&arr->geo))
		note_read(m, bio);
	return true;
}

/**
 * raizn_remap_read() - direct a read that had to wait to its member
 * @arr:	array
 * @bio:	read of the volume, within one stripe unit; its io->column was found in use.  Of a
 *		mirror, the column that other levels would read may be lost
 *
 * Context: any.  Return: as raizn_remap().
 */
bool raizn_remap_read(struct raizn_array *arr, struct bio *bio)
{
	const struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = bio->bi_iter.bi_sector >> geo->zone_shift;
	struct raizn_place place;

	raizn_place(geo, zone, bio->bi_iter.bi_sector & (geo->zone_size - 1),
		    &place);
	place.column = io->column;
	return raizn_remap(arr, bio, zone, &place);
}
