// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong with a drive while it has power: commands that fail, zones
 * that turn read-only or offline, sectors that cannot be read any more or
 * silently change.
 *
 * All functions are called with zs_group.lock held.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "zonesim.h"

/* ---- commands that fail ------------------------------------------------ */

static bool concerns(const struct zs_fault *fault, struct zs_drive *drive,
		     const struct zs_cmd *cmd)
{
	if (!(fault->kinds & BIT(cmd->kind)))
		return false;
	if (fault->zone == ZS_ANY_ZONE)
		return true;
	return zs_kind_has_zone(cmd->kind) &&
	       zs_zone_of(drive, cmd->sector) == &drive->zones[fault->zone];
}

static void strike(struct zs_drive *drive, struct zs_cmd *cmd,
		   struct zs_fault *fault)
{
	cmd->failing = fault->status;
	cmd->effect = fault->effect;
	cmd->then = fault->then;
	fault->then = ZS_THEN_NOTHING;
	if (!--fault->times) {
		list_del(&fault->node);
		kfree(fault);
	}
	if (cmd->then == ZS_THEN_OFF)
		zs_cut_drive(drive);
	else if (cmd->then == ZS_THEN_STALL)
		zs_stall(drive, true);
}

/**
 * zs_strike - a command arrives; does a fault strike it?
 * @drive:	drive, on; possibly off afterwards
 * @cmd:	command
 *
 * All faults count the command, and one strikes.
 */
void zs_strike(struct zs_drive *drive, struct zs_cmd *cmd)
{
	struct zs_fault *fault, *hit = NULL;

	list_for_each_entry(fault, &drive->faults, node) {
		if (!concerns(fault, drive, cmd))
			continue;
		if (fault->nth > 1)
			fault->nth--;
		else if (!hit)
			hit = fault;
	}
	if (hit)
		strike(drive, cmd, hit);
}

static const struct {
	const char *name;
	blk_status_t status;
} status_names[] = {
	{ "ok", BLK_STS_OK },
	{ "ioerr", BLK_STS_IOERR },
	{ "medium", BLK_STS_MEDIUM },
	{ "target", BLK_STS_TARGET },
	{ "timeout", BLK_STS_TIMEOUT },
	{ "transport", BLK_STS_TRANSPORT },
	{ "notsupp", BLK_STS_NOTSUPP },
	{ "offline", BLK_STS_OFFLINE },
	{ "again", BLK_STS_AGAIN },
	{ "open", BLK_STS_ZONE_OPEN_RESOURCE },
	{ "active", BLK_STS_ZONE_ACTIVE_RESOURCE },
};

static const char * const effect_names[] = {
	[ZS_NONE] = "none",
	[ZS_PART] = "part",
	[ZS_ALL] = "all",
};

static const char * const then_names[] = {
	[ZS_THEN_NOTHING] = "nothing",
	[ZS_THEN_READONLY] = "readonly",
	[ZS_THEN_OFFLINE] = "offline",
	[ZS_THEN_OFF] = "off",
	[ZS_THEN_STALL] = "stall",
	[ZS_THEN_HOLD] = "hold",
};

static int parse_status(const char *name, blk_status_t *status)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(status_names); i++) {
		if (!strcmp(status_names[i].name, name)) {
			*status = status_names[i].status;
			return 0;
		}
	}
	return -EINVAL;
}

static const char *status_name(blk_status_t status)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(status_names); i++)
		if (status_names[i].status == status)
			return status_names[i].name;
	return "?";
}

/* One word like zone=3. */
static int parse_option(struct zs_drive *drive, struct zs_fault *fault,
			char *word)
{
	char *value = strchr(word, '=');
	int ret;

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (!strcmp(word, "zone")) {
		ret = kstrtouint(value, 0, &fault->zone);
		if (!ret && fault->zone >= drive->nr_zones)
			ret = -ERANGE;
		return ret;
	}
	if (!strcmp(word, "times"))
		return kstrtouint(value, 0, &fault->times) ?:
		       (fault->times ? 0 : -EINVAL);
	if (!strcmp(word, "status"))
		return parse_status(value, &fault->status);
	if (!strcmp(word, "effect")) {
		ret = match_string(effect_names, ARRAY_SIZE(effect_names),
				   value);
		fault->effect = ret;
		return ret < 0 ? ret : 0;
	}
	if (!strcmp(word, "then")) {
		ret = match_string(then_names, ARRAY_SIZE(then_names), value);
		fault->then = ret;
		return ret < 0 ? ret : 0;
	}
	return -EINVAL;
}

static int parse_fault(struct zs_drive *drive, struct zs_fault *fault,
		       char *text)
{
	char *word = strsep(&text, " ");
	int ret = zs_parse_kinds(word, &fault->kinds);

	if (ret)
		return ret;
	word = strsep(&text, " ");
	if (!word || kstrtouint(word, 0, &fault->nth) || !fault->nth)
		return -EINVAL;
	while ((word = strsep(&text, " "))) {
		ret = parse_option(drive, fault, word);
		if (ret)
			return ret;
	}
	/* Which zone would it be? */
	if ((fault->then == ZS_THEN_READONLY ||
	     fault->then == ZS_THEN_OFFLINE) &&
	    (fault->kinds & (BIT(ZS_FLUSH) | BIT(ZS_RESET_ALL) |
			     BIT(ZS_REPORT))))
		return -EINVAL;
	return 0;
}

/**
 * zs_add_fault - plan a fault, or forget all planned ones
 * @drive:	drive that has its zones
 * @text:	"KIND[,KIND...] NTH [zone=N] [times=N] [status=NAME]
 *		[effect=none|part|all] [then=readonly|offline|off|stall|hold]",
 *		or "clear"
 *
 * Return: 0 or an error.
 */
int zs_add_fault(struct zs_drive *drive, char *text)
{
	struct zs_fault *fault;
	int ret;

	if (!strcmp(text, "clear")) {
		zs_faults_free(drive);
		return 0;
	}
	fault = kzalloc(sizeof(*fault), GFP_NOIO);
	if (!fault)
		return -ENOMEM;
	fault->zone = ZS_ANY_ZONE;
	fault->times = 1;
	fault->status = BLK_STS_IOERR;
	ret = parse_fault(drive, fault, text);
	if (ret)
		kfree(fault);
	else
		list_add_tail(&fault->node, &drive->faults);
	return ret;
}

/**
 * zs_show_faults - the faults that are still to come
 * @drive:	drive
 * @page:	where to
 *
 * Return: length.
 */
ssize_t zs_show_faults(struct zs_drive *drive, char *page)
{
	struct zs_fault *fault;
	unsigned int kind;
	ssize_t n = 0;

	list_for_each_entry(fault, &drive->faults, node) {
		const char *comma = "";

		for (kind = 0; kind < ZS_KINDS; kind++) {
			if (!(fault->kinds & BIT(kind)))
				continue;
			n += scnprintf(page + n, PAGE_SIZE - n, "%s%s", comma,
				       zs_kind_names[kind]);
			comma = ",";
		}
		n += scnprintf(page + n, PAGE_SIZE - n, " %u", fault->nth);
		if (fault->zone != ZS_ANY_ZONE)
			n += scnprintf(page + n, PAGE_SIZE - n, " zone=%u",
				       fault->zone);
		n += scnprintf(page + n, PAGE_SIZE - n,
			       " times=%u status=%s effect=%s then=%s\n",
			       fault->times, status_name(fault->status),
			       effect_names[fault->effect],
			       then_names[fault->then]);
	}
	return n;
}

/**
 * zs_faults_free - forget all faults that are still to come
 * @drive:	drive
 */
void zs_faults_free(struct zs_drive *drive)
{
	struct zs_fault *fault, *next;

	list_for_each_entry_safe(fault, next, &drive->faults, node) {
		list_del(&fault->node);
		kfree(fault);
	}
}

/* ---- zones that go bad ------------------------------------------------- */

/**
 * zs_fault_zone - a zone turns read-only or offline
 * @drive:	drive
 * @zone:	zone; nothing happens to a conventional one
 * @cond:	enum blk_zone_cond, one of the two
 *
 * The data stay; those of a read-only zone can be read.
 */
void zs_fault_zone(struct zs_drive *drive, struct zs_zone *zone, u8 cond)
{
	if (zone->cond != BLK_ZONE_COND_NOT_WP)
		zs_set_cond(drive, zone, cond);
}

/**
 * zs_change_zone - change the condition of a zone as no command can
 * @drive:	drive that has its zones
 * @text:	"ZONE readonly", "ZONE offline", "ZONE full" as a drive may finish
 *		it by itself, "ZONE empty", which heals it and takes its data, or
 *		"ZONE closed", which heals it and leaves them
 *
 * Return: 0 or an error.
 */
int zs_change_zone(struct zs_drive *drive, char *text)
{
	char *word = strsep(&text, " ");
	struct zs_zone *zone;
	unsigned int number;
	int ret;

	ret = kstrtouint(word, 0, &number);
	if (ret)
		return ret;
	if (number >= drive->nr_zones)
		return -ERANGE;
	zone = &drive->zones[number];
	if (!text || zone->cond == BLK_ZONE_COND_NOT_WP)
		return -EINVAL;
	if (!strcmp(text, "readonly")) {
		zs_fault_zone(drive, zone, BLK_ZONE_COND_READONLY);
	} else if (!strcmp(text, "offline")) {
		zs_fault_zone(drive, zone, BLK_ZONE_COND_OFFLINE);
	} else if (!strcmp(text, "full")) {
		zs_set_cond(drive, zone, BLK_ZONE_COND_FULL);
		zone->wp = zone->len;
	} else if (!strcmp(text, "empty")) {
		zs_set_cond(drive, zone, BLK_ZONE_COND_EMPTY);
		zs_zone_forget(drive, zone);
	} else if (!strcmp(text, "closed")) {
		zs_set_cond(drive, zone, BLK_ZONE_COND_CLOSED);
	} else {
		return -EINVAL;
	}
	return 0;
}

/* ---- sectors that go bad ----------------------------------------------- */

static int parse_sectors(struct zs_drive *drive, char **text, u64 *sector,
			 u64 *nr_sectors)
{
	u64 end = (u64)drive->nr_zones * drive->zone_size_kib * 2;
	char *word;
	int ret;

	*nr_sectors = 1;
	ret = kstrtou64(strsep(text, " "), 0, sector);
	word = strsep(text, " ");
	if (!ret && word)
		ret = kstrtou64(word, 0, nr_sectors);
	if (ret)
		return ret;
	if (*sector >= end || !*nr_sectors || *nr_sectors > end - *sector)
		return -ERANGE;
	return 0;
}

static u64 block_of(const struct zs_drive *drive, sector_t sector)
{
	return sector / (drive->block_size >> SECTOR_SHIFT);
}

/**
 * zs_is_bad - a command reads: can some of these sectors not be read?
 * @drive:	drive
 * @sector:	first one
 * @nr_sectors:	how many
 */
bool zs_is_bad(struct zs_drive *drive, sector_t sector, sector_t nr_sectors)
{
	unsigned long last = block_of(drive, sector + nr_sectors - 1);
	unsigned long block = block_of(drive, sector);
	bool bad = false;
	void *entry;

	for (; (entry = xa_find(&drive->bad_blocks, &block, last, XA_PRESENT)); block++) {
		if (!xa_to_value(entry))
			bad = true;
		else
			xa_store(&drive->bad_blocks, block,
				 xa_mk_value(xa_to_value(entry) - 1), GFP_NOWAIT);
	}
	return bad;
}

/**
 * zs_heal - sectors can be read again
 * @drive:	drive
 * @sector:	first one
 * @nr_sectors:	how many
 */
void zs_heal(struct zs_drive *drive, sector_t sector, sector_t nr_sectors)
{
	unsigned long last = block_of(drive, sector + nr_sectors - 1);
	unsigned long block = block_of(drive, sector);

	if (xa_empty(&drive->bad_blocks))
		return;
	for (; xa_find(&drive->bad_blocks, &block, last, XA_PRESENT); block++)
		xa_erase(&drive->bad_blocks, block);
}

/**
 * zs_add_bad - sectors cannot be read until they are written anew
 * @drive:	drive that has its zones
 * @text:	"SECTOR [SECTORS [READS]]", their whole blocks, after so many more commands
 *		that read them; or "clear"
 *
 * Return: 0 or an error.
 */
int zs_add_bad(struct zs_drive *drive, char *text)
{
	u64 sector, nr_sectors, block;
	u32 reads = 0;
	int ret;

	if (!strcmp(text, "clear")) {
		xa_destroy(&drive->bad_blocks);
		return 0;
	}
	ret = parse_sectors(drive, &text, &sector, &nr_sectors);
	if (!ret && text)
		ret = kstrtou32(text, 0, &reads);
	for (block = block_of(drive, sector);
	     !ret && block <= block_of(drive, sector + nr_sectors - 1); block++)
		ret = xa_err(xa_store(&drive->bad_blocks, block, xa_mk_value(reads),
				      GFP_NOIO));
	return ret;
}

/**
 * zs_show_bad - the blocks that cannot be read
 * @drive:	drive
 * @page:	where to; one line for each block, its first sector
 *
 * Return: length.
 */
ssize_t zs_show_bad(struct zs_drive *drive, char *page)
{
	unsigned int block_sectors = drive->block_size >> SECTOR_SHIFT;
	unsigned long block;
	ssize_t n = 0;
	void *entry;

	xa_for_each(&drive->bad_blocks, block, entry)
		n += scnprintf(page + n, PAGE_SIZE - n, "%lu\n",
			       block * block_sectors);
	return n;
}

/**
 * zs_flip - invert data of sectors without a sign of it
 * @drive:	drive that has its zones
 * @text:	"SECTOR [SECTORS]"
 *
 * Return: 0, -ERANGE where nothing was written, or another error.
 */
int zs_flip(struct zs_drive *drive, char *text)
{
	u64 sector, nr_sectors;
	int ret;

	ret = parse_sectors(drive, &text, &sector, &nr_sectors);
	for (; !ret && nr_sectors; sector++, nr_sectors--) {
		struct zs_zone *zone = zs_zone_of(drive, sector);

		if (zone->cond != BLK_ZONE_COND_NOT_WP &&
		    sector >= zone->start + zone->data)
			ret = -ERANGE;
		else
			zs_store_flip(zone, sector - zone->start);
	}
	return ret;
}
