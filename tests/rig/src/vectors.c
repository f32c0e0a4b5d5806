// SPDX-License-Identifier: GPL-2.0
/*
 * Direct reads and writes whose memory has an odd shape.
 *
 *	vectors write DEVICE SECTOR NR COUNT BYTES PLACE [dsync]
 *	vectors read DEVICE SECTOR NR COUNT BYTES PLACE
 *	vectors try DEVICE COUNT BYTES PLACE
 *
 * NR requests of COUNT vectors of BYTES each, one behind the other. The first one is behind
 * one block by itself at SECTOR, where an empty zone begins: so none of them begins where a
 * page, a stripe unit or a stripe does. PLACE says where in memory the vectors are:
 *
 *	odd	in pages of their own, each at another multiple of 512 that is none of 4096
 *	NUMBER	the only one, so many bytes behind the begin of 2 MiB that are one folio
 *
 * What is written follows from its place on the device. "read" compares with that what it
 * reads in this way, and what it reads as one vector. "try" reads the begin of the device in
 * this way, and compares nothing. The exit status is 3 if this machine has no such memory.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

#include "lib/ring.h"

#define PAGE		4096UL
#define HUGE		(2UL << 20)
#define MOST		1024U	/* vectors of a request */
#define ENTRIES		(HUGE / sizeof(struct io_uring_sqe))

static struct iovec vectors[MOST];
static size_t bytes;		/* of each */
static unsigned int count;
static u64 *expected, *plain;	/* of a whole request */
static int fd;

static void *map(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

static void *memory(size_t size)
{
	void *p = map(size, 0);

	if (!p)
		err(1, "mmap of %zu bytes", size);
	return p;
}

/* Do all of its pages follow each other in the machine's memory? */
static bool is_contiguous(char *p)
{
	int pagemap = open("/proc/self/pagemap", O_RDONLY);
	u64 frames[HUGE / PAGE], i;

	memset(p, 1, HUGE);
	if (pagemap < 0 || pread(pagemap, frames, sizeof(frames),
				 (uintptr_t)p / PAGE * sizeof(*frames)) != sizeof(frames))
		err(1, "/proc/self/pagemap");
	close(pagemap);
	for (i = 1; i < HUGE / PAGE; i++)
		if (frames[i] != frames[0] + i)
			return false;
	return true;
}

/* A huge page, or what the kernel has for the requests of a large ring. */
static char *one_folio(void)
{
	struct ring ring;
	char *p = map(HUGE, MAP_HUGETLB);

	if (p && is_contiguous(p)) {
		puts("memory: hugetlb");
		return p;
	}
	p = memory(2 * HUGE);
	p += -(uintptr_t)p % HUGE;
	madvise(p, HUGE, MADV_HUGEPAGE);
	if (is_contiguous(p)) {
		puts("memory: transparent huge page");
		return p;
	}
	ring_init(&ring, ENTRIES, 0);
	if (is_contiguous((char *)ring.sqes)) {
		puts("memory: ring of io_uring");
		return (char *)ring.sqes;
	}
	errx(3, "no memory is in one piece");
}

/* Offset of vector @i in its page: 512 to 3584. */
static size_t odd(unsigned int i)
{
	return (1 + i * 3 % 7) * SECTOR;
}

static void place_vectors(const char *place)
{
	/* With the offset, and a page between two of them. */
	size_t apart = (bytes + 3 * PAGE - 1) / PAGE * PAGE;
	unsigned int i;
	char *p;

	if (isdigit(place[0])) {
		size_t offset = strtoul(place, NULL, 0);

		if (count != 1 || offset + bytes > HUGE)
			errx(2, "%u vectors of %zu bytes at %zu", count, bytes, offset);
		vectors[0] = (struct iovec){ one_folio() + offset, bytes };
		return;
	}
	if (strcmp(place, "odd"))
		errx(2, "no place is '%s'", place);
	p = memory(count * apart);
	for (i = 0; i < count; i++)
		vectors[i] = (struct iovec){ p + i * apart + odd(i), bytes };
}

static void parse_vectors(char **argv)
{
	count = strtoul(argv[0], NULL, 0);
	bytes = strtoul(argv[1], NULL, 0);
	if (!count || count > MOST)
		errx(2, "1 to %u vectors, not %u", MOST, count);
	place_vectors(argv[2]);
	expected = memory(count * bytes);
	plain = memory(count * bytes);
}

static void write_request(u64 at, int flags)
{
	ssize_t size = count * bytes;
	unsigned int i;

	content(expected, size, at);
	for (i = 0; i < count; i++)
		memcpy(vectors[i].iov_base, (char *)expected + i * bytes, bytes);
	if (pwritev2(fd, vectors, count, at, flags) != size)
		err(1, "write at %" PRIu64, at);
}

static void read_request(u64 at)
{
	ssize_t size = count * bytes;
	unsigned int i;

	for (i = 0; i < count; i++)
		memset(vectors[i].iov_base, 0xee, bytes);
	if (preadv(fd, vectors, count, at) != size || pread(fd, plain, size, at) != size)
		err(1, "read at %" PRIu64, at);
	content(expected, size, at);
	for (i = 0; i < count; i++)
		if (memcmp(vectors[i].iov_base, (char *)expected + i * bytes, bytes))
			errx(1, "read at %" PRIu64 ": vector %u of %u is wrong", at, i,
			     count);
	if (memcmp(plain, expected, size))
		errx(1, "read at %" PRIu64 ": wrong as one vector", at);
}

/* The block before all others. */
static void do_first(bool writing, u64 at, int block)
{
	u64 *known = memory(block), *got = memory(block);

	content(known, block, at);
	if (writing && pwrite(fd, known, block, at) != block)
		err(1, "write of the first block");
	if (pread(fd, got, block, at) != block)
		err(1, "read of the first block");
	if (memcmp(known, got, block))
		errx(1, "the first block is wrong");
}

static void do_all(bool writing, u64 at, unsigned int nr, int flags)
{
	int block;

	if (ioctl(fd, BLKSSZGET, &block))
		err(1, "BLKSSZGET");
	do_first(writing, at, block);
	for (at += block; nr--; at += count * bytes) {
		if (writing)
			write_request(at, flags);
		else
			read_request(at);
	}
}

int main(int argc, char **argv)
{
	bool trying = argc == 6 && !strcmp(argv[1], "try");
	bool writing = argc >= 8 && !strcmp(argv[1], "write");
	bool reading = argc == 8 && !strcmp(argv[1], "read");

	if (!trying && !writing && !reading)
		errx(2, "usage: vectors write|read|try DEVICE [SECTOR NR] COUNT BYTES PLACE [dsync]");
	fd = open(argv[2], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[2]);
	parse_vectors(argv + (trying ? 3 : 5));
	if (trying) {
		if (preadv(fd, vectors, count, 0) < 0)
			err(1, "read of %u vectors of %zu bytes", count, bytes);
		return 0;
	}
	do_all(writing, strtoull(argv[3], NULL, 0) * SECTOR, strtoul(argv[4], NULL, 0),
	       argc == 9 ? RWF_DSYNC : 0);
	return 0;
}
