// SPDX-License-Identifier: GPL-2.0
/*
 * The time that a drive takes to finish and to reset zones.
 *
 * Two attributes of a drive, finish_us and reset_us, hold points of a curve:
 * microseconds by how full the zone is, in percent of its capacity.  Between two
 * points the time is interpolated linearly; before the first and after the last it
 * is that of the nearest one.
 *
 * What is modelled:
 *  - A zone is as full as it is when the command arrives; an empty one has 0
 *    percent, a finished one 100, whatever was written to it.
 *  - A drive carries out one of these commands at a time, in the order of arrival.
 *    This is an assumption.  Published figures of about one finish a second agree
 *    with it; of several resets at once none were found.
 *  - A reset of all zones takes as long as resets of all that are not empty.
 *  - All other commands go on meanwhile, at their own speed.
 *
 * What is not modelled:
 *  - On drives that were measured these commands slow reads and writes down
 *    (Doekemeijer et al., "Exploring I/O Management Performance in ZNS with
 *    ConfZNS++", SYSTOR 2024).
 *  - The times are means; nothing varies them but jitter_us, which comes on top as
 *    for all commands.
 *
 * All functions but those of the attributes are called with zs_group.lock held.
 */
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "zonesim.h"

/* Ten minutes.  The interpolation does not overflow with that. */
#define ZS_LONGEST_US	600000000

static u64 us_at(const struct zs_curve *curve, const struct zs_zone *zone)
{
	const struct zs_point *point = curve->points;
	u64 full = 100 * (u64)min(zone->wp, zone->cap);	/* percent of @cap */
	u64 cap = zone->cap;
	unsigned int i = 0;
	s64 rise;

	while (i < curve->nr && full > point[i].percent * cap)
		i++;
	if (!i)
		return point[0].us;
	if (i == curve->nr)
		return point[i - 1].us;
	rise = (s64)point[i].us - point[i - 1].us;
	return point[i - 1].us +
	       div64_s64(rise * (s64)(full - point[i - 1].percent * cap),
			 (point[i].percent - point[i - 1].percent) * cap);
}

static u64 us_of_all(const struct zs_drive *drive)
{
	unsigned int i;
	u64 us = 0;

	for (i = drive->nr_conventional; i < drive->nr_zones; i++)
		if (drive->zones[i].wp)
			us += us_at(&drive->reset_us, &drive->zones[i]);
	return us;
}

/**
 * zs_zone_time - how long a zone command takes that arrives now
 * @drive:	drive
 * @cmd:	command of any kind
 *
 * Return: time until it is over, that of the commands before it included; 0 if it is not
 * a finish or a reset, or if the drive has no times for them.
 */
ktime_t zs_zone_time(struct zs_drive *drive, const struct zs_cmd *cmd)
{
	const struct zs_curve *curve = cmd->kind == ZS_FINISH ?
				       &drive->finish_us : &drive->reset_us;
	ktime_t now;
	u64 us;

	if (cmd->kind != ZS_FINISH && cmd->kind != ZS_RESET &&
	    cmd->kind != ZS_RESET_ALL)
		return 0;
	if (!curve->nr)
		return 0;
	us = cmd->kind == ZS_RESET_ALL ?
	     us_of_all(drive) : us_at(curve, zs_zone_of(drive, cmd->sector));
	now = ktime_get();
	drive->zones_idle_at = ktime_add_us(max(now, drive->zones_idle_at), us);
	return ktime_sub(drive->zones_idle_at, now);
}

/**
 * zs_zones_idle - the zone commands in flight are given up
 * @drive:	drive
 */
void zs_zones_idle(struct zs_drive *drive)
{
	drive->zones_idle_at = 0;
}

/* ---- attributes -------------------------------------------------------- */

/* "PERCENT:MICROSECONDS", ascending by percent. */
static int parse_point(char *word, struct zs_curve *curve)
{
	struct zs_point *point = &curve->points[curve->nr];
	char *us = strchr(word, ':');
	int ret;

	if (!us || curve->nr == ARRAY_SIZE(curve->points))
		return -EINVAL;
	*us++ = '\0';
	ret = kstrtouint(word, 10, &point->percent) ?:
	      kstrtouint(us, 10, &point->us);
	if (ret)
		return ret;
	if (point->percent > 100 || point->us > ZS_LONGEST_US)
		return -ERANGE;
	if (curve->nr && point->percent <= point[-1].percent)
		return -EINVAL;
	curve->nr++;
	return 0;
}

/* Points with spaces or commas between them; none for a drive that takes no time. */
static int parse_curve(char *text, struct zs_curve *curve)
{
	char *word;
	int ret = 0;

	curve->nr = 0;
	while (!ret && (word = strsep(&text, " ,\t\n")))
		if (*word)
			ret = parse_point(word, curve);
	return ret;
}

static ssize_t store_curve(struct config_item *item, const char *page,
			   size_t count, size_t offset)
{
	struct zs_drive *drive = container_of(item, struct zs_drive, item);
	char *text = kstrndup(page, count, GFP_KERNEL);
	struct zs_curve curve;
	int ret;

	if (!text)
		return -ENOMEM;
	ret = parse_curve(text, &curve);
	kfree(text);
	if (ret)
		return ret;
	mutex_lock(&drive->group->lock);
	*(struct zs_curve *)((void *)drive + offset) = curve;
	mutex_unlock(&drive->group->lock);
	return count;
}

static ssize_t show_curve(struct config_item *item, char *page, size_t offset)
{
	struct zs_drive *drive = container_of(item, struct zs_drive, item);
	const struct zs_curve *curve = (void *)drive + offset;
	unsigned int i;
	ssize_t n = 0;

	mutex_lock(&drive->group->lock);
	for (i = 0; i < curve->nr; i++)
		n += sysfs_emit_at(page, n, "%s%u:%u", i ? " " : "",
				   curve->points[i].percent,
				   curve->points[i].us);
	mutex_unlock(&drive->group->lock);
	return n + sysfs_emit_at(page, n, "\n");
}

static ssize_t finish_us_show(struct config_item *item, char *page)
{
	return show_curve(item, page, offsetof(struct zs_drive, finish_us));
}

static ssize_t finish_us_store(struct config_item *item, const char *page,
			       size_t count)
{
	return store_curve(item, page, count,
			   offsetof(struct zs_drive, finish_us));
}

struct configfs_attribute zs_attr_finish_us = {
	.ca_name	= "finish_us",
	.ca_mode	= 0644,
	.ca_owner	= THIS_MODULE,
	.show		= finish_us_show,
	.store		= finish_us_store,
};

static ssize_t reset_us_show(struct config_item *item, char *page)
{
	return show_curve(item, page, offsetof(struct zs_drive, reset_us));
}

static ssize_t reset_us_store(struct config_item *item, const char *page,
			      size_t count)
{
	return store_curve(item, page, count,
			   offsetof(struct zs_drive, reset_us));
}

struct configfs_attribute zs_attr_reset_us = {
	.ca_name	= "reset_us",
	.ca_mode	= 0644,
	.ca_owner	= THIS_MODULE,
	.show		= reset_us_show,
	.store		= reset_us_store,
};
