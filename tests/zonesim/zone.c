// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of zones, as ZNS and ZBC have it.
 *
 *	empty ---------- write, append ----------> implicitly open
 *	empty, closed, implicitly open -- open --> explicitly open
 *	implicitly, explicitly open --- close ---> closed; empty without data
 *	implicitly open -- room for another zone -> closed; empty without data
 *	closed --------- write, append ----------> implicitly open
 *	all of these --- finish, written full ---> full
 *	all of these, full --- reset ------------> empty
 *
 * Open zones count against max_open, open and closed ones against max_active.
 * Read-only and offline zones leave that state only by zs_change_zone().
 *
 * All functions are called with zs_group.lock held, but for those that make and
 * free the zones.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>

#include "zonesim.h"

/**
 * zs_set_cond - change the condition of a zone
 * @drive:	its drive, whose counts follow
 * @zone:	zone
 * @cond:	enum blk_zone_cond
 */
void zs_set_cond(struct zs_drive *drive, struct zs_zone *zone, u8 cond)
{
	drive->nr_cond[zone->cond]--;
	zone->cond = cond;
	drive->nr_cond[zone->cond]++;
}

/**
 * zs_settle - data of a zone are durable
 * @zone:	zone
 * @durable:	up to where, relative to the zone
 */
void zs_settle(struct zs_zone *zone, u32 durable)
{
	zone->durable = max(zone->durable, durable);
	if (zone->store && zone->durable == zone->data)
		list_del_init(&zone->store->dirty);
}

/**
 * zs_zone_forget - a zone has no data any more
 * @drive:	its drive
 * @zone:	zone
 */
void zs_zone_forget(struct zs_drive *drive, struct zs_zone *zone)
{
	zone->wp = 0;
	zone->data = 0;
	zone->durable = 0;
	zs_store_free(zone);
	zs_heal(drive, zone->start, zone->len);
}

/**
 * zs_reported_wp - the write pointer as a report has it
 * @zone:	zone
 *
 * Return: a sector of the drive.
 */
sector_t zs_reported_wp(const struct zs_zone *zone)
{
	switch (zone->cond) {
	case BLK_ZONE_COND_NOT_WP:
		return zone->start + zone->len;
	case BLK_ZONE_COND_READONLY:
	case BLK_ZONE_COND_OFFLINE:
		return (sector_t)-1;
	default:
		return zone->start + zone->wp;
	}
}

static unsigned int nr_open(const struct zs_drive *drive)
{
	return drive->nr_cond[BLK_ZONE_COND_IMP_OPEN] +
	       drive->nr_cond[BLK_ZONE_COND_EXP_OPEN];
}

static unsigned int nr_active(const struct zs_drive *drive)
{
	return nr_open(drive) + drive->nr_cond[BLK_ZONE_COND_CLOSED];
}

static void close_zone(struct zs_drive *drive, struct zs_zone *zone)
{
	zs_set_cond(drive, zone, zone->wp ? BLK_ZONE_COND_CLOSED :
					    BLK_ZONE_COND_EMPTY);
}

/* Closes an implicitly open zone, in turn. */
static void make_room(struct zs_drive *drive)
{
	unsigned int i;

	for (i = drive->nr_conventional; i < drive->nr_zones; i++) {
		struct zs_zone *zone = &drive->zones[drive->next_close];

		if (++drive->next_close == drive->nr_zones)
			drive->next_close = drive->nr_conventional;
		if (zone->cond == BLK_ZONE_COND_IMP_OPEN) {
			close_zone(drive, zone);
			return;
		}
	}
}

/* May an empty or closed zone be opened?  Makes room for it if that helps. */
static blk_status_t check_limits(struct zs_drive *drive, struct zs_zone *zone)
{
	if (zone->cond == BLK_ZONE_COND_EMPTY && drive->max_active &&
	    nr_active(drive) >= drive->max_active)
		return BLK_STS_ZONE_ACTIVE_RESOURCE;
	if (drive->max_open && nr_open(drive) >= drive->max_open) {
		if (!drive->nr_cond[BLK_ZONE_COND_IMP_OPEN])
			return BLK_STS_ZONE_OPEN_RESOURCE;
		make_room(drive);
	}
	return BLK_STS_OK;
}

static bool is_sequential(const struct zs_zone *zone)
{
	return zone->type == BLK_ZONE_TYPE_SEQWRITE_REQ;
}

/* Data were added to a zone, or their end was not durable before. */
static void written(struct zs_drive *drive, struct zs_zone *zone, bool fua)
{
	if (!drive->write_cache || fua)
		zs_settle(zone, zone->data);
	else if (!zs_is_dirty(zone))
		list_add_tail(&zone->store->dirty, &drive->dirty);
}

/* Disks with 512e blocks take writes of whole physical blocks only. */
static bool is_granular(const struct zs_drive *drive, const struct zs_cmd *cmd)
{
	return !((cmd->sector | cmd->nr_sectors) & (zs_write_unit(drive) - 1));
}

/* @sectors of the command happen; those are all or a prefix. */
static blk_status_t do_write(struct zs_drive *drive, struct zs_cmd *cmd,
			     struct zs_zone *zone, unsigned int sectors)
{
	struct request *rq = blk_mq_rq_from_pdu(cmd);
	blk_status_t status;

	switch (zone->cond) {
	case BLK_ZONE_COND_NOT_WP:
		if (cmd->kind == ZS_APPEND)
			return BLK_STS_IOERR;
		if (!zs_store_write(zone, cmd->sector - zone->start, rq,
				    sectors))
			return BLK_STS_RESOURCE;
		zs_heal(drive, cmd->sector, sectors);
		return BLK_STS_OK;
	case BLK_ZONE_COND_FULL:
	case BLK_ZONE_COND_READONLY:
	case BLK_ZONE_COND_OFFLINE:
		return BLK_STS_IOERR;
	}

	if (cmd->kind == ZS_APPEND)
		cmd->sector = zone->start + zone->wp;
	if (cmd->sector != zone->start + zone->wp ||
	    zone->wp + cmd->nr_sectors > zone->cap ||
	    !is_granular(drive, cmd))
		return BLK_STS_IOERR;
	if (zone->cond == BLK_ZONE_COND_EMPTY ||
	    zone->cond == BLK_ZONE_COND_CLOSED) {
		status = check_limits(drive, zone);
		if (status != BLK_STS_OK)
			return status;
		zs_set_cond(drive, zone, BLK_ZONE_COND_IMP_OPEN);
	}
	if (!zs_store_write(zone, zone->wp, rq, sectors))
		return BLK_STS_RESOURCE;

	zone->wp += sectors;
	zone->data = zone->wp;
	written(drive, zone, cmd->fua);
	if (zone->wp == zone->cap)
		zs_set_cond(drive, zone, BLK_ZONE_COND_FULL);
	return BLK_STS_OK;
}

static blk_status_t do_read(struct zs_drive *drive, struct zs_cmd *cmd,
			    struct zs_zone *zone)
{
	if (zone->cond == BLK_ZONE_COND_OFFLINE)
		return BLK_STS_IOERR;
	if (zs_is_bad(drive, cmd->sector, cmd->nr_sectors))
		return BLK_STS_MEDIUM;
	zs_store_read(zone, cmd->sector - zone->start,
		      is_sequential(zone) ? zone->data : zone->len,
		      blk_mq_rq_from_pdu(cmd), drive->fill);
	return BLK_STS_OK;
}

/*
 * Covers what had its effect when the flush arrived, and not what was written
 * since.  With @partly, some zones only.
 */
static void do_flush(struct zs_drive *drive, bool partly, u64 chance)
{
	struct zs_store *store, *next;

	list_for_each_entry_safe(store, next, &drive->dirty, dirty)
		if (!partly ||
		    (zs_chance(drive, chance, store->zone->start) & 1))
			zs_settle(store->zone, store->flushing);
}

static blk_status_t do_open(struct zs_drive *drive, struct zs_zone *zone)
{
	blk_status_t status;

	switch (zone->cond) {
	case BLK_ZONE_COND_EXP_OPEN:
		return BLK_STS_OK;
	case BLK_ZONE_COND_EMPTY:
	case BLK_ZONE_COND_CLOSED:
		status = check_limits(drive, zone);
		if (status != BLK_STS_OK)
			return status;
		break;
	case BLK_ZONE_COND_IMP_OPEN:
		break;
	default:
		return BLK_STS_IOERR;
	}
	zs_set_cond(drive, zone, BLK_ZONE_COND_EXP_OPEN);
	return BLK_STS_OK;
}

static blk_status_t do_close(struct zs_drive *drive, struct zs_zone *zone)
{
	switch (zone->cond) {
	case BLK_ZONE_COND_CLOSED:
		return BLK_STS_OK;
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
		close_zone(drive, zone);
		return BLK_STS_OK;
	default:
		return BLK_STS_IOERR;
	}
}

static blk_status_t do_finish(struct zs_drive *drive, struct zs_zone *zone)
{
	blk_status_t status;

	switch (zone->cond) {
	case BLK_ZONE_COND_FULL:
		return BLK_STS_OK;
	case BLK_ZONE_COND_EMPTY:
	case BLK_ZONE_COND_CLOSED:
		status = check_limits(drive, zone);
		if (status != BLK_STS_OK)
			return status;
		break;
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
		break;
	default:
		return BLK_STS_IOERR;
	}
	zs_set_cond(drive, zone, BLK_ZONE_COND_FULL);
	zone->wp = zone->len;
	if (drive->finish_flushes)
		zs_settle(zone, zone->data);
	return BLK_STS_OK;
}

static blk_status_t do_reset(struct zs_drive *drive, struct zs_zone *zone)
{
	switch (zone->cond) {
	case BLK_ZONE_COND_NOT_WP:
	case BLK_ZONE_COND_READONLY:
	case BLK_ZONE_COND_OFFLINE:
		return BLK_STS_IOERR;
	}
	zs_set_cond(drive, zone, BLK_ZONE_COND_EMPTY);
	zs_zone_forget(drive, zone);
	zone->resets++;
	return BLK_STS_OK;
}

/* Each zone by itself is reset or not; with @partly, some only. */
static void do_reset_all(struct zs_drive *drive, bool partly, u64 chance)
{
	unsigned int i;

	for (i = drive->nr_conventional; i < drive->nr_zones; i++) {
		struct zs_zone *zone = &drive->zones[i];

		if (zone->cond != BLK_ZONE_COND_EMPTY &&
		    (!partly || (zs_chance(drive, chance, zone->start) & 1)))
			do_reset(drive, zone);
	}
}

/**
 * zs_execute - a command has its effect
 * @drive:	drive
 * @cmd:	command
 * @effect:	how much of it happens
 * @chance:	decides what happens in part
 *
 * What cannot be done in part, like a reset, is done or not by chance.
 *
 * Return: the answer.
 */
blk_status_t zs_execute(struct zs_drive *drive, struct zs_cmd *cmd,
			enum zs_effect effect, u64 chance)
{
	unsigned int blocks = cmd->nr_sectors / zs_write_unit(drive);
	unsigned int sectors = cmd->nr_sectors;
	bool partly = effect == ZS_PART;
	struct zs_zone *zone = NULL;

	if (zs_kind_has_zone(cmd->kind))
		zone = zs_zone_of(drive, cmd->sector);
	if (zs_kind_has_data(cmd->kind)) {
		if (partly)
			sectors = (blocks > 1 ? 1 + chance % (blocks - 1) : 0) *
				  zs_write_unit(drive);
		if (!sectors)
			effect = ZS_NONE;
	} else if (zone && partly && (chance & 1)) {
		effect = ZS_NONE;
	}
	if (effect == ZS_NONE)
		return BLK_STS_OK;

	switch (cmd->kind) {
	case ZS_READ:
		return do_read(drive, cmd, zone);
	case ZS_WRITE:
	case ZS_APPEND:
		return do_write(drive, cmd, zone, sectors);
	case ZS_FLUSH:
		do_flush(drive, partly, chance);
		return BLK_STS_OK;
	case ZS_RESET:
		return do_reset(drive, zone);
	case ZS_RESET_ALL:
		do_reset_all(drive, partly, chance);
		return BLK_STS_OK;
	case ZS_FINISH:
		return do_finish(drive, zone);
	case ZS_OPEN:
		return do_open(drive, zone);
	case ZS_CLOSE:
		return do_close(drive, zone);
	default:
		return BLK_STS_NOTSUPP;
	}
}

/* Is the configuration one of a drive? */
static bool is_sane(struct zs_drive *drive)
{
	unsigned int page_kib = PAGE_SIZE / SZ_1K;
	unsigned int size = drive->zone_size_kib;
	unsigned int block = drive->block_size;

	if (!is_power_of_2(block) || block < SECTOR_SIZE || block > SZ_4K) {
		pr_err("%s: a block has 512 to 4096 bytes\n", drive->name);
		return false;
	}
	if (drive->write_granularity &&
	    (!is_power_of_2(drive->write_granularity) ||
	     drive->write_granularity < block)) {
		pr_err("%s: impossible granularity of writes\n", drive->name);
		return false;
	}
	if (!is_power_of_2(size) || size < page_kib || size > SZ_16M ||
	    !drive->zone_capacity_kib || drive->zone_capacity_kib > size ||
	    drive->zone_capacity_kib * 1024ULL % block) {
		pr_err("%s: impossible size or capacity of zones\n",
		       drive->name);
		return false;
	}
	if (!drive->nr_zones || drive->nr_conventional >= drive->nr_zones) {
		pr_err("%s: no zone with a write pointer\n", drive->name);
		return false;
	}
	if (drive->max_io_kib < page_kib || drive->max_io_kib > SZ_1M ||
	    drive->max_append_kib * SZ_1K < block) {
		pr_err("%s: commands too small or too large\n", drive->name);
		return false;
	}
	if (!drive->queues || !drive->queue_depth) {
		pr_err("%s: no room for commands\n", drive->name);
		return false;
	}
	return true;
}

/**
 * zs_zones_alloc - make the zones of a drive that was configured
 * @drive:	drive, of which some settings are brought in line with others
 *
 * Return: 0 or an error.
 */
int zs_zones_alloc(struct zs_drive *drive)
{
	unsigned int nr_seq = drive->nr_zones - drive->nr_conventional;
	sector_t len = (sector_t)drive->zone_size_kib * 2;
	unsigned int i;

	if (!drive->zone_capacity_kib)
		drive->zone_capacity_kib = drive->zone_size_kib;
	if (!drive->physical_block_size)
		drive->physical_block_size = drive->block_size;
	drive->max_append_kib = min(drive->max_append_kib,
				    min(drive->zone_capacity_kib,
					drive->max_io_kib));
	if (!is_sane(drive))
		return -EINVAL;
	/* Limits that nobody can meet are none. */
	if (drive->max_active >= nr_seq)
		drive->max_active = 0;
	if (drive->max_active && drive->max_open > drive->max_active)
		drive->max_open = drive->max_active;
	if (drive->max_open >= nr_seq)
		drive->max_open = 0;
	drive->next_close = drive->nr_conventional;

	drive->zones = kvcalloc(drive->nr_zones, sizeof(*drive->zones),
				GFP_KERNEL);
	if (!drive->zones)
		return -ENOMEM;
	for (i = 0; i < drive->nr_zones; i++) {
		struct zs_zone *zone = &drive->zones[i];

		zone->start = i * len;
		zone->len = len;
		if (i < drive->nr_conventional) {
			zone->cap = len;
			zone->type = BLK_ZONE_TYPE_CONVENTIONAL;
			zone->cond = BLK_ZONE_COND_NOT_WP;
		} else {
			zone->cap = (sector_t)drive->zone_capacity_kib * 2;
			zone->type = BLK_ZONE_TYPE_SEQWRITE_REQ;
			zone->cond = BLK_ZONE_COND_EMPTY;
		}
		drive->nr_cond[zone->cond]++;
	}
	return 0;
}

/**
 * zs_zones_free - a drive with its data ceases to be
 * @drive:	drive
 */
void zs_zones_free(struct zs_drive *drive)
{
	unsigned int i;

	if (!drive->zones)
		return;
	for (i = 0; i < drive->nr_zones; i++)
		zs_store_free(&drive->zones[i]);
	kvfree(drive->zones);
	drive->zones = NULL;
}
