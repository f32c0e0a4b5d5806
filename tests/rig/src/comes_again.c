// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a zone without waiting until a write gets EAGAIN, and that one again only after those
 * behind it.
 *
 *	comes_again DEVICE SECTOR KIB SECONDS
 *
 * Direct writes of KIB are submitted by AIO with RWF_NOWAIT, one behind the other from SECTOR
 * on, until one is refused. A few behind that one are submitted, some with RWF_NOWAIT, and
 * after so many seconds the one that was refused: which one it is, is printed before. It ends
 * when all have ended, and are there.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/aio.h"

#define MOST	512U
#define BEHIND	8U

/* Submits writes until one is refused; returns how many of those before it have ended. */
static u32 fill_up(const struct aio_blocks *blocks, u32 *refused)
{
	struct timespec at_once = { 0 };
	struct io_event event;
	u32 i, ended = 0;

	for (i = 0; i < MOST; i++) {
		aio_write(blocks, i, RWF_NOWAIT);
		while (syscall(SYS_io_getevents, blocks->context, 0, 1, &event, &at_once) == 1) {
			if (event.res == -EAGAIN && event.data == i) {
				*refused = i;
				return ended;
			}
			if (event.res != blocks->size)
				errx(1, "write %u of %u: %s", (u32)event.data, i,
				     strerror(-event.res));
			ended++;
		}
	}
	errx(1, "no write is refused");
}

int main(int argc, char **argv)
{
	struct aio_blocks blocks;
	u32 ended, refused, i;
	int fd;

	if (argc != 5)
		errx(2, "usage: comes_again DEVICE SECTOR KIB SECONDS");
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[1]);
	aio_blocks_init(&blocks, fd, strtoull(argv[2], NULL, 0) * SECTOR,
			strtoul(argv[3], NULL, 0) << 10, MOST + BEHIND);
	ended = fill_up(&blocks, &refused);
	for (i = 1; i <= BEHIND; i++)
		aio_write(&blocks, refused + i, i % 2 ? RWF_NOWAIT : 0);
	printf("write %u is refused\n", refused);
	fflush(stdout);
	sleep(strtoul(argv[4], NULL, 0));
	aio_write(&blocks, refused, 0);
	blocks.nr = refused + BEHIND + 1;
	aio_verify(&blocks, blocks.nr - ended);
	return 0;
}
