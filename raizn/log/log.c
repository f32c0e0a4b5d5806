// SPDX-License-Identifier: GPL-2.0
/*
 * A member's logs: space in a log zone, appending a record, moving on to an empty zone.
 * general_log.c and pp_log.c write the records that a log needs after the move.
 */
#include <linux/blk-cgroup.h>
#include <linux/ioprio.h>

#include "log/log.h"
#include "trace.h"

/**
 * raizn_log_init() - set up a member's log that has no zone yet
 * @log:	log
 * @m:		member of the log
 * @role:	enum raizn_log_role
 */
void raizn_log_init(struct raizn_log *log, struct raizn_member *m, u8 role)
{
	log->member = m;
	log->role = role;
	spin_lock_init(&log->lock);
	init_waitqueue_head(&log->drained);
	atomic_set(&log->inflight[0], 0);
	atomic_set(&log->inflight[1], 0);
}

/**
 * raizn_log_idle() - forget the log zone of a member that was not live
 * @log:	log without appends under way
 */
void raizn_log_idle(struct raizn_log *log)
{
	spin_lock_irq(&log->lock);
	log->ready = false;
	log->switching = false;
	log->full = false;
	spin_unlock_irq(&log->lock);
}

static struct raizn_log_record *new_record(u32 bytes, gfp_t gfp)
{
	struct raizn_log_record *lr = kmalloc(sizeof(*lr), gfp);

	if (!lr)
		return NULL;
	lr->pool = NULL;
	lr->rec = kmalloc(bytes, gfp);
	if (!lr->rec) {
		kfree(lr);
		return NULL;
	}
	return lr;
}

static void free_record(struct raizn_log_record *lr)
{
	kfree(lr->rec);
	kfree(lr);
}

static void *record_pool_alloc(gfp_t gfp, void *unused)
{
	return new_record(RAIZN_RECORD_MAX, gfp);
}

static void record_pool_free(void *element, void *unused)
{
	free_record(element);
}

/**
 * raizn_log_pool_init() - make a pool of records
 * @pool:	pool to initialise; mempool_exit() frees it
 * @nr:		number of records in reserve
 *
 * Return: 0 or -ENOMEM.
 */
int raizn_log_pool_init(mempool_t *pool, int nr)
{
	return mempool_init(pool, nr, record_pool_alloc, record_pool_free, NULL);
}

/**
 * raizn_log_record_alloc() - get a record with room for its payload
 * @pool:	pool made by raizn_log_pool_init()
 * @log:	log that the record will go to
 * @type:	enum raizn_record_type
 * @payload:	bytes, a multiple of 4096, at most RAIZN_RECORD_MAX - 4096
 *
 * The payload is not cleared.
 *
 * Context: process, may wait for other records to be freed; never fails.
 */
struct raizn_log_record *raizn_log_record_alloc(mempool_t *pool,
						struct raizn_log *log, u16 type,
						u32 payload)
{
	u32 bytes = RAIZN_BLOCK_SIZE + payload;
	struct raizn_log_record *lr;

	/* Most records are small; records of the pool are large and few. */
	lr = new_record(bytes, GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC);
	if (!lr) {
		lr = mempool_alloc(pool, GFP_NOIO);
		lr->pool = pool;
	}
	lr->log = log;
	lr->bytes = bytes;
	raizn_record_init(lr->rec, type, log->member->arr->uuid, payload);
	return lr;
}

/**
 * raizn_log_record_free() - give a record back
 * @lr:		record
 *
 * Context: any.
 */
void raizn_log_record_free(struct raizn_log_record *lr)
{
	if (lr->pool)
		mempool_free(lr, lr->pool);
	else
		free_record(lr);
}

/* Sectors of a log zone that a claim leaves free. */
static u32 kept_from(const struct raizn_log *log, enum raizn_log_claim claim)
{
	switch (claim) {
	case RAIZN_CLAIM_RECORD:
		return log->reserve;
	case RAIZN_CLAIM_RELOCATED:
		return log->tails;
	default:
		return 0;
	}
}

/**
 * raizn_log_reserve() - claim space in the current log zone
 * @log:	log
 * @sectors:	size of one or more records
 * @claim:	kind of the records
 * @space:	set to the place of the records
 *
 * Claimed sectors are given back by raizn_log_unreserve() or by the completion
 * of the records; the log zone is not reset before.
 *
 * Context: any.  Return: false when there is no space: the log must switch, or
 * is doing so.
 */
bool raizn_log_reserve(struct raizn_log *log, u32 sectors, enum raizn_log_claim claim,
		       struct raizn_log_space *space)
{
	unsigned long flags;
	bool ok = false;
	u32 limit;

	spin_lock_irqsave(&log->lock, flags);
	limit = log->capacity - kept_from(log, claim);
	if (log->ready && log->used + sectors <= limit) {
		log->used += sectors;
		space->epoch = log->epoch;
		space->zone = log->zone;
		atomic_add(sectors, &log->inflight[log->epoch & 1]);
		ok = true;
	} else if (log->switching && log->ready) {
		log->full = true;
	}
	spin_unlock_irqrestore(&log->lock, flags);
	return ok;
}

/**
 * raizn_log_request_switch() - ask for the switch of a log without space
 * @log:	a partial-parity log
 *
 * Context: any.  Zones with something to log are woken when there is space.
 */
void raizn_log_request_switch(struct raizn_log *log)
{
	unsigned long flags;

	spin_lock_irqsave(&log->lock, flags);
	if (!log->switching && raizn_array_writable(log->member->arr)) {
		log->switching = true;
		queue_work(log->member->arr->log_wq, &log->switch_work);
	}
	spin_unlock_irqrestore(&log->lock, flags);
}

static void inflight_sub(struct raizn_log *log, u32 sectors, u64 epoch)
{
	if (atomic_sub_and_test(sectors, &log->inflight[epoch & 1]))
		wake_up(&log->drained);
}

/**
 * raizn_log_unreserve() - give claimed space back unused
 * @log:	log
 * @sectors:	number of sectors, as claimed
 * @space:	as filled by raizn_log_reserve()
 *
 * Context: any.
 */
void raizn_log_unreserve(struct raizn_log *log, u32 sectors,
			 const struct raizn_log_space *space)
{
	unsigned long flags;

	spin_lock_irqsave(&log->lock, flags);
	if (log->epoch == space->epoch)
		log->used -= sectors;
	spin_unlock_irqrestore(&log->lock, flags);
	inflight_sub(log, sectors, space->epoch);
}

static void log_endio(struct bio *bio)
{
	struct raizn_log_record *lr =
		container_of(bio, struct raizn_log_record, bio);
	struct raizn_log *log = lr->log;
	struct raizn_member *m = log->member;
	blk_status_t status = bio->bi_status;
	u32 sectors = lr->bytes >> SECTOR_SHIFT;
	u64 epoch = lr->space.epoch;

	if (unlikely(status)) {
		if (raizn_member_failed(m, "metadata append", status))
			status = BLK_STS_OK;
	} else if (m->volatile_cache && !(bio->bi_opf & REQ_FUA)) {
		atomic64_inc(&m->written);
	}
	bio_uninit(bio);
	/* array_free() waits for read-side sections like this one. */
	rcu_read_lock();
	lr->done(lr, status);
	inflight_sub(log, sectors, epoch);
	rcu_read_unlock();
}

/**
 * raizn_log_submit() - append a record for which space is reserved
 * @lr:		record, complete except for the fields that sealing fills; space and done
 *		are set
 * @seq:	its sequence number
 * @fua:	the record is durable when @lr->done() is called
 *
 * Context: process.  @lr->done() is called in any context and frees @lr.  Its status is no
 * error if the array goes on without the member.
 */
void raizn_log_submit(struct raizn_log_record *lr, u64 seq, bool fua)
{
	struct raizn_log *log = lr->log;
	struct raizn_member *m = log->member;
	struct raizn_array *arr = m->arr;
	struct bio *bio = &lr->bio;
	bool pp = le16_to_cpu(lr->rec->type) == RAIZN_REC_PARTIAL_PARITY ||
		  le16_to_cpu(lr->rec->type) == RAIZN_REC_RELOCATED;

	raizn_record_seal(lr->rec, seq, lr->space.epoch, m->slot, log->role);
	bio_init(bio, m->bdev, &lr->bvec, 1,
		 REQ_OP_ZONE_APPEND | REQ_SYNC | (fua ? REQ_FUA : 0));
	bio->bi_iter.bi_sector = raizn_reserved_zone_start(&arr->geo,
							   lr->space.zone);
	bio->bi_end_io = log_endio;
	/* A limit of the task's cgroup must not delay it: other tasks may wait for it, too. */
	bio_associate_blkg_from_css(bio, blkcg_root_css);
	bio->bi_ioprio = RAIZN_IOPRIO;
	__bio_add_page(bio, virt_to_page(lr->rec), lr->bytes,
		       offset_in_page(lr->rec));
	raizn_count(arr, pp ? RAIZN_PP_WRITTEN : RAIZN_MD_WRITTEN,
		    lr->bytes >> SECTOR_SHIFT);
	submit_bio_noacct(bio);
}

/**
 * raizn_log_done() - an append of a group has completed
 * @lr:		record with the group as its @private; freed
 * @status:	result of the append
 *
 * Context: any.
 */
void raizn_log_done(struct raizn_log_record *lr, blk_status_t status)
{
	struct raizn_group *group = lr->private;

	raizn_log_record_free(lr);
	raizn_group_put(group, status);
}

/**
 * raizn_log_append() - append a record for which space is reserved, and wait
 * @lr:		record, with its space; freed
 * @seq:	its sequence number
 * @fua:	durable on return
 *
 * Context: process.  Return: 0 or -errno, also if the array goes on without the member.
 */
int raizn_log_append(struct raizn_log_record *lr, u64 seq, bool fua)
{
	struct raizn_member *m = lr->log->member;
	struct raizn_group group;
	int err;

	raizn_group_init(&group);
	raizn_group_get(&group);
	lr->done = raizn_log_done;
	lr->private = &group;
	raizn_log_submit(lr, seq, fua);
	err = raizn_group_wait(&group);
	return !err && !raizn_member_live(m) ? -EIO : err;
}

static int take_free_zone(struct raizn_member *m, u32 *zone)
{
	int err = -ENOSPC;
	u32 i;

	spin_lock_irq(&m->zones_lock);
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		if (m->reserved[i] != RAIZN_USE_FREE)
			continue;
		m->reserved[i] = RAIZN_USE_TAKEN;
		*zone = i;
		err = 0;
		break;
	}
	spin_unlock_irq(&m->zones_lock);
	return err;
}

/* Can a log move to an empty log zone?  The drive may have made it read-only or offline. */
static bool is_usable(struct raizn_member *m, u32 zone)
{
	int cond;

	if (READ_ONCE(m->reserved[zone]) != RAIZN_USE_FREE)
		return false;
	cond = raizn_member_zone_condition(m, zone);
	if (cond != BLK_ZONE_COND_READONLY && cond != BLK_ZONE_COND_OFFLINE)
		return true;
	DMWARN("%pg: reserved zone %u is read-only or offline and is not used any more",
	       m->bdev, zone);
	spin_lock_irq(&m->zones_lock);
	if (m->reserved[zone] == RAIZN_USE_FREE)
		m->reserved[zone] = RAIZN_USE_BAD;
	spin_unlock_irq(&m->zones_lock);
	return false;
}

/**
 * raizn_log_may_move() - can a log move before it is full?
 * @log:	log
 *
 * Such a move must not cost the member.  One empty zone is left for the member's other log, which
 * may be full at any time.
 *
 * Context: process.
 */
bool raizn_log_may_move(struct raizn_log *log)
{
	struct raizn_member *m = log->member;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		nr += READ_ONCE(m->reserved[i]) == RAIZN_USE_FREE;
	if (nr < 2)
		return false;
	for (i = 0, nr = 0; i < RAIZN_NR_LOG_ZONES && nr < 2; i++)
		nr += is_usable(m, i);
	return nr == 2;
}

/**
 * raizn_log_open_zone() - move a log to an empty zone
 * @log:	log; no other task opens a zone for it
 * @old:	set to the zone left behind, for raizn_log_drop_zone()
 * @seq:	set to the sequence number of the superblock that begins the zone
 *
 * On return, new records go to the new zone, and its superblock, which comes first, is
 * durable.  A member has more than two log zones for each of its two logs, so there is
 * always an empty one as long as each log drops its old zone before it opens another.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_log_open_zone(struct raizn_log *log, struct raizn_log_space *old,
			u64 *seq)
{
	struct raizn_member *m = log->member;
	struct raizn_array *arr = m->arr;
	struct raizn_log_record *lr;
	struct raizn_log_space space;
	u32 zone;
	int err;

	if (!raizn_array_writable(arr))
		return -EIO;
	err = take_free_zone(m, &zone);
	if (err) {
		DMERR("%pg: no empty log zone left", m->bdev);
		raizn_member_failed(m, "log switch", BLK_STS_NOSPC);
		return err;
	}

	spin_lock_irq(&log->lock);
	log->ready = false;
	log->full = false;
	old->zone = log->zone;
	old->epoch = log->epoch;
	log->zone = zone;
	log->epoch++;
	log->used = RAIZN_BLOCK_SECTORS;
	atomic_add(RAIZN_BLOCK_SECTORS, &log->inflight[log->epoch & 1]);
	space.zone = zone;
	space.epoch = log->epoch;
	*seq = atomic64_inc_return(&arr->seq);
	spin_unlock_irq(&log->lock);

	lr = raizn_log_record_alloc(&arr->general_pool, log,
				    RAIZN_REC_SUPERBLOCK, 0);
	raizn_fill_superblock(m, lr->rec);
	lr->space = space;
	err = raizn_log_append(lr, *seq, true);
	if (err)
		return err;

	spin_lock_irq(&log->lock);
	log->ready = true;
	spin_unlock_irq(&log->lock);
	raizn_count(arr, RAIZN_LOG_SWITCHES, 1);
	trace_raizn_log_switch(m->slot, log->role, space.epoch, zone);
	return 0;
}

/**
 * raizn_log_drop_zone() - reset the log zone that a log left behind
 * @log:	log
 * @old:	as raizn_log_open_zone() set it
 *
 * The caller made all records of the old zone that are still needed durable elsewhere.
 * Waits for appends to the old zone that are under way.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_log_drop_zone(struct raizn_log *log,
			const struct raizn_log_space *old)
{
	struct raizn_member *m = log->member;
	int err;

	wait_event(log->drained, !atomic_read(&log->inflight[old->epoch & 1]));
	err = raizn_member_zone_op(m, REQ_OP_ZONE_RESET,
				   raizn_reserved_zone_start(&m->arr->geo,
							     old->zone));
	if (err)
		return err;
	spin_lock_irq(&m->zones_lock);
	m->reserved[old->zone] = RAIZN_USE_FREE;
	spin_unlock_irq(&m->zones_lock);
	return 0;
}

/**
 * raizn_log_wait_idle() - wait until no append to a log is under way
 * @log:	log that gets no new records
 *
 * Context: process.
 */
void raizn_log_wait_idle(struct raizn_log *log)
{
	wait_event(log->drained,
		   !atomic_read(&log->inflight[0]) && !atomic_read(&log->inflight[1]));
}

/**
 * raizn_log_readable() - can a member read at all?
 * @log:	general log of a live member
 * @buf:	room for a block of 4096 bytes
 *
 * Reads the block that every start begins with.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_log_readable(struct raizn_log *log, void *buf)
{
	struct raizn_member *m = log->member;
	u32 zone;
	int err;

	do {
		zone = READ_ONCE(log->zone);
		err = raizn_member_read(m->bdev, raizn_reserved_zone_start(&m->arr->geo, zone),
					buf, RAIZN_BLOCK_SIZE);
		/* The log may have moved on, and the zone be reset. */
	} while (err && zone != READ_ONCE(log->zone));
	return err;
}

/**
 * raizn_fill_superblock() - fill the body of a superblock record for one member
 * @m:		member
 * @rec:	initialised record
 *
 * Context: process.
 */
void raizn_fill_superblock(struct raizn_member *m, struct raizn_record *rec)
{
	struct raizn_superblock *sb = raizn_record_sb(rec);

	spin_lock(&m->arr->sb_lock);
	*sb = m->arr->sb;
	spin_unlock(&m->arr->sb_lock);
	memcpy(sb->member_uuid, m->uuid, RAIZN_UUID_SIZE);
	memset(sb->copy_of, 0, RAIZN_UUID_SIZE);
	rec->zone = cpu_to_le32(RAIZN_ZONE_ALL);
}
