// SPDX-License-Identifier: GPL-2.0
/*
 * Reading devices, and telling of mistakes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "parity_check.h"

#define MAX_MESSAGES	20

void wrong(const char *format, ...)
{
	va_list args;

	if (tally.errors++ >= MAX_MESSAGES)
		return;
	fputs("parity_check: ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

void die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("parity_check: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

void *pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

void read_sectors(int fd, const char *path, void *buf, u64 sector,
		  u64 nr)
{
	ssize_t ret = pread(fd, buf, nr * SECTOR, sector * SECTOR);

	if (ret != (ssize_t)(nr * SECTOR))
		die("%s: read of %" PRIu64 " sectors at %" PRIu64 ": %s", path,
		    nr, sector, ret < 0 ? strerror(errno) : "short");
}

struct blk_zone *report(int fd, const char *path, u32 *nr)
{
	struct blk_zone_report *rep;
	struct blk_zone *zones;
	u32 total, done = 0;

	if (ioctl(fd, BLKGETNRZONES, &total) || !total)
		die("%s is not a zoned device", path);
	zones = calloc(total, sizeof(*zones));
	rep = calloc(1, sizeof(*rep) + total * sizeof(*zones));
	if (!zones || !rep)
		die("out of memory");
	while (done < total) {
		rep->sector = done ? zones[done - 1].start +
				     zones[done - 1].len : 0;
		rep->nr_zones = total - done;
		if (ioctl(fd, BLKREPORTZONE, rep) || !rep->nr_zones)
			die("%s: zone report: %s", path, strerror(errno));
		memcpy(zones + done, rep->zones,
		       rep->nr_zones * sizeof(*zones));
		done += rep->nr_zones;
	}
	free(rep);
	*nr = total;
	return zones;
}

/* Sectors written in a zone; the whole capacity of a full one. */
u64 written(const struct blk_zone *zone)
{
	switch (zone->cond) {
	case BLK_ZONE_COND_EMPTY:
		return 0;
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
	case BLK_ZONE_COND_CLOSED:
		return zone->wp - zone->start;
	default:
		return zone->capacity;
	}
}
