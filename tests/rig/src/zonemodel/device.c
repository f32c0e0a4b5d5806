// SPDX-License-Identifier: GPL-2.0
/*
 * The device: its shape and its limits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "zonemodel.h"

struct device dev;

static u64 queue_number(const char *attribute)
{
	char path[128], text[32] = "";
	struct stat st;
	FILE *f;

	fstat(dev.fd, &st);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s",
		 major(st.st_rdev), minor(st.st_rdev), attribute);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strtoull(text, NULL, 10);
}

void open_device(void)
{
	u32 zone_sectors, i, nr;
	char path[64];
	struct stat st;
	u64 bytes;

	dev.fd = open(set.device, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (dev.fd < 0)
		die("%s: %s", set.device, strerror(errno));
	if (ioctl(dev.fd, BLKGETZONESZ, &zone_sectors) ||
	    ioctl(dev.fd, BLKGETNRZONES, &nr) ||
	    ioctl(dev.fd, BLKGETSIZE64, &bytes) || !zone_sectors || !nr)
		die("%s is not a zoned block device", set.device);
	dev.zone_size = zone_sectors;
	dev.size = bytes / SECTOR;
	dev.nr_zones = nr;
	if (set.first_zone >= nr)
		die("%s has %u zones", set.device, nr);
	nr_zones = nr - set.first_zone;
	if (set.zones && set.zones < nr_zones)
		nr_zones = set.zones;
	dev.block = queue_number("logical_block_size") / SECTOR;
	if (!dev.block)
		dev.block = 8;
	dev.unit = queue_number("zone_write_granularity") / SECTOR;
	if (!dev.unit)
		dev.unit = dev.block;
	dev.max_open = queue_number("max_open_zones");
	dev.max_active = queue_number("max_active_zones");
	fstat(dev.fd, &st);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm",
		 major(st.st_rdev), minor(st.st_rdev));
	dev.strict = !set.plain && !access(path, F_OK);

	zones = calloc(nr_zones, sizeof(*zones));
	if (!zones)
		die("out of memory");
	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[i];
		struct blk_zone_report *report;

		z->number = set.first_zone + i;
		z->start = z->number * dev.zone_size;
		report = get_report(z->start, 1);
		z->cap = report->zones[0].capacity;
		free(report);
	}
}

/*
 * Do buffers have to be aligned to blocks, or to 512 bytes only?  null_blk says
 * the latter, but takes memory in pieces smaller than its blocks for something
 * else, so blocks of 4096 bytes are only tried on demand.
 */
void probe_memory_alignment(void)
{
	if (dev.unit > 1 && !set.any_memory)
		return;
	dev.memory_offset_ok = pread(dev.fd, threads[0].rbuf + SECTOR,
				     dev.unit * SECTOR,
				     zones[0].start * SECTOR) ==
			       (ssize_t)(dev.unit * SECTOR);
}

/* Zones outside of the model count against the limits too. */
void count_foreign_zones(void)
{
	struct blk_zone_report *report = get_report(0, dev.nr_zones);
	u32 i;

	for (i = 0; i < report->nr_zones; i++) {
		u8 cond = report->zones[i].cond;

		if (i >= set.first_zone && i < set.first_zone + nr_zones)
			continue;
		if (cond == BLK_ZONE_COND_EXP_OPEN)
			nr_explicit++;
		if (cond == BLK_ZONE_COND_IMP_OPEN ||
		    cond == BLK_ZONE_COND_EXP_OPEN ||
		    cond == BLK_ZONE_COND_CLOSED)
			nr_active++;
	}
	free(report);
}
