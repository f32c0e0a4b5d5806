// SPDX-License-Identifier: GPL-2.0
/*
 * What is done to the volume until the power is cut.
 *
 * Each thread owns some of the zones and is the only one to write, reset and
 * finish them; flushes cover all zones, and a reset of all zones waits for
 * everybody.  After an error a thread stops, if there was a power cut.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model.h"

#define BATCH_MAX	12
#define BUF_SECTORS	2048U
#define WRITE_MAX	512U		/* sectors of one write */
#define MAX_EXPLICIT	2U

struct thread {
	pthread_t id;
	u32 number;
	u32 nr_ops;
	struct rng rng;
	aio_context_t aio;
	u8 *buf;
};

/* Writes of one zone, sent in order and not waited for one by one. */
struct batch {
	u32 zone;
	int nr;
	struct iocb iocb[BATCH_MAX];
	u64 end[BATCH_MAX];
	bool durable[BATCH_MAX];	/* once it completes */
	bool ok[BATCH_MAX];
};

static struct thread threads[MAX_THREADS];
static u32 max_active, max_explicit;
static atomic_bool stopped;
static enum together together;	/* under way in a zone */

/* Everyone holds it shared; a reset of all zones exclusively. */
static pthread_rwlock_t world;

/* What excuses an error; nothing else does. */
bool (*io_excuse)(void) = drives_were_cut;

static void io_error(const char *what, u32 zone, int error)
{
	if (!io_excuse()) {
		if (zone < shape.nr_zones)
			model_print(zone);
		fail("%s of zone %u: %s, and no excuse for it", what, zone,
		     strerror(error));
	}
	atomic_store(&stopped, true);
}

static int zone_ioctl(unsigned long request, u64 sector, u64 nr)
{
	struct blk_zone_range range = { .sector = sector, .nr_sectors = nr };

	/* A suspended volume may have no report, and some resets need one. */
	while (ioctl(volume_fd, request, &range)) {
		if (errno != EAGAIN)
			return errno;
		usleep(1000);
	}
	return 0;
}

/* Room for the zone among the active ones?  Takes it. */
static bool may_be_active(struct zone *z)
{
	bool may;

	pthread_mutex_lock(&model_lock);
	may = z->active || !max_active || nr_active < max_active;
	if (may)
		model_set_active(z, true);
	pthread_mutex_unlock(&model_lock);
	return may;
}

/* ---- writes ---------------------------------------------------------------- */

/* Length of a write at @at: around blocks, units and stripes. */
static u64 some_length(struct rng *r, u64 at)
{
	u64 nr, room = shape.cap - at;

	switch (below(r, 10)) {
	case 0:
		nr = shape.block;
		break;
	case 1:
		nr = 8;
		break;
	case 2:
		nr = shape.su;
		break;
	case 3:
		nr = shape.su * (1 + below(r, 4));
		break;
	case 4:
		nr = shape.stripe;
		break;
	case 5:
		nr = shape.stripe * (1 + below(r, 4));
		break;
	case 6:
		nr = shape.su - at % shape.su;
		break;
	case 7:
		nr = shape.stripe - at % shape.stripe;
		break;
	case 8:
		nr = shape.stripe - at % shape.stripe + shape.block;
		break;
	default:
		nr = shape.block * (1 + below(r, 2 * shape.su / shape.block));
		break;
	}
	if (nr > WRITE_MAX)
		nr = WRITE_MAX;
	return nr < room ? nr : room;
}

/* Prepares one more write of the batch; the model knows of it from here on. */
static void add_write(struct batch *b, u8 *buf, u64 nr, bool fua)
{
	struct zone *z = &zones[b->zone];
	struct iocb *cb = &b->iocb[b->nr];
	u64 at = z->issued;

	model_record(b->zone, "write %" PRIu64 "+%" PRIu64 "%s", at, nr,
		     fua ? " fua" : "");
	pthread_mutex_lock(&model_lock);
	model_write_begins(z, at + nr);
	pthread_mutex_unlock(&model_lock);
	make_data(buf, b->zone, at, nr);

	memset(cb, 0, sizeof(*cb));
	cb->aio_data = b->nr;
	cb->aio_lio_opcode = IOCB_CMD_PWRITE;
	cb->aio_fildes = volume_fd;
	cb->aio_buf = (uintptr_t)buf;
	cb->aio_nbytes = nr * SECTOR;
	cb->aio_offset = (zone_start(b->zone) + at) * SECTOR;
	cb->aio_rw_flags = fua ? RWF_DSYNC : 0;
	b->end[b->nr] = at + nr;
	b->durable[b->nr] = fua || shape.through;
	b->ok[b->nr++] = false;
	stats.writes++;
}

static void send_batch(struct thread *t, struct batch *b)
{
	struct iocb *list[BATCH_MAX];
	int sent = 0, i, n;

	for (i = 0; i < b->nr; i++)
		list[i] = &b->iocb[i];
	while (sent < b->nr) {
		n = syscall(SYS_io_submit, t->aio, b->nr - sent, list + sent);
		if (n <= 0)
			die("io_submit: %s", strerror(errno));
		sent += n;
	}
}

static void reap_batch(struct thread *t, struct batch *b)
{
	struct io_event events[BATCH_MAX];
	int done = 0, n, i, error = 0;

	while (done < b->nr) {
		n = syscall(SYS_io_getevents, t->aio, 1, b->nr - done,
			    events + done, NULL);
		if (n < 0 && errno != EINTR)
			die("io_getevents: %s", strerror(errno));
		if (n > 0)
			done += n;
	}
	for (i = 0; i < b->nr; i++) {
		struct iocb *cb = &b->iocb[events[i].data];

		if (events[i].res == (int64_t)cb->aio_nbytes)
			b->ok[events[i].data] = true;
		else
			error = events[i].res < 0 ? -events[i].res : EIO;
	}
	if (error)
		io_error("write", b->zone, error);
}

/* What completed is acknowledged, up to the first write that did not. */
static void account_batch(struct batch *b)
{
	struct zone *z = &zones[b->zone];
	bool gap = false;
	int i;

	pthread_mutex_lock(&model_lock);
	for (i = 0; i < b->nr; i++) {
		gap |= !b->ok[i];
		if (!gap)
			z->acked = b->end[i];
		if (b->ok[i] && b->durable[i] && z->durable < b->end[i])
			z->durable = b->end[i];
		if (b->ok[i])
			stats.sectors_written += b->iocb[i].aio_nbytes / SECTOR;
	}
	if (z->acked == shape.cap)
		model_set_active(z, false);
	pthread_mutex_unlock(&model_lock);
	model_record(b->zone, "acknowledged %" PRIu64 ", durable %" PRIu64,
		     z->acked, z->durable);
}

/* Up to @want writes, each one waited for if one has to be. */
static void build_batch(struct thread *t, struct batch *b, int want,
			u32 fua_percent)
{
	struct zone *z = &zones[b->zone];
	u64 used = 0;

	while (b->nr < want && z->issued < shape.cap) {
		u64 nr = some_length(&t->rng, z->issued);

		if (used + nr > BUF_SECTORS)
			break;
		add_write(b, t->buf + used * SECTOR, nr,
			  percent(&t->rng, fua_percent));
		used += nr;
	}
}

static void op_write(struct thread *t, u32 number)
{
	static const u8 fua_percents[] = { 0, 0, 0, 20, 100 };
	u32 fua = fua_percents[below(&t->rng, 5)];
	int want = 1;
	struct batch b = { .zone = number };

	if (!may_be_active(&zones[number]))
		return;
	if (together != ONE_COMMAND && percent(&t->rng, 50))
		want += below(&t->rng, BATCH_MAX);
	build_batch(t, &b, want, fua);
	send_batch(t, &b);
	reap_batch(t, &b);
	account_batch(&b);
}

/* ---- zone operations ------------------------------------------------------- */

static void begin_pending(struct zone *z, enum pending pending)
{
	pthread_mutex_lock(&model_lock);
	z->pending = pending;
	z->touched = true;
	pthread_mutex_unlock(&model_lock);
}

/* Some writes that a reset or finish finds under way; they may fill the zone. */
static void some_writes(struct thread *t, struct batch *b)
{
	if (together != ALL_COMMANDS || !percent(&t->rng, 30) ||
	    zone_is_full(&zones[b->zone]) || !may_be_active(&zones[b->zone]))
		return;
	build_batch(t, b, percent(&t->rng, 40) ? BATCH_MAX :
		    1 + below(&t->rng, 4), 20);
	send_batch(t, b);
}

static void op_reset(struct thread *t, u32 number)
{
	struct zone *z = &zones[number];
	struct batch b = { .zone = number };
	int error;

	some_writes(t, &b);
	model_record(number, "reset");
	begin_pending(z, PENDING_RESET);
	error = zone_ioctl(BLKRESETZONE, zone_start(number), shape.zone_size);
	reap_batch(t, &b);
	account_batch(&b);
	if (error) {
		io_error("reset", number, error);
		return;
	}
	pthread_mutex_lock(&model_lock);
	model_emptied(z);
	pthread_mutex_unlock(&model_lock);
	model_record(number, "is reset");
	stats.resets++;
}

static void op_finish(struct thread *t, u32 number)
{
	struct zone *z = &zones[number];
	struct batch b = { .zone = number };
	int error;

	if (zone_is_full(z) || !may_be_active(z))
		return;
	some_writes(t, &b);
	model_record(number, "finish at %" PRIu64, z->issued);
	begin_pending(z, PENDING_FINISH);
	error = zone_ioctl(BLKFINISHZONE, zone_start(number), shape.zone_size);
	reap_batch(t, &b);
	account_batch(&b);
	if (error) {
		io_error("finish", number, error);
		return;
	}
	pthread_mutex_lock(&model_lock);
	z->pending = PENDING_NONE;
	z->finished = true;
	z->acked = z->issued;
	z->durable = z->issued;
	model_set_active(z, false);
	pthread_mutex_unlock(&model_lock);
	model_record(number, "is finished");
	stats.finishes++;
}

static void op_open(u32 number)
{
	struct zone *z = &zones[number];
	bool may;
	int error;

	if (zone_is_full(z) || z->explicit)
		return;
	pthread_mutex_lock(&model_lock);
	may = nr_explicit < max_explicit &&
	      (z->active || !max_active || nr_active < max_active);
	if (may) {
		model_set_active(z, true);
		model_set_explicit(z, true);
	}
	pthread_mutex_unlock(&model_lock);
	if (!may)
		return;
	model_record(number, "open");
	error = zone_ioctl(BLKOPENZONE, zone_start(number), shape.zone_size);
	if (error)
		io_error("open", number, error);
}

/* Without data it is active or empty then; the model goes on with active. */
static void op_close(u32 number)
{
	struct zone *z = &zones[number];
	int error;

	if (!z->explicit)
		return;
	model_record(number, "close");
	error = zone_ioctl(BLKCLOSEZONE, zone_start(number), shape.zone_size);
	if (error) {
		io_error("close", number, error);
		return;
	}
	pthread_mutex_lock(&model_lock);
	model_set_explicit(z, false);
	pthread_mutex_unlock(&model_lock);
}

static void reset_all(void)
{
	int error;
	u32 i;

	for (i = 0; i < shape.nr_zones; i++) {
		model_record(i, "reset of all");
		begin_pending(&zones[i], PENDING_RESET_ALL);
	}
	error = zone_ioctl(BLKRESETZONE, 0, shape.nr_zones * shape.zone_size);
	if (error) {
		io_error("reset of all", shape.nr_zones, error);
		return;
	}
	pthread_mutex_lock(&model_lock);
	for (i = 0; i < shape.nr_zones; i++)
		model_emptied(&zones[i]);
	pthread_mutex_unlock(&model_lock);
	stats.reset_alls++;
}

/* ---- flushes and reads ----------------------------------------------------- */

/* Covers what was acknowledged before it began. */
static void flush(void)
{
	u64 acked[MAX_ZONES];
	u32 version[MAX_ZONES], i;
	int error = 0;

	pthread_mutex_lock(&model_lock);
	for (i = 0; i < shape.nr_zones; i++) {
		acked[i] = zones[i].acked;
		version[i] = zones[i].version;
	}
	pthread_mutex_unlock(&model_lock);
	if (fsync(volume_fd))
		error = errno;
	else if (volume_is_wiped())
		error = EIO;
	if (error) {
		io_error("flush", shape.nr_zones, error);
		return;
	}
	pthread_mutex_lock(&model_lock);
	for (i = 0; i < shape.nr_zones; i++)
		if (zones[i].version == version[i] &&
		    zones[i].durable < acked[i])
			zones[i].durable = acked[i];
	pthread_mutex_unlock(&model_lock);
	stats.flushes++;
}

static void read_and_check(struct thread *t, u32 number, u64 at, u64 nr)
{
	ssize_t ret;

	ret = pread(volume_fd, t->buf, nr * SECTOR,
		    (zone_start(number) + at) * SECTOR);
	if (ret != (ssize_t)(nr * SECTOR)) {
		io_error("read", number, ret < 0 ? errno : EIO);
		return;
	}
	check_data(t->buf, number, at, nr, zones[number].issued, "read");
}

static void op_read(struct thread *t, u32 number)
{
	struct zone *z = &zones[number];
	u64 at = below(&t->rng, z->issued + 1) / shape.block * shape.block;
	u64 nr = some_length(&t->rng, at);

	if (nr)
		read_and_check(t, number, at, nr);
}

static void op_report(u32 number)
{
	struct zone *z = &zones[number];
	struct {
		struct blk_zone_report head;
		struct blk_zone zone;
	} report;
	u64 wp;
	int ret;

	do {
		memset(&report, 0, sizeof(report));
		report.head.sector = zone_start(number);
		report.head.nr_zones = 1;
		ret = ioctl(volume_fd, BLKREPORTZONE, &report);
	} while (ret && errno == EAGAIN && !usleep(1000));
	if (ret || report.head.nr_zones != 1) {
		io_error("report", number, errno);
		return;
	}
	/* Too many drives are gone, and the zone cannot do without them. */
	if (report.zone.cond == BLK_ZONE_COND_READONLY) {
		io_error("report", number, EROFS);
		return;
	}
	wp = report.zone.wp - report.zone.start;
	if (zone_is_full(z) ? report.zone.cond == BLK_ZONE_COND_FULL :
			      wp == z->issued)
		return;
	model_print(number);
	fail("zone %u is reported with condition %u, write pointer +%" PRIu64,
	     number, report.zone.cond, wp);
}

/* ---- threads --------------------------------------------------------------- */

/* One of the thread's zones, most of the time one that is active. */
static u32 some_zone(struct thread *t)
{
	u32 nr = (shape.nr_zones - t->number + shape.threads - 1) /
		 shape.threads;
	u32 first = below(&t->rng, nr), i, number;

	if (percent(&t->rng, 70)) {
		for (i = 0; i < nr; i++) {
			number = (first + i) % nr * shape.threads + t->number;
			if (zones[number].active)
				return number;
		}
	}
	return first * shape.threads + t->number;
}

enum op {
	OP_WRITE, OP_FLUSH, OP_READ, OP_RESET, OP_FINISH, OP_OPEN, OP_CLOSE,
	OP_REPORT, OP_RESET_ALL
};

/* What one round does often, out of 1,000; a reset of all is the rest. */
static const u16 moods[][OP_RESET_ALL] = {
	{ 600, 100, 100, 60, 40, 40, 25, 30 },
	{ 600, 100, 100, 60, 40, 40, 25, 30 },
	{ 850, 20, 40, 40, 20, 10, 10, 10 },	/* few flushes */
	{ 500, 380, 20, 30, 30, 20, 10, 10 },	/* many of them */
	{ 400, 40, 20, 330, 160, 20, 10, 10 },	/* short lives */
};

static const u16 *mood;

static enum op some_op(struct rng *r)
{
	u32 dice = below(r, 1000);
	enum op op = 0;

	while (op < OP_RESET_ALL && dice >= mood[op])
		dice -= mood[op++];
	return op;
}

static void one_op(struct thread *t)
{
	u32 number = some_zone(t);

	switch (some_op(&t->rng)) {
	case OP_WRITE:
		if (!zone_is_full(&zones[number]))
			op_write(t, number);
		else if (percent(&t->rng, 50))
			op_reset(t, number);
		break;
	case OP_FLUSH:
		flush();
		break;
	case OP_READ:
		op_read(t, number);
		break;
	case OP_RESET:
		op_reset(t, number);
		break;
	case OP_FINISH:
		op_finish(t, number);
		break;
	case OP_OPEN:
		op_open(number);
		break;
	case OP_CLOSE:
		op_close(number);
		break;
	case OP_REPORT:
		op_report(number);
		break;
	default:
		pthread_rwlock_unlock(&world);
		pthread_rwlock_wrlock(&world);
		if (!atomic_load(&stopped))
			reset_all();
	}
}

static void *run(void *arg)
{
	struct thread *t = arg;
	u32 i;

	for (i = 0; i < t->nr_ops && !atomic_load(&stopped); i++) {
		pthread_rwlock_rdlock(&world);
		if (!atomic_load(&stopped))
			one_op(t);
		pthread_rwlock_unlock(&world);
	}
	return NULL;
}

/* At the beginning of all work; the most only once. */
static void prepare(void)
{
	u32 open = volume_limit("max_open_zones"), i;
	pthread_rwlockattr_t attr;

	max_active = volume_limit("max_active_zones");
	max_explicit = !open || open > MAX_EXPLICIT ? MAX_EXPLICIT : open - 1;
	atomic_store(&stopped, false);
	if (threads[0].buf)
		return;
	/* A reset of all zones must not wait forever. */
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr,
				      PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&world, &attr);
	for (i = 0; i < MAX_THREADS; i++) {
		struct thread *t = &threads[i];

		t->number = i;
		if (posix_memalign((void **)&t->buf, 4096,
				   BUF_SECTORS * SECTOR) ||
		    syscall(SYS_io_setup, BATCH_MAX, &t->aio))
			die("no memory or no asynchronous I/O");
	}
}

/* All zones are empty then; there must be no threads. */
void work_reset_all(void)
{
	reset_all();
}

/* Everything acknowledged is durable then; there must be no threads. */
void work_flush(void)
{
	flush();
}

void work_begin(u64 seed, u32 nr_ops, enum together commands)
{
	u32 i;

	prepare();
	together = commands;
	mood = moods[mix(seed) % (sizeof(moods) / sizeof(*moods))];
	for (i = 0; i < shape.threads; i++) {
		struct thread *t = &threads[i];

		t->rng = rng_for(seed, i, 1);
		t->nr_ops = nr_ops;
		if (pthread_create(&t->id, NULL, run, t))
			die("no thread");
	}
}

void work_wait(void)
{
	u32 i;

	for (i = 0; i < shape.threads; i++)
		pthread_join(threads[i].id, NULL);
}

/* ---- one thing after the other ---------------------------------------------- */

/* After an error that was excused, nothing is done any more. */

/* From here on the caller says what is done, instead of threads. */
void work_alone(void)
{
	prepare();
	together = ONE_COMMAND;
}

/* There was an excused error since the work began. */
bool work_was_stopped(void)
{
	return atomic_load(&stopped);
}

/* @n writes that are under way together. */
void work_write(u32 number, const u64 *lengths, int n, bool fua)
{
	struct thread *t = &threads[0];
	struct batch b = { .zone = number };
	u64 used = 0;

	if (work_was_stopped())
		return;
	if (!may_be_active(&zones[number]) || n > BATCH_MAX)
		die("zone %u cannot be written", number);
	for (int i = 0; i < n; used += lengths[i++])
		add_write(&b, t->buf + used * SECTOR, lengths[i], fua);
	send_batch(t, &b);
	reap_batch(t, &b);
	account_batch(&b);
}

void work_read(u32 number, u64 sector, u64 nr)
{
	if (!work_was_stopped())
		read_and_check(&threads[0], number, sector, nr);
}

void work_reset(u32 number)
{
	if (!work_was_stopped())
		op_reset(&threads[0], number);
}

void work_finish(u32 number)
{
	if (!work_was_stopped())
		op_finish(&threads[0], number);
}

void work_open(u32 number)
{
	if (!work_was_stopped())
		op_open(number);
}

void work_close(u32 number)
{
	if (!work_was_stopped())
		op_close(number);
}
