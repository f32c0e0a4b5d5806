/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Direct writes of blocks by AIO, for programs of one file.
 */
#ifndef LIB_AIO_H
#define LIB_AIO_H

#include <err.h>
#include <errno.h>
#include <linux/aio_abi.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"
#include "memory.h"

#define AIO_EVENTS	256

/* Blocks one behind the other; what one holds follows from where it is on the device. */
struct aio_blocks {
	aio_context_t context;
	int fd;
	u64 start;	/* of the first one (bytes) */
	u32 size;	/* of each (bytes) */
	u32 nr;
	char *data;
};

static inline void aio_blocks_init(struct aio_blocks *blocks, int fd, u64 start, u32 size,
				   u32 nr)
{
	u64 *word, i;

	*blocks = (struct aio_blocks){ .fd = fd, .start = start, .size = size, .nr = nr };
	blocks->data = memory((size_t)nr * size);
	word = (u64 *)blocks->data;
	/* Simulated drives keep pages of one word without memory. */
	for (i = 0; i < (u64)nr * size / sizeof(*word); i++)
		word[i] = mix(start + i * sizeof(*word) / 4096 * 4096) >> 1;
	if (syscall(SYS_io_setup, nr, &blocks->context))
		err(1, "io_setup");
}

/* @flags: RWF_* */
static inline void aio_write(const struct aio_blocks *blocks, u32 which, int flags)
{
	struct iocb iocb = {
		.aio_lio_opcode = IOCB_CMD_PWRITE, .aio_fildes = blocks->fd,
		.aio_buf = (uintptr_t)(blocks->data + (u64)which * blocks->size),
		.aio_nbytes = blocks->size, .aio_data = which, .aio_rw_flags = flags,
		.aio_offset = blocks->start + (u64)which * blocks->size,
	};
	struct iocb *list = &iocb;

	if (syscall(SYS_io_submit, blocks->context, 1, &list) != 1)
		err(1, "io_submit");
}

/* Waits for @nr writes to end; returns how many of them failed. */
static inline u32 aio_reap(const struct aio_blocks *blocks, u32 nr)
{
	struct io_event events[AIO_EVENTS];
	long got, i;
	u32 failed = 0;

	for (; nr; nr -= got) {
		got = syscall(SYS_io_getevents, blocks->context, 1, AIO_EVENTS, events, NULL);
		if (got < 0 && errno != EINTR)
			err(1, "io_getevents");
		if (got < 0)
			got = 0;
		for (i = 0; i < got; i++)
			failed += events[i].res != blocks->size;
	}
	return failed;
}

/* Waits for @nr writes to end, and reads all blocks; ends the program if anything is wrong. */
static inline void aio_verify(const struct aio_blocks *blocks, u32 nr)
{
	char *got = memory(blocks->size);
	u32 failed = aio_reap(blocks, nr), i;
	u64 at;

	if (failed)
		errx(1, "%u of %u writes failed", failed, nr);
	for (i = 0; i < blocks->nr; i++) {
		at = (u64)i * blocks->size;
		if (pread(blocks->fd, got, blocks->size, blocks->start + at) != blocks->size)
			err(1, "read of block %u", i);
		if (memcmp(got, blocks->data + at, blocks->size))
			errx(1, "block %u is wrong", i);
	}
}

#endif /* LIB_AIO_H */
