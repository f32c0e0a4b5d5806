/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-raizn: RAID for host-managed zoned drives.  The map of the module.
 *
 *   target.c      device-mapper glue: table line, map, status, limits
 *   array.c       life of an array: registry, start, suspend, stop, failure
 *   probe.c       what is on one drive
 *   log_read.c    what its logs say
 *   assemble.c    from what members hold to an array in memory (reads only)
 *   examine.c     what a power cut left to be done, zone by zone
 *   recover.c     doing it
 *   recover_zone.c  filling one zone, running parity of its tail
 *   rewrite.c     moving columns to other member zones
 *   rebuild.c     bringing missing columns back
 *   member.c      one drive: checks, plain I/O, flushes
 *   zone.c        logical zone state machine, limits, zone report
 *   write.c       from accepted writes to batches of member bios
 *   batch.c       completion of batches: what is completed, protected, durable
 *   partial_parity.c  partial-parity records
 *   flush.c       flush, FUA on a zone with unflushed data
 *   zone_ops.c    reset, reset-all, finish
 *   read.c        reads
 *   decode.c      data of missing columns, from the others
 *   lost_unit.c   data of missing columns that is not protected on the others yet
 *   log.c         appending records to a member's log zones
 *   general_log.c records of the array: superblock, reset, finish, checkpoint
 *   pp_log.c      switching a full partial-parity log
 *   geometry.c, codec.c, parity.c, replay.c, recovery_plan.c  pure logic, shared
 *                 with user space
 *   compat.h      differences between kernels
 *
 * Units: offsets and lengths are sectors (512 bytes) unless said otherwise.
 * "offset" is relative to its logical zone, "sector" is absolute on a device.
 *
 * Locks, outermost first:
 *   raizn_registry_lock   the list of arrays
 *   arr->freeze           read: a zone worker runs; write: reset-all
 *   arr->relog_mutex      one partial-parity log switches at a time
 *   arr->md_mutex         general logs, zone_state[] (sleeps on member I/O)
 *   arr->flush_mutex      one flush of the members at a time
 *   zone->lock            see struct raizn_zone
 *   arr->cond_lock        conditions, open and active counts
 *   log->lock, member->zones_lock, arr->flush_lock   leaves
 */
#ifndef RAIZN_H
#define RAIZN_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/percpu-rwsem.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "codec.h"
#include "format.h"
#include "geometry.h"
#include "mutant.h"
#include "parity.h"
#include "recovery_plan.h"
#include "replay.h"

#define DM_MSG_PREFIX "raizn"

/*
 * Zones of a member that metadata may keep active.  Recovery needs most: it finds
 * a general log, a partial-parity log that was switching, the one that an earlier
 * recovery did not finish, and begins a fresh general log.
 */
#define RAIZN_MD_ACTIVE_ZONES	5U

/* Active zones of an array whose members set no limit. */
#define RAIZN_DEFAULT_ACTIVE	128U

/* A batch is closed when it holds this much data (sectors). */
#define RAIZN_BATCH_SECTORS	2048U

/* Largest zone append the volume takes (sectors). */
#define RAIZN_APPEND_SECTORS	2048U

struct raizn_array;
struct raizn_member;
struct raizn_open_zone;

/* Counters, all in sectors but the last three. */
enum raizn_counter {
	RAIZN_USER_READ,
	RAIZN_USER_WRITTEN,
	RAIZN_MEMBER_READ,
	RAIZN_DATA_WRITTEN,
	RAIZN_PARITY_WRITTEN,
	RAIZN_PP_WRITTEN,
	RAIZN_MD_WRITTEN,
	RAIZN_FLUSHES,
	RAIZN_LOG_SWITCHES,
	RAIZN_NR_COUNTERS,
};

/* One instance per CPU. */
struct raizn_counters {
	u64 value[RAIZN_NR_COUNTERS];
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
 * @pool:	where it came from
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
	RAIZN_RESERVED_BAD,	/* can not be written any more */
};

/**
 * struct raizn_member - one drive of the array
 * @arr:	the array
 * @bdev:	the drive, kept open by the tables that name it; NULL: not there
 * @slot:	its place in the array: the column it holds
 * @state:	enum raizn_member_state; nothing goes to one that is not active
 * @volatile_cache: it has a write cache that must be flushed
 * @uuid:	identity from its superblock
 * @max_open:	the drive's limit of open zones; 0: none
 * @max_active:	the drive's limit of active zones; 0: none
 * @written:	completed writes that a flush must cover
 * @flushed:	value of @written that the last flush covered; flush_mutex
 * @general:	general log
 * @pp:		partial-parity log
 * @zones_lock:	protects @reserved
 * @reserved:	use of the reserved log zones
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
	atomic64_t written;
	u64 flushed;
	struct raizn_log general;
	struct raizn_log pp;
	spinlock_t zones_lock;
	u8 reserved[RAIZN_NR_LOG_ZONES];
};

/**
 * struct raizn_zone - a logical zone; there may be 100,000, so it is small
 * @arr:	the array
 * @lock:	irq-safe; protects @wp, @life, @pending and the fields of the
 *		open zone that say so.  Lock order: zone->lock, arr->cond_lock.
 * @wp:		accepted write pointer; a finished zone keeps it
 * @readable:	what is below it can be read; at most @wp; the rest reads as zeros
 * @life:	counts resets and finishes carried out
 * @missing:	columns (bit by column) that can not be used; changes only while
 *		the zone is idle
 * @ops:	resets and finishes accepted and not yet carried out
 * @resets:	resets among them: what retires then belongs to the past
 * @cond:	BLK_ZONE_COND_*; written under arr->cond_lock and @lock, except
 *		that an implicitly open zone may be closed under cond_lock alone
 * @pending:	accepted writes and zone operations, in order, for the worker
 * @work:	the zone's worker; one at a time, the only one to issue writes
 * @busy:	the worker runs: it alone may release @oz
 * @oz:		state of an active zone, or NULL; set under both locks
 */
struct raizn_zone {
	struct raizn_array *arr;
	spinlock_t lock;
	u32 wp;
	u32 readable;
	u32 life;
	u32 missing;
	u16 ops;
	u16 resets;
	u8 cond;
	bool busy;
	struct bio_list pending;
	struct work_struct work;
	struct raizn_open_zone *oz;
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
 */
struct raizn_lost_unit {
	struct list_head node;
	refcount_t refs;
	u32 stripe;
	u32 column;
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
 * @has_pp:	has a partial-parity record that covers the tail up to @end
 * @relog:	was issued for a log switch
 * @done:	all refs gone; zone->lock
 * @status:	first error
 * @bios:	user bios whose last sector is in this batch
 * @continued:	user bio that goes on in the next batch, or NULL
 * @parity:	parity buffers under way
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
	blk_status_t status;
	struct bio_list bios;
	struct bio *continued;
	struct raizn_parity_buffer *parity;
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
 * Owned by the zone's worker:
 * @issued:	see above
 * @logged:	a partial-parity record was issued up to here
 * @parity:	running parity of the incomplete stripe (P buffers)
 * @batch:	the batch being built, or NULL
 * @cur:	its member bios being built, by column
 * @column_vecs: bio_vecs for a new one
 *
 * Protected by zone->lock:
 * @batches:	issued batches that are not retired, oldest first
 * @completed:	see above
 * @protected:	see above
 * @durable:	see above
 * @sync_wanted: a flush waits for @protected
 * @relog:	a log switch wants a record of the whole tail, or waits for it
 * @relog_issued: the worker has issued that record
 * @last:	bios that completed the zone; end them when it is released
 * @lost:	data of missing columns in stripes whose parity is not completed,
 *		struct raizn_lost_unit; the last one is filled by the worker
 */
struct raizn_open_zone {
	struct raizn_zone *zone;
	struct list_head lru;

	u32 issued;
	u32 logged;
	struct raizn_parity_buffer *parity[RAIZN_MAX_PARITY];
	struct raizn_batch *batch;
	struct bio *cur[RAIZN_MAX_MEMBERS];
	u16 column_vecs;

	struct list_head batches;
	u32 completed;
	u32 protected;
	u32 durable;
	bool sync_wanted;
	bool relog;
	bool relog_issued;
	struct bio_list last;
	struct list_head lost;
};

/**
 * struct raizn_io - per-bio data
 * @offset:	where the write goes; reset, finish: write pointer before it
 * @refs:	batches that hold a part of the bio
 * @status:	first error
 * @arr:	read that must be decoded: the array
 * @work:	read that must be decoded
 */
struct raizn_io {
	u32 offset;
	atomic_t refs;
	blk_status_t status;
	struct raizn_array *arr;
	struct work_struct work;
};

/* Rows decoded at a time (sectors). */
#define RAIZN_DECODE_ROWS	128U

/**
 * struct raizn_decode - what decoding needs in memory
 * @buf:	RAIZN_DECODE_ROWS sectors, by column
 */
struct raizn_decode {
	void *buf[RAIZN_MAX_MEMBERS];
};

/**
 * struct raizn_member_bio - bio to a member with what its completion needs
 * @member:	the member
 * @batch:	data and parity: the batch it is part of
 * @bio:	the bio; last, bio_vecs may follow it
 */
struct raizn_member_bio {
	struct raizn_member *member;
	struct raizn_batch *batch;
	struct bio bio;
};

/**
 * struct raizn_flush_target - a zone a flush waits for
 * @zone:	the zone
 * @life:	zone->life at that time
 * @offset:	what must become protected
 */
struct raizn_flush_target {
	struct raizn_zone *zone;
	u32 life;
	u32 offset;
};

/**
 * struct raizn_array - one array
 * @node:	in the list of arrays; raizn_registry_lock
 * @refs:	targets (tables) that use it; raizn_registry_lock
 * @md:		the mapped device it runs on
 * @uuid:	identity
 * @geo:	geometry
 * @sb:		body of the superblock written last; md_mutex
 * @members:	by slot
 * @zones:	logical zones
 * @max_active:	limit of active zones of the volume
 * @max_open:	limit of open zones of the volume
 * @granularity: sectors a write must be a multiple of
 * @map:	where columns are; changes only while the zone is idle
 * @live:	members (bit by slot) that are in use
 * @clean:	it was stopped cleanly
 * @nr_damaged:	zones of which more is lost than can be decoded
 * @recovery:	what is to be done before the first I/O, or NULL
 * @renumber:	option maintain: begin all generations anew
 * @failed:	a member failed a write: nothing more is written
 * @read_only:	members or features do not allow writing
 * @table_read_only: the table in use does not
 * @volatile_cache: some member has a write cache that must be flushed
 * @rotational:	some member is a disk
 * @write_through: option write_cache=through
 * @activated:	logs and running parity are as I/O needs them
 *
 * @cond_lock:	irq-safe; protects conditions, the counts, @oz_free, @imp_open
 * @nr_imp_open: implicitly open zones
 * @nr_exp_open: explicitly open zones
 * @nr_active:	active zones: entries of @open_zones in use
 * @oz_free:	unused ones
 * @imp_open:	those of implicitly open zones, oldest first
 * @open_zones:	max_active entries
 * @freeze:	zone workers hold it for reading
 *
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
 * @flush_mutex: one flush of the members at a time; protects member->flushed
 * @flush_work:	the flush worker
 * @flush_targets: max_active entries, of the flush worker
 * @relog_mutex: one partial-parity log switches at a time
 * @relog_slot:	its member; relog_mutex, read by zone workers while oz->relog
 * @relog_targets: max_active entries; relog_mutex
 * @sync_wait:	woken when a batch retires, a zone is released, the array fails
 *
 * @reset_all_work: carries out @reset_all_bios
 * @reset_all_bios: resets of all zones
 * @reset_map:	zones a reset-all must reset on the members; freeze (write)
 *
 * @zone_wq:	zone workers, reset-all
 * @flush_wq:	flush worker
 * @log_wq:	switches of partial-parity logs
 * @read_wq:	reads that must be decoded
 * @bios:	bios to members
 * @batch_pool:	struct raizn_batch
 * @parity_pool: struct raizn_parity_buffer with its stripe unit
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
	u8 uuid[RAIZN_UUID_SIZE];
	struct raizn_geometry geo;
	struct raizn_superblock sb;
	struct raizn_member *members;
	struct raizn_zone *zones;
	u32 max_active;
	u32 max_open;
	u32 granularity;
	struct raizn_zone_map map;
	u32 live;
	u32 nr_damaged;
	bool clean;
	bool renumber;
	struct raizn_recovery *recovery;
	unsigned int failed;
	bool read_only;
	bool table_read_only;
	bool volatile_cache;
	bool rotational;
	bool write_through;
	bool activated;

	spinlock_t cond_lock;
	u32 nr_imp_open;
	u32 nr_exp_open;
	u32 nr_active;
	struct list_head oz_free;
	struct list_head imp_open;
	struct raizn_open_zone *open_zones;
	struct percpu_rw_semaphore freeze;

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

	struct work_struct reset_all_work;
	struct bio_list reset_all_bios;
	unsigned long *reset_map;

	struct workqueue_struct *zone_wq;
	struct workqueue_struct *flush_wq;
	struct workqueue_struct *log_wq;
	struct workqueue_struct *read_wq;
	struct bio_set bios;
	mempool_t batch_pool;
	mempool_t parity_pool;
	mempool_t lost_pool;
	mempool_t decode_pool;
	mempool_t pp_pool;
	mempool_t general_pool;
	struct raizn_counters __percpu *counters;
};

static inline void raizn_count(struct raizn_array *arr, enum raizn_counter c,
			       u64 n)
{
	this_cpu_add(arr->counters->value[c], n);
}

static inline u32 raizn_zone_number(const struct raizn_zone *z)
{
	return z - z->arr->zones;
}

static inline bool raizn_array_writable(const struct raizn_array *arr)
{
	return !READ_ONCE(arr->failed) && !arr->read_only &&
	       !arr->table_read_only;
}

static inline bool raizn_member_live(const struct raizn_member *m)
{
	return m->state == RAIZN_MEMBER_ACTIVE;
}

static inline bool raizn_is_degraded(const struct raizn_array *arr)
{
	return arr->live != (u32)(BIT_ULL(arr->geo.nr_members) - 1);
}

/* Can a column of a zone be read and written? */
static inline bool raizn_column_live(const struct raizn_zone *z, u32 column)
{
	return !(z->missing & BIT(column));
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
 */
struct raizn_start_options {
	u32 nr_absent;
	bool degraded;
	bool renumber;
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
 * raizn_array_resume() - make the array ready for I/O
 * @arr:	array
 *
 * Marks the superblocks not clean; the first time, also starts fresh logs.
 * Context: process; no I/O to the array is under way.  Return: 0 or -errno.
 */
int raizn_array_resume(struct raizn_array *arr);

/**
 * raizn_array_suspend() - make everything durable and mark the array clean
 * @arr:	array
 *
 * Context: process; no I/O to the array is under way.
 */
void raizn_array_suspend(struct raizn_array *arr);

/**
 * raizn_array_fail() - stop writing: a member did not do what it was told
 * @arr:	array
 * @member:	the member, or NULL
 * @what:	what failed, for the log
 * @status:	how it failed
 *
 * Context: any.
 */
void raizn_array_fail(struct raizn_array *arr, struct raizn_member *member,
		      const char *what, blk_status_t status);

/**
 * raizn_counter_read() - sum of a counter over all CPUs
 * @arr:	array
 * @c:		which one
 *
 * Context: any.  Return: the sum.
 */
u64 raizn_counter_read(struct raizn_array *arr, enum raizn_counter c);

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

/* examine.c, recover.c, recover_zone.c */

/**
 * struct raizn_zone_work - a zone that the start must look after
 * @zone:	logical zone number
 * @facts:	what was found
 * @plan:	what to do
 * @debris:	columns that hold more than they should
 * @pad:	full, but the members' zones are not finished
 */
struct raizn_zone_work {
	u32 zone;
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 debris;
	bool pad;
};

/* Use of a member zone, from the first reserved one on. */
enum raizn_physical {
	RAIZN_PHYSICAL_USED,	/* by a log or a column */
	RAIZN_PHYSICAL_FREE,	/* and empty */
	RAIZN_PHYSICAL_DIRTY,	/* free, but an interrupted copy is in it */
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
 * @physical:	by member: enum raizn_physical, from the first reserved zone on
 * @log_start:	highest start number seen
 * @filled:	sectors filled
 * @moved:	columns moved or emptied
 * @rebuilt:	columns of single zones
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
	u8 *physical[RAIZN_MAX_MEMBERS];
	u64 log_start;
	u64 filled;
	u32 moved;
	u32 rebuilt;
	u32 reset;
	u32 finished;
};

void raizn_recovery_free(struct raizn_array *arr);
int raizn_recover(struct raizn_array *arr);
int raizn_recover_fill(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp);
int raizn_recover_tail(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp);

/* rewrite.c */
int raizn_rewrite_prepare(struct raizn_array *arr);
int raizn_rewrite_take_zone(struct raizn_array *arr, u32 slot, u32 *physical);
int raizn_rewrite_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column);

/* rebuild.c */
int raizn_rebuild_column(struct raizn_zone *z, u32 column, u32 physical);

/* decode.c */
int raizn_decode_pool_init(struct raizn_array *arr);
int raizn_decode_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 column, u32 sector, u32 nr, u32 wp);
void raizn_decode_work(struct work_struct *work);

/* lost_unit.c */
int raizn_lost_pool_init(struct raizn_array *arr);
bool raizn_lost_prepare(struct raizn_open_zone *oz, gfp_t gfp);
void raizn_lost_add(struct raizn_open_zone *oz, u32 column, u32 sector,
		    const void *data, u32 bytes);
void raizn_lost_drop(struct raizn_open_zone *oz, u32 stripes);
bool raizn_lost_copy(struct raizn_open_zone *oz, u32 column, u32 stripe,
		     u32 row, u32 nr, void *buf);
bool raizn_lost_read(struct raizn_zone *z, struct bio *bio, u32 column,
		     u32 stripe, u32 row);

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
 * raizn_flush_unknown() - make the next flush go to all members
 * @arr:	array
 *
 * They may hold unflushed data from before this start.
 */
void raizn_flush_unknown(struct raizn_array *arr);

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
 * raizn_data_zone_op() - reset or finish a data zone on all members at once
 * @arr:	array
 * @op:		REQ_OP_ZONE_RESET or REQ_OP_ZONE_FINISH
 * @zone:	logical zone number
 *
 * Context: process.  Return: 0 or -errno (the first error).
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

/* zone.c */
int raizn_zones_init(struct raizn_array *arr);
void raizn_zones_exit(struct raizn_array *arr);
blk_status_t raizn_zone_accept(struct raizn_array *arr, struct bio *bio);
int raizn_zone_load(struct raizn_zone *z, u32 wp, bool finished);
void raizn_zone_load_damaged(struct raizn_zone *z, u32 readable);
void raizn_zone_empty(struct raizn_zone *z);
void raizn_zone_take_last(struct raizn_zone *z, struct bio_list *last);
void raizn_zone_release(struct raizn_zone *z);
void raizn_zone_describe(struct raizn_zone *z, struct blk_zone *zone);

/* write.c */
void raizn_zone_work(struct work_struct *work);
void raizn_issue_parity_tail(struct raizn_open_zone *oz);
void raizn_batch_close(struct raizn_open_zone *oz);
struct raizn_batch *raizn_batch_open(struct raizn_open_zone *oz, bool fua);

/* batch.c */
void raizn_batch_put(struct raizn_batch *batch);
void raizn_io_put(struct bio *bio, blk_status_t status);
void raizn_member_bio_endio(struct bio *bio);
void raizn_end_bios(struct bio_list *bios, blk_status_t status);
void raizn_wait_drained(struct raizn_zone *z);
void raizn_parity_free(struct raizn_array *arr, struct raizn_parity_buffer *pb);

/* partial_parity.c */
bool raizn_pp_issue(struct raizn_open_zone *oz, struct raizn_batch *batch);
bool raizn_pp_relog(struct raizn_open_zone *oz, struct raizn_batch *batch);
u32 raizn_pp_record_sectors(const struct raizn_geometry *geo);

/* flush.c */
void raizn_flush_queue(struct raizn_array *arr, struct bio_list *bios, bool fua);
void raizn_flush_work(struct work_struct *work);
int raizn_sync_all(struct raizn_array *arr);

/* zone_ops.c */
void raizn_zone_reset(struct raizn_zone *z, struct bio *bio);
void raizn_zone_finish(struct raizn_zone *z, struct bio *bio);
void raizn_reset_all_work(struct work_struct *work);
blk_status_t raizn_reset_all_queue(struct raizn_array *arr, struct bio *bio);

/* read.c */
int raizn_map_read(struct raizn_array *arr, struct bio *bio);
void raizn_copy_to_bio(struct bio *bio, struct bvec_iter *iter,
		       const void *data, u32 bytes);

/* log.c */
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

/* general_log.c */
int raizn_general_reset(struct raizn_array *arr, u32 zone, u32 flags);
int raizn_general_finish(struct raizn_array *arr, u32 zone, u32 wp);
int raizn_general_superblock(struct raizn_array *arr, bool clean);
int raizn_general_start(struct raizn_array *arr);
int raizn_general_map(struct raizn_array *arr, u32 zone, u32 column,
		      u32 physical);
void raizn_fill_superblock(struct raizn_member *m, struct raizn_record *rec);

/* pp_log.c */
int raizn_pp_log_start(struct raizn_array *arr);
void raizn_pp_log_switch(struct work_struct *work);
void raizn_pp_log_request_switch(struct raizn_log *log);

#endif /* RAIZN_H */
