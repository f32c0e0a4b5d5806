// SPDX-License-Identifier: GPL-2.0
/*
 * Direct reads and writes whose completions are polled for.
 *
 *	polled write DEVICE SECTOR BLOCKS DEPTH SEED [plain]
 *	polled read DEVICE SECTOR BLOCKS DEPTH SEED [plain]
 *
 * Requests of 1 to 64 blocks of 4096 bytes go to a ring of io_uring with
 * IORING_SETUP_IOPOLL, or to one without it ("plain"), DEPTH of them at a time: writes of
 * all BLOCKS from SECTOR on, one behind the other, or reads of the same, and then as many
 * anywhere in them. What is read is compared with what is written. Prints how many
 * requests were right and how many got EOPNOTSUPP or EAGAIN.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "lib/ring.h"

#define BLOCK		4096U
#define MOST_BLOCKS	64U
#define REQUEST		(MOST_BLOCKS * BLOCK)	/* bytes of the largest one */

struct request {
	u64 at;
	u32 bytes;
	bool busy;
	char *data;
};

static struct ring ring;
static struct request *requests;
static u64 *expected, right, unsupported, again;
static bool writing;

static void submit(int fd, u32 which, u64 at, u32 bytes)
{
	struct request *r = &requests[which];
	struct io_uring_sqe sqe = {
		.opcode = writing ? IORING_OP_WRITE : IORING_OP_READ, .fd = fd,
		.off = at, .addr = (u64)(uintptr_t)r->data, .len = bytes,
		.user_data = which,
	};

	r->at = at;
	r->bytes = bytes;
	r->busy = true;
	if (writing)
		content((u64 *)r->data, bytes, at);
	else
		memset(r->data, 0xee, bytes);
	ring_add(&ring, &sqe);
}

/* Waits until a request has ended. */
static void reap(void)
{
	const char *what = writing ? "write" : "read";
	struct io_uring_cqe cqe;
	struct request *r;

	while (!ring_take(&ring, &cqe))
		ring_wait(&ring);
	r = &requests[cqe.user_data];
	r->busy = false;
	if (cqe.res == -EOPNOTSUPP) {
		unsupported++;
		return;
	}
	if (cqe.res == -EAGAIN) {
		again++;
		return;
	}
	if (cqe.res != (int)r->bytes)
		errx(1, "%s of %u bytes at %" PRIu64 ": %s", what, r->bytes, r->at,
		     cqe.res < 0 ? strerror(-cqe.res) : "cut off");
	content(expected, r->bytes, r->at);
	if (memcmp(r->data, expected, r->bytes))
		errx(1, "%s of %u bytes at %" PRIu64 ": wrong data", what, r->bytes, r->at);
	right++;
}

/*
 * One that is not under way, of @depth. Only when there is none, what has been added is
 * submitted, all at once.
 */
static u32 find_idle(u32 depth, u32 busy, u32 *added)
{
	u32 i;

	if (busy == depth) {
		ring_submit(&ring, *added);
		*added = 0;
		reap();
	}
	for (i = 0; requests[i].busy; i++)
		;
	return i;
}

static void run(int fd, u64 start, u64 blocks, u32 depth, u64 seed)
{
	u64 done = 0, from, all = writing ? blocks : 2 * blocks;
	u32 i, nr, busy = 0, added = 0;

	while (done < all) {
		nr = mix(seed += 0x9e3779b97f4a7c15ULL) % MOST_BLOCKS + 1;
		if (nr > blocks - done % blocks)
			nr = blocks - done % blocks;
		from = done < blocks ? done : mix(seed ^ 1) % (blocks - nr + 1);
		i = find_idle(depth, busy, &added);
		busy = busy == depth ? depth : busy + 1;
		submit(fd, i, start + from * BLOCK, nr * BLOCK);
		added++;
		done += nr;
	}
	ring_submit(&ring, added);
	while (busy--)
		reap();
}

int main(int argc, char **argv)
{
	u32 depth, i;
	int fd;

	writing = argc > 1 && !strcmp(argv[1], "write");
	if ((argc != 7 && argc != 8) || (!writing && strcmp(argv[1], "read")))
		errx(2, "usage: polled write|read DEVICE SECTOR BLOCKS DEPTH SEED [plain]");
	fd = open(argv[2], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[2]);
	depth = strtoul(argv[5], NULL, 0);
	expected = memory(REQUEST);
	requests = memory(depth * sizeof(*requests));
	for (i = 0; i < depth; i++)
		requests[i].data = memory(REQUEST);
	ring_init(&ring, depth, argc == 8 ? 0 : IORING_SETUP_IOPOLL);
	run(fd, strtoull(argv[3], NULL, 0) * SECTOR, strtoull(argv[4], NULL, 0), depth,
	    strtoull(argv[6], NULL, 0));
	printf("%" PRIu64 " right, %" PRIu64 " unsupported, %" PRIu64 " again\n", right,
	       unsupported, again);
	return 0;
}
