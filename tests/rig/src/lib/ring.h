/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ring of io_uring, for programs of one file.
 */
#ifndef LIB_RING_H
#define LIB_RING_H

#include <err.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common.h"

/* What both sides of a ring change. */
struct ring {
	int fd;
	u32 entries;
	u32 *sq_tail, *sq_mask, *sq_array;
	u32 *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
};

static inline void *ring_map(const struct ring *r, size_t bytes, off_t what)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		       r->fd, what);

	if (p == MAP_FAILED)
		err(1, "mmap of a ring");
	return p;
}

/* @flags: IORING_SETUP_* */
static inline void ring_init(struct ring *r, u32 nr, u32 flags)
{
	struct io_uring_params params = { .flags = flags };
	char *sq, *cq;

	r->fd = syscall(SYS_io_uring_setup, nr, &params);
	if (r->fd < 0)
		err(1, "io_uring_setup");
	sq = ring_map(r, params.sq_off.array + params.sq_entries * sizeof(u32),
		      IORING_OFF_SQ_RING);
	cq = ring_map(r, params.cq_off.cqes +
		      params.cq_entries * sizeof(struct io_uring_cqe),
		      IORING_OFF_CQ_RING);
	r->sqes = ring_map(r, params.sq_entries * sizeof(struct io_uring_sqe),
			   IORING_OFF_SQES);
	r->entries = params.sq_entries;
	r->sq_tail = (u32 *)(sq + params.sq_off.tail);
	r->sq_mask = (u32 *)(sq + params.sq_off.ring_mask);
	r->sq_array = (u32 *)(sq + params.sq_off.array);
	r->cq_head = (u32 *)(cq + params.cq_off.head);
	r->cq_tail = (u32 *)(cq + params.cq_off.tail);
	r->cq_mask = (u32 *)(cq + params.cq_off.ring_mask);
	r->cqes = (struct io_uring_cqe *)(cq + params.cq_off.cqes);
}

/* One more for the next ring_submit(); there is room for @r->entries. */
static inline void ring_add(struct ring *r, const struct io_uring_sqe *sqe)
{
	u32 index = *r->sq_tail & *r->sq_mask;

	r->sqes[index] = *sqe;
	r->sq_array[index] = index;
	__atomic_store_n(r->sq_tail, *r->sq_tail + 1, __ATOMIC_RELEASE);
}

static inline void ring_submit(const struct ring *r, u32 nr)
{
	long done;

	for (; nr; nr -= done) {
		done = syscall(SYS_io_uring_enter, r->fd, nr, 0, 0, NULL, 0);
		if (done < 0 && errno != EINTR && errno != EAGAIN && errno != EBUSY)
			err(1, "io_uring_enter");
		if (done < 0)
			done = 0;
	}
}

/* Waits until something has ended. */
static inline void ring_wait(const struct ring *r)
{
	if (syscall(SYS_io_uring_enter, r->fd, 0, 1, IORING_ENTER_GETEVENTS,
		    NULL, 0) < 0 && errno != EINTR)
		err(1, "io_uring_enter");
}

/* Takes one that has ended; returns false when there is none. */
static inline bool ring_take(const struct ring *r, struct io_uring_cqe *cqe)
{
	u32 head = *r->cq_head;

	if (head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE))
		return false;
	*cqe = r->cqes[head & *r->cq_mask];
	__atomic_store_n(r->cq_head, head + 1, __ATOMIC_RELEASE);
	return true;
}

#endif /* LIB_RING_H */
