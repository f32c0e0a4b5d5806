// SPDX-License-Identifier: GPL-2.0
/*
 * Writes far more at once than a device can take, by io_uring.
 *
 *	backlog DEVICE SECTOR KIB NR [priorities]
 *
 * NR direct writes of KIB, one behind the other from SECTOR on, are submitted without waiting
 * for any of them, all from one buffer, each with another I/O priority if wanted. When all have
 * ended they are read back. Prints how little memory was available meanwhile, in MiB.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/io_uring.h>
#include <linux/ioprio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/common.h"

#define PAGE	4096

/* What both sides of the rings change. */
static struct {
	int fd;
	u32 entries;
	u32 *sq_tail, *sq_mask, *sq_array;
	u32 *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
} ring;

static void *map_ring(size_t bytes, off_t what)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		       ring.fd, what);

	if (p == MAP_FAILED)
		err(1, "mmap of a ring");
	return p;
}

static void set_up(u32 nr)
{
	struct io_uring_params params = { 0 };
	char *sq, *cq;

	ring.fd = syscall(SYS_io_uring_setup, nr, &params);
	if (ring.fd < 0)
		err(1, "io_uring_setup");
	sq = map_ring(params.sq_off.array + params.sq_entries * sizeof(u32),
		      IORING_OFF_SQ_RING);
	cq = map_ring(params.cq_off.cqes +
		      params.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	ring.sqes = map_ring(params.sq_entries * sizeof(struct io_uring_sqe),
			     IORING_OFF_SQES);
	ring.entries = params.sq_entries;
	ring.sq_tail = (u32 *)(sq + params.sq_off.tail);
	ring.sq_mask = (u32 *)(sq + params.sq_off.ring_mask);
	ring.sq_array = (u32 *)(sq + params.sq_off.array);
	ring.cq_head = (u32 *)(cq + params.cq_off.head);
	ring.cq_tail = (u32 *)(cq + params.cq_off.tail);
	ring.cq_mask = (u32 *)(cq + params.cq_off.ring_mask);
	ring.cqes = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
}

static void submit_all(int fd, const void *buffer, u64 at, u32 bytes, u32 nr,
		       bool priorities)
{
	u32 tail = *ring.sq_tail, i, index;
	struct io_uring_sqe *sqe;
	long done;

	for (i = 0; i < nr; i++, tail++, at += bytes) {
		index = tail & *ring.sq_mask;
		sqe = &ring.sqes[index];
		*sqe = (struct io_uring_sqe){
			.opcode = IORING_OP_WRITE, .fd = fd, .off = at,
			.addr = (u64)(uintptr_t)buffer, .len = bytes, .user_data = i,
		};
		if (priorities)
			sqe->ioprio = IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, i % 8);
		ring.sq_array[index] = index;
	}
	__atomic_store_n(ring.sq_tail, tail, __ATOMIC_RELEASE);
	for (i = 0; i < nr; i += done) {
		done = syscall(SYS_io_uring_enter, ring.fd, nr - i, 0, 0, NULL, 0);
		if (done < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY)
			err(1, "io_uring_enter");
		if (done < 0)
			done = 0;
	}
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

/* Returns how many did not end well. */
static u32 reap_all(u32 nr, u32 bytes, u32 *least)
{
	u32 head, failed = 0, available;
	const struct io_uring_cqe *cqe;

	while (nr) {
		if (syscall(SYS_io_uring_enter, ring.fd, 0, 1, IORING_ENTER_GETEVENTS,
			    NULL, 0) < 0 && errno != EINTR)
			err(1, "io_uring_enter");
		head = *ring.cq_head;
		for (; head != __atomic_load_n(ring.cq_tail, __ATOMIC_ACQUIRE); head++) {
			cqe = &ring.cqes[head & *ring.cq_mask];
			if (cqe->res != (int)bytes && !failed++)
				fprintf(stderr, "backlog: write %llu: %s\n",
					(unsigned long long)cqe->user_data,
					cqe->res < 0 ? strerror(-cqe->res) : "cut off");
			nr--;
		}
		__atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
		available = available_mib();
		if (available < *least)
			*least = available;
	}
	return failed;
}

static void *memory(u32 bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap of %u bytes", bytes);
	return p;
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
	u32 bytes, nr, i, least = UINT32_MAX, failed;
	u64 *buffer, start;
	int fd;

	if (argc != 5 && argc != 6)
		errx(2, "usage: backlog DEVICE SECTOR KIB NR [priorities]");
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
	set_up(nr);
	if (nr > ring.entries)
		errx(1, "%u writes at once are more than the %u of a ring", nr,
		     ring.entries);
	submit_all(fd, buffer, start, bytes, nr, argc == 6);
	failed = reap_all(nr, bytes, &least);
	if (failed)
		errx(1, "%u of %u writes failed", failed, nr);
	verify_all(fd, buffer, start, bytes, nr);
	printf("%u\n", least);
	return 0;
}
