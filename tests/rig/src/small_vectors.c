// SPDX-License-Identifier: GPL-2.0
/*
 * Direct writes that are each made of many small pieces.
 *
 *	small_vectors DEVICE SECTOR MIB BYTES NR MILLISECONDS
 *
 * From SECTOR on, at most MIB are written, one pwritev() after the other of NR vectors of
 * BYTES, for the time given. No two vectors are neighbours in memory: each has a page of its
 * own, at most PAGE bytes. Prints how many bytes were written and nanoseconds that it took.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "lib/common.h"

#define PAGE	4096U
#define NS	1000000000ULL
/* What one system call takes. */
#define MOST	1024

static struct iovec vectors[MOST];

static u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * NS + time.tv_nsec;
}

/* Every second page is left out, so that no vector follows another one in memory. */
static void make_vectors(u32 bytes, u32 nr)
{
	size_t whole = 2UL * nr * PAGE;
	char *memory = mmap(NULL, whole, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 i;

	if (memory == MAP_FAILED)
		err(1, "mmap of %zu bytes", whole);
	memset(memory, 1, whole);
	for (i = 0; i < nr; i++) {
		vectors[i].iov_base = memory + 2UL * i * PAGE;
		vectors[i].iov_len = bytes;
	}
}

int main(int argc, char **argv)
{
	u64 start, end, at, begun, deadline;
	u32 bytes, nr;
	ssize_t done;
	int fd;

	if (argc != 7)
		errx(2, "usage: small_vectors DEVICE SECTOR MIB BYTES NR MILLISECONDS");
	start = strtoull(argv[2], NULL, 0) * SECTOR;
	end = start + (strtoull(argv[3], NULL, 0) << 20);
	bytes = strtoul(argv[4], NULL, 0);
	nr = strtoul(argv[5], NULL, 0);
	if (!bytes || bytes > PAGE || !nr || nr > MOST)
		errx(2, "1 to %u bytes, 1 to %u vectors", PAGE, MOST);
	fd = open(argv[1], O_WRONLY | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[1]);
	make_vectors(bytes, nr);
	begun = now();
	deadline = begun + strtoull(argv[6], NULL, 0) * (NS / 1000);
	for (at = start; at + bytes * nr <= end && now() < deadline; at += done) {
		done = pwritev(fd, vectors, nr, at);
		if (done != (ssize_t)bytes * nr)
			err(1, "write of %u x %u bytes at %" PRIu64 ": %zd", nr, bytes,
			    at, done);
	}
	printf("%" PRIu64 " %" PRIu64 "\n", at - start, now() - begun);
	return 0;
}
