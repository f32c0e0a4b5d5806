// SPDX-License-Identifier: GPL-2.0
/*
 * Acceptance of writes, appends and zone operations, and the memory of zones.
 */
#include "zone/zone.h"
#include "trace.h"

static bool op_is_data(const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_WRITE || bio_op(bio) == REQ_OP_ZONE_APPEND;
}

/*
 * Parity is computed sector by sector, so each segment must consist of whole sectors.
 * Members must be able to split the data at its gaps: a write that they refuse would count
 * as their error.
 */
static bool can_be_written(struct raizn_array *arr, struct bio *bio)
{
	struct request_queue *q = dm_disk(arr->md)->queue;
	u32 align = queue_dma_alignment(q) | (SECTOR_SIZE - 1);
	unsigned long boundary = queue_virt_boundary(q);
	u32 block = arr->granularity << SECTOR_SHIFT;
	struct bvec_iter iter;
	struct bio_vec bv;
	u32 bytes = 0, end = 0;

	bio_for_each_bvec(bv, bio, iter) {
		if ((bv.bv_offset | bv.bv_len) & align)
			return false;
		if ((bv.bv_offset | end) & boundary && bytes & (block - 1))
			return false;
		end = bv.bv_offset + bv.bv_len;
		bytes += bv.bv_len;
	}
	return true;
}

/*
 * Can another zone become active now?  @later is set if one can without any action of users,
 * because a zone that is empty or full for them is not released yet.
 */
static bool one_is_free(struct raizn_array *arr, bool *later)
{
	struct raizn_zone *z;
	bool free;
	u32 i;

	spin_lock_irq(&arr->cond_lock);
	free = raizn_may_activate(arr);
	*later = false;
	for (i = 0; i < arr->nr_open_zones && !*later; i++) {
		z = arr->open_zones[i].zone;
		*later = z && (z->cond == BLK_ZONE_COND_EMPTY ||
			       z->cond == BLK_ZONE_COND_FULL);
	}
	spin_unlock_irq(&arr->cond_lock);
	return free;
}

/*
 * The kernel submits the finishes of a range all at once, perhaps more of them than zones
 * can be active, and each finish needs an active zone until it is carried out.  A drive carries
 * them out one after the other; here a finish that gets no active zone waits for earlier ones.
 *
 * Context: process.  Return: whether the finish is to be tried again.
 */
static bool wait_for_active(struct raizn_array *arr)
{
	bool later;

	if (!one_is_free(arr, &later) && !later)
		return false;
	wait_event(arr->sync_wait, one_is_free(arr, &later) || !later ||
		   !raizn_array_writable(arr));
	return true;
}

/*
 * Once @bio has told a user that the zone is empty, the user may open another zone, so this
 * zone must not be active any more.  Returns false when the worker is busy: the worker then
 * releases the zone and ends @bio.
 */
static bool leave_active(struct raizn_zone *z, struct bio *bio)
{
	lockdep_assert_held(&z->lock);
	if (z->cond != BLK_ZONE_COND_EMPTY)
		return true;
	if (!z->busy)
		raizn_zone_release(z, NULL);
	if (z->oz)
		bio_list_add(&z->oz->last, bio);
	return !z->oz;
}

/* Is a write or append the next one of its zone? */
static bool is_write_next(const struct raizn_zone *z, const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_ZONE_APPEND ||
	       bio->bi_iter.bi_sector ==
	       ((sector_t)raizn_zone_number(z) << z->arr->geo.zone_shift) + z->wp;
}

/**
 * raizn_zone_accept() - accept a write, append or zone operation
 * @arr:	array
 * @bio:	clone from device mapper; its sector is that of the volume
 *
 * On BLK_STS_OK the bio is ours and is ended here or by the zone's worker;
 * otherwise the caller ends it and nothing has changed.
 *
 * Context: any that may submit bios; sleeps for a finish, and for a write beyond the budget,
 * unless @bio has REQ_NOWAIT.  A completion that submits writes must set REQ_NOWAIT: it may
 * run in the zone's worker, which has to make the room.
 */
blk_status_t raizn_zone_accept(struct raizn_array *arr, struct bio *bio)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	u64 number = bio->bi_iter.bi_sector >> arr->geo.zone_shift;
	blk_status_t status = BLK_STS_OK;
	struct bio_list failed = BIO_EMPTY_LIST;
	u32 waiting = RAIZN_BATCH_SECTORS;
	bool nowait = bio->bi_opf & REQ_NOWAIT;
	struct raizn_open_zone *oz;
	struct raizn_zone *z;
	bool work = true;
	bool over = true;
	unsigned long flags;

again:
	if (unlikely(number >= arr->geo.nr_zones ||
		     !raizn_array_writable(arr)))
		return BLK_STS_IOERR;
	if (unlikely(op_is_data(bio) && !bio_sectors(bio))) {
		bio_endio(bio);
		return BLK_STS_OK;
	}
	if (unlikely(bio_has_data(bio) && !can_be_written(arr, bio)))
		return BLK_STS_INVAL;
	io->copy = bio_has_data(bio) && arr->geo.nr_parity &&
		   !READ_ONCE(arr->trust_buffers) && raizn_bio_may_change(bio);
	z = &arr->zones[number];
	atomic_set(&io->refs, 1);
	io->status = BLK_STS_OK;
	io->arr = arr;

	spin_lock_irqsave(&z->lock, flags);
	if (unlikely(op_is_data(bio) && !raizn_budget_has_room(z) && is_write_next(z, bio))) {
		status = BLK_STS_AGAIN;
		/* After EAGAIN, the write may come again too late for the suspend. */
		if (nowait && READ_ONCE(arr->early->suspending))
			status = raizn_early_keep(z, bio, status);
		oz = z->oz;
		spin_unlock_irqrestore(&z->lock, flags);
		if (!status)
			return BLK_STS_OK;
		status = raizn_budget_wait(oz, z, bio->bi_iter.bi_sector &
					   (arr->geo.zone_size - 1), nowait);
		if (status)
			return status;
		goto again;
	}
	switch (bio_op(bio)) {
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		status = raizn_accept_write(z, bio);
		if (likely(!status))
			break;
		status = raizn_early_keep(z, bio, status);
		if (!status) {
			spin_unlock_irqrestore(&z->lock, flags);
			return BLK_STS_OK;
		}
		break;
	case REQ_OP_ZONE_OPEN:
		status = raizn_accept_open(z);
		work = false;
		break;
	case REQ_OP_ZONE_CLOSE:
		status = raizn_accept_close(z);
		work = false;
		break;
	case REQ_OP_ZONE_RESET:
		if (unlikely(!raizn_zone_may_reset(z))) {
			status = BLK_STS_IOERR;
			break;
		}
		work = raizn_accept_reset(z);
		break;
	case REQ_OP_ZONE_FINISH:
		status = raizn_accept_finish(z, &work);
		z->ops += work;
		break;
	default:
		status = BLK_STS_NOTSUPP;
	}
	if (!status && work)
		bio_list_add(&z->pending, bio);
	else if (!status)
		over = leave_active(z, bio);
	if (!status && bio_has_data(bio)) {
		raizn_zone_accept_early(z, &failed);
		/* Writes that overtook this one are next: the zone's worker issues them. */
		if (likely(!raizn_early_waits(z)))
			waiting = z->wp - READ_ONCE(z->oz->issued);
	}
	trace_raizn_accept(z, bio, status);
	spin_unlock_irqrestore(&z->lock, flags);

	if (unlikely(status == BLK_STS_ZONE_ACTIVE_RESOURCE &&
		     bio_op(bio) == REQ_OP_ZONE_FINISH && !nowait &&
		     wait_for_active(arr)))
		goto again;
	if (status)
		return status;
	if (work)
		raizn_zone_kick(z, waiting, nowait);
	else if (over)
		raizn_end_bio(arr, bio, BLK_STS_OK);
	while (unlikely((bio = bio_list_pop(&failed))))
		bio_endio(bio);
	return BLK_STS_OK;
}

/**
 * raizn_zones_init() - allocate the zones
 * @arr:	array with geometry
 *
 * Return: 0 or -ENOMEM; raizn_zones_exit() cleans up after both.
 */
int raizn_zones_init(struct raizn_array *arr)
{
	static struct lock_class_key zone_lock_key;
	struct raizn_zone *z;
	u32 i;

	raizn_budget_init(arr);
	arr->zones = kvcalloc(arr->geo.nr_zones, sizeof(*arr->zones),
			      GFP_KERNEL);
	arr->reset_all->map = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	arr->fail_map = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	arr->bad_map = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	arr->spoilt_map = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	arr->early->zones = bitmap_zalloc(arr->geo.nr_zones, GFP_KERNEL);
	if (!arr->zones || !arr->reset_all->map || !arr->fail_map || !arr->bad_map ||
	    !arr->spoilt_map || !arr->early->zones)
		return -ENOMEM;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		z->arr = arr;
		z->cond = BLK_ZONE_COND_EMPTY;
		spin_lock_init(&z->lock);
		lockdep_set_class(&z->lock, &zone_lock_key);
		bio_list_init(&z->pending);
		INIT_WORK(&z->work, raizn_zone_work);
	}
	return 0;
}

/**
 * raizn_open_zones_init() - allocate the state of active zones
 * @arr:	array with zones, of which none is active yet
 * @nr:		number of zones that can be active
 *
 * Return: 0 or -ENOMEM; raizn_zones_exit() cleans up after both.
 */
int raizn_open_zones_init(struct raizn_array *arr, u32 nr)
{
	struct raizn_open_zone *oz;
	u32 i;

	arr->open_zones = kvcalloc(nr, sizeof(*arr->open_zones), GFP_KERNEL);
	arr->flush->targets = kvcalloc(nr, sizeof(*arr->flush->targets), GFP_KERNEL);
	arr->relog->targets = kvcalloc(nr, sizeof(*arr->relog->targets), GFP_KERNEL);
	if (!arr->open_zones || !arr->flush->targets || !arr->relog->targets)
		return -ENOMEM;
	arr->nr_open_zones = nr;
	for (i = 0; i < nr; i++) {
		oz = &arr->open_zones[i];
		INIT_LIST_HEAD(&oz->batches);
		bio_list_init(&oz->last);
		INIT_LIST_HEAD(&oz->lost);
		raizn_budget_init_zone(oz);
		list_add_tail(&oz->lru, &arr->oz_free);
	}
	return 0;
}

/**
 * raizn_zones_exit() - free the memory of zones and of the state of active ones
 * @arr:	array; nothing is under way
 */
void raizn_zones_exit(struct raizn_array *arr)
{
	u32 i, j;

	for (i = 0; i < arr->nr_open_zones; i++) {
		if (arr->open_zones[i].lost.next)
			raizn_lost_drop(&arr->open_zones[i], U32_MAX);
		for (j = 0; j < arr->geo.nr_parity; j++)
			if (arr->open_zones[i].parity[j])
				raizn_parity_free(arr, arr->open_zones[i].parity[j]);
	}
	bitmap_free(arr->early->zones);
	bitmap_free(arr->fail_map);
	bitmap_free(arr->bad_map);
	bitmap_free(arr->spoilt_map);
	bitmap_free(arr->reset_all->map);
	kvfree(arr->relog->targets);
	kvfree(arr->flush->targets);
	kvfree(arr->open_zones);
	kvfree(arr->zones);
}
