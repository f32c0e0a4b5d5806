/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zonesim - simulated zoned drives that lose power and fail on demand
 *
 * Drives are host-managed, keep their data in memory and belong to a group,
 * the machine that loses power.  Everything a drive decides by chance is a
 * function of the group's seed, the drive's name, the zone and the number of
 * the command in its zone.
 *
 *	main.c		block driver: how a command arrives, waits and completes
 *	zone.c		the state machine of zones
 *	store.c		the memory behind the zones
 *	power.c		power cuts: what is left of a drive
 *	faults.c	commands that fail, zones and sectors that go bad
 *	latency.c	the time that finishing and resetting zones takes
 *	config.c	the attributes in configfs
 *	compat.h	differences between kernels
 *
 * A command takes effect at one instant, when its delay is over; from its
 * arrival until then it is in flight and a power cut may lose it.  Quantities
 * are sectors of 512 bytes unless a name or comment says otherwise.
 */
#ifndef ZONESIM_H
#define ZONESIM_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/configfs.h>
#include <linux/hrtimer.h>
#include <linux/ioprio.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

/* Kinds of commands; zs_kind_names has the words for them. */
enum zs_kind {
	ZS_READ,
	ZS_WRITE,
	ZS_APPEND,
	ZS_FLUSH,
	ZS_RESET,
	ZS_RESET_ALL,
	ZS_FINISH,
	ZS_OPEN,
	ZS_CLOSE,
	ZS_REPORT,
	ZS_KINDS
};

/* How much of a command happens. */
enum zs_effect {
	ZS_NONE,		/* nothing */
	ZS_PART,		/* a proper prefix, of a write or an append */
	ZS_ALL,
};

/* What is left of data that are not durable, and of commands in flight. */
enum zs_keep {
	ZS_KEEP_RANDOM,		/* by the seed, zone by zone */
	ZS_KEEP_NONE,
	ZS_KEEP_ALL,
};

/* The context in which commands complete. */
enum zs_completion {
	ZS_DIRECT,		/* a worker, or the submitter without delay */
	ZS_SOFTIRQ,
	ZS_IRQ,			/* a timer's interrupt */
	ZS_MIXED,		/* one of them, by the seed */
};

enum zs_power {
	ZS_NEW,			/* never was on; can be configured */
	ZS_ON,
	ZS_OFF,			/* the disk, if any, fails all commands */
};

/* What else happens when a fault strikes. */
enum zs_then {
	ZS_THEN_NOTHING,
	ZS_THEN_READONLY,	/* the zone of the command turns read-only */
	ZS_THEN_OFFLINE,	/* ... or offline */
	ZS_THEN_OFF,		/* the drive is gone */
	ZS_THEN_STALL,		/* the drive holds this and later commands */
	ZS_THEN_HOLD,		/* ... or this one alone */
};

/**
 * struct zs_zone - one zone
 * @start:	first sector on the drive
 * @store:	data of the zone; NULL before the first write after a reset
 * @len:	length; @start + @len is where the next zone begins
 * @cap:	capacity, at most @len
 * @wp:		write pointer relative to @start; @len when finished
 * @data:	end of what was written, relative to @start; equals @wp unless
 *		the zone was finished, is read-only or offline
 * @durable:	what lies below it survives a power cut; at most @data.  Not
 *		used in conventional zones, where every write is durable
 * @resets:	resets since the drive was made
 * @arrivals:	commands other than reads that arrived since the drive was made
 * @type:	enum blk_zone_type
 * @cond:	enum blk_zone_cond; changed by zs_set_cond() only
 *
 * A large disk has 100,000 of them: what only a zone with data needs is in its
 * store.  Protected by zs_group.lock.
 */
struct zs_zone {
	sector_t start;
	struct zs_store *store;
	u32 len;
	u32 cap;
	u32 wp;
	u32 data;
	u32 durable;
	u32 resets;
	u32 arrivals;
	u8 type;
	u8 cond;
};

/**
 * struct zs_store - what a zone has while it has data
 * @zone:	the zone
 * @dirty:	in zs_drive.dirty while zs_zone.durable is below zs_zone.data
 * @flushing:	zs_zone.data when the last flush arrived
 * @pages:	by page number of the zone: a struct page; or, of a page that
 *		repeats one word, the word as an XArray value; nothing where
 *		nothing was written
 *
 * Protected by zs_group.lock.
 */
struct zs_store {
	struct zs_zone *zone;
	struct list_head dirty;
	u32 flushing;
	struct xarray pages;
};

/* Classes of I/O priority; write hints. */
#define ZS_CLASSES	4
#define ZS_HINTS	6

/**
 * struct zs_counter - commands of one kind
 * @commands:	that arrived while the drive was on
 * @sectors:	that those transfer
 * @errors:	that were answered with an error, also while the drive was off
 */
struct zs_counter {
	u64 commands;
	u64 sectors;
	u64 errors;
};

/**
 * struct zs_point - a point of a curve
 * @percent:	of a zone's capacity that is written
 * @us:		microseconds that a command takes then
 */
struct zs_point {
	unsigned int percent;
	unsigned int us;
};

/**
 * struct zs_curve - time of a zone command by how full the zone is
 * @nr:		points; 0 when the command takes no time of its own
 * @points:	ascending by percent
 */
struct zs_curve {
	unsigned int nr;
	struct zs_point points[16];
};

/**
 * struct zs_cut - what the last power cut did to a drive
 * @done:	commands in flight that took effect
 * @part:	commands in flight that took effect in part
 * @lost:	commands in flight that had none
 * @zones:	zones whose data became shorter
 * @sectors:	by which they did, over all zones
 */
struct zs_cut {
	u32 done;
	u32 part;
	u32 lost;
	u32 zones;
	u64 sectors;
};

/**
 * struct zs_group - drives on one power supply
 * @group:	the directory in configfs
 * @lock:	see there
 * @drives:	struct zs_drive.member; changed with zs_config_lock held as well
 * @seed:	from which chance comes
 * @cuts:	power cuts since @seed was set
 * @commands:	commands of the kinds in @cut_kinds since the mark
 * @cut_at:	power is cut when @commands reaches it; 0 for never
 * @cut_kinds:	bit mask of enum zs_kind
 * @keep:	enum zs_keep
 */
struct zs_group {
	struct config_group group;

	/*
	 * Protects all that follows and the state of the drives and zones of
	 * the group.  Held for each arrival and each effect of a command, so
	 * that a power cut finds all drives at the same instant.  Taken inside
	 * zs_config_lock and inside all locks of the block layer; no lock but
	 * those of memory and work queues is taken inside.
	 */
	struct mutex lock;
	struct list_head drives;
	u64 seed;
	u64 cuts;
	u64 commands;
	u64 cut_at;
	unsigned int cut_kinds;
	unsigned int keep;
};

/**
 * struct zs_drive - one drive
 * @item:	the directory in configfs; its references are the drive's
 * @group:	to which the drive belongs
 * @member:	in zs_group.drives
 * @listed:	in the list of all drives; protected by zs_config_lock
 * @name:	of directory and disk
 * @salt:	of all that this drive decides by chance
 *
 * Set before the drive is on for the first time, fixed from then on:
 * @nr_zones:	of all types
 * @nr_conventional: zones at the front without a write pointer
 * @zone_size_kib: KiB, a power of two
 * @zone_capacity_kib: KiB; 0 for the size of a zone
 * @block_size:	bytes of a logical block: 512 to 4096
 * @physical_block_size: bytes of a physical block, as users are told; 0 for those of
 *		a block
 * @write_granularity: bytes of which writes to zones with a write pointer are a
 *		multiple; 0 for those of a block
 * @max_open:	zones; 0 for no limit
 * @max_active:	zones; 0 for no limit
 * @max_append_kib: KiB of the largest zone append
 * @max_io_kib:	KiB of the largest command
 * @queues:	hardware queues
 * @queue_depth: commands of each queue
 * @write_cache: writes are durable only after a flush
 * @fua:	the drive knows FUA
 * @finish_flushes: finishing a zone makes its data durable
 * @fill:	byte that reads return where nothing was written
 *
 * Protected by zs_config_lock:
 * @disk:	NULL when there is none
 * @tag_set:	allocated when the drive is first on
 *
 * Protected by zs_group.lock:
 * @latency_us:	microseconds that each command takes
 * @jitter_us:	microseconds that it takes on top, up to so many
 * @finish_us:	time that finishing a zone takes on top
 * @reset_us:	time that resetting a zone takes on top
 * @zones_idle_at: end of the last finish or reset in flight; in the past without any
 * @completion:	enum zs_completion
 * @in_cut:	power cuts of the group hit this drive
 * @power:	enum zs_power
 * @refreshing:	in zs_refresh()
 * @stalled:	commands wait until this is false
 * @zones:	@nr_zones of them
 * @dirty:	zones with data that are not durable, struct zs_store.dirty
 * @nr_cond:	number of zones by condition
 * @next_close:	zone from which on one to close implicitly is looked for
 * @in_flight:	struct zs_cmd.node, in the order of arrival
 * @nr_in_flight: commands in it
 * @max_in_flight: the most there were
 * @counters:	by kind
 * @fua_writes:	writes and appends with FUA
 * @by_class:	sectors written by class of I/O priority
 * @by_hint:	and by write hint
 * @faults:	struct zs_fault.node
 * @bad_blocks:	logical blocks that cannot be read, by number
 * @last_cut:	what it did
 */
struct zs_drive {
	struct config_item item;
	struct zs_group *group;
	struct list_head member;
	struct list_head listed;
	char name[DISK_NAME_LEN];
	u64 salt;

	unsigned int nr_zones;
	unsigned int nr_conventional;
	unsigned int zone_size_kib;
	unsigned int zone_capacity_kib;
	unsigned int block_size;
	unsigned int physical_block_size;
	unsigned int write_granularity;
	unsigned int max_open;
	unsigned int max_active;
	unsigned int max_append_kib;
	unsigned int max_io_kib;
	unsigned int queues;
	unsigned int queue_depth;
	unsigned int write_cache;
	unsigned int fua;
	unsigned int finish_flushes;
	unsigned int fill;

	struct gendisk *disk;
	struct blk_mq_tag_set tag_set;

	unsigned int latency_us;
	unsigned int jitter_us;
	struct zs_curve finish_us;
	struct zs_curve reset_us;
	ktime_t zones_idle_at;
	unsigned int completion;
	unsigned int in_cut;
	enum zs_power power;
	bool refreshing;
	bool stalled;
	struct zs_zone *zones;
	struct list_head dirty;
	unsigned int nr_cond[16];
	unsigned int next_close;
	struct list_head in_flight;
	unsigned int nr_in_flight;
	unsigned int max_in_flight;
	struct zs_counter counters[ZS_KINDS];
	u64 fua_writes;
	u64 by_class[ZS_CLASSES];
	u64 by_hint[ZS_HINTS];
	struct list_head faults;
	struct xarray bad_blocks;
	struct zs_cut last_cut;
};

/* Where a command is; whoever moves it on holds zs_group.lock. */
enum zs_stage {
	ZS_ARRIVING,		/* with its submitter */
	ZS_WAITING,		/* for its timer and the worker that follows */
	ZS_HELD,		/* the drive is stalled */
	ZS_OVER,		/* it had its effect, or never will have one */
};

/**
 * struct zs_cmd - one command, behind its request
 * @node:	in zs_drive.in_flight until the command is over
 * @work:	carries the command out
 * @timer:	its delay; afterwards, the interrupt in which it completes
 * @kind:	enum zs_kind
 * @sector:	first sector; of an append, where it went in the end
 * @nr_sectors:	to transfer
 * @fua:	to be durable when complete
 * @class:	of its I/O priority
 * @hint:	write hint
 * @nonce:	number of the command in its zone; of a read or a command for no
 *		zone, among those of its kind
 * @stage:	enum zs_stage; protected by zs_group.lock
 * @completion:	enum zs_completion without ZS_MIXED
 * @failing:	a fault struck: the status to answer with
 * @effect:	how much happens in spite of @failing
 * @then:	what happens to the zone
 * @status:	the answer, when @stage is ZS_OVER
 */
struct zs_cmd {
	struct list_head node;
	struct work_struct work;
	struct hrtimer timer;
	enum zs_kind kind;
	sector_t sector;
	unsigned int nr_sectors;
	bool fua;
	u8 class;
	u8 hint;
	u64 nonce;
	enum zs_stage stage;
	enum zs_completion completion;
	blk_status_t failing;
	enum zs_effect effect;
	enum zs_then then;
	blk_status_t status;
};

/**
 * struct zs_fault - commands that will fail
 * @node:	in zs_drive.faults
 * @kinds:	bit mask of enum zs_kind
 * @zone:	number of the only zone it is for, or ZS_ANY_ZONE
 * @nth:	the @nth command from now on is the first that fails
 * @times:	how many fail from there on
 * @status:	with which
 * @effect:	how much of them happens nevertheless
 * @then:	what else happens when the first one fails
 *
 * Protected by zs_group.lock.
 */
struct zs_fault {
	struct list_head node;
	unsigned int kinds;
	unsigned int zone;
	unsigned int nth;
	unsigned int times;
	blk_status_t status;
	enum zs_effect effect;
	enum zs_then then;
};

#define ZS_ANY_ZONE	UINT_MAX

struct zs_report_to;

extern struct mutex zs_config_lock;
extern const char * const zs_kind_names[ZS_KINDS];

/* main.c */
int zs_report(struct gendisk *disk, sector_t sector, unsigned int nr_zones,
	      const struct zs_report_to *to);
int zs_plug(struct zs_drive *drive);
int zs_refresh(struct zs_drive *drive);
void zs_unplug(struct zs_drive *drive);
void zs_cmd_give_up(struct zs_drive *drive, struct zs_cmd *cmd);
void zs_stall(struct zs_drive *drive, bool stalled);

/* zone.c */
int zs_zones_alloc(struct zs_drive *drive);
void zs_zones_free(struct zs_drive *drive);
void zs_set_cond(struct zs_drive *drive, struct zs_zone *zone, u8 cond);
void zs_zone_forget(struct zs_drive *drive, struct zs_zone *zone);
void zs_settle(struct zs_zone *zone, u32 durable);
blk_status_t zs_execute(struct zs_drive *drive, struct zs_cmd *cmd,
			enum zs_effect effect, u64 chance);
sector_t zs_reported_wp(const struct zs_zone *zone);

/* store.c */
bool zs_store_write(struct zs_zone *zone, sector_t offset, struct request *rq,
		    unsigned int nr_sectors);
void zs_store_read(struct zs_zone *zone, sector_t offset, sector_t end,
		   struct request *rq, u8 fill);
void zs_store_flip(struct zs_zone *zone, sector_t offset);
void zs_store_free(struct zs_zone *zone);

/* power.c */
u64 zs_chance(const struct zs_drive *drive, u64 a, u64 b);
void zs_count_command(struct zs_drive *drive, enum zs_kind kind);
void zs_cut_group(struct zs_group *group);
void zs_cut_drive(struct zs_drive *drive);
int zs_power_on(struct zs_drive *drive);

/* faults.c */
void zs_strike(struct zs_drive *drive, struct zs_cmd *cmd);
void zs_fault_zone(struct zs_drive *drive, struct zs_zone *zone, u8 cond);
bool zs_is_bad(struct zs_drive *drive, sector_t sector, sector_t nr_sectors);
void zs_heal(struct zs_drive *drive, sector_t sector, sector_t nr_sectors);
int zs_add_fault(struct zs_drive *drive, char *text);
ssize_t zs_show_faults(struct zs_drive *drive, char *page);
int zs_add_bad(struct zs_drive *drive, char *text);
ssize_t zs_show_bad(struct zs_drive *drive, char *page);
int zs_change_zone(struct zs_drive *drive, char *text);
int zs_flip(struct zs_drive *drive, char *text);
void zs_faults_free(struct zs_drive *drive);

/* latency.c */
extern struct configfs_attribute zs_attr_finish_us;
extern struct configfs_attribute zs_attr_reset_us;
ktime_t zs_zone_time(struct zs_drive *drive, const struct zs_cmd *cmd);
void zs_zones_idle(struct zs_drive *drive);

/* config.c */
int zs_parse_kinds(char *text, unsigned int *kinds);
int zs_config_init(void);
void zs_config_exit(void);

/**
 * zs_zone_of - the zone of a sector
 * @drive:	the drive
 * @sector:	below the drive's capacity
 */
static inline struct zs_zone *zs_zone_of(struct zs_drive *drive,
					 sector_t sector)
{
	return &drive->zones[sector >> ilog2(drive->zone_size_kib * 2)];
}

/**
 * zs_write_unit - sectors of which a write is a multiple
 * @drive:	the drive
 */
static inline unsigned int zs_write_unit(const struct zs_drive *drive)
{
	return max(drive->block_size, drive->write_granularity) >> SECTOR_SHIFT;
}

/**
 * zs_is_dirty - has a zone data that are not durable?
 * @zone:	the zone
 */
static inline bool zs_is_dirty(const struct zs_zone *zone)
{
	return zone->store && !list_empty(&zone->store->dirty);
}

/**
 * zs_kind_has_data - does a command of this kind transfer data?
 * @kind:	the kind
 */
static inline bool zs_kind_has_data(enum zs_kind kind)
{
	return kind == ZS_READ || kind == ZS_WRITE || kind == ZS_APPEND;
}

/**
 * zs_kind_has_zone - is a command of this kind for one zone?
 * @kind:	the kind
 */
static inline bool zs_kind_has_zone(enum zs_kind kind)
{
	return kind != ZS_FLUSH && kind != ZS_RESET_ALL && kind != ZS_REPORT;
}

#endif /* ZONESIM_H */
