// SPDX-License-Identifier: GPL-2.0
/*
 * reset_alls - what is written after resets of all zones that came at once is there
 *
 * Usage: reset_alls DEVICE ROUNDS SAME...
 *
 * SAME are devices that stand for all of DEVICE, as dm-linear makes them: the kernel has
 * resets of one device wait for each other. In each of ROUNDS one thread for each of them
 * resets all zones, all at the same time. When the last reset has returned, each writes to
 * some zones at once; in the end the write pointers must be where the writes have put them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK		4096U
#define MAX_DEVICES	8
#define ZONES		2U		/* that each thread writes to */

static int fds[MAX_DEVICES];
static uint32_t zone_sectors, nr_zones, nr_devices;
static unsigned long rounds;
static pthread_barrier_t barrier;
static void *data;

static void die(const char *what)
{
	fprintf(stderr, "reset_alls: FAILED: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t zone_start(uint32_t zone)
{
	return (uint64_t)zone * zone_sectors;
}

/* The last zones, one thread's beside the other's. */
static uint32_t own_zone(uint32_t thread, uint32_t i)
{
	return nr_zones - 1 - i * nr_devices - thread;
}

static void check_zone(uint32_t zone, unsigned long round)
{
	union {
		struct blk_zone_report head;
		char bytes[sizeof(struct blk_zone_report) +
			   sizeof(struct blk_zone)];
	} report = { .head = { .sector = zone_start(zone), .nr_zones = 1 } };

	if (ioctl(fds[0], BLKREPORTZONE, &report.head))
		die("report");
	if (report.head.zones[0].wp == zone_start(zone) + BLOCK / 512)
		return;
	fprintf(stderr, "reset_alls: FAILED: round %lu: zone %u was written and its write pointer is %llu sectors behind its start\n",
		round, zone,
		(unsigned long long)(report.head.zones[0].wp - zone_start(zone)));
	exit(1);
}

static void *run(void *arg)
{
	struct blk_zone_range all = {
		.nr_sectors = zone_start(nr_zones),
	};
	uint32_t self = (uintptr_t)arg, i;
	unsigned long round;

	for (round = 0; round < rounds; round++) {
		pthread_barrier_wait(&barrier);
		if (ioctl(fds[self], BLKRESETZONE, &all))
			die("reset of all zones");
		pthread_barrier_wait(&barrier);
		for (i = 0; i < ZONES; i++)
			if (pwrite(fds[0], data, BLOCK,
				   zone_start(own_zone(self, i)) * 512) != BLOCK)
				die("write");
		pthread_barrier_wait(&barrier);
		for (i = 0; i < ZONES; i++)
			check_zone(own_zone(self, i), round);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MAX_DEVICES];
	uint32_t i;

	nr_devices = argc - 2;
	if (argc < 4 || nr_devices > MAX_DEVICES) {
		fprintf(stderr, "usage: reset_alls DEVICE ROUNDS SAME...\n");
		return 2;
	}
	rounds = strtoul(argv[2], NULL, 0);
	for (i = 0; i < nr_devices; i++) {
		fds[i] = open(argv[i ? i + 2 : 1], O_RDWR | O_DIRECT);
		if (fds[i] < 0)
			die(argv[i ? i + 2 : 1]);
	}
	if (ioctl(fds[0], BLKGETZONESZ, &zone_sectors) ||
	    ioctl(fds[0], BLKGETNRZONES, &nr_zones))
		die("size");
	data = aligned_alloc(BLOCK, BLOCK);
	if (!data || nr_zones < nr_devices * ZONES) {
		fprintf(stderr, "reset_alls: %u zones are too few\n", nr_zones);
		return 2;
	}
	memset(data, 0x5a, BLOCK);
	pthread_barrier_init(&barrier, NULL, nr_devices);
	for (i = 0; i < nr_devices; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i))
			die("thread");
	for (i = 0; i < nr_devices; i++)
		pthread_join(threads[i], NULL);
	printf("reset_alls: %u at once, %lu rounds\n", nr_devices, rounds);
	return 0;
}
