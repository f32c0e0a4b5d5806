// SPDX-License-Identifier: GPL-2.0
/*
 * Writes far more at once than a device can take, by io_uring.
 *
 *	backlog DEVICE SECTOR KIB NR [priorities | halves]
 *
 * NR direct writes of KIB, one behind the other from SECTOR on, are submitted without waiting
 * for any of them, all from one buffer, each with another I/O priority if wanted; or one half
 * of them at once, and the other when a quarter of these have ended. When all have ended they
 * are read back. Prints how little memory was available meanwhile, in MiB.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/ioprio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/memory.h"
#include "lib/ring.h"

#define PAGE	4096

static struct ring ring;

/* Those of the numbers @from to before @to; number 0 is at byte @at. */
static void submit(int fd, const void *buffer, u64 at, u32 bytes, u32 from, u32 to,
		   bool priorities)
{
	u32 i;

	for (i = from; i < to; i++) {
		struct io_uring_sqe sqe = {
			.opcode = IORING_OP_WRITE, .fd = fd,
			.off = at + (u64)i * bytes,
			.addr = (u64)(uintptr_t)buffer, .len = bytes, .user_data = i,
		};

		if (priorities)
			sqe.ioprio = IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, i % 8);
		ring_add(&ring, &sqe);
	}
	ring_submit(&ring, to - from);
}

static u32 available_mib(void)
{
	static char text[512];
	const char *found;
	ssize_t n;
	int fd = open("/proc/meminfo", O_RDONLY);

	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n < 0)
		err(1, "/proc/meminfo");
	text[n] = 0;
	found = strstr(text, "MemAvailable:");
	return found ? strtoul(found + 13, NULL, 10) >> 10 : 0;
}

/* Returns how many of @nr did not end well. */
static u32 reap(u32 nr, u32 bytes, u32 *least)
{
	struct io_uring_cqe cqe;
	u32 failed = 0, available;

	while (nr) {
		ring_wait(&ring);
		for (; nr && ring_take(&ring, &cqe); nr--) {
			if (cqe.res != (int)bytes && !failed++)
				fprintf(stderr, "backlog: write %llu: %s\n",
					(unsigned long long)cqe.user_data,
					cqe.res < 0 ? strerror(-cqe.res) : "cut off");
		}
		available = available_mib();
		if (available < *least)
			*least = available;
	}
	return failed;
}

static void verify_all(int fd, const void *buffer, u64 at, u32 bytes, u32 nr)
{
	void *got = memory(bytes);

	for (; nr--; at += bytes) {
		if (pread(fd, got, bytes, at) != (ssize_t)bytes)
			err(1, "read at %" PRIu64, at);
		if (memcmp(got, buffer, bytes))
			errx(1, "wrong data at %" PRIu64, at);
	}
}

int main(int argc, char **argv)
{
	u32 bytes, nr, i, first, early, least = UINT32_MAX, failed;
	bool priorities, halves;
	u64 *buffer, start;
	int fd;

	priorities = argc == 6 && !strcmp(argv[5], "priorities");
	halves = argc == 6 && !strcmp(argv[5], "halves");
	if (argc != 5 && !priorities && !halves)
		errx(2, "usage: backlog DEVICE SECTOR KIB NR [priorities | halves]");
	start = strtoull(argv[2], NULL, 0) * SECTOR;
	bytes = strtoul(argv[3], NULL, 0) << 10;
	nr = strtoul(argv[4], NULL, 0);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[1]);
	/* Simulated drives keep pages of one word without memory. */
	buffer = memory(bytes);
	for (i = 0; i < bytes / sizeof(*buffer); i++)
		buffer[i] = mix(i / (PAGE / sizeof(*buffer)) + 1) >> 1;
	ring_init(&ring, nr, 0);
	if (nr > ring.entries)
		errx(1, "%u writes at once are more than the %u of a ring", nr,
		     ring.entries);
	first = halves ? nr / 2 : nr;
	early = halves ? first / 4 : 0;
	submit(fd, buffer, start, bytes, 0, first, priorities);
	failed = reap(early, bytes, &least);
	submit(fd, buffer, start, bytes, first, nr, priorities);
	failed += reap(nr - early, bytes, &least);
	if (failed)
		errx(1, "%u of %u writes failed", failed, nr);
	verify_all(fd, buffer, start, bytes, nr);
	printf("%u\n", least);
	return 0;
}
