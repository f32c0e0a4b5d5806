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
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/aio.h"

#define BLOCK	4096U

int main(int argc, char **argv)
{
	struct aio_blocks blocks;
	u32 nr, i;
	int fd;

	if (argc != 4)
		errx(2, "usage: reversed DEVICE SECTOR NR");
	nr = strtoul(argv[3], NULL, 0);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[1]);
	aio_blocks_init(&blocks, fd, strtoull(argv[2], NULL, 0) * SECTOR, BLOCK, nr);
	for (i = nr; i--; )
		aio_write(&blocks, i, 0);
	puts("submitted");
	fflush(stdout);
	aio_verify(&blocks, nr);
	return 0;
}
