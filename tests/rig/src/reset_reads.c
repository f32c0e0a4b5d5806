// SPDX-License-Identifier: GPL-2.0
/*
 * reset_reads - reads of one zone while it is written and reset again and again
 *
 * Usage: reset_reads DEVICE ZONE LIVES
 *
 * One thread writes as much of the zone as chance wants, finishes it at times, and
 * resets it; LIVES times.  Others read what is written meanwhile.  Every block names
 * its place and the life it was written in, so a read has to return, block by block,
 *  - what was written, if nothing was reset from its begin to its end;
 *  - otherwise that, or zeros, or blocks of a life that was not over when it began.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BLOCK		4096U
#define WORDS		(BLOCK / sizeof(uint64_t))
#define MAX_BLOCKS	64U
#define READERS		3

static int fd;
static uint64_t start, zone_bytes;
static unsigned int capacity;		/* blocks */

/* Twice the number of the life, and one more while it is reset. */
static atomic_ulong epoch = 2;
static atomic_uint written;		/* blocks of this life that are there */
static atomic_bool over;
static atomic_ulong nr_reads, nr_raced;

static void die(const char *what)
{
	fprintf(stderr, "reset_reads: %s: %s\n", what, strerror(errno));
	exit(2);
}

static void *buffer(void)
{
	void *buf = aligned_alloc(BLOCK, MAX_BLOCKS * BLOCK);

	if (!buf)
		die("memory");
	return buf;
}

static void zone_op(unsigned long op, const char *what)
{
	struct blk_zone_range range = {
		.sector = start >> 9, .nr_sectors = zone_bytes >> 9,
	};

	if (ioctl(fd, op, &range))
		die(what);
}

static void fill(uint64_t *block, uint64_t life, uint64_t number)
{
	unsigned int i;

	for (i = 0; i < WORDS; i += 2) {
		block[i] = life;
		block[i + 1] = number;
	}
}

/* One block as it was read: 0: zeros, else the life it is from; UINT64_MAX: garbage. */
static uint64_t life_of(const uint64_t *block, uint64_t number)
{
	unsigned int i;

	for (i = 0; i < WORDS; i += 2)
		if (block[i] != block[0] ||
		    block[i + 1] != (block[0] ? number : 0))
			return UINT64_MAX;
	return block[0];
}

static void check(const uint64_t *buf, unsigned int first, unsigned int nr,
		  unsigned long before, unsigned long after, unsigned int there)
{
	unsigned int i;
	uint64_t life;
	int still;

	for (i = 0; i < nr; i++) {
		life = life_of(buf + i * WORDS, first + i);
		still = before == after && !(before & 1) && first + i < there;
		if (still ? life == before / 2 :
		    !life || (life >= before / 2 && life <= after / 2))
			continue;
		fprintf(stderr,
			"reset_reads: FAILED: block %u, epoch %lu to %lu, %u blocks written: it reads 0x%" PRIx64 " 0x%" PRIx64 "\n",
			first + i, before, after, there, buf[i * WORDS],
			buf[i * WORDS + 1]);
		exit(1);
	}
}

static void *reader(void *arg)
{
	unsigned int seed = (uintptr_t)arg, there, first, nr;
	unsigned long before, after;
	uint64_t *buf = buffer();

	while (!atomic_load(&over)) {
		before = atomic_load(&epoch);
		there = atomic_load(&written);
		if (before != atomic_load(&epoch))
			continue;
		/* Most are of the end, where parity is not in place yet. */
		nr = 1 + rand_r(&seed) % MAX_BLOCKS;
		first = there > nr && rand_r(&seed) % 4 ? there - nr :
			rand_r(&seed) % (there + 1);
		if (first + nr > capacity)
			nr = capacity - first;
		if (!nr)
			continue;
		if (pread(fd, buf, nr * BLOCK, start + first * BLOCK) !=
		    (ssize_t)(nr * BLOCK))
			die("read");
		after = atomic_load(&epoch);
		check(buf, first, nr, before, after, there);
		atomic_fetch_add(&nr_reads, 1);
		if (before != after)
			atomic_fetch_add(&nr_raced, 1);
	}
	free(buf);
	return NULL;
}

static void one_life(uint64_t *buf, uint64_t life, unsigned int *seed)
{
	unsigned int end = 1 + rand_r(seed) % capacity;
	unsigned int at = 0, nr, i;

	while (at < end) {
		nr = 1 + rand_r(seed) % MAX_BLOCKS;
		if (nr > end - at)
			nr = end - at;
		for (i = 0; i < nr; i++)
			fill(buf + i * WORDS, life, at + i);
		if (pwrite(fd, buf, nr * BLOCK, start + at * BLOCK) !=
		    (ssize_t)(nr * BLOCK))
			die("write");
		at += nr;
		atomic_store(&written, at);
	}
	if (rand_r(seed) % 4 == 0)
		zone_op(BLKFINISHZONE, "finish");
	atomic_fetch_add(&epoch, 1);
	atomic_store(&written, 0);
	zone_op(BLKRESETZONE, "reset");
	atomic_fetch_add(&epoch, 1);
}

static void find_zone(const char *number)
{
	struct blk_zone_report *report =
		calloc(1, sizeof(*report) + sizeof(struct blk_zone));
	uint32_t sectors;

	if (!report || ioctl(fd, BLKGETZONESZ, &sectors))
		die("zone size");
	zone_bytes = (uint64_t)sectors << 9;
	start = strtoull(number, NULL, 0) * zone_bytes;
	report->sector = start >> 9;
	report->nr_zones = 1;
	if (ioctl(fd, BLKREPORTZONE, report))
		die("zone report");
	capacity = (report->flags & 1 ? report->zones[0].capacity : sectors) /
		   (BLOCK >> 9);
	free(report);
}

int main(int argc, char **argv)
{
	unsigned int seed = 1;
	pthread_t threads[READERS];
	unsigned long lives, i;
	uint64_t *buf;

	if (argc != 4) {
		fprintf(stderr, "usage: reset_reads DEVICE ZONE LIVES\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		die(argv[1]);
	find_zone(argv[2]);
	lives = strtoul(argv[3], NULL, 0);
	zone_op(BLKRESETZONE, "reset");
	for (i = 0; i < READERS; i++)
		if (pthread_create(&threads[i], NULL, reader, (void *)(i + 1)))
			die("thread");
	buf = buffer();
	for (i = 1; i <= lives; i++)
		one_life(buf, i, &seed);
	atomic_store(&over, 1);
	for (i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	if (!atomic_load(&nr_raced)) {
		fprintf(stderr, "reset_reads: FAILED: no read was beside a reset\n");
		return 1;
	}
	printf("reset_reads: %lu lives, %lu reads, %lu of them beside a reset\n",
	       lives, atomic_load(&nr_reads), atomic_load(&nr_raced));
	return 0;
}
