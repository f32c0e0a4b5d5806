// SPDX-License-Identifier: GPL-2.0
/*
 * Plain operations on the drives.
 */
#include <linux/blk-cgroup.h>
#include <linux/delay.h>
#include <linux/sched/mm.h>

#include "member/fault.h"

/* Tries of a zone report, REPORT_WAIT_MS apart: for two seconds, and for half a minute. */
#define ENOMEM_TRIES	100U
#define EAGAIN_TRIES	1500U
#define REPORT_WAIT_MS	20

/**
 * raizn_member_read() - read whole blocks
 * @bdev:	device
 * @sector:	first sector
 * @buf:	physically contiguous buffer
 * @bytes:	length, a multiple of the logical block size
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_read(struct block_device *bdev, sector_t sector, void *buf,
		      u32 bytes)
{
	struct bio_vec bvec;
	struct bio bio;
	int err;

	/* A read that is merged with others would fail with them. */
	bio_init(&bio, bdev, &bvec, 1,
		 REQ_OP_READ | REQ_SYNC | REQ_META | REQ_NOMERGE);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, virt_to_page(buf), bytes, offset_in_page(buf));
	err = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return err;
}

static blk_status_t write_and_wait(struct raizn_member *m, sector_t sector,
				   void *buf, u32 bytes)
{
	struct bio_vec bvec;
	struct bio bio;
	blk_status_t status;

	bio_init(&bio, m->bdev, &bvec, 1, REQ_OP_WRITE | REQ_SYNC);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, virt_to_page(buf), bytes, offset_in_page(buf));
	submit_bio_wait(&bio);
	status = bio.bi_status;
	bio_uninit(&bio);
	if (!status && m->volatile_cache)
		atomic64_inc(&m->written);
	return status;
}

/**
 * raizn_member_write() - write whole blocks at a zone's write pointer
 * @m:		member
 * @sector:	first sector
 * @buf:	physically contiguous buffer
 * @bytes:	length, a multiple of the logical block size
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_write(struct raizn_member *m, sector_t sector, void *buf,
		       u32 bytes)
{
	blk_status_t status = write_and_wait(m, sector, buf, bytes);

	if (status)
		raizn_member_failed(m, "write", status);
	return blk_status_to_errno(status);
}

/**
 * raizn_member_try_write() - as raizn_member_write(), but errors do not fail the member
 * @m:		member
 * @sector:	first sector
 * @buf:	physically contiguous buffer
 * @bytes:	length, a multiple of the logical block size
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_try_write(struct raizn_member *m, sector_t sector, void *buf,
			   u32 bytes)
{
	return blk_status_to_errno(write_and_wait(m, sector, buf, bytes));
}

/**
 * raizn_flush_unknown() - make the next flush go to all members
 * @arr:	array
 *
 * Members may hold unflushed data from before this start.
 */
void raizn_flush_unknown(struct raizn_array *arr)
{
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++)
		if (arr->members[slot].volatile_cache)
			atomic64_inc(&arr->members[slot].written);
}

/**
 * raizn_member_try_zone_op() - as raizn_member_zone_op(), but errors do not fail the member
 * @m:		member
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @sector:	first sector of the zone
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_try_zone_op(struct raizn_member *m, enum req_op op,
			     sector_t sector)
{
	struct bio bio;
	int err;

	bio_init(&bio, m->bdev, NULL, 0, op | REQ_SYNC);
	bio.bi_iter.bi_sector = sector;
	err = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return err;
}

/**
 * raizn_member_zone_op() - reset or finish one zone
 * @m:		member
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @sector:	first sector of the zone
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_zone_op(struct raizn_member *m, enum req_op op,
			 sector_t sector)
{
	int err = raizn_member_try_zone_op(m, op, sector);

	if (err)
		raizn_member_failed(m, op == REQ_OP_ZONE_RESET ?
				    "zone reset" : "zone finish",
				    errno_to_blk_status(err));
	return err;
}

static int store_zone(struct blk_zone *zone, unsigned int idx, void *data)
{
	*(struct blk_zone *)data = *zone;
	return 0;
}

/**
 * raizn_bdev_report_zones() - blkdev_report_zones() that waits for memory and for paths
 * @bdev:	drive
 * @sector:	sector in the first zone
 * @nr:		maximum number of zones
 * @cb:		called for each zone; starts again at the first zone after a failed report
 * @data:	argument of @cb
 *
 * A report may allocate memory, which must not be freed by writing to the array.  Drivers
 * give up early when there is no memory, when there is no path to the drive at the moment,
 * or when a device-mapper drive is suspended.  Such an error says nothing about the drive:
 * I/O would wait.
 *
 * Context: process, for up to half a minute.  Return: number of zones, or -errno.
 */
int raizn_bdev_report_zones(struct block_device *bdev, sector_t sector, u32 nr,
			    report_zones_cb cb, void *data)
{
	unsigned int noio = memalloc_noio_save();
	u32 nomem = ENOMEM_TRIES, again = EAGAIN_TRIES;
	int ret;

	for (;;) {
		ret = blkdev_report_zones(bdev, sector, nr, cb, data);
		if (!(ret == -ENOMEM && --nomem) && !(ret == -EAGAIN && --again))
			break;
		msleep(REPORT_WAIT_MS);
	}
	memalloc_noio_restore(noio);
	return ret;
}

static int report_zone(struct raizn_member *m, u32 physical,
		       struct blk_zone *zone)
{
	int nr = raizn_bdev_report_zones(m->bdev,
					 raizn_reserved_zone_start(&m->arr->geo, physical),
					 1, store_zone, zone);

	return nr < 0 ? nr : nr ? 0 : -EIO;
}

/**
 * raizn_member_zone_condition() - ask a drive for the condition of a zone
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 *
 * Context: process.  Return: BLK_ZONE_COND_*, or -errno.
 */
int raizn_member_zone_condition(struct raizn_member *m, u32 physical)
{
	struct blk_zone zone;
	int err = report_zone(m, physical, &zone);

	return err ? err : zone.cond;
}

/**
 * raizn_member_zone_written() - ask a drive how far a zone is written
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 *
 * Context: process.  Return: sectors, at most the usable capacity, or -errno; -EUCLEAN if
 * the zone has turned read-only or offline, -EFBIG if it is full: a drive may have finished
 * it.
 */
s64 raizn_member_zone_written(struct raizn_member *m, u32 physical)
{
	struct blk_zone zone;
	int err = report_zone(m, physical, &zone);

	if (err)
		return err;
	if (zone.cond == BLK_ZONE_COND_EMPTY)
		return 0;
	if (zone.cond == BLK_ZONE_COND_FULL)
		return -EFBIG;
	/* The write pointer of such a zone is not valid. */
	if (zone.cond == BLK_ZONE_COND_READONLY ||
	    zone.cond == BLK_ZONE_COND_OFFLINE)
		return -EUCLEAN;
	return min_t(u64, zone.wp - zone.start, m->arr->geo.member_zone_cap);
}

/* Does a drive say that a zone cannot be written any more?  A drive that is silent does not. */
static bool is_retired(struct raizn_member *m, u32 physical)
{
	int cond = raizn_member_live(m) ? raizn_member_zone_condition(m, physical) : -ENODEV;

	return cond == BLK_ZONE_COND_READONLY || cond == BLK_ZONE_COND_OFFLINE;
}

/**
 * raizn_member_give_up_zone() - stop using a member zone
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 * @kept:	it is in quarantine, else dirty from now on
 *
 * The zone is finished, because it must not stay active.  Writes may be under way: it is reset
 * once the zones of failed columns do without them, see free_old_places().  If it cannot be
 * finished now, it stays active until then.
 *
 * Context: process.
 */
void raizn_member_give_up_zone(struct raizn_member *m, u32 physical, bool kept)
{
	int err = raizn_member_try_zone_op(m, REQ_OP_ZONE_FINISH,
					   raizn_reserved_zone_start(&m->arr->geo,
								     physical));

	if (err && is_retired(m, physical))
		raizn_spare_set(m, physical, RAIZN_USE_BAD);
	else if (!kept)
		raizn_spare_set(m, physical, RAIZN_USE_DIRTY);
}

/**
 * struct fan_out - a flush or a zone operation of all members
 * @group:	the commands
 * @zone:	zone of the operation; NULL for a flush
 */
struct fan_out {
	struct raizn_group group;
	struct raizn_zone *zone;
};

/* Does the array go on?  A zone that cannot be reset or finished costs its column. */
static bool absorb_error(struct fan_out *fo, struct raizn_member *m,
			 const struct bio *bio)
{
	if (!fo->zone)
		return raizn_member_failed(m, "flush", bio->bi_status);
	return raizn_column_failed(fo->zone, raizn_zone_column(fo->zone, m->slot),
				   bio_op(bio) == REQ_OP_ZONE_RESET ?
				   "reset" : "finish", bio->bi_status);
}

/**
 * raizn_note_flushed() - a flush of a member has completed
 * @m:		member
 * @written:	value of member->written that the flush covers
 *
 * Flushes end in any order.  Context: any.
 */
void raizn_note_flushed(struct raizn_member *m, s64 written)
{
	s64 before = atomic64_read(&m->flushed);

	while (before < written &&
	       !atomic64_try_cmpxchg(&m->flushed, &before, written))
		;
}

static void fan_out_endio(struct bio *bio)
{
	struct fan_out *fo = bio->bi_private;
	struct raizn_member_bio *mb =
		container_of(bio, struct raizn_member_bio, bio);
	struct raizn_member *m = mb->member;
	blk_status_t status = bio->bi_status;

	if (unlikely(status)) {
		if (absorb_error(fo, m, bio))
			status = BLK_STS_OK;
	} else if (!fo->zone) {
		raizn_note_flushed(m, mb->written);
	}
	bio_put(bio);
	raizn_group_put(&fo->group, status);
}

static void fan_out_submit(struct fan_out *fo, struct bio *bio)
{
	bio->bi_private = fo;
	bio->bi_end_io = fan_out_endio;
	raizn_group_get(&fo->group);
	submit_bio(bio);
}

/**
 * raizn_members_padded() - do zones of a member extend behind the last stripe unit?
 * @arr:	array
 *
 * Such a zone stays active when the logical zone is full, until it is finished.
 */
bool raizn_members_padded(const struct raizn_array *arr)
{
	const struct raizn_member *m;
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		m = &arr->members[slot];
		if (raizn_member_live(m) && m->zone_pad)
			return true;
	}
	return false;
}

static struct bio *zone_op_bio(struct raizn_member *m, enum req_op op, u32 physical)
{
	struct bio *bio = bio_alloc_bioset(m->bdev, 0, op | REQ_SYNC, GFP_NOIO,
					   &m->arr->bios);

	container_of(bio, struct raizn_member_bio, bio)->member = m;
	bio->bi_iter.bi_sector = raizn_reserved_zone_start(&m->arr->geo, physical);
	return bio;
}

/**
 * raizn_data_zone_op() - reset or finish a data zone on all members at once
 * @arr:	array
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @zone:	logical zone number
 *
 * A reset also reaches columns that the zone does without, if they have a member zone.
 *
 * Context: process.  Return: 0 or -errno (an error that was not absorbed).
 */
int raizn_data_zone_op(struct raizn_array *arr, enum req_op op, u32 zone)
{
	struct raizn_zone *z = &arr->zones[zone];
	struct fan_out fo = { .zone = z };
	u32 physical;
	u32 c;

	raizn_group_init(&fo.group);
	for (c = 0; c < arr->geo.nr_members; c++) {
		/* The column may become nowhere at any time. */
		physical = raizn_zone_map_physical(&arr->geo, &arr->map, zone, c);
		if (physical == RAIZN_NOWHERE)
			continue;
		if (op == REQ_OP_ZONE_RESET ? raizn_column_exists(z, c) :
					      raizn_column_live(z, c))
			fan_out_submit(&fo, zone_op_bio(raizn_zone_member(z, c), op,
							physical));
	}
	return raizn_group_wait(&fo.group);
}

/*
 * A drive's write cache may be turned on while the array runs; writes since then were not
 * counted.
 */
static void notice_cache(struct raizn_member *m)
{
	/* Pairs with the release: a flush that sees the mark also sees something to flush. */
	if (likely(smp_load_acquire(&m->volatile_cache) ||
		   !bdev_write_cache(m->bdev)))
		return;
	atomic64_inc(&m->written);
	WRITE_ONCE(m->arr->volatile_cache, true);
	/* Pairs with the acquire above, of another flush. */
	smp_store_release(&m->volatile_cache, true);
}

/**
 * raizn_flush_bio() - make a flush for the completed, unflushed writes of a member
 * @m:		member
 *
 * Commands that complete later may or may not be covered.
 *
 * Context: process.  Return: the bio, which the caller submits, or NULL when there is nothing
 * to flush.
 */
struct bio *raizn_flush_bio(struct raizn_member *m)
{
	struct raizn_member_bio *mb;
	struct bio *bio;
	s64 written;

	if (!raizn_member_live(m) || raizn_array_read_only(m->arr))
		return NULL;
	notice_cache(m);
	written = atomic64_read(&m->written);
	if (written <= atomic64_read(&m->flushed))
		return NULL;
	raizn_count(m->arr, RAIZN_FLUSHES, 1);
	bio = bio_alloc_bioset(m->bdev, 0, REQ_OP_WRITE | REQ_PREFLUSH | REQ_SYNC,
			       GFP_NOIO, &m->arr->bios);
	/* A limit of the task's cgroup must not delay it: other tasks may wait for it, too. */
	bio_associate_blkg_from_css(bio, blkcg_root_css);
	mb = container_of(bio, struct raizn_member_bio, bio);
	mb->member = m;
	mb->written = written;
	return bio;
}

/**
 * raizn_flush_members() - flush every member that has something to flush
 * @arr:	array
 *
 * All writes that the members completed before the call are durable after it.
 * Context: process; takes flush_mutex.  Return: 0 or -errno.
 */
int raizn_flush_members(struct raizn_array *arr)
{
	struct fan_out fo = { .zone = NULL };
	struct bio *bio;
	u32 slot;
	int err;

	mutex_lock(&arr->flush_mutex);
	raizn_group_init(&fo.group);
	for (slot = 0; slot < arr->geo.nr_members; slot++) {
		bio = raizn_flush_bio(&arr->members[slot]);
		if (bio)
			fan_out_submit(&fo, bio);
	}
	err = raizn_group_wait(&fo.group);
	mutex_unlock(&arr->flush_mutex);
	return err;
}

/* Failed resets of a drive after which no more are tried. */
#define MAX_ERRORS	3U

/**
 * raizn_spare_clean_zone() - reset a dirty zone of a member
 * @m:		member
 * @physical:	member zone, counted from the first reserved one; no command to it is under way
 *		that could change it
 *
 * A zone that cannot be reset is bad or stuck then.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_spare_clean_zone(struct raizn_member *m, u32 physical)
{
	int err = raizn_member_try_zone_op(m, REQ_OP_ZONE_RESET,
					   raizn_reserved_zone_start(&m->arr->geo, physical));

	if (err)
		raizn_spare_reset_failed(m, physical);
	else
		raizn_spare_set(m, physical, RAIZN_USE_FREE);
	return err;
}

/**
 * raizn_spare_reset_failed() - note that the reset of a zone without a column failed
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 *
 * Context: process.
 */
void raizn_spare_reset_failed(struct raizn_member *m, u32 physical)
{
	raizn_spare_set(m, physical,
			is_retired(m, physical) ? RAIZN_USE_BAD : RAIZN_USE_STUCK);
	/* A start that fails would take this error for the reason: see find_failed(). */
	if (raizn_array_started(m->arr))
		raizn_write_failed(m);
}

/* Take the next stuck zone of a member, unless enough resets have failed in this epoch. */
static bool take_stuck(struct raizn_member *m, u32 *physical)
{
	u32 epoch = atomic_read(&m->arr->epoch);
	bool found = false;
	u32 zone = 0;
	u32 i, nr;

	spin_lock_irq(&m->zones_lock);
	if (m->stuck_epoch != epoch)
		m->stuck_errors = 0;
	m->stuck_epoch = epoch;
	nr = m->stuck_errors < MAX_ERRORS ? m->nr_physical - RAIZN_NR_LOG_ZONES : 0;
	for (i = 0; i < nr && !found; i++) {
		zone = RAIZN_NR_LOG_ZONES + (m->stuck_next + i) % nr;
		found = m->use[zone] == RAIZN_USE_STUCK;
	}
	if (found) {
		m->use[zone] = RAIZN_USE_TAKEN;
		m->stuck_next = (m->stuck_next + i) % nr;
		*physical = zone;
	}
	spin_unlock_irq(&m->zones_lock);
	return found;
}

/* The first failure of its reset has counted as an error of the member; others do not. */
static void stuck_failed(struct raizn_member *m, u32 physical)
{
	spin_lock_irq(&m->zones_lock);
	m->stuck_errors++;
	spin_unlock_irq(&m->zones_lock);
	raizn_spare_set(m, physical,
			is_retired(m, physical) ? RAIZN_USE_BAD : RAIZN_USE_STUCK);
}

/**
 * raizn_spare_unstick() - take a member zone whose reset failed, and reset it
 * @m:		member without a free zone for a column
 * @physical:	set to the zone, which is empty and taken then
 *
 * The reason of the failure may be gone.  In each epoch of the array a few resets may fail, of
 * other zones than in the last one, if there are more.  A reset does not move the epoch on: a
 * drive that fails now and then does not keep the array busy without end.
 *
 * Context: process.  Return: 0 or -ENOSPC.
 */
int raizn_spare_unstick(struct raizn_member *m, u32 *physical)
{
	struct raizn_array *arr = m->arr;
	int err = -ENOSPC;

	while (err && raizn_member_live(m) && raizn_array_in_use(arr) &&
	       take_stuck(m, physical)) {
		err = raizn_member_try_zone_op(m, REQ_OP_ZONE_RESET,
					       raizn_reserved_zone_start(&arr->geo, *physical));
		if (err)
			stuck_failed(m, *physical);
	}
	return err ? -ENOSPC : 0;
}

/**
 * raizn_spare_clean_member() - reset the dirty zones of a member
 * @m:		member
 *
 * Context: process; the array takes no I/O.
 */
void raizn_spare_clean_member(struct raizn_member *m)
{
	u32 errors = 0;
	u32 i;

	for (i = RAIZN_NR_LOG_ZONES; raizn_member_live(m) &&
	     errors < MAX_ERRORS && i < m->nr_physical; i++)
		if (m->use[i] == RAIZN_USE_DIRTY)
			errors += !!raizn_spare_clean_zone(m, i);
}

/**
 * raizn_spare_clean() - reset the dirty zones of all members
 * @arr:	array that takes no I/O
 *
 * Context: process.
 */
void raizn_spare_clean(struct raizn_array *arr)
{
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++)
		raizn_spare_clean_member(&arr->members[slot]);
}
