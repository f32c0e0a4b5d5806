// SPDX-License-Identifier: GPL-2.0
/*
 * Power cuts.
 *
 * At the instant of a cut, all at once under zs_group.lock:
 *  1. The drives that are hit are off: later commands fail.
 *  2. Each command in flight takes effect, or a prefix of it does, or nothing,
 *     in the order in which they arrived.  All of them are answered with an
 *     error.
 *  3. Each zone with data that are not durable keeps those up to some block
 *     between the durable and the written end.
 *  4. Open zones with data are closed, those without are empty.
 *
 * Choices for a command depend on seed, number of the cut, drive and zone, and
 * on the number of the command in its zone; those for a zone on the former
 * alone.  So the order in which drives and zones got their commands does not
 * matter.
 */
#include "zonesim.h"

static u64 mix(u64 x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/**
 * zs_chance - a number that depends on the seed
 * @drive:	drive that needs it
 * @a:		what it is for
 * @b:		what it is for, too
 *
 * Return: any number; the same one for the same seed, drive, @a and @b.
 */
u64 zs_chance(const struct zs_drive *drive, u64 a, u64 b)
{
	return mix(mix(mix(drive->group->seed ^ drive->salt) ^ a) ^ b);
}

/* As above, another one for each cut. */
static u64 cut_chance(const struct zs_drive *drive, u64 a, u64 b)
{
	return zs_chance(drive, mix(drive->group->cuts) ^ a, b);
}

/* What becomes of a command in flight? */
static enum zs_effect fate(const struct zs_drive *drive, u64 chance)
{
	switch (drive->group->keep) {
	case ZS_KEEP_NONE:
		return ZS_NONE;
	case ZS_KEEP_ALL:
		return ZS_ALL;
	default:
		return chance % 3;
	}
}

static void resolve(struct zs_drive *drive, struct zs_cmd *cmd)
{
	u64 chance = cut_chance(drive, cmd->sector + 1, cmd->nonce);
	enum zs_effect effect = fate(drive, chance);

	/* Nobody saw it complete, so it may be there without being durable. */
	cmd->fua = false;
	if (cmd->kind == ZS_READ || cmd->kind == ZS_FLUSH)
		effect = ZS_NONE;
	if (effect != ZS_NONE &&
	    zs_execute(drive, cmd, effect, mix(chance)) != BLK_STS_OK)
		effect = ZS_NONE;
	switch (effect) {
	case ZS_NONE:
		drive->last_cut.lost++;
		break;
	case ZS_PART:
		drive->last_cut.part++;
		break;
	case ZS_ALL:
		drive->last_cut.done++;
		break;
	}
	cmd->status = BLK_STS_IOERR;
	zs_cmd_give_up(drive, cmd);
}

/* The end of what a zone keeps: a block from the durable to the written end. */
static sector_t kept(const struct zs_drive *drive, const struct zs_zone *zone)
{
	unsigned int block = zs_write_unit(drive);
	u64 chance = cut_chance(drive, zone->start, U64_MAX);
	u64 blocks = (zone->data - zone->durable) / block;

	switch (drive->group->keep) {
	case ZS_KEEP_NONE:
		return zone->durable;
	case ZS_KEEP_ALL:
		return zone->data;
	}
	/* Both ends are where mistakes show; so each gets a quarter. */
	switch (chance & 3) {
	case 0:
		return zone->durable;
	case 1:
		return zone->data;
	default:
		return zone->durable + (chance >> 2) % (blocks + 1) * block;
	}
}

static void fall_back(struct zs_drive *drive, struct zs_zone *zone)
{
	sector_t end = kept(drive, zone);

	if (end < zone->data) {
		drive->last_cut.zones++;
		drive->last_cut.sectors += zone->data - end;
	}
	/* The write pointer of a finished zone stays where it is. */
	if (zone->wp == zone->data)
		zone->wp = end;
	zone->data = end;
	zone->durable = end;
	zone->store->flushing = end;
	list_del_init(&zone->store->dirty);
}

static void close_open_zone(struct zs_drive *drive, struct zs_zone *zone)
{
	zs_set_cond(drive, zone, zone->wp ? BLK_ZONE_COND_CLOSED :
					    BLK_ZONE_COND_EMPTY);
}

/*
 * A zone that was written full is active again when it loses its end.  If the
 * drive has no resources for that, it must have kept the end.
 */
static void fall_back_full(struct zs_drive *drive, struct zs_zone *zone)
{
	if (zone->wp != zone->data) {
		fall_back(drive, zone);		/* finished */
		return;
	}
	if (drive->max_active &&
	    drive->nr_cond[BLK_ZONE_COND_CLOSED] >= drive->max_active) {
		zs_settle(zone, zone->data);
		return;
	}
	fall_back(drive, zone);
	if (zone->wp < zone->cap)
		close_open_zone(drive, zone);
}

/* Only dirty zones have something to lose. */
static void fall_back_all(struct zs_drive *drive)
{
	struct zs_zone *zone;
	unsigned int i;

	for (i = drive->nr_conventional; i < drive->nr_zones; i++) {
		zone = &drive->zones[i];
		if (zone->cond == BLK_ZONE_COND_FULL)
			continue;
		if (zs_is_dirty(zone))
			fall_back(drive, zone);
		if (zone->cond == BLK_ZONE_COND_IMP_OPEN ||
		    zone->cond == BLK_ZONE_COND_EXP_OPEN ||
		    zone->cond == BLK_ZONE_COND_CLOSED)
			close_open_zone(drive, zone);
	}
	for (i = drive->nr_conventional; i < drive->nr_zones; i++) {
		zone = &drive->zones[i];
		if (zone->cond == BLK_ZONE_COND_FULL && zs_is_dirty(zone))
			fall_back_full(drive, zone);
	}
}

static void cut(struct zs_drive *drive)
{
	struct zs_cmd *cmd, *next;

	if (drive->power != ZS_ON)
		return;
	drive->power = ZS_OFF;
	memset(&drive->last_cut, 0, sizeof(drive->last_cut));
	list_for_each_entry_safe(cmd, next, &drive->in_flight, node)
		resolve(drive, cmd);
	fall_back_all(drive);
	zs_zones_idle(drive);
	drive->stalled = false;
}

/**
 * zs_cut_group - cut the power of a group
 * @group:	group; those of its drives that are in the cut go off
 *
 * Called with zs_group.lock held.
 */
void zs_cut_group(struct zs_group *group)
{
	struct zs_drive *drive;

	lockdep_assert_held(&group->lock);
	group->cuts++;
	group->cut_at = 0;
	list_for_each_entry(drive, &group->drives, member) {
		if (drive->in_cut)
			cut(drive);
	}
}

/**
 * zs_cut_drive - cut the power of a single drive
 * @drive:	drive
 *
 * Called with zs_group.lock held.
 */
void zs_cut_drive(struct zs_drive *drive)
{
	lockdep_assert_held(&drive->group->lock);
	if (drive->power != ZS_ON)
		return;
	drive->group->cuts++;
	cut(drive);
}

/**
 * zs_count_command - a command arrives; is it the one that finds no power?
 * @drive:	drive, on
 * @kind:	kind of the command
 *
 * Called with zs_group.lock held, and the command in flight.
 */
void zs_count_command(struct zs_drive *drive, enum zs_kind kind)
{
	struct zs_group *group = drive->group;

	if ((group->cut_kinds & BIT(kind)) &&
	    ++group->commands == group->cut_at)
		zs_cut_group(group);
}

static void set_power(struct zs_drive *drive, enum zs_power power)
{
	mutex_lock(&drive->group->lock);
	drive->power = power;
	mutex_unlock(&drive->group->lock);
}

/**
 * zs_power_on - power a drive on
 * @drive:	drive
 *
 * The first time it gets its zones and its disk.  Later it keeps the disk,
 * unless somebody has that open: to him the drive is lost, and found anew.
 * Called with zs_config_lock held.
 *
 * Return: 0 or an error.
 */
int zs_power_on(struct zs_drive *drive)
{
	int ret = 0;

	lockdep_assert_held(&zs_config_lock);
	if (drive->power == ZS_ON)
		return 0;
	if (drive->power == ZS_NEW) {
		ret = zs_zones_alloc(drive);
		if (ret)
			return ret;
		set_power(drive, ZS_OFF);
	}
	if (drive->disk && (disk_openers(drive->disk) || zs_refresh(drive)))
		zs_unplug(drive);
	set_power(drive, ZS_ON);
	if (!drive->disk)
		ret = zs_plug(drive);
	if (ret)
		set_power(drive, ZS_OFF);
	return ret;
}
