// SPDX-License-Identifier: GPL-2.0
/*
 * zone_resets - resets zones that hold a block, many times
 *
 * Usage: zone_resets DEVICE FIRST ZONES RESETS
 *
 * Takes ZONES zones of DEVICE from zone FIRST on in turn: a block is written to a zone, then the zone
 * is reset, RESETS times in all.  In the end all of them are empty.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK	4096U

int main(int argc, char **argv)
{
	struct blk_zone_range range = { };
	uint32_t zone_sectors;
	unsigned long first, zones, resets, i;
	void *data;
	int fd;

	if (argc != 5) {
		fprintf(stderr, "usage: zone_resets DEVICE FIRST ZONES RESETS\n");
		return 2;
	}
	first = strtoul(argv[2], NULL, 0);
	zones = strtoul(argv[3], NULL, 0);
	resets = strtoul(argv[4], NULL, 0);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0 || !zones || ioctl(fd, BLKGETZONESZ, &zone_sectors))
		err(1, "%s", argv[1]);
	data = aligned_alloc(BLOCK, BLOCK);
	if (!data)
		err(1, "memory");
	memset(data, 0x5a, BLOCK);
	range.nr_sectors = zone_sectors;
	for (i = 0; i < resets; i++) {
		range.sector = (first + i % zones) * zone_sectors;
		if (pwrite(fd, data, BLOCK, (off_t)range.sector * 512) != BLOCK)
			err(1, "write number %lu", i);
		if (ioctl(fd, BLKRESETZONE, &range))
			err(1, "reset number %lu", i);
	}
	printf("zone_resets: %lu\n", resets);
	return 0;
}
