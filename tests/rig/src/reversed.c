// SPDX-License-Identifier: GPL-2.0
/*
 * Has writes of a zone under way in reverse order.
 *
 *	reversed DEVICE SECTOR NR
 *
 * NR direct writes of 4 KiB, from SECTOR on, are submitted by AIO, the last one first. That
 * is done when "submitted" is printed; it ends when they have ended, and are there.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/common.h"

#define BLOCK	4096U
#define EVENTS	256

static void *memory(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap of %zu bytes", bytes);
	return p;
}

static void fill(u64 *block, u64 at)
{
	u32 i;

	/* Simulated drives keep pages of one word without memory. */
	for (i = 0; i < BLOCK / sizeof(*block); i++)
		block[i] = mix(at) >> 1;
}

static void submit(aio_context_t context, int fd, const char *data, u64 start, u32 nr)
{
	struct iocb iocb, *list = &iocb;

	while (nr--) {
		iocb = (struct iocb){
			.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = fd,
			.aio_buf = (uintptr_t)(data + (u64)nr * BLOCK),
			.aio_nbytes = BLOCK, .aio_offset = start + (u64)nr * BLOCK,
		};
		if (syscall(SYS_io_submit, context, 1, &list) != 1)
			err(1, "io_submit");
	}
}

static u32 reap(aio_context_t context, u32 nr)
{
	struct io_event events[EVENTS];
	long got, i;
	u32 failed = 0;

	for (; nr; nr -= got) {
		got = syscall(SYS_io_getevents, context, 1, EVENTS, events, NULL);
		if (got < 0 && errno != EINTR)
			err(1, "io_getevents");
		if (got < 0)
			got = 0;
		for (i = 0; i < got; i++)
			failed += events[i].res != BLOCK;
	}
	return failed;
}

int main(int argc, char **argv)
{
	aio_context_t context = 0;
	u64 start, *block;
	u32 nr, i, failed;
	char *data;
	int fd;

	if (argc != 4)
		errx(2, "usage: reversed DEVICE SECTOR NR");
	start = strtoull(argv[2], NULL, 0) * SECTOR;
	nr = strtoul(argv[3], NULL, 0);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[1]);
	data = memory((size_t)nr * BLOCK);
	for (i = 0; i < nr; i++)
		fill((u64 *)(data + (u64)i * BLOCK), start + (u64)i * BLOCK);
	if (syscall(SYS_io_setup, nr, &context))
		err(1, "io_setup");
	submit(context, fd, data, start, nr);
	puts("submitted");
	fflush(stdout);
	failed = reap(context, nr);
	if (failed)
		errx(1, "%u of %u writes failed", failed, nr);
	block = memory(BLOCK);
	for (i = 0; i < nr; i++) {
		if (pread(fd, block, BLOCK, start + (u64)i * BLOCK) != BLOCK)
			err(1, "read of block %u", i);
		if (memcmp(block, data + (u64)i * BLOCK, BLOCK))
			errx(1, "block %u is wrong", i);
	}
	return 0;
}
