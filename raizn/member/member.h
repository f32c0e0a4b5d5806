/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drives, and plain operations on them.
 */
#ifndef RAIZN_MEMBER_MEMBER_H
#define RAIZN_MEMBER_MEMBER_H

#include <linux/completion.h>

#include "states.h"

struct raizn_batch;

/* Counters of sectors; the last two count flushes and log switches. */
enum raizn_counter {
	RAIZN_USER_READ,
	RAIZN_USER_WRITTEN,
	RAIZN_MEMBER_READ,
	RAIZN_DATA_WRITTEN,
	RAIZN_PARITY_WRITTEN,
	RAIZN_PP_WRITTEN,
	RAIZN_MD_WRITTEN,
	RAIZN_REBUILD_WRITTEN,
	RAIZN_FLUSHES,
	RAIZN_LOG_SWITCHES,
	RAIZN_NR_COUNTERS,
};

/*
 * One instance for each CPU.  Local, because this_cpu_add() disables interrupts on some
 * architectures, which costs more than the rest of a small read.
 */
struct raizn_counters {
	local64_t value[RAIZN_NR_COUNTERS];
};

static inline void raizn_count(struct raizn_array *arr, enum raizn_counter c,
			       u64 n)
{
	struct raizn_counters *counters = get_cpu_ptr(arr->counters);

	local64_add(n, &counters->value[c]);
	put_cpu_ptr(arr->counters);
}

/* Use of a member zone.  The last three are for log zones that a start finds. */
enum raizn_use {
	RAIZN_USE_FREE,		/* empty */
	RAIZN_USE_TAKEN,	/* taken by a log or a column */
	RAIZN_USE_HELD,		/* taken, and active, see raizn_column_hold() */
	RAIZN_USE_DIRTY,	/* holds nothing that counts, and must be reset */
	RAIZN_USE_KEPT,		/* in quarantine, see quarantine.c */
	RAIZN_USE_STUCK,	/* as dirty, and a reset failed: see raizn_spare_unstick() */
	RAIZN_USE_BAD,		/* read-only or offline */
	RAIZN_USE_GENERAL,	/* general log of an earlier start, which counts */
	RAIZN_USE_STALE,	/* partial-parity log that counts until those of this start do */
	RAIZN_USE_VOID_PP,	/* perhaps one: does not count once all members agree */
};

/**
 * struct raizn_member - one drive of the array
 * @arr:	the array
 * @bdev:	the drive, kept open by the tables that name it, or NULL
 * @slot:	slot in the array; for the member's column of a zone see raizn_zone_column()
 * @volatile_cache: the drive has a write cache that must be flushed
 * @uuid:	identity from its superblock
 * @max_open:	the drive's limit of open zones; 0: none
 * @max_active:	the drive's limit of active zones; 0: none
 * @zone_pad:	writable sectors of each zone behind the last stripe unit, which keep the
 *		zone from becoming full by itself
 * @read_errors: reads that failed; fail_lock
 * @write_errors: other commands that failed; fail_lock
 * @fresh_errors: errors that count for the limit, halved with each error_halving; fail_lock
 * @fresh_since: time up to which they were halved (seconds since boot); fail_lock
 * @healed:	columns that moved after read or write errors; place_mutex
 * @extra_jobs:	jobs that keep a zone active beside those of users; rebuild->mutex
 * @reading:	reads of users that are under way, in a mirror
 * @read_end:	sector behind the last one that a user has asked for, in a mirror
 * @written:	completed writes that a flush must cover
 * @flushed:	the largest value of @written that a flush covered
 * @general:	general log
 * @pp:		partial-parity log
 * @zones_lock:	protects @reserved and the fields from @nr_physical on
 * @reserved:	use of the reserved log zones (enum raizn_use)
 * @nr_physical: zones that logs and columns can have, from the first reserved zone on
 * @use:	use of these zones (enum raizn_use); NULL for a member that was never live
 * @held:	number of them with RAIZN_USE_HELD
 * @stuck_next:	where to look for the next stuck zone that is reset
 * @stuck_errors: resets of stuck zones that failed in epoch @stuck_epoch of the array
 * @stuck_epoch: see there
 */
struct raizn_member {
	struct raizn_array *arr;
	struct block_device *bdev;
	u16 slot;
	bool volatile_cache;
	u8 uuid[RAIZN_UUID_SIZE];
	u32 max_open;
	u32 max_active;
	u32 zone_pad;
	u32 read_errors;
	u32 write_errors;
	u32 fresh_errors;
	time64_t fresh_since;
	u32 healed;
	u32 extra_jobs;
	atomic_t reading;
	sector_t read_end;
	atomic64_t written;
	atomic64_t flushed;
	struct raizn_log *general;
	struct raizn_log *pp;
	spinlock_t zones_lock;
	u8 reserved[RAIZN_NR_LOG_ZONES];
	u32 nr_physical;
	u8 *use;
	u32 held;
	u32 stuck_next;
	u32 stuck_errors;
	u32 stuck_epoch;
};

/**
 * struct raizn_member_bio - bio to a member, and the context of its completion
 * @member:	the member; not set in reads
 * @batch:	data and parity: batch of the bio
 * @written:	flush: value of member->written that the flush covers
 * @column:	read that reconstructs: column that it reads
 * @bio:	the bio; last member, because bio_vecs may follow it
 */
struct raizn_member_bio {
	struct raizn_member *member;
	union {
		struct raizn_batch *batch;
		s64 written;
		u32 column;
	};
	struct bio bio;
};

/**
 * struct raizn_group - commands that are waited for together
 * @pending:	commands under way, and one until raizn_group_wait()
 * @done:	@pending reached zero
 * @status:	an error of any of them
 */
struct raizn_group {
	atomic_t pending;
	struct completion done;
	blk_status_t status;
};

static inline void raizn_group_init(struct raizn_group *group)
{
	atomic_set(&group->pending, 1);
	init_completion(&group->done);
	group->status = BLK_STS_OK;
}

/* Count a command before it is submitted. */
static inline void raizn_group_get(struct raizn_group *group)
{
	atomic_inc(&group->pending);
}

/* A command has completed. */
static inline void raizn_group_put(struct raizn_group *group, blk_status_t status)
{
	if (status)
		WRITE_ONCE(group->status, status);
	if (atomic_dec_and_test(&group->pending))
		complete(&group->done);
}

/* Wait for all commands, after the last submission.  Context: process.  Return: 0 or -errno. */
static inline int raizn_group_wait(struct raizn_group *group)
{
	raizn_group_put(group, BLK_STS_OK);
	wait_for_completion_io(&group->done);
	return blk_status_to_errno(group->status);
}

/* Does the member take part in writes?  A failed member gets no commands. */
static inline bool raizn_member_live(const struct raizn_member *m)
{
	return !(READ_ONCE(m->arr->dead) & BIT(m->slot));
}

/* A member that comes back is rebuilding before it is live: see raizn_replace_member(). */
static inline enum raizn_member_state raizn_member_state(const struct raizn_member *m)
{
	if (!raizn_member_live(m))
		return RAIZN_MEMBER_FAILED;
	/* Pairs with come_alive(). */
	smp_rmb();
	return READ_ONCE(m->arr->rebuilding) & BIT(m->slot) ? RAIZN_MEMBER_REBUILDING :
							     RAIZN_MEMBER_ACTIVE;
}

/* Members (bit by slot) that are failed or rebuilding. */
static inline u32 raizn_not_whole(const struct raizn_array *arr)
{
	u32 dead = READ_ONCE(arr->dead);

	/* Pairs with come_alive(). */
	smp_rmb();
	return dead | READ_ONCE(arr->rebuilding);
}

/* Do the superblocks say that columns may be in surplus zones?  md_mutex is held, or a start. */
static inline bool raizn_has_surplus(const struct raizn_array *arr)
{
	return le64_to_cpu(arr->sb.incompat) & RAIZN_INCOMPAT_SURPLUS;
}

/* Do the superblocks say that columns may be on members of other slots?  As above. */
static inline bool raizn_has_distances(const struct raizn_array *arr)
{
	return le64_to_cpu(arr->sb.incompat) & RAIZN_INCOMPAT_DISTANCE;
}

/* Does a member zone in this condition (BLK_ZONE_COND_*) count for its drive's limit? */
static inline bool raizn_is_cond_active(int cond)
{
	return cond == BLK_ZONE_COND_IMP_OPEN || cond == BLK_ZONE_COND_EXP_OPEN ||
	       cond == BLK_ZONE_COND_CLOSED;
}

/* member.c */
int raizn_member_read(struct block_device *bdev, sector_t sector, void *buf,
		      u32 bytes);
int raizn_member_write(struct raizn_member *m, sector_t sector, void *buf,
		       u32 bytes);
int raizn_member_try_write(struct raizn_member *m, sector_t sector, void *buf,
			   u32 bytes);
void raizn_flush_unknown(struct raizn_array *arr);
int raizn_member_try_zone_op(struct raizn_member *m, enum req_op op,
			     sector_t sector);
int raizn_member_zone_op(struct raizn_member *m, enum req_op op,
			 sector_t sector);
int raizn_bdev_report_zones(struct block_device *bdev, sector_t sector, u32 nr,
			    report_zones_cb cb, void *data);
int raizn_member_zone_condition(struct raizn_member *m, u32 physical);
s64 raizn_member_zone_written(struct raizn_member *m, u32 physical);
void raizn_member_give_up_zone(struct raizn_member *m, u32 physical, bool kept);
void raizn_note_flushed(struct raizn_member *m, s64 written);
bool raizn_members_padded(const struct raizn_array *arr);
int raizn_data_zone_op(struct raizn_array *arr, enum req_op op, u32 zone);
struct bio *raizn_flush_bio(struct raizn_member *m);
int raizn_flush_members(struct raizn_array *arr);
int raizn_spare_clean_zone(struct raizn_member *m, u32 physical);
void raizn_spare_reset_failed(struct raizn_member *m, u32 physical);
int raizn_spare_unstick(struct raizn_member *m, u32 *physical);
void raizn_spare_clean_member(struct raizn_member *m);
void raizn_spare_clean(struct raizn_array *arr);

#endif /* RAIZN_MEMBER_MEMBER_H */
