/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-raizn: RAID for host-managed zoned drives.  docs/architecture.md has a map of the
 * module.
 *
 * Units: offsets and lengths are sectors (512 bytes) unless said otherwise.
 * "offset" is relative to its logical zone, "sector" is absolute on a device.
 *
 * Locks, outermost first:
 *   target->arr_lock      which array a table has, see target.c
 *   raizn_registry_lock   the list of arrays
 *   arr->freeze           read: writes of a zone are issued; write: reset-all
 *   arr->place_mutex      where columns are that fail or are written anew
 *   arr->relog_mutex      one partial-parity log switches at a time
 *   arr->md_mutex         general logs, zone_state[] (sleeps on member I/O)
 *   arr->flush_mutex      one flush of the members that is waited for at a time
 *   zone->lock            see struct raizn_zone
 *   arr->cond_lock        conditions, open and active counts
 *   log->lock, member->zones_lock, arr->flush_lock, arr->fail_lock,
 *   arr->early_lock       leaves
 */
#ifndef RAIZN_H
#define RAIZN_H

#include <asm/local64.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/percpu-rwsem.h>
#include <linux/rbtree.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "core/codec.h"
#include "core/format.h"
#include "core/geometry.h"
#include "mutant.h"
#include "core/parity.h"
#include "core/recovery_plan.h"
#include "core/replay.h"

#define DM_MSG_PREFIX "raizn"

/*
 * Zones of a member that metadata may keep active.  Recovery needs most: it finds
 * a general log, a partial-parity log that was switching, the one that an earlier
 * recovery did not finish, and begins a fresh general log.
 */
#define RAIZN_MD_ACTIVE_ZONES	5U

/* Errors after which a member fails, unless a user says otherwise. */
#define RAIZN_ERROR_LIMIT	20U

/* Pace of rebuild and scrub while users are at work, in KiB a second and member. */
#define RAIZN_SPEED_MIN		10240U

/* A rebuild comes to its end, whatever users say. */
#define RAIZN_SPEED_LEAST	64U

/* Columns that are rebuilt at once. */
#define RAIZN_REBUILDERS	4U

/* Active zones of an array whose members set no limit. */
#define RAIZN_DEFAULT_ACTIVE	128U

/* A batch is closed when it holds this much data (sectors). */
#define RAIZN_BATCH_SECTORS	2048U

/* Largest zone append the volume takes (sectors). */
#define RAIZN_APPEND_SECTORS	2048U

/* I/O priority of what is written for nobody in particular. */
#define RAIZN_IOPRIO	IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, IOPRIO_BE_NORM)

/* Writes of a zone that may wait for others: twice what AIO lets all users have by default. */
#define RAIZN_EARLY_MAX		131072U

/* Writers who were told to come again are expected for so long. */
#define RAIZN_COMES_AGAIN	(30 * HZ)

/* A page with copies of data is this large at most (order). */
#define RAIZN_COPY_ORDER	3U

/* Pages for copies that are there if the kernel has none. */
#define RAIZN_COPY_RESERVE	16

struct raizn_array;
struct raizn_member;
struct raizn_open_zone;

/* Counters, all in sectors but the last two. */
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
 * One instance per CPU.  Local, because this_cpu_add() blocks interrupts on some
 * architectures, which costs more than the rest of a small read.
 */
struct raizn_counters {
	local64_t value[RAIZN_NR_COUNTERS];
};

/**
 * struct raizn_log_space - room claimed in a log zone
 * @epoch:	epoch of the log zone
 * @zone:	reserved zone
 */
struct raizn_log_space {
	u64 epoch;
	u32 zone;
};

/**
 * struct raizn_log_record - one record on its way to one log
 * @log:	destination
 * @pool:	where it came from, or NULL
 * @rec:	header block with payload behind it, physically contiguous
 * @bytes:	size of header and payload
 * @space:	where in the log it goes
 * @done:	called once the append completed, in any context; frees it
 * @private:	for @done
 * @bio:	the append
 * @bvec:	its only bio_vec: header and payload
 */
struct raizn_log_record {
	struct raizn_log *log;
	mempool_t *pool;
	struct raizn_record *rec;
	u32 bytes;
	struct raizn_log_space space;
	void (*done)(struct raizn_log_record *lr, blk_status_t status);
	void *private;
	struct bio bio;
	struct bio_vec bvec;
};

/**
 * struct raizn_log - one log of one member
 * @member:	the member
 * @role:	enum raizn_log_role
 * @lock:	irq-safe; protects the fields below it
 * @zone:	reserved zone in use
 * @used:	sectors handed out in @zone
 * @capacity:	sectors of a log zone
 * @reserve:	sectors of @capacity kept for the records a switch writes
 * @epoch:	epoch of @zone
 * @switching:	from the moment space ran out until the switch is complete
 * @ready:	@zone takes records (its superblock is written)
 * @full:	space ran out again, in the zone that the switch opened
 * @inflight:	sectors claimed and not yet written, by parity of the epoch
 * @drained:	woken when an @inflight reaches zero
 * @switch_work: partial-parity log: the switch
 */
struct raizn_log {
	struct raizn_member *member;
	u8 role;
	spinlock_t lock;
	u32 zone;
	u32 used;
	u32 capacity;
	u32 reserve;
	u64 epoch;
	bool switching;
	bool ready;
	bool full;
	atomic_t inflight[2];
	wait_queue_head_t drained;
	struct work_struct switch_work;
};

enum raizn_reserved_use {
	RAIZN_RESERVED_FREE,	/* empty */
	RAIZN_RESERVED_USED,	/* a log, current or being switched from */
	RAIZN_RESERVED_GENERAL,	/* general log of an earlier start, which counts */
	RAIZN_RESERVED_STALE,	/* counts until the logs of this start do */
	RAIZN_RESERVED_VOID_PP,	/* does not count, once all members agree on it */
	RAIZN_RESERVED_VOID,	/* holds nothing that counts */
	RAIZN_RESERVED_BAD,	/* cannot be written any more */
};

/**
 * struct raizn_member - one drive of the array
 * @arr:	the array
 * @bdev:	the drive, kept open by the tables that name it; NULL: not there
 * @slot:	its place in the array: the column it holds
 * @state:	enum raizn_member_state; nothing goes to one that failed.  Turns to
 *		failed under fail_lock
 * @volatile_cache: it has a write cache that must be flushed
 * @uuid:	identity from its superblock
 * @max_open:	the drive's limit of open zones; 0: none
 * @max_active:	the drive's limit of active zones; 0: none
 * @zone_pad:	writable sectors of its zones behind the last stripe unit: they do not
 *		become full by themselves
 * @read_errors: reads that failed; fail_lock
 * @write_errors: other commands that failed; fail_lock
 * @healed:	columns written anew because they could not be read or written; place_mutex
 * @extra_jobs:	jobs that keep a zone active beside those of users; rebuild.mutex
 * @written:	completed writes that a flush must cover
 * @flushed:	the largest value of @written that a flush covered
 * @general:	general log
 * @pp:		partial-parity log
 * @zones_lock:	protects @reserved and @use
 * @reserved:	use of the reserved log zones
 * @use:	use of all zones, enum raizn_physical, from the first reserved one on;
 *		NULL for a member that was never live
 */
struct raizn_member {
	struct raizn_array *arr;
	struct block_device *bdev;
	u16 slot;
	u8 state;
	bool volatile_cache;
	u8 uuid[RAIZN_UUID_SIZE];
	u32 max_open;
	u32 max_active;
	u32 zone_pad;
	u32 read_errors;
	u32 write_errors;
	u32 healed;
	u32 extra_jobs;
	atomic64_t written;
	atomic64_t flushed;
	struct raizn_log general;
	struct raizn_log pp;
	spinlock_t zones_lock;
	u8 reserved[RAIZN_NR_LOG_ZONES];
	u8 *use;
};

/**
 * struct raizn_zone - a logical zone; there may be 100,000, so it is small
 * @arr:	the array
 * @lock:	irq-safe; protects @wp, @life, @pending and the fields of the
 *		open zone that say so.  Lock order: zone->lock, arr->cond_lock.
 * @wp:		accepted write pointer; a finished zone keeps it
 * @readable:	what is below it can be read; at most @wp; the rest reads as zeros.
 *		In a damaged zone: see raizn_zone_load_damaged()
 * @life:	counts resets and finishes carried out; it wraps, but who
 *		compares it does not wait through 65,536 of them
 * @missing:	columns (bit by column) that the zone does without; changes only
 *		while the zone is idle.  See raizn_zone_lost()
 * @failing:	columns that failed and are not in @missing yet; fail_lock
 * @heal:	columns to be written anew though they are in use: they cannot be read in
 *		part, or hold wrong parity.  Nobody may give up another one meanwhile
 * @ops:	resets and finishes accepted and not yet carried out
 * @resets:	resets among them: what retires then belongs to the past
 * @cond:	BLK_ZONE_COND_*; written under arr->cond_lock and @lock, except
 *		that an implicitly open zone may be closed under cond_lock alone
 * @pending:	accepted writes and zone operations, in order, for the worker
 * @work:	the zone's worker; one at a time
 * @busy:	somebody issues writes or records, the worker, who submitted them, or the
 *		flush worker: nobody else does, and only the worker may then release @oz
 * @expiring:	what a reset was accepted for is what the next start would find
 * @heal_from:	columns of @heal before this one could not be written anew; that is not
 *		tried again before something changes; see raizn_zone_to_heal()
 * @oz:		state of an active zone, or NULL; set under both locks
 * @job:	rebuilds a column of it, or NULL
 */
struct raizn_zone {
	struct raizn_array *arr;
	spinlock_t lock;
	u32 wp;
	u32 readable;
	u32 missing;
	u32 failing;
	u32 heal;
	u16 life;
	u16 ops;
	u16 resets;
	u8 cond;
	bool busy:1;
	bool expiring:1;
	u8 heal_from:6;
	struct bio_list pending;
	struct work_struct work;
	struct raizn_open_zone *oz;
	struct raizn_job *job;
};

/* Chunks of a job under way. */
#define RAIZN_COPIES	4U

/**
 * struct raizn_copy - rows of a column on their way to a member zone
 * @dec:	buffers
 * @sector:	first row
 * @nr:		sectors
 * @decoding:	raizn_decode_end() has to follow
 * @written:	the write is done
 * @status:	how
 */
struct raizn_copy {
	struct raizn_decode *dec;
	u32 sector;
	u32 nr;
	bool decoding;
	struct completion written;
	blk_status_t status;
};

/**
 * struct raizn_job - a column of a zone that is written anew
 * @zone:	the zone; its lock protects @cancelled, @ready and @err
 * @column:	the column
 * @physical:	member zone it goes to
 * @moved:	that is a spare zone
 * @heal:	the column is in use and stays so until then
 * @extra_zone:	it counts in the member's extra_jobs
 * @found:	sectors of it that were there before, in its own place
 * @anew:	there were none, or it goes to another place
 * @at:		sectors of the column that are done
 * @wp:		write pointer that what is copied belongs to
 * @end:	sectors of the column, when it is the worker's turn
 * @rounds:	how often the zone's worker found too much left
 * @errors:	of writes, to zones that are said to be good
 * @changes:	the rebuild's when it began
 * @copies:	chunks under way
 * @nr_copies:	how many at most
 * @cancelled:	the zone is to be reset: stop
 * @ready:	it is the worker's turn, until @handed_back
 * @handed_back: the worker's part is done
 * @err:	how
 * @failed:	a job of the same rebuilder failed before
 */
struct raizn_job {
	struct raizn_zone *zone;
	u32 column;
	u32 physical;
	bool moved;
	bool heal;
	bool extra_zone;
	u32 found;
	bool anew;
	u32 at;
	u32 wp;
	u32 end;
	u32 rounds;
	u32 errors;
	int changes;
	struct raizn_copy *copies;
	u32 nr_copies;
	bool cancelled;
	bool ready;
	struct completion handed_back;
	int err;
	bool failed;
};

/**
 * struct raizn_rebuilder - one of those that carry out jobs
 * @arr:	array
 * @work:	takes jobs as long as there are any
 * @copies:	of the job
 */
struct raizn_rebuilder {
	struct raizn_array *arr;
	struct work_struct work;
	struct raizn_copy copies[RAIZN_COPIES];
};

/**
 * struct raizn_rebuild - all of them
 * @mutex:	protects the rest, but where it says otherwise
 * @next:	zones below it were looked at
 * @left:	zones to continue with first: see raizn_rebuild_left()
 * @running:	rebuilders at work
 * @changes:	how often something went away that jobs may fail for; no lock
 * @failed:	a job failed since they began
 * @worth:	something changed after that, or meanwhile: trying again may be of use
 * @kick_work:	sets them to work
 * @rebuilders:	the rebuilders
 */
struct raizn_rebuild {
	struct mutex mutex;
	u32 next;
	struct raizn_zone *left[RAIZN_REBUILDERS];
	u32 running;
	atomic_t changes;
	bool failed;
	bool worth;
	struct work_struct kick_work;
	struct raizn_rebuilder rebuilders[RAIZN_REBUILDERS];
};

/* Stripes of which is told where they are. */
#define RAIZN_SCRUB_FOUND	32

/**
 * struct raizn_mismatch - a stripe whose parity does not match its data
 * @zone:	logical zone
 * @stripe:	stripe of it
 * @column:	that is wrong, and so its member; the one of the parity when nobody can tell
 */
struct raizn_mismatch {
	u32 zone;
	u32 stripe;
	u32 column;
};

/**
 * struct raizn_scrub_sums - what a scrub has come to
 * @mismatches:	stripes that were found wrong
 * @repaired:	and made right
 * @nr_found:	of the first ones, see struct raizn_scrub
 */
struct raizn_scrub_sums {
	s64 mismatches;
	s64 repaired;
	u32 nr_found;
};

/**
 * struct raizn_scrub - a scrub
 * @work:	looks at all zones
 * @active:	one is under way, or goes on when the array is resumed; changes with the
 *		background action, under arr->rebuild.mutex
 * @remembered:	one was under way when the array was last stopped, and the superblock
 *		says which; nothing of it is here until it goes on
 * @stop:	it is to end
 * @repair:	wrong parity is written anew
 * @noted:	when the superblock was last told (jiffies); @work
 * @lock:	protects what follows; only @work changes it while @active
 * @next:	zone that is looked at
 * @before:	what the zones before it came to
 * @nr_found:	places in use
 * @found:	the first stripes that were found wrong since the array was started
 */
struct raizn_scrub {
	struct work_struct work;
	bool active;
	bool remembered;
	bool stop;
	bool repair;
	unsigned long noted;
	spinlock_t lock;
	u32 next;
	struct raizn_scrub_sums before;
	u32 nr_found;
	struct raizn_mismatch found[RAIZN_SCRUB_FOUND];
};

enum raizn_action {
	RAIZN_ACTION_IDLE,
	RAIZN_ACTION_REBUILD,
	RAIZN_ACTION_CHECK,
	RAIZN_ACTION_REPAIR,
	RAIZN_ACTION_RECOVER,
};

/**
 * struct raizn_background - pace and progress of rebuild and scrub, progress of recovery
 * @lock:	protects what has no other rule
 * @stop:	the array is about to be suspended: end
 * @action:	what is going on
 * @begun:	since when
 * @total:	sectors it will handle; of recovery, steps
 * @done:	sectors it has handled, or steps
 * @window:	speed is measured since then
 * @window_done: sectors handled since then
 * @paused:	the scrub is to wait
 * @mismatches:	stripes that the last scrub found wrong
 * @repaired:	and made right
 * @users:	sectors that users had read and written then
 * @users_active: they were at work in the window before
 * @speed_min:	KiB a second and member while users are at work
 * @speed_max:	KiB a second and member, 0: no limit
 */
struct raizn_background {
	spinlock_t lock;
	bool stop;
	enum raizn_action action;
	ktime_t begun;
	u64 total;
	atomic64_t done;
	ktime_t window;
	u64 window_done;
	bool paused;
	atomic64_t mismatches;
	atomic64_t repaired;
	u64 users;
	bool users_active;
	u32 speed_min;
	u32 speed_max;
};

/**
 * struct raizn_parity_buffer - parity of one stripe in one parity column
 * @next:	in a batch
 * @data:	one stripe unit
 */
struct raizn_parity_buffer {
	struct raizn_parity_buffer *next;
	void *data;
};

/**
 * struct raizn_lost_unit - data of a missing column, in memory
 * @node:	in oz->lost; zone->lock
 * @refs:	one for the list, one for each reader
 * @stripe:	stripe number
 * @column:	the missing column
 * @data:	one stripe unit, filled from its begin
 * @bad:	first of the rows (sectors) that could not be had
 * @bad_end:	the one after the last of them; 0: all could
 */
struct raizn_lost_unit {
	struct list_head node;
	refcount_t refs;
	u32 stripe;
	u32 column;
	u32 bad;
	u32 bad_end;
	void *data;
};

/**
 * struct raizn_batch - writes of one zone issued together
 * @node:	in oz->batches, in order of issue; zone->lock
 * @oz:		the zone, active until its last batch is retired
 * @refs:	one for each member bio and record under way, one for the worker
 * @start:	offset of its first sector
 * @end:	offset behind its last one
 * @fua:	every bio of it, and its partial-parity record, is FUA
 * @idle:	REQ_IDLE, if its first bio has that, or 0
 * @has_pp:	has a partial-parity record that covers the tail up to @end
 * @relog:	was issued for a log switch
 * @done:	all refs gone; zone->lock
 * @status:	first error
 * @bios:	user bios whose last sector is in this batch
 * @continued:	user bio that goes on in the next batch, or NULL
 * @flush:	flush that waits for it to be retired, or NULL
 * @parity:	parity buffers under way
 * @copies:	pages with copies of its data
 * @held:	bytes of parity buffers and copies
 * @plug:	holds its member bios back until it is closed
 */
struct raizn_batch {
	struct list_head node;
	struct raizn_open_zone *oz;
	atomic_t refs;
	u32 start;
	u32 end;
	bool fua;
	bool has_pp;
	bool relog;
	bool done;
	blk_opf_t idle;
	blk_status_t status;
	struct bio_list bios;
	struct bio *continued;
	struct bio *flush;
	struct raizn_parity_buffer *parity;
	struct list_head copies;
	u32 held;
	struct blk_plug plug;
};

/**
 * struct raizn_open_zone - what an active zone needs in memory
 *
 * Offsets, each at most the one before it:
 *   zone->wp   accepted
 *   issued	handed to the members
 *   completed	completed by them, without a gap
 *   protected	completed, and so is parity or partial parity that covers it
 *   durable	protected, and will survive power loss
 * How far each column is follows from these by raizn_column_extent(), so there
 * is no state by column while all members work.
 *
 * @zone:	NULL while unused; arr->cond_lock
 * @lru:	free list or list of implicitly open zones; arr->cond_lock
 *
 * Owned by the zone's worker, or who made zone->busy true:
 * @issued:	see above
 * @logged:	a partial-parity record was issued up to here
 * @parity:	running parity of the incomplete stripe (P buffers)
 * @batch:	the batch being built, or NULL
 * @copy:	of its copies the one with room for more, or NULL
 * @copy_used:	bytes of that which are taken
 * @cur:	its member bios being built, by column
 * @column_vecs: bio_vecs for a new one
 * @ioprio:	their I/O priority: that of the user's write
 * @hint:	their write hint: the same
 *
 * Protected by zone->lock:
 * @batches:	issued batches that are not retired, oldest first
 * @completed:	see above
 * @protected:	see above
 * @durable:	see above
 * @sync_wanted: a flush waits for @protected
 * @sync_offset: what it wants to be protected
 * @sync_end:	what has to be completed so that it is: with the record that was made for
 *		it, or without one, as its stripe is full; 0: not known yet
 * @relog:	a log switch wants a record of the whole tail, or waits for it
 * @relog_issued: the worker has issued that record
 * @last:	bios that filled or emptied the zone; ended when it is released
 * @lost:	data of missing columns in stripes whose parity is not completed,
 *		struct raizn_lost_unit; the last one is filled by the worker
 *
 * Of writers of the zone, or of the one that had this entry before:
 * @sleepers:	so many wait for room, see budget.c
 * @turned_away: when one last began or ended that, or was told to come again (jiffies)
 * @turned_at:	what it wants to write begins there (offset in the zone, sectors)
 */
struct raizn_open_zone {
	struct raizn_zone *zone;
	struct list_head lru;

	u32 issued;
	u32 logged;
	struct raizn_parity_buffer *parity[RAIZN_MAX_PARITY];
	struct raizn_batch *batch;
	struct page *copy;
	u32 copy_used;
	struct bio *cur[RAIZN_MAX_MEMBERS];
	u16 column_vecs;
	u16 ioprio;
	u8 hint;

	struct list_head batches;
	u32 completed;
	u32 protected;
	u32 durable;
	u32 sync_offset;
	u32 sync_end;
	bool sync_wanted;
	bool relog;
	bool relog_issued;
	struct bio_list last;
	struct list_head lost;

	atomic_t sleepers;
	unsigned long turned_away;
	u32 turned_at;
};

/**
 * struct raizn_flush_target - a zone a flush waits for
 * @zone:	the zone
 * @life:	zone->life at that time
 * @offset:	what must become protected
 * @work:	the zone has to do something for that
 */
struct raizn_flush_target {
	struct raizn_zone *zone;
	u32 offset;
	u16 life;
	bool work;
};

/* Zones that a flush has to do with when its submitter carries it out. */
#define RAIZN_FLUSH_HERE	4U

/**
 * struct raizn_io - per-bio data
 * @refs:	batches that hold a part of the bio; flush: what it waits for
 * @status:	first error
 * @arr:	the array
 * @copy:	write whose data is to be copied
 * @again:	flush that is left to the flush worker after all
 * @nr_synced:	the same: zones that were not durable
 * @synced:	the same: which, and up to where they are now
 * @remapped:	read that was sent to a member
 * @refused:	read that a member failed
 * @iter:	the same: what was asked of the volume
 * @flags:	the same: bio->bi_flags before that
 * @sent:	the same: where on the member it went
 * @life:	the same: zone->life then
 * @early:	write that waits for others: where it is sorted in, by sector and time; is it
 *		one of arr->early_heads; when it began to wait (jiffies); in the first one of
 *		a zone, how many the zone has; in which life of its zone it came
 * @work:	read that must be decoded
 */
struct raizn_io {
	atomic_t refs;
	blk_status_t status;
	struct raizn_array *arr;
	bool remapped;
	bool refused;
	bool copy;
	bool again;
	u8 nr_synced;
	union {
		struct raizn_flush_target synced[RAIZN_FLUSH_HERE];
		struct {
			struct bvec_iter iter;
			unsigned short flags;
			sector_t sent;
			u16 life;
			struct work_struct work;
		};
		struct {
			struct rb_node node;
			struct list_head queue;
			struct list_head head;
			unsigned long since;
			u32 nr;
			u16 life;
		} early;
	};
};

/* Rows decoded at a time (sectors). */
#define RAIZN_DECODE_ROWS	128U

/**
 * struct raizn_decode - what decoding and comparing need in memory
 * @buf:	RAIZN_DECODE_ROWS sectors, by column; less for one read that is small
 * @zone:	logical zone number
 * @life:	of it, when the reads began
 * @map_version: of the zone map then
 * @column:	column that is computed
 * @nr:		sectors of it
 * @pooled:	of decode_pool, for one read
 * @alone:	REQ_NOMERGE, or 0: may what is read fail with what is behind it?
 * @pending:	reads of columns, and one until all are submitted
 * @gathered:	none is left
 * @status:	error of any of them
 * @failed:	columns that could not be read
 */
struct raizn_decode {
	void *buf[RAIZN_MAX_MEMBERS];
	u32 zone;
	u16 life;
	u64 map_version;
	u32 column;
	u32 nr;
	bool pooled;
	blk_opf_t alone;
	atomic_t pending;
	struct completion gathered;
	blk_status_t status;
	unsigned long failed;
};

/**
 * struct raizn_member_bio - bio to a member with what its completion needs
 * @member:	the member
 * @batch:	data and parity: the batch it is part of
 * @written:	flush: value of member->written that it covers
 * @bio:	the bio; last, bio_vecs may follow it
 */
struct raizn_member_bio {
	struct raizn_member *member;
	union {
		struct raizn_batch *batch;
		s64 written;
	};
	struct bio bio;
};

/**
 * struct raizn_array - one array
 * @node:	in the list of arrays; raizn_registry_lock
 * @refs:	targets (tables) that use it; raizn_registry_lock
 * @md:		the mapped device it runs on
 * @event_mutex: protects @table; taken last
 * @table:	the table in use, or NULL
 * @uuid:	identity
 * @geo:	geometry
 * @sb:		body of the superblock written last; md_mutex
 * @members:	by slot
 * @zones:	logical zones
 * @max_active:	limit of active zones of the volume
 * @max_open:	limit of open zones of the volume
 * @granularity: sectors a write must be a multiple of
 * @map:	where columns are; changes only while the zone is idle
 * @dead:	members (bit by slot) that are not in use; fail_lock to change it
 * @clean:	it was stopped cleanly
 * @nr_damaged:	zones of which more was lost at the start than can be decoded
 * @recovery:	what is to be done before the first I/O, or NULL
 * @renumber:	option maintain: begin all generations anew
 * @read_logs:	see struct raizn_start_options
 * @unreadable:	a drive could not read what this start needs
 * @failed:	more failed than parity makes up for: nothing more is written
 * @read_only:	members or features do not allow writing
 * @table_read_only: the table in use does not
 * @volatile_cache: some member has a write cache that must be flushed
 * @rotational:	some member is a disk
 * @write_through: option write_cache=through
 * @trust_buffers: nobody changes data while it is written, the owner says
 * @autostart:	as in the superblock; only user space reads it
 * @activated:	logs and running parity are as I/O needs them
 *
 * @cond_lock:	irq-safe; protects conditions, the counts, @oz_free, @imp_open
 * @nr_imp_open: implicitly open zones
 * @nr_exp_open: explicitly open zones
 * @nr_active:	active zones: entries of @open_zones in use
 * @oz_free:	unused ones
 * @imp_open:	those of implicitly open zones, oldest first
 * @open_zones:	max_active entries
 * @freeze:	who issues writes of a zone holds it for reading
 *
 * @fail_lock:	irq-safe; protects failure states and the fields below it
 * @failing:	members (bit by slot) that failed, which their superblocks do not say
 *		yet
 * @fail_map:	zones with columns that failed, which the zone map does not say yet
 * @unrecorded:	something is in @failing or @fail_map: no step of a protocol begins that
 *		relies on all members
 * @unsettled:	that, or a zone has not done without a column yet: nothing that users
 *		wait for ends
 * @held:	what they wait for
 * @error_limit: errors after which a member fails; 0: no number of them
 * @fail_work:	makes failures durable
 *
 * @early_lock:	protects the four below
 * @early:	writes that wait for others, by sector; see early.c
 * @early_zones: which zones have some; read without the lock
 * @early_queue: the same, in order of time
 * @early_heads: those of them that follow no other one
 * @suspending:	from the beginning of a suspend to the resume
 * @grace:	writes may overtake others
 * @grace_work:	ends that some time after a resume
 * @early_work:	ends those that waited too long
 * @canary_out:	see canary.c
 *
 * @zone_budget: sectors of a zone that may be under way, see budget.c
 * @budget:	of all zones
 *
 * @place_mutex: held by who writes a zone map record of a column, and decides by it
 *		whether the column takes part
 * @md_mutex:	protects general-log appends, @zone_state, @map.version and all of
 *		the superblock
 * @zone_state:	what the general log says of every zone
 * @event:	event count of the superblock written last
 * @base_event:	event count of the superblock that the next one replaces
 * @base_failed: members that one calls failed (bit by slot)
 * @running:	the superblocks say: not clean
 *
 * @seq:	last sequence number used
 * @flush_lock:	protects @flush_bios, @fua_bios and @reset_all_bios
 * @flush_bios:	flushes for the flush worker
 * @fua_bios:	FUA writes that wait for it, their data is written
 * @flush_mutex: one flush of the members that is waited for at a time
 * @flush_work:	the flush worker
 * @flush_targets: max_active entries, of the flush worker
 * @relog_mutex: one partial-parity log switches at a time
 * @relog_slot:	its member; relog_mutex, read by zone workers while oz->relog
 * @relog_targets: max_active entries; relog_mutex
 * @sync_wait:	woken when a batch retires, a zone is released or does without a
 *		column, failures are durable, the array fails, @plugs becomes 0
 * @plugs:	plugs of submitters that will wake a zone's worker
 *
 * @reset_all_work: carries out @reset_all_bios
 * @reset_all_bios: resets of all zones
 * @reset_map:	zones a reset-all must reset on the members; freeze (write)
 *
 * @zone_wq:	zone workers, reset-all
 * @flush_wq:	flush worker
 * @log_wq:	switches of partial-parity logs
 * @fail_wq:	what failures need to be done
 * @read_wq:	reads that must be decoded
 * @rebuild:	columns that are written anew
 * @scrub:	comparing parity with data
 * @background:	pace and progress of both, progress of recovery
 * @rebuild_wq:	rebuilders
 * @bios:	bios to members
 * @batch_pool:	struct raizn_batch
 * @parity_pool: struct raizn_parity_buffer with its stripe unit
 * @copy_pool:	pages for copies of data
 * @pp_pool:	partial-parity records
 * @lost_pool:	struct raizn_lost_unit
 * @decode_pool: struct raizn_decode
 * @general_pool: records of the general logs, superblocks of all logs
 * @counters:	for the status line
 */
struct raizn_array {
	struct list_head node;
	unsigned int refs;
	struct mapped_device *md;
	struct mutex event_mutex;
	struct dm_table *table;
	u8 uuid[RAIZN_UUID_SIZE];
	struct raizn_geometry geo;
	struct raizn_superblock sb;
	struct raizn_member *members;
	struct raizn_zone *zones;
	u32 max_active;
	u32 max_open;
	u32 granularity;
	struct raizn_zone_map map;
	u32 dead;
	u32 nr_damaged;
	bool clean;
	bool renumber;
	bool read_logs;
	bool unreadable;
	struct raizn_recovery *recovery;
	unsigned int failed;
	bool read_only;
	bool table_read_only;
	bool volatile_cache;
	bool rotational;
	bool write_through;
	bool trust_buffers;
	u32 autostart;
	bool activated;

	spinlock_t cond_lock;
	u32 nr_imp_open;
	u32 nr_exp_open;
	u32 nr_active;
	struct list_head oz_free;
	struct list_head imp_open;
	struct raizn_open_zone *open_zones;
	struct percpu_rw_semaphore freeze;

	spinlock_t fail_lock;
	u32 failing;
	unsigned long *fail_map;
	bool unrecorded;
	bool unsettled;
	struct bio_list held;
	u32 error_limit;
	struct work_struct fail_work;

	spinlock_t early_lock;
	struct rb_root early;
	unsigned long *early_zones;
	struct list_head early_queue;
	struct list_head early_heads;
	bool suspending;
	bool grace;
	struct delayed_work grace_work;
	struct delayed_work early_work;
	bool canary_out;

	u32 zone_budget;
	u64 budget;

	struct mutex place_mutex;
	struct mutex md_mutex;
	struct raizn_zone_state *zone_state;
	u64 event;
	u64 base_event;
	u32 base_failed;
	bool running;

	atomic64_t seq;

	spinlock_t flush_lock;
	struct bio_list flush_bios;
	struct bio_list fua_bios;
	struct mutex flush_mutex;
	struct work_struct flush_work;
	struct raizn_flush_target *flush_targets;
	struct mutex relog_mutex;
	struct raizn_open_zone **relog_targets;
	u32 relog_slot;
	wait_queue_head_t sync_wait;
	atomic_t plugs;

	struct work_struct reset_all_work;
	struct bio_list reset_all_bios;
	unsigned long *reset_map;

	struct workqueue_struct *zone_wq;
	struct workqueue_struct *flush_wq;
	struct workqueue_struct *log_wq;
	struct workqueue_struct *fail_wq;
	struct workqueue_struct *read_wq;
	struct raizn_rebuild rebuild;
	struct raizn_scrub scrub;
	struct raizn_background background;
	struct workqueue_struct *rebuild_wq;
	struct bio_set bios;
	mempool_t batch_pool;
	mempool_t parity_pool;
	mempool_t copy_pool;
	mempool_t lost_pool;
	mempool_t decode_pool;
	mempool_t pp_pool;
	mempool_t general_pool;
	struct raizn_counters __percpu *counters;
};

static inline void raizn_count(struct raizn_array *arr, enum raizn_counter c,
			       u64 n)
{
	struct raizn_counters *counters = get_cpu_ptr(arr->counters);

	local64_add(n, &counters->value[c]);
	put_cpu_ptr(arr->counters);
}

static inline u32 raizn_zone_number(const struct raizn_zone *z)
{
	return z - z->arr->zones;
}

/* Write pointer as far as the members know it. */
static inline u32 raizn_issued_wp(const struct raizn_zone *z)
{
	return z->oz ? z->oz->issued : z->wp;
}

static inline bool raizn_array_writable(const struct raizn_array *arr)
{
	return !READ_ONCE(arr->failed) && !arr->read_only &&
	       !arr->table_read_only;
}

/* Does it take part in what is written? */
static inline bool raizn_member_live(const struct raizn_member *m)
{
	return READ_ONCE(m->state) != RAIZN_MEMBER_FAILED;
}

/* Zones of a member, from the first reserved one on. */
static inline u32 raizn_nr_physical(const struct raizn_array *arr)
{
	return arr->geo.nr_reserved + arr->geo.nr_zones;
}

static inline u32 raizn_all_members(const struct raizn_array *arr)
{
	return (u32)(BIT_ULL(arr->geo.nr_members) - 1);
}

/* Columns of a zone that are not to be read or written. */
static inline u32 raizn_zone_lost(const struct raizn_zone *z)
{
	return READ_ONCE(z->missing) | READ_ONCE(z->failing) |
	       READ_ONCE(z->arr->dead);
}

/* Columns that failed since the zone's worker last looked. */
static inline u32 raizn_zone_newly_lost(const struct raizn_zone *z)
{
	return raizn_zone_lost(z) & ~z->missing;
}

/* Columns in use some sectors of which are decoded from all others. */
static inline u32 raizn_zone_unreadable(const struct raizn_zone *z)
{
	return READ_ONCE(z->heal);
}

/* Those of them of which it is not known that they cannot be written anew. */
static inline u32 raizn_zone_to_heal(const struct raizn_zone *z)
{
	return READ_ONCE(z->heal) & ~(u32)(BIT_ULL(z->heal_from) - 1);
}

/* More was lost than parity makes up for; see raizn_zone_load_damaged(). */
static inline bool raizn_zone_damaged(const struct raizn_zone *z)
{
	return READ_ONCE(z->cond) == BLK_ZONE_COND_READONLY;
}

/*
 * Has a zone something to lose?  An empty one that lacks columns just takes no writes.  What
 * waits behind a reset is not there yet.
 */
static inline bool raizn_zone_at_risk(const struct raizn_zone *z)
{
	u8 cond = READ_ONCE(z->cond);

	/* Pairs with raizn_zone_empty(). */
	smp_rmb();
	if (READ_ONCE(z->resets)) {
		/* Pairs with who accepts a reset. */
		smp_rmb();
		return z->expiring;
	}
	return cond != BLK_ZONE_COND_READONLY && cond != BLK_ZONE_COND_EMPTY;
}

/* A zone whose generations have run out takes no reset: the next start is read-only. */
static inline bool raizn_zone_may_reset(const struct raizn_zone *z)
{
	return READ_ONCE(z->arr->zone_state[raizn_zone_number(z)].generation) <
	       RAIZN_GENERATION_MAX;
}

/* Does a reset have something to do?  zone->lock is held. */
static inline bool raizn_zone_needs_reset(const struct raizn_zone *z)
{
	return z->wp || z->cond == BLK_ZONE_COND_FULL || raizn_zone_damaged(z) ||
	       z->ops;
}

static inline bool raizn_column_live(const struct raizn_zone *z, u32 column)
{
	return !(raizn_zone_lost(z) & BIT(column));
}

/* First sector of a column's member zone, on its member. */
static inline sector_t raizn_column_start(const struct raizn_array *arr,
					  u32 zone, u32 column)
{
	return raizn_reserved_zone_start(&arr->geo,
					 raizn_zone_map_physical(&arr->geo, &arr->map,
								 zone, column));
}

/**
 * struct raizn_start_options - what the table line says of the start
 * @nr_absent:	members given as "-"
 * @degraded:	go on without members that the superblocks call good
 * @renumber:	begin all generations anew
 * @rebuild:	a drive takes the place of member @rebuild_slot
 * @rebuild_slot: see @rebuild
 * @host:	identity of the machine that starts the array, for the superblocks; zero if
 *		it was not given
 * @read_logs:	not of the table line: the start before met what a drive cannot read, so
 *		partial parity is wanted though the stop was clean
 */
struct raizn_start_options {
	u32 nr_absent;
	bool rebuild;
	u32 rebuild_slot;
	bool degraded;
	bool renumber;
	uuid_t host;
	bool read_logs;
};

/* array.c */

/**
 * raizn_array_get() - find the running array, or assemble it from its members
 * @bdevs:	the members' devices, in any order
 * @nr:		number of them
 * @opts:	from the table line
 * @md:		mapped device that will run it
 * @error:	static text for ti->error on failure
 *
 * Reads only.  Context: process, may sleep.
 * Return: the array with a reference, or an ERR_PTR().
 */
struct raizn_array *raizn_array_get(struct block_device **bdevs, u32 nr,
				    const struct raizn_start_options *opts,
				    struct mapped_device *md, char **error);

/**
 * raizn_array_put() - drop a reference; the last one frees the array
 * @arr:	array
 *
 * Context: process, may sleep.
 */
void raizn_array_put(struct raizn_array *arr);

/**
 * raizn_arrays_each() - call a function for each array
 * @call:	function; must not get or put an array
 *
 * Context: process, may sleep; raizn_registry_lock is held while @call runs.
 */
void raizn_arrays_each(void (*call)(struct raizn_array *arr));

/**
 * raizn_array_resume() - make the array ready for I/O
 * @arr:	array
 *
 * Marks the superblocks not clean; the first time, also starts fresh logs.
 * Context: process; no I/O to the array is under way.  Return: 0 or -errno.
 */
int raizn_array_resume(struct raizn_array *arr);

/**
 * raizn_array_again() - assemble an array again after a member failed in its start, or
 * could not read something
 * @old:	array that raizn_array_resume() did not make ready; the caller puts it
 * @bdevs:	the members' devices, in any order
 * @nr:		number of them
 * @opts:	from the table line
 * @without_failed: leave out who failed
 *
 * A start may be interrupted anywhere, and any member may be missing at the next one,
 * so that one may follow at once.
 *
 * Context: process; no I/O to the array is under way.
 * Return: the array with a reference, or an ERR_PTR() when that is of no use.
 */
struct raizn_array *raizn_array_again(struct raizn_array *old,
				      struct block_device **bdevs, u32 nr,
				      const struct raizn_start_options *opts,
				      bool without_failed);

/**
 * raizn_array_take_devices() - the devices of another table are in use from now on
 * @arr:	array that raizn_array_resume() made ready
 * @bdevs:	the members' devices, in any order
 * @nr:		number of them
 * @opts:	from the table line
 *
 * Members that failed lose theirs if it is not among them; with the option rebuild,
 * the one that no member has takes the place of a member.
 *
 * Context: process; no I/O to the array is under way.
 */
void raizn_array_take_devices(struct raizn_array *arr,
			      struct block_device **bdevs, u32 nr,
			      const struct raizn_start_options *opts);

/**
 * raizn_array_suspend() - make everything durable and mark the array clean
 * @arr:	array
 *
 * Context: process; no I/O to the array is under way.
 */
void raizn_array_suspend(struct raizn_array *arr);

/**
 * raizn_array_fail() - stop writing: more failed than parity makes up for
 * @arr:	array
 * @what:	what failed, for the log
 * @status:	how it failed
 *
 * Context: any.
 */
void raizn_array_fail(struct raizn_array *arr, const char *what,
		      blk_status_t status);

/**
 * raizn_array_event() - tell who listens that the state changed
 * @arr:	array
 *
 * Context: process.
 */
void raizn_array_event(struct raizn_array *arr);

/**
 * raizn_array_listen() - say through which table events are told
 * @arr:	array
 * @table:	table in use, or NULL
 *
 * Context: process.
 */
void raizn_array_listen(struct raizn_array *arr, struct dm_table *table);

/**
 * raizn_counter_read() - sum of a counter over all CPUs
 * @arr:	array
 * @c:		which one
 *
 * Context: any.  Return: the sum.
 */
u64 raizn_counter_read(struct raizn_array *arr, enum raizn_counter c);

/* fault.c, fault_record.c */
bool raizn_member_failed(struct raizn_member *m, const char *what,
			 blk_status_t status);
bool raizn_column_failed(struct raizn_zone *z, u32 column, const char *what,
			 blk_status_t status);
bool raizn_column_give_up(struct raizn_zone *z, u32 column);
int raizn_zone_disown(struct raizn_zone *z);
int raizn_settle(struct raizn_array *arr);
void raizn_end_bio(struct raizn_array *arr, struct bio *bio,
		   blk_status_t status);
void raizn_fail_work(struct work_struct *work);
int raizn_fail_member(struct raizn_array *arr, u32 slot, bool lose);
void raizn_read_failed(struct raizn_member *m);
void raizn_write_failed(struct raizn_member *m);
bool raizn_member_give_up(struct raizn_member *m);
void raizn_members_judge(struct raizn_array *arr);
int raizn_check_zones(struct raizn_array *arr);
u32 raizn_degraded_zones(const struct raizn_array *arr);
u32 raizn_damaged_zones(const struct raizn_array *arr);
void raizn_judge_errors(struct raizn_member *m, const char *why_now);
int raizn_check_zone(struct raizn_zone *z);

/* degrade.c */
void raizn_zone_degrade(struct raizn_zone *z);

/* assemble.c */

/**
 * raizn_assemble() - read superblocks, logs and zone reports of all members
 * @arr:	array with uuid and member devices; everything else is filled
 * @bdevs:	the devices, in any order
 * @nr:		number of them
 * @opts:	from the table line
 * @error:	static text for ti->error on failure
 *
 * Reads only.  Return: 0 or -errno, with the details in the kernel log.
 */
int raizn_assemble(struct raizn_array *arr, struct block_device **bdevs, u32 nr,
		   const struct raizn_start_options *opts, char **error);

void raizn_member_set_device(struct raizn_member *m, struct block_device *bdev);

/* replace.c */
int raizn_replace_check(struct raizn_array *arr, u32 slot,
			struct block_device *bdev);
int raizn_replace_member(struct raizn_array *arr, u32 slot,
			 struct block_device *bdev);

/* examine.c, recover.c, recover_zone.c */

/**
 * struct raizn_zone_work - a zone that the start must look after
 * @zone:	logical zone number
 * @facts:	what was found
 * @plan:	what to do
 * @debris:	columns that hold more than they should
 * @pad:	full, but the members' zones are not finished
 * @unreadable:	columns with sectors that their drives could not read
 */
struct raizn_zone_work {
	u32 zone;
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 debris;
	bool pad;
	u32 unreadable;
};

/* Use of a member zone, from the first reserved one on. */
enum raizn_physical {
	RAIZN_PHYSICAL_USED,	/* by a log or a column */
	RAIZN_PHYSICAL_FREE,	/* and empty */
	RAIZN_PHYSICAL_DIRTY,	/* free, but must be reset: a copy, or given up */
	RAIZN_PHYSICAL_BAD,	/* read-only or offline */
};

/**
 * struct raizn_recovery - what is to be done before the first I/O
 * @works:	active zones, and others that need something, by zone number
 * @nr_works:	number of them
 * @resets:	zones whose reset was interrupted (bit by zone)
 * @pp:		partial-parity records of @works
 * @nr_pp:	number of them
 * @pp_zone:	their zones
 * @log_start:	highest start number seen
 * @filled:	sectors filled
 * @moved:	columns moved or emptied
 * @reset:	zones
 * @finished:	zones
 */
struct raizn_recovery {
	struct raizn_zone_work *works;
	u32 nr_works;
	unsigned long *resets;
	struct raizn_pp_entry *pp;
	u32 nr_pp;
	u32 *pp_zone;
	u64 log_start;
	u64 filled;
	u32 moved;
	u32 reset;
	u32 finished;
};

void raizn_recovery_free(struct raizn_array *arr);
int raizn_recover(struct raizn_array *arr);
typedef int (*raizn_member_write_fn)(struct raizn_member *m, sector_t sector,
				     void *buf, u32 bytes);
int raizn_recover_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, sector_t start, u32 sector,
			 raizn_member_write_fn write, void *buf, void *tmp);
int raizn_recover_fill(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp);
int raizn_recover_tail(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp);

/* rewrite.c */
int raizn_rewrite_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, void *buf, void *tmp);
int raizn_renew_column(struct raizn_array *arr, struct raizn_zone_work *w,
		       u32 column, void *buf, void *tmp);

/* rebuild.c */
u32 raizn_member_extra_zones(const struct raizn_member *m);
u32 raizn_column_end(const struct raizn_zone *z, u32 column);
bool raizn_column_ends_finished(const struct raizn_zone *z,
				const struct raizn_member *m);
bool raizn_column_is_back(struct raizn_zone *z, u32 column, bool anew);
int raizn_rebuild_init(struct raizn_array *arr);
bool raizn_rebuild_wanted(const struct raizn_array *arr);
u32 raizn_zone_wanted(const struct raizn_zone *z);
void raizn_rebuild_eased(struct raizn_array *arr);
void raizn_rebuild_kick(struct raizn_array *arr);
void raizn_rebuild_left(struct raizn_zone *z);
void raizn_heal_request(struct raizn_zone *z, u32 column);
void raizn_heal_again(struct raizn_array *arr);
void raizn_job_work(struct raizn_zone *z);
void raizn_job_cancel(struct raizn_zone *z);

/* rebuild_load.c */
int raizn_rebuild_disown(struct raizn_member *m, const u8 *conds,
			 const struct raizn_zone_state *known, bool former);
int raizn_rebuild_load(struct raizn_member *m,
		       const struct raizn_zone_state *known, bool former);

/* rebuild_copy.c */
int raizn_rebuild_ends_right(struct raizn_job *job, u32 end);
int raizn_rebuild_copy(struct raizn_job *job, u32 end, bool idle, bool *wrote);

/* column.c */
int raizn_spare_init(struct raizn_member *m);
int raizn_spare_take(struct raizn_member *m, u32 *physical);
void raizn_spare_set(struct raizn_member *m, u32 physical,
		     enum raizn_physical use);
u32 raizn_columns_wanted(const struct raizn_zone *z, u32 lost);
void raizn_spare_clean_member(struct raizn_member *m);
void raizn_spare_clean(struct raizn_array *arr);
bool raizn_spare_left(const struct raizn_member *m);
bool raizn_column_exists(const struct raizn_zone *z, u32 column);
bool raizn_column_is_unusable(const struct raizn_zone *z, u32 column);

/* scrub.c */
void raizn_scrub_init(struct raizn_array *arr);
int raizn_scrub_start(struct raizn_array *arr, bool repair, u32 from);
void raizn_scrub_resume(struct raizn_array *arr);
void raizn_scrub_load(struct raizn_array *arr);
void raizn_scrub_store(struct raizn_array *arr);
struct raizn_scrub_sums raizn_scrub_sums_again(struct raizn_array *arr);
u32 raizn_scrub_found(struct raizn_array *arr, struct raizn_mismatch *found);
int raizn_scrub_control(struct raizn_array *arr, const char *what);

/* background.c */
void raizn_background_begin(struct raizn_array *arr, enum raizn_action action,
			    u64 total);
void raizn_background_more(struct raizn_array *arr, u64 left);
void raizn_background_less(struct raizn_array *arr, u64 sectors);
void raizn_background_step(struct raizn_array *arr);
void raizn_background_end(struct raizn_array *arr);
void raizn_background_pace(struct raizn_array *arr, bool rebuild, u32 sectors,
			   const bool *stop);

/* decode.c */
int raizn_decode_pool_init(struct raizn_array *arr);
void raizn_note_unreadable(struct raizn_zone *z, u32 column, u16 life);
struct raizn_decode *raizn_decode_alloc(struct raizn_array *arr, gfp_t gfp);
void raizn_decode_free(struct raizn_array *arr, struct raizn_decode *dec);
int raizn_gather_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 sector, u32 nr, u32 wp);
int raizn_decode_begin(struct raizn_array *arr, struct raizn_decode *dec,
		       u32 zone, u32 column, u32 sector, u32 nr, u32 wp,
		       const void *parity);
int raizn_decode_end(struct raizn_array *arr, struct raizn_decode *dec);
int raizn_decode_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 column, u32 sector, u32 nr, u32 wp,
		      const void *parity);
void raizn_decode_queue(struct raizn_array *arr, struct bio *bio, bool refused);

/* lost_unit.c */
int raizn_lost_pool_init(struct raizn_array *arr);
bool raizn_lost_prepare(struct raizn_open_zone *oz, u32 columns, gfp_t gfp);
void raizn_lost_add(struct raizn_open_zone *oz, u32 column, u32 sector,
		    const void *data, u32 bytes);
void raizn_lost_add_bad(struct raizn_open_zone *oz, u32 column, u32 sector,
			u32 nr);
void raizn_lost_put(struct raizn_array *arr, struct raizn_lost_unit *lu);
void raizn_lost_drop(struct raizn_open_zone *oz, u32 stripes);
int raizn_lost_copy(struct raizn_open_zone *oz, u32 column, u32 stripe,
		    u32 row, u32 nr, void *buf);
int raizn_lost_read(struct raizn_zone *z, struct bio *bio, u32 column,
		    u32 stripe, u32 row);

/* memory.c */

/**
 * struct raizn_memory - how much memory an array takes, in bytes
 * @zones:	of all zones of the volume
 * @active:	of those that are active now, on top
 * @pools:	kept whatever is going on
 */
struct raizn_memory {
	u64 zones;
	u64 active;
	u64 pools;
};

void raizn_memory(struct raizn_array *arr, struct raizn_memory *memory);

/* member.c */

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
		      u32 bytes);

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
		       u32 bytes);

/**
 * raizn_member_try_write() - as raizn_member_write(), but an error costs nothing yet
 * @m:		member
 * @sector:	first sector
 * @buf:	physically contiguous buffer
 * @bytes:	length, a multiple of the logical block size
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_try_write(struct raizn_member *m, sector_t sector, void *buf,
			   u32 bytes);

/**
 * raizn_bdev_report_zones() - blkdev_report_zones() that waits for what will be had soon
 * @bdev:	drive
 * @sector:	in the first zone
 * @nr:		zones at most
 * @cb:		called for each of them, from the first one again when that had failed
 * @data:	its argument
 *
 * Context: process, for up to half a minute.  Return: number of zones, or -errno.
 */
int raizn_bdev_report_zones(struct block_device *bdev, sector_t sector, u32 nr,
			    report_zones_cb cb, void *data);

/**
 * raizn_member_zone_condition() - ask a drive for the condition of a zone
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 *
 * Context: process.  Return: BLK_ZONE_COND_*, or -errno.
 */
int raizn_member_zone_condition(struct raizn_member *m, u32 physical);

/**
 * raizn_member_zone_written() - ask a drive how far a zone is written
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 *
 * Context: process.  Return: sectors, at most the usable capacity, or -errno; -EUCLEAN
 * when the zone has turned read-only or offline, -EFBIG when it is full: a drive may have
 * finished it.
 */
s64 raizn_member_zone_written(struct raizn_member *m, u32 physical);

/**
 * raizn_member_give_up_zone() - a zone is not used any more
 * @m:		member
 * @physical:	member zone, counted from the first reserved one
 *
 * Reads of it may still be under way, so it is not reset before the array is
 * suspended; but it must not stay active.
 *
 * Context: process.
 */
void raizn_member_give_up_zone(struct raizn_member *m, u32 physical);

/**
 * raizn_flush_unknown() - make the next flush go to all members
 * @arr:	array
 *
 * They may hold unflushed data from before this start.
 */
void raizn_flush_unknown(struct raizn_array *arr);

/**
 * raizn_member_try_zone_op() - as raizn_member_zone_op(), but an error costs nothing yet
 * @m:		member
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @sector:	first sector of the zone
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_try_zone_op(struct raizn_member *m, enum req_op op,
			     sector_t sector);

/**
 * raizn_member_zone_op() - reset or finish one zone
 * @m:		member
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @sector:	first sector of the zone
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_member_zone_op(struct raizn_member *m, enum req_op op,
			 sector_t sector);

/**
 * raizn_members_padded() - do zones of a member go on behind the last stripe unit?
 * @arr:	array
 *
 * Such a zone stays active when the logical zone is full, until it is finished.
 */
bool raizn_members_padded(const struct raizn_array *arr);

/**
 * raizn_data_zone_op() - reset or finish a data zone on all members at once
 * @arr:	array
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @zone:	logical zone number
 *
 * Reset also reaches columns that the zone does without, if there is a zone for
 * them.
 *
 * Context: process.  Return: 0 or -errno (the first error that was not absorbed).
 */
int raizn_data_zone_op(struct raizn_array *arr, enum req_op op, u32 zone);

/**
 * raizn_flush_members() - flush every member that has something to flush
 * @arr:	array
 *
 * Everything the members completed before the call is durable after it.
 * Context: process; takes flush_mutex.  Return: 0 or -errno.
 */
int raizn_flush_members(struct raizn_array *arr);

void raizn_note_flushed(struct raizn_member *m, s64 written);
struct bio *raizn_flush_bio(struct raizn_member *m);

/**
 * raizn_flush_members_for() - the same for a flush of the user's, without waiting
 * @arr:	array
 * @user:	the flush; each member's has a reference to it
 *
 * Context: process.
 */
void raizn_flush_members_for(struct raizn_array *arr, struct bio *user);

/* zone.c */
int raizn_zones_init(struct raizn_array *arr);
void raizn_zones_exit(struct raizn_array *arr);
blk_status_t raizn_zone_accept(struct raizn_array *arr, struct bio *bio);
int raizn_zone_load(struct raizn_zone *z, u32 wp, bool finished);
void raizn_zone_load_damaged(struct raizn_zone *z, u32 wp, u32 readable);
blk_status_t raizn_accept_write(struct raizn_zone *z, struct bio *bio);
blk_status_t raizn_accept_open(struct raizn_zone *z);
blk_status_t raizn_accept_close(struct raizn_zone *z);
bool raizn_accept_reset(struct raizn_zone *z);
blk_status_t raizn_accept_finish(struct raizn_zone *z, bool *work);
void raizn_zone_empty(struct raizn_zone *z);
void raizn_zone_lose(struct raizn_zone *z);
void raizn_zone_release(struct raizn_zone *z, struct bio_list *last);
void raizn_zone_accept_early(struct raizn_zone *z, struct bio_list *failed);
void raizn_zone_describe(struct raizn_zone *z, struct blk_zone *zone);

/* zone_worker.c, issue.c */
void raizn_zone_work(struct work_struct *work);
void raizn_zone_kick(struct raizn_zone *z, u32 waiting, bool nowait);
u32 raizn_column_vecs(const struct raizn_array *arr, u32 sectors);
void raizn_issue_write(struct raizn_open_zone *oz, struct bio *bio);
void raizn_issue_parity_tail(struct raizn_open_zone *oz);
void raizn_batch_close(struct raizn_open_zone *oz);
bool raizn_log_tail(struct raizn_open_zone *oz);
bool raizn_zone_sync(struct raizn_zone *z);
bool raizn_zone_is_idle(const struct raizn_zone *z);
void raizn_zone_unclaim(struct raizn_zone *z);
struct raizn_batch *raizn_batch_open(struct raizn_open_zone *oz, bool fua);

/* complete.c */
void raizn_batch_put(struct raizn_batch *batch);
void raizn_io_put(struct bio *bio, blk_status_t status);
void raizn_member_bio_endio(struct bio *bio);
void raizn_end_bios(struct bio_list *bios, blk_status_t status);
void raizn_wait_drained(struct raizn_zone *z);
void raizn_parity_free(struct raizn_array *arr, struct raizn_parity_buffer *pb);

/* stable.c */
bool raizn_bio_may_change(struct bio *bio);
struct page *raizn_copy_alloc(struct raizn_open_zone *oz, u32 bytes, gfp_t gfp);
bool raizn_copies_alloc(struct raizn_batch *batch, struct page **pages, u32 nr,
			u32 bytes);
void raizn_copies_free(struct raizn_array *arr, struct raizn_batch *batch);

/* partial_parity.c */
bool raizn_pp_issue(struct raizn_open_zone *oz, struct raizn_batch *batch);
bool raizn_pp_relog(struct raizn_open_zone *oz, struct raizn_batch *batch);

/* flush.c */
void raizn_flush(struct raizn_array *arr, struct bio *bio);
void raizn_flush_get(struct bio *bio);
void raizn_flush_put(struct bio *bio, blk_status_t status);
void raizn_flush_queue(struct raizn_array *arr, struct bio_list *bios, bool fua);
void raizn_flush_queue_one(struct raizn_array *arr, struct bio *bio);
void raizn_set_durable(const struct raizn_flush_target *t);
void raizn_flush_work(struct work_struct *work);
int raizn_sync_all(struct raizn_array *arr);

/* zone_ops.c */
bool raizn_zone_find_columns(struct raizn_zone *z);
void raizn_zone_reset(struct raizn_zone *z, struct bio *bio);
bool raizn_zone_finish(struct raizn_zone *z, struct bio *bio);
void raizn_reset_all_work(struct work_struct *work);
blk_status_t raizn_reset_all_queue(struct raizn_array *arr, struct bio *bio);

/* read.c */
int raizn_map_read(struct raizn_array *arr, struct bio *bio);
void raizn_remap_read(struct raizn_array *arr, struct bio *bio);
void raizn_remap(struct raizn_array *arr, struct bio *bio, u32 zone,
		 const struct raizn_place *place);
int raizn_read_done(struct bio *bio, blk_status_t *error);
void raizn_copy_to_bio(struct bio *bio, struct bvec_iter *iter,
		       const void *data, u32 bytes);

/* log.c */
void raizn_log_idle(struct raizn_log *log);
void raizn_log_init(struct raizn_log *log, struct raizn_member *m, u8 role);
int raizn_log_pool_init(mempool_t *pool, int nr);
struct raizn_log_record *raizn_log_record_alloc(mempool_t *pool,
						struct raizn_log *log, u16 type,
						u32 payload);
void raizn_log_record_free(struct raizn_log_record *lr);
bool raizn_log_reserve(struct raizn_log *log, u32 sectors, bool relog,
		       struct raizn_log_space *space);
void raizn_log_unreserve(struct raizn_log *log, u32 sectors,
			 const struct raizn_log_space *space);
void raizn_log_submit(struct raizn_log_record *lr, u64 seq, bool fua);
int raizn_log_append(struct raizn_log_record *lr, u64 seq, bool fua);
int raizn_log_open_zone(struct raizn_log *log, struct raizn_log_space *old,
			u64 *seq);
int raizn_log_drop_zone(struct raizn_log *log,
			const struct raizn_log_space *old);
void raizn_log_wait_idle(struct raizn_log *log);
int raizn_log_drop_stale(struct raizn_member *m, enum raizn_reserved_use use);

/* budget.c */
void raizn_budget_init(struct raizn_array *arr);
void raizn_budget_init_zone(struct raizn_open_zone *oz);
bool raizn_budget_has_room(struct raizn_zone *z);
bool raizn_budget_in_use(const struct raizn_zone *z);
bool raizn_budget_turns_away(const struct raizn_zone *z);
blk_status_t raizn_budget_wait(struct raizn_open_zone *oz, struct raizn_zone *z,
			       u32 offset, bool nowait);
void raizn_budget_issue(struct raizn_open_zone *oz);

/* canary.c */
void raizn_canary_send(struct raizn_array *arr);
void raizn_canary_wait(struct raizn_array *arr);

/* early.c */
void raizn_early_init(struct raizn_array *arr);
void raizn_early_suspend(struct raizn_array *arr);
void raizn_early_resumed(struct raizn_array *arr);
blk_status_t raizn_early_keep(struct raizn_zone *z, struct bio *bio,
			      blk_status_t status);
struct bio *raizn_early_take(struct raizn_zone *z);
void raizn_early_work(struct work_struct *work);
void raizn_early_exit(struct raizn_array *arr);

/* Does a zone have writes that overtook others, and wait for them? */
static inline bool raizn_early_waits(const struct raizn_zone *z)
{
	return !RB_EMPTY_ROOT(&z->arr->early) &&
	       test_bit(raizn_zone_number(z), z->arr->early_zones);
}

/* shutdown.c */
int raizn_shutdown_init(void);
void raizn_shutdown_exit(void);

/* trial.c */
int raizn_trial_init(void);
void raizn_trial_exit(void);

/* settings.c */
void raizn_settings_load(struct raizn_array *arr);
void raizn_settings_store(struct raizn_array *arr);
int raizn_settings_change(struct raizn_array *arr, const char *name, u32 number);

/* general_log.c */
int raizn_general_reset(struct raizn_array *arr, u32 zone, u32 flags);
int raizn_general_finish(struct raizn_array *arr, u32 zone, u32 wp);
int raizn_general_superblock(struct raizn_array *arr, bool clean);
int raizn_general_settings(struct raizn_array *arr);
int raizn_general_note(struct raizn_array *arr);
int raizn_general_start(struct raizn_array *arr);
int raizn_general_join(struct raizn_member *m);
int raizn_general_whole(struct raizn_array *arr);
int raizn_general_map(struct raizn_array *arr, u32 zone, u32 column,
		      u32 physical);
void raizn_fill_superblock(struct raizn_member *m, struct raizn_record *rec);

/* pp_log.c */
int raizn_pp_log_join(struct raizn_member *m);
int raizn_pp_log_start(struct raizn_array *arr);
void raizn_pp_log_switch(struct work_struct *work);
void raizn_pp_log_request_switch(struct raizn_log *log);

#endif /* RAIZN_H */
