// SPDX-License-Identifier: GPL-2.0
/*
 * active_zones - is a zone's place among the active ones free when its user hears so?
 *
 * Usage: active_zones DEVICE THREADS LIVES [SECTORS]
 *
 * As many threads as zones may be active, each with one such zone at a time, which it
 * opens, writes, finishes, fills, closes and resets; LIVES times each, in zones of its
 * own. Whenever one is over, the next one may begin at once, so nothing may ever fail.
 * Zones are filled by writing when their capacity is no more than SECTORS (4096).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK		4096U
#define CHUNK		(128U * BLOCK)
#define MAX_THREADS	256

static int fd;
static uint32_t zone_sectors, nr_zones, nr_threads;
static uint64_t capacity;		/* bytes */
static unsigned long lives;
static bool fills;
static void *data;

static void die(const char *what, uint32_t zone)
{
	fprintf(stderr, "active_zones: FAILED: %s of zone %u: %s\n", what, zone,
		strerror(errno));
	exit(1);
}

static void zone_op(unsigned long op, const char *what, uint32_t zone)
{
	struct blk_zone_range range = {
		.sector = (uint64_t)zone * zone_sectors,
		.nr_sectors = zone_sectors,
	};

	if (ioctl(fd, op, &range))
		die(what, zone);
}

static void write_up_to(uint32_t zone, uint64_t end)
{
	uint64_t start = (uint64_t)zone * zone_sectors << 9, at, n;

	for (at = 0; at < end; at += n) {
		n = end - at < CHUNK ? end - at : CHUNK;
		if (pwrite(fd, data, n, start + at) != (ssize_t)n)
			die("write", zone);
	}
}

/* From empty to a state that needs no place, by one of the ways there are. */
static void one_life(uint32_t zone, unsigned int *seed)
{
	unsigned int dice = rand_r(seed) % 16;

	if (dice % 2)
		zone_op(BLKOPENZONE, "open", zone);
	if (dice < 6)
		write_up_to(zone, BLOCK * (1 + rand_r(seed) % 16));
	if (dice == 6 && fills)
		write_up_to(zone, capacity);
	else if (dice < 8)
		zone_op(dice < 4 ? BLKRESETZONE : BLKFINISHZONE,
			dice < 4 ? "reset" : "finish", zone);
	else if (dice == 9)
		zone_op(BLKCLOSEZONE, "close", zone);
	else
		zone_op(BLKRESETZONE, "reset of nothing", zone);
}

static void *run(void *arg)
{
	uint32_t first = (uintptr_t)arg;
	unsigned int seed = first + 1;
	uint32_t own = (nr_zones - first + nr_threads - 1) / nr_threads;
	unsigned long i;
	uint32_t zone;

	for (i = 0; i < lives; i++) {
		zone = first + i / 8 % own * nr_threads;
		/* It may be full, which takes no place. */
		zone_op(BLKRESETZONE, "reset", zone);
		one_life(zone, &seed);
	}
	return NULL;
}

static void look_at_device(uint64_t most)
{
	struct blk_zone_report *report =
		calloc(1, sizeof(*report) + sizeof(struct blk_zone));

	if (!report || ioctl(fd, BLKGETZONESZ, &zone_sectors) ||
	    ioctl(fd, BLKGETNRZONES, &nr_zones))
		die("size", 0);
	report->nr_zones = 1;
	if (ioctl(fd, BLKREPORTZONE, report))
		die("report", 0);
	capacity = (report->flags & 1 ? report->zones[0].capacity :
		    zone_sectors) << 9;
	fills = capacity >> 9 <= most;
	free(report);
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_THREADS];
	uint32_t i;

	if (argc < 4 || argc > 5) {
		fprintf(stderr, "usage: active_zones DEVICE THREADS LIVES [SECTORS]\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		die(argv[1], 0);
	nr_threads = strtoul(argv[2], NULL, 0);
	lives = strtoul(argv[3], NULL, 0);
	look_at_device(argc > 4 ? strtoull(argv[4], NULL, 0) : 4096);
	data = aligned_alloc(BLOCK, CHUNK);
	if (!data || !nr_threads || nr_threads > MAX_THREADS ||
	    nr_threads * 2 > nr_zones) {
		fprintf(stderr, "active_zones: %u threads, %u zones\n",
			nr_threads, nr_zones);
		return 2;
	}
	memset(data, 0x5a, CHUNK);
	for (i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i))
			die("thread", i);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	printf("active_zones: %u threads, %lu lives each\n", nr_threads, lives);
	return 0;
}
