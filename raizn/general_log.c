// SPDX-License-Identifier: GPL-2.0
/*
 * The general log: records that concern the array.  Every live member gets a
 * copy of each, under one sequence number.
 *
 * arr->md_mutex orders everything: a record's sequence number is taken, and
 * zone_state[] is changed as the record says, in one critical section.  So what
 * a checkpoint reads from zone_state[] is exactly what all records with lower
 * numbers add up to.  Waiting for the appends happens outside.
 *
 * A full general log switches at once, inside the mutex: records that concern
 * the array are rare, and a checkpoint of 3,690 zones is one 64 KiB append.
 */
#include <linux/completion.h>

#include "raizn.h"
#include "trace.h"

/**
 * struct general_write - one record on its way to all members
 * @pending:	appends under way, and one for who waits
 * @completion:	@pending reached zero
 * @status:	first error
 */
struct general_write {
	atomic_t pending;
	struct completion completion;
	blk_status_t status;
};

static void general_write_init(struct general_write *gw)
{
	atomic_set(&gw->pending, 1);
	init_completion(&gw->completion);
	gw->status = BLK_STS_OK;
}

static void general_write_put(struct general_write *gw)
{
	if (atomic_dec_and_test(&gw->pending))
		complete(&gw->completion);
}

static void general_write_done(struct raizn_log_record *lr, blk_status_t status)
{
	struct general_write *gw = lr->private;

	raizn_log_record_free(lr);
	if (status)
		WRITE_ONCE(gw->status, status);
	general_write_put(gw);
}

static int general_write_wait(struct general_write *gw)
{
	general_write_put(gw);
	wait_for_completion_io(&gw->completion);
	return blk_status_to_errno(gw->status);
}

/* Whether a zone's state says more than that it was never used. */
static bool zone_state_is_default(const struct raizn_zone_state *zs)
{
	return !zs->generation && !zs->flags;
}

static int checkpoint_append(struct raizn_log *log, struct raizn_log_record *lr,
			     bool fua)
{
	u64 seq = atomic64_inc_return(&log->member->arr->seq);

	if (!raizn_log_reserve(log, lr->bytes >> SECTOR_SHIFT, true,
			       &lr->space)) {
		raizn_log_record_free(lr);
		DMERR("%pg: checkpoint does not fit a log zone",
		      log->member->bdev);
		return -ENOSPC;
	}
	return raizn_log_append(lr, seq, fua);
}

/* Write all zone states that differ from the default.  md_mutex is held. */
static int checkpoint_zone_table(struct raizn_log *log)
{
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_record *lr;
	u32 zone = 0;
	u32 nr;
	int err;

	lockdep_assert_held(&arr->md_mutex);
	while (zone < arr->geo.nr_zones) {
		if (zone_state_is_default(&arr->zone_state[zone])) {
			zone++;
			continue;
		}
		nr = min(arr->geo.nr_zones - zone, RAIZN_ZONE_TABLE_MAX);
		while (zone_state_is_default(&arr->zone_state[zone + nr - 1]))
			nr--;
		lr = raizn_log_record_alloc(&arr->general_pool, log,
					    RAIZN_REC_ZONE_TABLE,
					    raizn_zone_table_payload(nr));
		raizn_zone_table_fill(lr->rec, arr->zone_state, zone, nr);
		err = checkpoint_append(log, lr, false);
		if (err)
			return err;
		zone += nr;
	}
	return 0;
}

/*
 * Move a general log to a new zone with a complete checkpoint, then drop the
 * old zone.  The CHECKPOINT record makes the new zone count, so all that it
 * vouches for is flushed before it.  md_mutex is held: no record can come
 * between.
 */
static int general_switch(struct raizn_log *log, bool drop)
{
	struct raizn_array *arr = log->member->arr;
	struct raizn_log_record *lr;
	struct raizn_log_space old;
	u64 seq;
	int err;

	err = raizn_log_open_zone(log, &old, &seq);
	if (!err)
		err = checkpoint_zone_table(log);
	if (!err)
		err = raizn_flush_members(arr);
	if (err)
		return err;

	lr = raizn_log_record_alloc(&arr->general_pool, log,
				    RAIZN_REC_CHECKPOINT, 0);
	lr->rec->start = cpu_to_le64(seq);
	err = checkpoint_append(log, lr, true);
	if (!err && drop)
		err = raizn_log_drop_zone(log, &old);
	return err;
}

/* Append one 4 KiB record to the general logs of all members. */
static int try_append(struct raizn_array *arr, struct general_write *gw,
		      u16 type, u32 zone, u64 generation, u64 start, u32 flags)
{
	struct raizn_log_space space;
	struct raizn_log_record *lr;
	struct raizn_log *log;
	u64 seq = 0;
	u32 i;
	int err;

	lockdep_assert_held(&arr->md_mutex);
	/*
	 * Space first, on all members: a switch writes a checkpoint, which must
	 * not lie between the sequence number and the record.
	 */
	for (i = 0; i < arr->geo.nr_members; i++) {
		log = &arr->members[i].general;
		if (raizn_log_reserve(log, RAIZN_BLOCK_SECTORS, false, &space)) {
			raizn_log_unreserve(log, RAIZN_BLOCK_SECTORS, &space);
			continue;
		}
		err = general_switch(log, true);
		if (err)
			return err;
	}

	seq = atomic64_inc_return(&arr->seq);
	for (i = 0; i < arr->geo.nr_members; i++) {
		log = &arr->members[i].general;
		lr = raizn_log_record_alloc(&arr->general_pool, log, type, 0);
		if (!raizn_log_reserve(log, RAIZN_BLOCK_SECTORS, false,
				       &lr->space)) {
			raizn_log_record_free(lr);
			return -ENOSPC;
		}
		lr->rec->zone = cpu_to_le32(zone);
		lr->rec->generation = cpu_to_le64(generation);
		lr->rec->start = cpu_to_le64(start);
		lr->rec->flags = cpu_to_le32(flags);
		if (type == RAIZN_REC_SUPERBLOCK)
			raizn_fill_superblock(log->member, lr->rec);
		lr->done = general_write_done;
		lr->private = gw;
		atomic_inc(&gw->pending);
		raizn_log_submit(lr, seq, true);
	}
	return 0;
}

/*
 * Append a record as try_append(), and stop writing if that fails: members and
 * memory no longer agree on what was logged.  md_mutex is held.  @gw collects
 * the completions.
 */
static int general_append(struct raizn_array *arr, struct general_write *gw,
			  u16 type, u32 zone, u64 generation, u64 start,
			  u32 flags)
{
	int err = try_append(arr, gw, type, zone, generation, start, flags);

	if (err)
		raizn_array_fail(arr, NULL, "general log",
				 errno_to_blk_status(err));
	return err;
}

/**
 * raizn_general_reset() - log the intent to reset, or that a reset is done
 * @arr:	array
 * @zone:	logical zone number or RAIZN_ZONE_ALL
 * @flags:	RAIZN_RESET_INTENT or RAIZN_RESET_DONE
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_reset(struct raizn_array *arr, u32 zone, u32 flags)
{
	bool all = zone == RAIZN_ZONE_ALL;
	u32 first = all ? 0 : zone;
	u32 last = all ? arr->geo.nr_zones - 1 : zone;
	struct raizn_zone_state *zs;
	struct general_write gw;
	u64 generation;
	int err = 0, err2;
	u32 i;

	general_write_init(&gw);
	mutex_lock(&arr->md_mutex);
	generation = all ? 0 : arr->zone_state[zone].generation;
	/* The array turns read-only at assembly long before this. */
	for (i = first; i <= last; i++)
		if (arr->zone_state[i].generation >= RAIZN_GENERATION_MAX)
			err = -EOVERFLOW;
	if (!err)
		err = general_append(arr, &gw, RAIZN_REC_RESET, zone,
				     generation, 0, flags);
	for (i = first; !err && i <= last; i++) {
		zs = &arr->zone_state[i];
		if (flags & RAIZN_RESET_INTENT) {
			zs->flags |= RAIZN_ZONE_RESETTING;
		} else {
			zs->generation++;
			zs->flags = 0;
			zs->wp = 0;
		}
	}
	mutex_unlock(&arr->md_mutex);
	err2 = general_write_wait(&gw);
	return err ? err : err2;
}

/**
 * raizn_general_finish() - log that a zone is finished at a write pointer
 * @arr:	array
 * @zone:	logical zone number
 * @wp:		its write pointer (sectors in the zone)
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_finish(struct raizn_array *arr, u32 zone, u32 wp)
{
	struct general_write gw;
	int err, err2;

	general_write_init(&gw);
	mutex_lock(&arr->md_mutex);
	err = general_append(arr, &gw, RAIZN_REC_FINISH, zone,
			     arr->zone_state[zone].generation, wp, 0);
	if (!err) {
		arr->zone_state[zone].flags |= RAIZN_ZONE_FINISHED;
		arr->zone_state[zone].wp = wp;
	}
	mutex_unlock(&arr->md_mutex);
	err2 = general_write_wait(&gw);
	return err ? err : err2;
}

/**
 * raizn_fill_superblock() - body of a superblock record for one member
 * @m:		member
 * @rec:	initialised record
 */
void raizn_fill_superblock(struct raizn_member *m, struct raizn_record *rec)
{
	struct raizn_superblock *sb = raizn_record_sb(rec);

	*sb = m->arr->sb;
	memcpy(sb->member_uuid, m->uuid, RAIZN_UUID_SIZE);
	rec->zone = cpu_to_le32(RAIZN_ZONE_ALL);
}

/* Count an event and say whether the array is clean.  md_mutex is held. */
static void superblock_change(struct raizn_array *arr, bool clean)
{
	u32 flags = le32_to_cpu(arr->sb.flags) & ~RAIZN_SB_CLEAN;
	u32 i;

	lockdep_assert_held(&arr->md_mutex);
	arr->event++;
	arr->sb.event = cpu_to_le64(arr->event);
	arr->sb.flags = cpu_to_le32(flags | (clean ? RAIZN_SB_CLEAN : 0));
	for (i = 0; i < arr->geo.nr_members; i++)
		arr->sb.members[i].event = arr->sb.event;
	arr->running = !clean;
}

/**
 * raizn_general_superblock() - write a new superblock to all members
 * @arr:	array
 * @clean:	the array is stopped, nothing will need recovery
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_general_superblock(struct raizn_array *arr, bool clean)
{
	struct general_write gw;
	int err, err2;

	general_write_init(&gw);
	mutex_lock(&arr->md_mutex);
	superblock_change(arr, clean);
	err = general_append(arr, &gw, RAIZN_REC_SUPERBLOCK, RAIZN_ZONE_ALL, 0,
			     0, 0);
	mutex_unlock(&arr->md_mutex);
	err2 = general_write_wait(&gw);
	return err ? err : err2;
}

/**
 * raizn_general_start() - begin a fresh general log on every member
 * @arr:	assembled array that takes no I/O yet
 *
 * The new superblocks say that the array is running.  Zones of the old logs are
 * stale afterwards; raizn_log_drop_stale() resets them.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_general_start(struct raizn_array *arr)
{
	int err = 0;
	u32 i;

	mutex_lock(&arr->md_mutex);
	superblock_change(arr, false);
	for (i = 0; !err && i < arr->geo.nr_members; i++)
		err = general_switch(&arr->members[i].general, false);
	mutex_unlock(&arr->md_mutex);
	return err;
}
