// SPDX-License-Identifier: GPL-2.0
/*
 * Configuration and control, in configfs:
 *
 *	zonesim/GROUP		drives on one power supply; mkdir makes it
 *	zonesim/GROUP/DRIVE	a drive; its disk is /dev/DRIVE
 *
 * Attributes of a group:
 *	power		1 powers all drives on; 0 cuts the power of those that are in
 *			the cut
 *	seed		of all chance; writing it begins anew with the number of cuts
 *	keep		"random", "none" or "all": what a cut leaves of data that are not
 *			durable, and of commands in flight
 *	mark		written: commands are counted from here on
 *	commands	since the mark, of the kinds in cut_kinds
 *	cut_at		N: power is cut when command N since the mark arrives, which is
 *			in flight then; 0: never
 *	cut_kinds	"write,append,..." or "all"; at first all but read and report
 *	cuts		since the seed was set
 *	last_cut	a line for each drive: commands in flight that were done, done in
 *			part and lost, zones that lost data and how many sectors
 *
 * Attributes of a drive that are fixed once it was on: see struct zs_drive.
 * Those that can be changed at any time:
 *	latency_us, jitter_us, completion, in_cut
 *			see struct zs_drive
 *	finish_us, reset_us
 *			"PERCENT:MICROSECONDS ...", see latency.c; empty at first
 *	power		1: on, with a new disk; 0: off, this drive alone
 *	state		"new", "on" or "off"
 *	unplug		written: the drive loses power and the disk is gone, too;
 *			power=1 brings it back
 *	stall		1: commands wait; 0: they go on, those of a fault's "hold", too
 *	fault		see zs_add_fault(); reading shows what is still to come
 *	bad_sectors	see zs_add_bad()
 *	zone_cond	see zs_change_zone()
 *	flip		see zs_flip()
 *	counters	a line for each kind: commands, sectors, errors; then writes with
 *			FUA; writing sets all to 0
 *	in_flight	commands in flight, and the most there were
 *	zones		a line for each zone: number, condition, write pointer, end of
 *			the data and of the durable data in sectors from its start,
 *			number of resets
 */
#include <linux/jhash.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/wait_bit.h>

#include "zonesim.h"

/*
 * Configuration, and disks that come and go.  Outside of zs_group.lock, which
 * is taken inside, and of all that block devices lock while they are made and
 * deleted.
 */
DEFINE_MUTEX(zs_config_lock);

/* All drives that have a directory, struct zs_drive.listed. */
static LIST_HEAD(zs_drives);

/* Drives in memory; some may wait for the last user of their disk. */
static atomic_t zs_nr_drives = ATOMIC_INIT(0);

const char * const zs_kind_names[ZS_KINDS] = {
	[ZS_READ] = "read",
	[ZS_WRITE] = "write",
	[ZS_APPEND] = "append",
	[ZS_FLUSH] = "flush",
	[ZS_RESET] = "reset",
	[ZS_RESET_ALL] = "reset_all",
	[ZS_FINISH] = "finish",
	[ZS_OPEN] = "open",
	[ZS_CLOSE] = "close",
	[ZS_REPORT] = "report",
};

static const char * const keep_names[] = {
	[ZS_KEEP_RANDOM] = "random",
	[ZS_KEEP_NONE] = "none",
	[ZS_KEEP_ALL] = "all",
};

static const char * const completion_names[] = {
	[ZS_DIRECT] = "direct",
	[ZS_SOFTIRQ] = "softirq",
	[ZS_IRQ] = "irq",
	[ZS_MIXED] = "mixed",
};

static const char * const power_names[] = {
	[ZS_NEW] = "new",
	[ZS_ON] = "on",
	[ZS_OFF] = "off",
};

static struct zs_group *to_zs_group(struct config_item *item)
{
	return container_of(to_config_group(item), struct zs_group, group);
}

static struct zs_drive *to_zs_drive(struct config_item *item)
{
	return container_of(item, struct zs_drive, item);
}

/* ---- values ------------------------------------------------------------ */

/**
 * zs_parse_kinds - kinds of commands from their names
 * @text:	"KIND[,KIND...]" or "all"; is changed
 * @kinds:	the bit mask of enum zs_kind
 *
 * Return: 0 or an error.
 */
int zs_parse_kinds(char *text, unsigned int *kinds)
{
	char *word;
	int kind;

	*kinds = 0;
	if (!strcmp(text, "all")) {
		*kinds = BIT(ZS_KINDS) - 1;
		return 0;
	}
	while ((word = strsep(&text, ","))) {
		kind = match_string(zs_kind_names, ZS_KINDS, word);
		if (kind < 0)
			return kind;
		*kinds |= BIT(kind);
	}
	return 0;
}

/* The text of a store without white space around it; to be freed. */
static char *stripped(const char *page, size_t count, char **text)
{
	char *copy = kstrndup(page, count, GFP_KERNEL);

	if (copy)
		*text = strim(copy);
	return copy;
}

/* Calls @parse with the text of a store, with zs_group.lock held. */
static ssize_t parse_for_drive(struct zs_drive *drive, const char *page,
			       size_t count,
			       int (*parse)(struct zs_drive *, char *))
{
	char *text, *copy = stripped(page, count, &text);
	int ret = -ENODEV;

	if (!copy)
		return -ENOMEM;
	mutex_lock(&zs_config_lock);
	mutex_lock(&drive->group->lock);
	if (drive->zones)
		ret = parse(drive, text);
	mutex_unlock(&drive->group->lock);
	mutex_unlock(&zs_config_lock);
	kfree(copy);
	return ret ?: count;
}

/* ---- settings of a drive ----------------------------------------------- */

/* An attribute that is an unsigned int of struct zs_drive. */
#define ZS_NUMBER(name, store_number)					\
enum { offset_##name = offsetof(struct zs_drive, name) };		\
									\
static ssize_t drive_##name##_show(struct config_item *item, char *page) \
{									\
	return show_number(item, offset_##name, page);			\
}									\
									\
static ssize_t drive_##name##_store(struct config_item *item,		\
				    const char *page, size_t count)	\
{									\
	return store_number(item, offset_##name, page, count);		\
}									\
									\
static struct configfs_attribute drive_attr_##name = {			\
	.ca_name	= #name,					\
	.ca_mode	= 0644,						\
	.ca_owner	= THIS_MODULE,					\
	.show		= drive_##name##_show,				\
	.store		= drive_##name##_store,				\
}

static unsigned int *number_at(struct config_item *item, size_t offset)
{
	return (void *)to_zs_drive(item) + offset;
}

static ssize_t show_number(struct config_item *item, size_t offset, char *page)
{
	return sysfs_emit(page, "%u\n", *number_at(item, offset));
}

/* Fixed once the drive was on. */
static ssize_t store_fixed(struct config_item *item, size_t offset,
			   const char *page, size_t count)
{
	unsigned int value;
	int ret = kstrtouint(page, 0, &value);

	if (ret)
		return ret;
	mutex_lock(&zs_config_lock);
	if (to_zs_drive(item)->zones)
		ret = -EBUSY;
	else
		*number_at(item, offset) = value;
	mutex_unlock(&zs_config_lock);
	return ret ?: count;
}

/* Can be changed at any time. */
static ssize_t store_tunable(struct config_item *item, size_t offset,
			     const char *page, size_t count)
{
	struct zs_group *group = to_zs_drive(item)->group;
	unsigned int value;
	int ret = kstrtouint(page, 0, &value);

	if (ret)
		return ret;
	mutex_lock(&group->lock);
	*number_at(item, offset) = value;
	mutex_unlock(&group->lock);
	return count;
}

ZS_NUMBER(nr_zones, store_fixed);
ZS_NUMBER(nr_conventional, store_fixed);
ZS_NUMBER(zone_size_kib, store_fixed);
ZS_NUMBER(zone_capacity_kib, store_fixed);
ZS_NUMBER(block_size, store_fixed);
ZS_NUMBER(physical_block_size, store_fixed);
ZS_NUMBER(write_granularity, store_fixed);
ZS_NUMBER(max_open, store_fixed);
ZS_NUMBER(max_active, store_fixed);
ZS_NUMBER(max_append_kib, store_fixed);
ZS_NUMBER(max_io_kib, store_fixed);
ZS_NUMBER(queues, store_fixed);
ZS_NUMBER(queue_depth, store_fixed);
ZS_NUMBER(write_cache, store_fixed);
ZS_NUMBER(fua, store_fixed);
ZS_NUMBER(finish_flushes, store_fixed);
ZS_NUMBER(fill, store_fixed);
ZS_NUMBER(latency_us, store_tunable);
ZS_NUMBER(jitter_us, store_tunable);
ZS_NUMBER(in_cut, store_tunable);

static ssize_t drive_completion_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n",
			  completion_names[to_zs_drive(item)->completion]);
}

static ssize_t drive_completion_store(struct config_item *item,
				      const char *page, size_t count)
{
	struct zs_drive *drive = to_zs_drive(item);
	int value = sysfs_match_string(completion_names, page);

	if (value < 0)
		return value;
	mutex_lock(&drive->group->lock);
	drive->completion = value;
	mutex_unlock(&drive->group->lock);
	return count;
}

CONFIGFS_ATTR(drive_, completion);

/* ---- control of a drive ------------------------------------------------ */

static void cut_drive(struct zs_drive *drive)
{
	mutex_lock(&drive->group->lock);
	zs_cut_drive(drive);
	mutex_unlock(&drive->group->lock);
}

static ssize_t drive_power_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", to_zs_drive(item)->power == ZS_ON);
}

static ssize_t drive_power_store(struct config_item *item, const char *page,
				 size_t count)
{
	struct zs_drive *drive = to_zs_drive(item);
	bool on;
	int ret = kstrtobool(page, &on);

	if (ret)
		return ret;
	mutex_lock(&zs_config_lock);
	if (on)
		ret = zs_power_on(drive);
	else
		cut_drive(drive);
	mutex_unlock(&zs_config_lock);
	return ret ?: count;
}

CONFIGFS_ATTR(drive_, power);

static ssize_t drive_state_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", power_names[to_zs_drive(item)->power]);
}

CONFIGFS_ATTR_RO(drive_, state);

static ssize_t drive_unplug_store(struct config_item *item, const char *page,
				  size_t count)
{
	struct zs_drive *drive = to_zs_drive(item);

	mutex_lock(&zs_config_lock);
	cut_drive(drive);
	zs_unplug(drive);
	mutex_unlock(&zs_config_lock);
	return count;
}

CONFIGFS_ATTR_WO(drive_, unplug);

static ssize_t drive_stall_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%d\n", to_zs_drive(item)->stalled);
}

static ssize_t drive_stall_store(struct config_item *item, const char *page,
				 size_t count)
{
	struct zs_drive *drive = to_zs_drive(item);
	bool stalled;
	int ret = kstrtobool(page, &stalled);

	if (ret)
		return ret;
	mutex_lock(&drive->group->lock);
	zs_stall(drive, stalled);
	mutex_unlock(&drive->group->lock);
	return count;
}

CONFIGFS_ATTR(drive_, stall);

static ssize_t drive_fault_show(struct config_item *item, char *page)
{
	struct zs_drive *drive = to_zs_drive(item);
	ssize_t n;

	mutex_lock(&drive->group->lock);
	n = zs_show_faults(drive, page);
	mutex_unlock(&drive->group->lock);
	return n;
}

static ssize_t drive_fault_store(struct config_item *item, const char *page,
				 size_t count)
{
	return parse_for_drive(to_zs_drive(item), page, count, zs_add_fault);
}

CONFIGFS_ATTR(drive_, fault);

static ssize_t drive_bad_sectors_show(struct config_item *item, char *page)
{
	struct zs_drive *drive = to_zs_drive(item);
	ssize_t n;

	mutex_lock(&drive->group->lock);
	n = zs_show_bad(drive, page);
	mutex_unlock(&drive->group->lock);
	return n;
}

static ssize_t drive_bad_sectors_store(struct config_item *item,
				       const char *page, size_t count)
{
	return parse_for_drive(to_zs_drive(item), page, count, zs_add_bad);
}

CONFIGFS_ATTR(drive_, bad_sectors);

static ssize_t drive_zone_cond_store(struct config_item *item,
				     const char *page, size_t count)
{
	return parse_for_drive(to_zs_drive(item), page, count, zs_change_zone);
}

CONFIGFS_ATTR_WO(drive_, zone_cond);

static ssize_t drive_flip_store(struct config_item *item, const char *page,
				size_t count)
{
	return parse_for_drive(to_zs_drive(item), page, count, zs_flip);
}

CONFIGFS_ATTR_WO(drive_, flip);

/* ---- what a drive has done --------------------------------------------- */

static ssize_t drive_counters_show(struct config_item *item, char *page)
{
	struct zs_drive *drive = to_zs_drive(item);
	unsigned int kind;
	ssize_t n = 0;

	mutex_lock(&drive->group->lock);
	for (kind = 0; kind < ZS_KINDS; kind++) {
		const struct zs_counter *counter = &drive->counters[kind];

		n += sysfs_emit_at(page, n, "%s %llu %llu %llu\n",
				   zs_kind_names[kind], counter->commands,
				   counter->sectors, counter->errors);
	}
	n += sysfs_emit_at(page, n, "fua %llu\n", drive->fua_writes);
	for (kind = 0; kind < ZS_CLASSES; kind++)
		n += sysfs_emit_at(page, n, "class%u %llu\n", kind, drive->by_class[kind]);
	for (kind = 0; kind < ZS_HINTS; kind++)
		n += sysfs_emit_at(page, n, "hint%u %llu\n", kind, drive->by_hint[kind]);
	mutex_unlock(&drive->group->lock);
	return n;
}

static ssize_t drive_counters_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct zs_drive *drive = to_zs_drive(item);

	mutex_lock(&drive->group->lock);
	memset(drive->counters, 0, sizeof(drive->counters));
	drive->fua_writes = 0;
	memset(drive->by_class, 0, sizeof(drive->by_class));
	memset(drive->by_hint, 0, sizeof(drive->by_hint));
	drive->max_in_flight = drive->nr_in_flight;
	mutex_unlock(&drive->group->lock);
	return count;
}

CONFIGFS_ATTR(drive_, counters);

static ssize_t drive_in_flight_show(struct config_item *item, char *page)
{
	struct zs_drive *drive = to_zs_drive(item);
	ssize_t n;

	mutex_lock(&drive->group->lock);
	n = sysfs_emit(page, "%u %u\n", drive->nr_in_flight,
		       drive->max_in_flight);
	mutex_unlock(&drive->group->lock);
	return n;
}

CONFIGFS_ATTR_RO(drive_, in_flight);

/* All lines have the same length, so that it is known before. */
#define ZS_LINE_FORMAT	"%10u %-9s %12llu %12llu %12llu %10u\n"
#define ZS_LINE_LENGTH	(10 + 1 + 9 + 1 + 3 * (12 + 1) + 10 + 1)

static ssize_t drive_zones_read(struct config_item *item, void *buffer,
				size_t size)
{
	struct zs_drive *drive = to_zs_drive(item);
	char line[ZS_LINE_LENGTH + 1];
	unsigned int i;

	if (!drive->zones)
		return 0;
	if (!buffer)
		return (size_t)drive->nr_zones * ZS_LINE_LENGTH;
	mutex_lock(&drive->group->lock);
	for (i = 0; i < drive->nr_zones; i++) {
		const struct zs_zone *zone = &drive->zones[i];

		snprintf(line, sizeof(line), ZS_LINE_FORMAT, i,
			 blk_zone_cond_str(zone->cond), (u64)zone->wp,
			 (u64)zone->data, (u64)zone->durable, zone->resets);
		memcpy(buffer + i * ZS_LINE_LENGTH, line, ZS_LINE_LENGTH);
	}
	mutex_unlock(&drive->group->lock);
	return (size_t)drive->nr_zones * ZS_LINE_LENGTH;
}

CONFIGFS_BIN_ATTR_RO(drive_, zones, NULL, 0);

static struct configfs_attribute *drive_attrs[] = {
	&drive_attr_nr_zones,
	&drive_attr_nr_conventional,
	&drive_attr_zone_size_kib,
	&drive_attr_zone_capacity_kib,
	&drive_attr_block_size,
	&drive_attr_physical_block_size,
	&drive_attr_write_granularity,
	&drive_attr_max_open,
	&drive_attr_max_active,
	&drive_attr_max_append_kib,
	&drive_attr_max_io_kib,
	&drive_attr_queues,
	&drive_attr_queue_depth,
	&drive_attr_write_cache,
	&drive_attr_fua,
	&drive_attr_finish_flushes,
	&drive_attr_fill,
	&drive_attr_latency_us,
	&drive_attr_jitter_us,
	&zs_attr_finish_us,
	&zs_attr_reset_us,
	&drive_attr_in_cut,
	&drive_attr_completion,
	&drive_attr_power,
	&drive_attr_state,
	&drive_attr_unplug,
	&drive_attr_stall,
	&drive_attr_fault,
	&drive_attr_bad_sectors,
	&drive_attr_zone_cond,
	&drive_attr_flip,
	&drive_attr_counters,
	&drive_attr_in_flight,
	NULL,
};

static struct configfs_bin_attribute *drive_bin_attrs[] = {
	&drive_attr_zones,
	NULL,
};

static void drive_release(struct config_item *item)
{
	struct zs_drive *drive = to_zs_drive(item);

	zs_faults_free(drive);
	xa_destroy(&drive->bad_blocks);
	zs_zones_free(drive);
	if (drive->tag_set.tags)
		blk_mq_free_tag_set(&drive->tag_set);
	config_group_put(&drive->group->group);
	kfree(drive);
	if (atomic_dec_and_test(&zs_nr_drives))
		wake_up_var(&zs_nr_drives);
}

static struct configfs_item_operations drive_ops = {
	.release	= drive_release,
};

static const struct config_item_type drive_type = {
	.ct_item_ops	= &drive_ops,
	.ct_attrs	= drive_attrs,
	.ct_bin_attrs	= drive_bin_attrs,
	.ct_owner	= THIS_MODULE,
};

/* ---- groups ------------------------------------------------------------ */

static ssize_t group_power_show(struct config_item *item, char *page)
{
	struct zs_group *group = to_zs_group(item);
	struct zs_drive *drive;
	bool on = true;

	mutex_lock(&group->lock);
	list_for_each_entry(drive, &group->drives, member)
		on = on && drive->power == ZS_ON;
	mutex_unlock(&group->lock);
	return sysfs_emit(page, "%d\n", on);
}

static ssize_t group_power_store(struct config_item *item, const char *page,
				 size_t count)
{
	struct zs_group *group = to_zs_group(item);
	struct zs_drive *drive;
	bool on;
	int ret = kstrtobool(page, &on);

	if (ret)
		return ret;
	mutex_lock(&zs_config_lock);
	if (on) {
		list_for_each_entry(drive, &group->drives, member) {
			ret = zs_power_on(drive);
			if (ret)
				break;
		}
	} else {
		mutex_lock(&group->lock);
		zs_cut_group(group);
		mutex_unlock(&group->lock);
	}
	mutex_unlock(&zs_config_lock);
	return ret ?: count;
}

CONFIGFS_ATTR(group_, power);

static ssize_t group_seed_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", to_zs_group(item)->seed);
}

static ssize_t group_seed_store(struct config_item *item, const char *page,
				size_t count)
{
	struct zs_group *group = to_zs_group(item);
	u64 seed;
	int ret = kstrtou64(page, 0, &seed);

	if (ret)
		return ret;
	mutex_lock(&group->lock);
	group->seed = seed;
	group->cuts = 0;
	mutex_unlock(&group->lock);
	return count;
}

CONFIGFS_ATTR(group_, seed);

static ssize_t group_keep_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%s\n", keep_names[to_zs_group(item)->keep]);
}

static ssize_t group_keep_store(struct config_item *item, const char *page,
				size_t count)
{
	struct zs_group *group = to_zs_group(item);
	int keep = sysfs_match_string(keep_names, page);

	if (keep < 0)
		return keep;
	mutex_lock(&group->lock);
	group->keep = keep;
	mutex_unlock(&group->lock);
	return count;
}

CONFIGFS_ATTR(group_, keep);

static ssize_t group_mark_store(struct config_item *item, const char *page,
				size_t count)
{
	struct zs_group *group = to_zs_group(item);

	mutex_lock(&group->lock);
	group->commands = 0;
	mutex_unlock(&group->lock);
	return count;
}

CONFIGFS_ATTR_WO(group_, mark);

static ssize_t group_commands_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", to_zs_group(item)->commands);
}

CONFIGFS_ATTR_RO(group_, commands);

static ssize_t group_cut_at_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", to_zs_group(item)->cut_at);
}

static ssize_t group_cut_at_store(struct config_item *item, const char *page,
				  size_t count)
{
	struct zs_group *group = to_zs_group(item);
	u64 cut_at;
	int ret = kstrtou64(page, 0, &cut_at);

	if (ret)
		return ret;
	mutex_lock(&group->lock);
	if (cut_at && cut_at <= group->commands)
		ret = -ERANGE;
	else
		group->cut_at = cut_at;
	mutex_unlock(&group->lock);
	return ret ?: count;
}

CONFIGFS_ATTR(group_, cut_at);

static ssize_t group_cut_kinds_show(struct config_item *item, char *page)
{
	struct zs_group *group = to_zs_group(item);
	const char *comma = "";
	unsigned int kind;
	ssize_t n = 0;

	for (kind = 0; kind < ZS_KINDS; kind++) {
		if (!(group->cut_kinds & BIT(kind)))
			continue;
		n += sysfs_emit_at(page, n, "%s%s", comma,
				   zs_kind_names[kind]);
		comma = ",";
	}
	return n + sysfs_emit_at(page, n, "\n");
}

static ssize_t group_cut_kinds_store(struct config_item *item,
				     const char *page, size_t count)
{
	struct zs_group *group = to_zs_group(item);
	char *text, *copy = stripped(page, count, &text);
	unsigned int kinds;
	int ret;

	if (!copy)
		return -ENOMEM;
	ret = zs_parse_kinds(text, &kinds);
	kfree(copy);
	if (ret)
		return ret;
	mutex_lock(&group->lock);
	group->cut_kinds = kinds;
	mutex_unlock(&group->lock);
	return count;
}

CONFIGFS_ATTR(group_, cut_kinds);

static ssize_t group_cuts_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%llu\n", to_zs_group(item)->cuts);
}

CONFIGFS_ATTR_RO(group_, cuts);

static ssize_t group_last_cut_show(struct config_item *item, char *page)
{
	struct zs_group *group = to_zs_group(item);
	struct zs_drive *drive;
	ssize_t n = 0;

	mutex_lock(&group->lock);
	list_for_each_entry(drive, &group->drives, member) {
		const struct zs_cut *cut = &drive->last_cut;

		n += sysfs_emit_at(page, n,
				   "%s done %u part %u lost %u zones %u sectors %llu\n",
				   drive->name, cut->done, cut->part, cut->lost,
				   cut->zones, cut->sectors);
	}
	mutex_unlock(&group->lock);
	return n;
}

CONFIGFS_ATTR_RO(group_, last_cut);

static struct configfs_attribute *group_attrs[] = {
	&group_attr_power,
	&group_attr_seed,
	&group_attr_keep,
	&group_attr_mark,
	&group_attr_commands,
	&group_attr_cut_at,
	&group_attr_cut_kinds,
	&group_attr_cuts,
	&group_attr_last_cut,
	NULL,
};

/* Drives of all groups share the names of disks. */
static bool name_is_taken(const char *name)
{
	struct zs_drive *drive;

	list_for_each_entry(drive, &zs_drives, listed)
		if (!strcmp(drive->name, name))
			return true;
	return false;
}

static struct zs_drive *drive_alloc(struct zs_group *group, const char *name)
{
	struct zs_drive *drive = kzalloc(sizeof(*drive), GFP_KERNEL);

	if (!drive)
		return NULL;
	config_item_init_type_name(&drive->item, name, &drive_type);
	strscpy(drive->name, name, sizeof(drive->name));
	drive->salt = jhash(name, strlen(name), 0);
	drive->group = group;
	config_group_get(&group->group);
	INIT_LIST_HEAD(&drive->dirty);
	INIT_LIST_HEAD(&drive->in_flight);
	INIT_LIST_HEAD(&drive->faults);
	xa_init(&drive->bad_blocks);
	atomic_inc(&zs_nr_drives);

	drive->nr_zones = 48;
	drive->zone_size_kib = 16 * 1024;
	drive->zone_capacity_kib = 12 * 1024;
	drive->block_size = 4096;
	drive->max_open = 14;
	drive->max_active = 14;
	drive->max_append_kib = 128;
	drive->max_io_kib = 1024;
	drive->queues = 1;
	drive->queue_depth = 128;
	drive->write_cache = true;
	drive->fua = true;
	drive->finish_flushes = true;
	drive->completion = ZS_SOFTIRQ;
	drive->in_cut = true;
	return drive;
}

static struct config_item *group_make_item(struct config_group *config_group,
					   const char *name)
{
	struct zs_group *group = to_zs_group(&config_group->cg_item);
	struct zs_drive *drive;
	int ret = 0;

	if (strlen(name) >= DISK_NAME_LEN)
		return ERR_PTR(-ENAMETOOLONG);
	mutex_lock(&zs_config_lock);
	if (name_is_taken(name)) {
		ret = -EEXIST;
		goto unlock;
	}
	drive = drive_alloc(group, name);
	if (!drive) {
		ret = -ENOMEM;
		goto unlock;
	}
	list_add_tail(&drive->listed, &zs_drives);
	mutex_lock(&group->lock);
	list_add_tail(&drive->member, &group->drives);
	mutex_unlock(&group->lock);
unlock:
	mutex_unlock(&zs_config_lock);
	return ret ? ERR_PTR(ret) : &drive->item;
}

static void group_drop_item(struct config_group *config_group,
			    struct config_item *item)
{
	struct zs_drive *drive = to_zs_drive(item);

	mutex_lock(&zs_config_lock);
	cut_drive(drive);
	mutex_lock(&drive->group->lock);
	list_del(&drive->member);
	mutex_unlock(&drive->group->lock);
	list_del(&drive->listed);
	zs_unplug(drive);
	mutex_unlock(&zs_config_lock);
	config_item_put(item);
}

static void group_release(struct config_item *item)
{
	kfree(to_zs_group(item));
}

static struct configfs_item_operations group_item_ops = {
	.release	= group_release,
};

static struct configfs_group_operations group_ops = {
	.make_item	= group_make_item,
	.drop_item	= group_drop_item,
};

static const struct config_item_type group_type = {
	.ct_item_ops	= &group_item_ops,
	.ct_group_ops	= &group_ops,
	.ct_attrs	= group_attrs,
	.ct_owner	= THIS_MODULE,
};

/* ---- the root ---------------------------------------------------------- */

static struct config_group *root_make_group(struct config_group *root,
					    const char *name)
{
	struct zs_group *group = kzalloc(sizeof(*group), GFP_KERNEL);

	if (!group)
		return ERR_PTR(-ENOMEM);
	config_group_init_type_name(&group->group, name, &group_type);
	mutex_init(&group->lock);
	INIT_LIST_HEAD(&group->drives);
	group->cut_kinds = (BIT(ZS_KINDS) - 1) & ~BIT(ZS_READ) &
			   ~BIT(ZS_REPORT);
	return &group->group;
}

static struct configfs_group_operations root_ops = {
	.make_group	= root_make_group,
};

static const struct config_item_type root_type = {
	.ct_group_ops	= &root_ops,
	.ct_owner	= THIS_MODULE,
};

static struct configfs_subsystem zs_subsystem = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "zonesim",
			.ci_type = &root_type,
		},
	},
};

/**
 * zs_config_init - open for configuration
 *
 * Return: 0 or an error.
 */
int zs_config_init(void)
{
	config_group_init(&zs_subsystem.su_group);
	mutex_init(&zs_subsystem.su_mutex);
	return configfs_register_subsystem(&zs_subsystem);
}

/**
 * zs_config_exit - no configuration any more, and no drives
 */
void zs_config_exit(void)
{
	configfs_unregister_subsystem(&zs_subsystem);
	wait_var_event(&zs_nr_drives, !atomic_read(&zs_nr_drives));
}
