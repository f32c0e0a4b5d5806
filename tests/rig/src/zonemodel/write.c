// SPDX-License-Identifier: GPL-2.0
/*
 * Writes, alone and in batches, and flushes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "zonemodel.h"

/* Splits a buffer into pieces of whole units, for bios of odd shapes. */
int make_iovec(struct thread *t, struct iovec *iov, u8 *buf, u64 bytes)
{
	int nr = 0, pieces = percent(t, 30) ? 4 : 1;
	u64 units = bytes / SECTOR / dev.unit;

	while (units) {
		u64 n = nr + 1 < pieces ? 1 + below(t, units) : units;

		iov[nr].iov_base = buf;
		iov[nr++].iov_len = n * dev.unit * SECTOR;
		buf += n * dev.unit * SECTOR;
		units -= n;
	}
	return nr;
}

/* A place in a buffer, not always at the begin of a page. */
u8 *some_place(struct thread *t, u8 *buf)
{
	if (dev.memory_offset_ok && percent(t, 20))
		return buf + SECTOR * (1 + below(t, 7));
	return buf;
}

/* Length of a random write (or read): mostly small, sometimes large. */
u64 some_length(struct thread *t, u64 most)
{
	u64 max, nr;

	switch (below(t, 20)) {
	case 0 ... 5:
		max = dev.unit;
		break;
	case 6 ... 13:
		max = SMALL_BYTES / SECTOR;
		break;
	case 14 ... 18:
		max = (512U << 10) / SECTOR;
		break;
	default:
		max = set.max_write / SECTOR;
		break;
	}
	nr = (1 + below(t, max / dev.unit ? max / dev.unit : 1)) * dev.unit;
	/* Often a round number, so that units and stripes are hit exactly. */
	if (nr > 128 && percent(t, 40))
		nr &= ~127ULL;
	return nr < most ? nr : most;
}

/* The zone was written up to its new write pointer. */
static void wrote(struct zone *z, u64 nr)
{
	z->wp += nr;
	atomic_fetch_add(&data_sectors, nr);
	atomic_store(&z->seen_wp, z->wp);
	if (z->wp == z->cap)
		set_state(z, FULL);
	else if (z->state != EXPLICIT)
		z->state = IMPLICIT;
}

/* May the zone be written now?  Takes what an empty one needs. */
static bool may_write(struct zone *z)
{
	if (z->state == FULL)
		return false;
	if (z->state == EMPTY) {
		if (!take_active())
			return false;
		/* It counts as active from here on. */
		z->state = CLOSED;
	}
	return true;
}

void write_sectors(struct thread *t, struct zone *z, u64 nr, bool fua)
{
	u8 *buf = some_place(t, t->wbuf);
	struct iovec iov[4];
	int n = make_iovec(t, iov, buf, nr * SECTOR);
	ssize_t ret;

	make_data(buf, z, z->wp, nr);
	record(z, "write %" PRIu64 "+%" PRIu64 "%s", z->wp, nr,
	       fua ? " fua" : "");
	ret = pwritev2(dev.fd, iov, n, (z->start + z->wp) * SECTOR,
		       fua ? RWF_DSYNC : 0);
	if (ret != (ssize_t)(nr * SECTOR))
		fail(z, "write of zone %u at %" PRIu64 "+%" PRIu64 ": %s",
		     z->number, z->wp, nr,
		     ret < 0 ? strerror(errno) : "short");
	wrote(z, nr);
	t->count[fua ? C_WRITE_FUA : C_WRITE]++;
}

void op_write(struct thread *t, struct zone *z)
{
	if (!may_write(z))
		return;
	write_sectors(t, z, some_length(t, z->cap - z->wp), percent(t, 20));
}

/* Up to the end, or to a few blocks before it. */
void op_fill(struct thread *t, struct zone *z)
{
	u64 leave = percent(t, 50) ? 0 : (1 + below(t, 20)) * dev.unit;

	if (!may_write(z))
		return;
	while (z->state != FULL && z->wp + leave < z->cap) {
		u64 nr = z->cap - leave - z->wp;

		if (nr > BUF_BYTES / SECTOR)
			nr = BUF_BYTES / SECTOR;
		write_sectors(t, z, nr, false);
	}
	/* may_write() made it active; a write makes it open. */
	if (z->state == CLOSED)
		write_sectors(t, z, dev.unit, false);
	t->count[C_FILL]++;
}

struct batch {
	struct iocb iocb[BATCH_MAX];
	struct iocb *list[BATCH_MAX];
	int nr;
};

static struct iocb *batch_add(struct batch *b, int opcode, u8 *buf, u64 sector,
			      u64 nr, int flags)
{
	struct iocb *cb = &b->iocb[b->nr];

	memset(cb, 0, sizeof(*cb));
	cb->aio_data = b->nr;
	cb->aio_lio_opcode = opcode;
	cb->aio_fildes = dev.fd;
	cb->aio_buf = (uintptr_t)buf;
	cb->aio_nbytes = nr * SECTOR;
	cb->aio_offset = sector * SECTOR;
	cb->aio_rw_flags = flags;
	b->list[b->nr++] = cb;
	return cb;
}

static void batch_run(struct thread *t, struct batch *b,
		      struct io_event *events)
{
	int done = 0, sent = 0, n;

	while (sent < b->nr) {
		n = syscall(SYS_io_submit, t->aio, b->nr - sent,
			    b->list + sent);
		if (n <= 0)
			fail(NULL, "io_submit: %s", strerror(errno));
		sent += n;
	}
	while (done < b->nr) {
		n = syscall(SYS_io_getevents, t->aio, 1, b->nr - done,
			    events + done, NULL);
		if (n < 0)
			fail(NULL, "io_getevents: %s", strerror(errno));
		done += n;
	}
}

/*
 * Several writes of a zone in flight, in their order; between them reads of
 * what is there already and, where nothing can be in the way of it, writes
 * that must fail.
 */
void op_batch(struct thread *t, struct zone *z)
{
	int want = 2 + below(t, BATCH_MAX - 1), i;
	struct io_event events[BATCH_MAX];
	u64 at, total = 0, read_total = 0;
	enum { WRITE, READ, WRONG } kind[BATCH_MAX];
	struct batch b = { .nr = 0 };
	u64 old_wp = z->wp;

	if (!may_write(z))
		return;
	at = z->wp;
	for (i = 0; i < want && at < z->cap; i++) {
		u64 nr;

		if (old_wp && percent(t, 10)) {
			u64 from = below(t, old_wp / dev.unit) * dev.unit;

			nr = some_length(t, old_wp - from);
			if (read_total + nr > BUF_BYTES / SECTOR)
				continue;
			kind[b.nr] = READ;
			batch_add(&b, IOCB_CMD_PREAD,
				  t->rbuf + read_total * SECTOR,
				  z->start + from, nr, 0);
			read_total += nr;
			continue;
		}
		if (dev.strict && !set.orderly && percent(t, 3) && at + dev.unit < z->cap) {
			kind[b.nr] = WRONG;
			batch_add(&b, IOCB_CMD_PWRITE, t->wbuf,
				  z->start + at + dev.unit, dev.unit, 0);
			continue;
		}
		nr = some_length(t, z->cap - at);
		if (total + nr > BUF_BYTES / SECTOR)
			break;
		make_data(t->wbuf + total * SECTOR, z, at, nr);
		kind[b.nr] = WRITE;
		batch_add(&b, IOCB_CMD_PWRITE, t->wbuf + total * SECTOR,
			  z->start + at, nr,
			  percent(t, 10) ? RWF_DSYNC : 0);
		record(z, "aio write %" PRIu64 "+%" PRIu64, at, nr);
		total += nr;
		at += nr;
	}
	if (!total) {
		/* Only reads and wrong writes were drawn. */
		write_sectors(t, z, dev.unit, false);
		return;
	}
	batch_run(t, &b, events);
	for (i = 0; i < b.nr; i++) {
		struct iocb *cb = &b.iocb[events[i].data];
		u64 sector = cb->aio_offset / SECTOR - z->start;
		bool good = events[i].res == (int64_t)cb->aio_nbytes;

		if (kind[events[i].data] == WRONG ? events[i].res != -EIO : !good)
			fail(z, "%s %d of %d in a batch of zone %u at %" PRIu64 "+%llu: result %lld",
			     kind[events[i].data] == WRITE ? "write" :
			     kind[events[i].data] == READ ? "read" : "wrong write",
			     (int)events[i].data, b.nr, z->number, sector,
			     cb->aio_nbytes / SECTOR, (long long)events[i].res);
	}
	wrote(z, total);
	for (i = 0; i < b.nr; i++)
		if (kind[i] == READ)
			check_data((u8 *)(uintptr_t)b.iocb[i].aio_buf,
				   b.iocb[i].aio_offset / SECTOR,
				   b.iocb[i].aio_nbytes / SECTOR,
				   "read in a batch");
	t->count[C_BATCH]++;
}

void op_flush(struct thread *t)
{
	if (percent(t, 50) ? fsync(dev.fd) : fdatasync(dev.fd))
		fail(NULL, "flush: %s", strerror(errno));
	t->count[C_FLUSH]++;
}
