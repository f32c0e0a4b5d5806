// SPDX-License-Identifier: GPL-2.0
/*
 * fingerprint - one line that tells whether drives were changed
 *
 * Usage: fingerprint DEVICE...
 *        fingerprint --volume NR DEVICE
 *
 * A drive's fingerprint is made of the report of all its zones, of every sector that is
 * written in sequential zones, and of the first MiB of conventional ones; of a drive
 * without zones, of its first MiB.
 *
 * A volume's is made of what users get: of each of the first NR zones whether it is full,
 * else its write pointer, and the data of its whole capacity. Whether a zone is open or
 * closed is left out.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PIECE	(1U << 20)
#define BATCH	512U		/* zones of one report */

static const char *path;
static int fd;
static uint64_t *buffer, sum;

static void die(const char *what)
{
	fprintf(stderr, "fingerprint: %s: %s: %s\n", path, what, strerror(errno));
	exit(1);
}

static void add(uint64_t word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ULL;
	sum ^= sum >> 29;
}

static void add_data(uint64_t sector, uint64_t nr_sectors)
{
	uint64_t at = sector << 9, end = at + (nr_sectors << 9);
	ssize_t got, i;

	while (at < end) {
		got = pread(fd, buffer, end - at < PIECE ? end - at : PIECE, at);
		if (got <= 0)
			die("read");
		for (i = 0; i < got / 8; i++)
			add(buffer[i]);
		at += got;
	}
}

static void add_drive_zone(const struct blk_zone *zone, uint64_t capacity)
{
	add(zone->start);
	add(zone->len);
	add(zone->wp);
	add(zone->type);
	add(zone->cond);
	add(capacity);
	if (zone->type == BLK_ZONE_TYPE_CONVENTIONAL)
		add_data(zone->start, PIECE >> 9);
	else if (zone->cond == BLK_ZONE_COND_FULL)
		add_data(zone->start, capacity);
	else if (zone->cond != BLK_ZONE_COND_READONLY &&
		 zone->cond != BLK_ZONE_COND_OFFLINE && zone->wp > zone->start)
		add_data(zone->start, zone->wp - zone->start);
}

static void add_volume_zone(const struct blk_zone *zone, uint64_t capacity)
{
	add(zone->cond == BLK_ZONE_COND_FULL ? UINT64_MAX : zone->wp - zone->start);
	add_data(zone->start, capacity);
}

/* Zones up to @nr, each added by @add_zone. */
static void add_zones(uint32_t nr, void (*add_zone)(const struct blk_zone *, uint64_t))
{
	static struct {
		struct blk_zone_report head;
		struct blk_zone zones[BATCH];
	} report;
	uint64_t next = 0;
	uint32_t i;

	while (nr) {
		report.head.sector = next;
		report.head.nr_zones = nr < BATCH ? nr : BATCH;
		if (ioctl(fd, BLKREPORTZONE, &report) || !report.head.nr_zones)
			die("report of zones");
		for (i = 0; i < report.head.nr_zones; i++) {
			const struct blk_zone *zone = &report.zones[i];

			add_zone(zone, report.head.flags & BLK_ZONE_REP_CAPACITY ?
				       zone->capacity : zone->len);
			next = zone->start + zone->len;
		}
		nr -= report.head.nr_zones;
	}
}

int main(int argc, char **argv)
{
	bool volume = argc == 4 && !strcmp(argv[1], "--volume");
	uint32_t nr_zones;
	int i;

	if (posix_memalign((void **)&buffer, 4096, PIECE))
		return 1;
	for (i = volume ? 3 : 1; i < argc; i++) {
		path = argv[i];
		fd = open(path, O_RDONLY | O_DIRECT);
		if (fd < 0)
			die("open");
		if (ioctl(fd, BLKGETNRZONES, &nr_zones))
			nr_zones = 0;
		if (volume)
			add_zones(strtoul(argv[2], NULL, 0), add_volume_zone);
		else if (nr_zones)
			add_zones(nr_zones, add_drive_zone);
		else
			add_data(0, PIECE >> 9);
		close(fd);
	}
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
