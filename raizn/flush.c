// SPDX-License-Identifier: GPL-2.0
/*
 * Flushes, and FUA writes that find unflushed data before them in their zone.
 *
 * One worker serves all that have gathered: it asks every zone concerned to get
 * its tail protected, waits for that, flushes the members that have anything
 * unflushed, and ends the bios.
 *
 *   crash after		what a flush promised so far
 *   tails logged		nothing: the flush has not completed
 *   members flushed		nothing yet, but all of it is durable
 *   bios ended			all of it: data, parity and partial parity of
 *				everything completed before the flush
 */
#include "raizn.h"
#include "trace.h"

/**
 * raizn_flush_queue() - hand bios to the flush worker
 * @arr:	array
 * @bios:	flushes, or FUA writes whose data is written
 * @fua:	which of the two
 *
 * Context: any.
 */
void raizn_flush_queue(struct raizn_array *arr, struct bio_list *bios, bool fua)
{
	unsigned long flags;

	spin_lock_irqsave(&arr->flush_lock, flags);
	bio_list_merge(fua ? &arr->fua_bios : &arr->flush_bios, bios);
	spin_unlock_irqrestore(&arr->flush_lock, flags);
	queue_work(arr->flush_wq, &arr->flush_work);
}

/*
 * Ask a zone to protect what it accepted so far.  Returns whether there is
 * something to wait for, and if so fills @t.
 */
static bool want_sync(struct raizn_zone *z, struct raizn_flush_target *t)
{
	bool wait = false;

	spin_lock_irq(&z->lock);
	/*
	 * With a reset or finish on its way, what came before is settled when
	 * that is done, and nothing after it can have completed.
	 */
	if (z->oz && (z->ops || z->oz->durable < z->wp)) {
		t->zone = z;
		t->life = z->life;
		t->offset = z->ops ? U32_MAX : z->wp;
		z->oz->sync_wanted = true;
		queue_work(z->arr->zone_wq, &z->work);
		wait = true;
	}
	spin_unlock_irq(&z->lock);
	return wait;
}

/* A full zone counts as protected only once it is released: see go_idle(). */
static bool is_protected(const struct raizn_flush_target *t)
{
	struct raizn_zone *z = t->zone;
	bool ok;

	spin_lock_irq(&z->lock);
	ok = !z->oz || z->life != t->life ||
	     (z->oz->protected >= t->offset &&
	      t->offset != z->arr->geo.zone_cap);
	spin_unlock_irq(&z->lock);
	return ok || READ_ONCE(z->arr->failed);
}

static void set_durable(const struct raizn_flush_target *t)
{
	struct raizn_zone *z = t->zone;

	spin_lock_irq(&z->lock);
	if (z->oz && z->life == t->life && z->oz->protected >= t->offset)
		z->oz->durable = max(z->oz->durable, t->offset);
	spin_unlock_irq(&z->lock);
}

static u32 want_all(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->max_active; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z && want_sync(z, &arr->flush_targets[nr]))
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
		/* Zones may have become active one after the other meanwhile. */
		if (nr == arr->max_active)
			return want_all(arr);
		for (i = 0; i < nr && arr->flush_targets[i].zone != z; i++)
			;
		if (i == nr && want_sync(z, &arr->flush_targets[nr]))
			nr++;
	}
	return nr;
}

static int sync_targets(struct raizn_array *arr, u32 nr)
{
	u32 i;
	int err;

	for (i = 0; i < nr; i++)
		wait_event(arr->sync_wait, is_protected(&arr->flush_targets[i]));
	if (READ_ONCE(arr->failed))
		return -EIO;
	err = raizn_is_mutant(RAIZN_MUTANT_FLUSH_NOT_SENT) ? 0 :
	      raizn_flush_members(arr);
	if (err)
		return err;
	for (i = 0; i < nr; i++)
		set_durable(&arr->flush_targets[i]);
	return 0;
}

/**
 * raizn_sync_all() - make everything the array accepted durable
 * @arr:	array that gets no new I/O
 *
 * Context: process; the flush worker is idle.  Return: 0 or -errno.
 */
int raizn_sync_all(struct raizn_array *arr)
{
	return sync_targets(arr, want_all(arr));
}

static void end_all(struct raizn_array *arr, struct bio_list *bios, int err)
{
	struct bio *bio;

	while ((bio = bio_list_pop(bios)))
		raizn_end_bio(arr, bio, errno_to_blk_status(err));
}

/**
 * raizn_flush_work() - the flush worker
 * @work:	arr->flush_work
 */
void raizn_flush_work(struct work_struct *work)
{
	struct raizn_array *arr =
		container_of(work, struct raizn_array, flush_work);
	struct bio_list flushes, fua;
	int err;
	u32 nr;

	for (;;) {
		spin_lock_irq(&arr->flush_lock);
		flushes = arr->flush_bios;
		fua = arr->fua_bios;
		bio_list_init(&arr->flush_bios);
		bio_list_init(&arr->fua_bios);
		spin_unlock_irq(&arr->flush_lock);
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
		end_all(arr, &flushes, err);
		end_all(arr, &fua, err);
	}
}
