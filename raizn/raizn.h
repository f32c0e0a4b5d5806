/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-raizn: RAID for host-managed zoned drives.  The array, which all layers share; each
 * layer has a header of its own for the rest.  docs/architecture.md has a map of the
 * module.
 *
 * Units: offsets and lengths are sectors (512 bytes) unless said otherwise.
 * "offset" is relative to its logical zone, "sector" is absolute on a device.
 *
 * Locks, outermost first:
 *   target->arr_lock      which array a table has, see target.c
 *   raizn_registry_lock   the list of arrays, not held over I/O
 *   arr->freeze           read: writes of a zone are issued; write: reset-all
 *   arr->rebuild->mutex   which zones rebuilders have, begin and end of a scrub
 *   arr->place_mutex      member zones of columns that fail or are rebuilt
 *   arr->relog->mutex     one partial-parity log switches at a time
 *   arr->md_mutex         general logs, zone_state[] (sleeps on member I/O)
 *   arr->flush_mutex      raizn_flush_members()
 *   arr->event_mutex      the table that tells of events
 *   zone->lock            see struct raizn_zone
 *   arr->cond_lock, arr->relocation_lock: conditions and counts of zones; relocated rows
 *   arr->fail_lock, log->lock, member->zones_lock, arr->flush->lock,
 *   arr->reset_all->lock, arr->early->lock: leaves, irq-safe
 *   arr->sb_lock          superblock in memory; process context
 *   arr->scrub->lock, arr->background->lock: leaves, process context
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
#include "core/log_walk.h"
#include "core/parity.h"
#include "core/claims.h"
#include "core/recovery_plan.h"
#include "core/replay.h"

#define DM_MSG_PREFIX "raizn"

/*
 * Zones of a member that metadata may keep active.  Recovery needs most: a general log, a
 * partial-parity log that was switching, the log that an earlier recovery did not finish,
 * and the fresh general log.
 */
#define RAIZN_MD_ACTIVE_ZONES	5U

/* I/O priority of writes that belong to no user. */
#define RAIZN_IOPRIO	IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, IOPRIO_BE_NORM)

/* Time for which a writer that got EAGAIN is expected to come again. */
#define RAIZN_COMES_AGAIN	(30 * HZ)

struct raizn_background;
struct raizn_bad_blocks;
struct raizn_counters;
struct raizn_early;
struct raizn_flusher;
struct raizn_log;
struct raizn_member;
struct raizn_open_zone;
struct raizn_rebuild;
struct raizn_recovery;
struct raizn_relog;
struct raizn_reset_all;
struct raizn_scrub;
struct raizn_zone;

/**
 * struct raizn_array - one array
 * @node:	in the list of arrays; raizn_registry_lock
 * @refs:	targets (tables) that use the array; raizn_registry_lock
 * @md:		mapped device of the array
 * @event_mutex: protects @table
 * @table:	table in use, or NULL
 * @uuid:	identity
 * @geo:	geometry
 * @sb:		body of the superblock written last; changes under md_mutex and sb_lock
 * @sb_lock:	held to copy @sb without md_mutex, as partial-parity logs do
 * @members:	by slot
 * @zones:	logical zones
 * @max_active:	limit of active zones of the volume
 * @max_open:	limit of open zones of the volume
 * @granularity: sectors that the size of a write must be a multiple of
 * @map:	places of columns, and which are whole; a place changes while its zone is idle
 * @moves:	counts columns that got another member zone, or none; see raizn_moves()
 * @dead:	members (bit by slot) that are not in use; changes under fail_lock
 * @rebuilding:	as @dead, that lack columns; fail_lock.  See raizn_member_state()
 * @recovery:	state of the start; NULL once the work before the first write is done
 * @state:	enum raizn_array_state; see docs/states.md
 * @stand_ins:	sectors in @relocations that are not spoilt in place, see stand_in.c
 * @read_only:	members or features do not allow writing, or a start has recovered in memory
 * @table_read_only: the table in use does not allow writing
 * @volatile_cache: some member has a write cache that must be flushed
 * @rotational:	some member is a disk
 * @write_through: option write_cache=through
 * @trust_buffers: the owner guarantees that buffers do not change during a write
 * @autostart:	setting of the superblock, for user space
 *
 * @cond_lock:	irq-safe; protects conditions, the counts, @oz_free, @imp_open
 * @nr_imp_open: implicitly open zones
 * @nr_exp_open: explicitly open zones
 * @nr_active:	active zones: entries of @open_zones in use
 * @oz_free:	unused entries of @open_zones
 * @imp_open:	entries of implicitly open zones, oldest first
 * @open_zones:	state of active zones
 * @nr_open_zones: entries of @open_zones: @max_active, or as many as the start found active
 * @freeze:	held for reading while writes of a zone are issued
 *
 * @fail_lock:	irq-safe; protects failure states and the fields below it
 * @failing:	failed members (bit by slot) that no superblock calls failed yet
 * @fail_map:	zones with failed columns that the zone map does not record yet
 * @settling:	enum raizn_settling
 * @held:	user bios that end when all failures are settled
 * @error_limit: errors after which a member fails; 0: no limit
 * @fail_work:	makes failures durable
 *
 * @rebuild_kick: sets the rebuilders to work
 * @epoch:	moves on with each event that may let a failed job succeed
 *
 * @zone_budget: sectors of one zone that may be under way, see budget.c
 * @budget:	sectors of all zones that may be under way
 *
 * @quarantine:	member zones that lost columns left, see quarantine.c; place_mutex
 * @place_mutex: held while a zone map record of a column is written, and while that
 *		decides whether the column takes part.  Marks of all columns of a member change
 *		while none of them has a job, or begins to take part
 * @md_mutex:	protects general-log appends, @zone_state, @map.version, the superblock
 * @zone_state:	state of each zone in the general log
 * @event:	event count of the superblock written last
 * @base_event:	event count of the superblock that the next one replaces
 * @base_failed: members that the superblock of @base_event calls failed (bit by slot)
 *
 * @bad_lock:	irq-safe; protects @bad
 * @bad:	blocks that are lost; changes under @md_mutex and @bad_lock
 * @bad_map:	zones with entries in @bad, see raizn_bad_refresh()
 * @relocation_lock: irq-safe; protects @relocations
 * @relocations: rows that are spoilt in place, see relocation.h; changes under @md_mutex, too
 * @spoilt_version: counts changes of @relocations; md_mutex
 * @spoilt_unlogged: entries went, and no list without them is logged yet; md_mutex
 * @spoilt_map:	zones with entries in @relocations
 *
 * @seq:	last sequence number used
 * @flush_mutex: serializes raizn_flush_members()
 * @sync_wait:	woken when a batch retires, a zone is released or drops a lost column,
 *		failures become durable, the array fails, @plugs becomes 0
 * @plugs:	number of submitters' plugs that will wake a zone's worker
 *
 * @zone_wq:	zone workers, reset-all
 * @flush_wq:	flush worker
 * @log_wq:	switches of partial-parity logs
 * @fail_wq:	recording of failures
 * @read_wq:	reads that must be decoded
 * @rebuild_wq:	rebuilders, scrub
 * @bios:	bios to members
 * @batch_pool:	struct raizn_batch
 * @parity_pool: struct raizn_parity_buffer with its stripe unit
 * @copy_pool:	pages for copies of data
 * @pp_pool:	partial-parity records
 * @lost_pool:	struct raizn_lost_unit
 * @decode_pool: struct raizn_decode
 * @general_pool: records of the general logs, superblocks of all logs
 * @counters:	for the status line
 *
 * State of single subsystems:
 * @early:	writes that overtook others
 * @flush:	flushes for the flush worker
 * @relog:	the switch of a partial-parity log
 * @reset_all:	resets of all zones
 * @rebuild:	rebuilders
 * @scrub:	scrub
 * @background:	pace and progress of rebuild and scrub, progress of recovery
 * @logs:	two for each member, see struct raizn_member
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
	spinlock_t sb_lock;
	struct raizn_member *members;
	struct raizn_zone *zones;
	u32 max_active;
	u32 max_open;
	u32 granularity;
	struct raizn_zone_map map;
	u32 moves;
	u32 dead;
	u32 rebuilding;
	struct raizn_recovery *recovery;
	u32 state;
	u32 stand_ins;
	bool read_only;
	bool table_read_only;
	bool volatile_cache;
	bool rotational;
	bool write_through;
	bool trust_buffers;
	u32 autostart;

	spinlock_t cond_lock;
	u32 nr_imp_open;
	u32 nr_exp_open;
	u32 nr_active;
	struct list_head oz_free;
	struct list_head imp_open;
	struct raizn_open_zone *open_zones;
	u32 nr_open_zones;
	struct percpu_rw_semaphore freeze;

	spinlock_t fail_lock;
	u32 failing;
	unsigned long *fail_map;
	u32 settling;
	struct bio_list held;
	u32 error_limit;
	struct work_struct fail_work;

	struct work_struct rebuild_kick;
	atomic_t epoch;

	u32 zone_budget;
	u64 budget;

	struct list_head quarantine;
	struct mutex place_mutex;
	struct mutex md_mutex;
	struct raizn_zone_state *zone_state;
	u64 event;
	u64 base_event;
	u32 base_failed;

	spinlock_t bad_lock;
	struct raizn_bad_blocks *bad;
	unsigned long *bad_map;

	spinlock_t relocation_lock;
	struct list_head relocations;
	u64 spoilt_version;
	bool spoilt_unlogged;
	unsigned long *spoilt_map;

	atomic64_t seq;

	struct mutex flush_mutex;
	wait_queue_head_t sync_wait;
	atomic_t plugs;

	struct workqueue_struct *zone_wq;
	struct workqueue_struct *flush_wq;
	struct workqueue_struct *log_wq;
	struct workqueue_struct *fail_wq;
	struct workqueue_struct *read_wq;
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

	struct raizn_early *early;
	struct raizn_flusher *flush;
	struct raizn_relog *relog;
	struct raizn_reset_all *reset_all;
	struct raizn_rebuild *rebuild;
	struct raizn_scrub *scrub;
	struct raizn_background *background;
	struct raizn_log *logs;
};

static inline u32 raizn_all_members(const struct raizn_array *arr)
{
	return (u32)(BIT_ULL(arr->geo.nr_members) - 1);
}

#endif /* RAIZN_H */
