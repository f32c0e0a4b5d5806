// SPDX-License-Identifier: GPL-2.0
/*
 * Brings two arrays into the same state, and compares what their drives hold.
 *
 *	equivalence work DEVICE SEED PHASE OPS	write, flush, reset and finish
 *	equivalence volumes A B			do both volumes tell the same?
 *	equivalence columns A B			do the members' zones hold the same?
 *
 * Work: what a volume holds afterwards depends on what it held before, and on SEED,
 * PHASE and OPS, but not on time: each thread has zones of its own, and carries out
 * what its own random numbers say.  Writes of a thread are under way together.
 *
 * Columns: A and B are tables with a line for each column of each logical zone, in the
 * same order: "ZONE COLUMN DRIVE START CONDITION WP DATA", sectors the latter three
 * and START.  DATA is where the data end: below WP in a zone that was finished.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_THREADS	4
#define THREAD_ACTIVE	2		/* zones that a thread has active at most */
#define MAX_BURST	8		/* writes under way together */
#define MAX_WRITE	(256 << 10)
#define MAX_READ	(256 << 10)
#define BLOCK		4096
#define MAX_MESSAGES	20

/**
 * struct zone - of the volume, as its thread knows it
 * @start:	byte
 * @capacity:	bytes
 * @wp:		bytes from the start
 * @full:	written to the end, or finished
 * @first:	what is written from here on is of this phase
 * @life:	resets in this phase
 */
struct zone {
	uint64_t start;
	uint64_t capacity;
	uint64_t wp;
	bool full;
	uint64_t first;
	uint64_t life;
};

static int volume;
static uint64_t seed, phase, nr_ops;
static struct zone *zones;
static uint32_t nr_zones;
static unsigned int messages;

static void __attribute__((format(printf, 1, 2)))
wrong(const char *format, ...)
{
	va_list args;

	if (messages++ >= MAX_MESSAGES)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void *pages(size_t bytes)
{
	void *p;

	if (posix_memalign(&p, BLOCK, bytes))
		errx(2, "out of memory");
	return p;
}

static int open_device(const char *path, int flags)
{
	int fd = open(path, flags | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		err(2, "%s", path);
	return fd;
}

static struct blk_zone *report(int fd, uint32_t *nr)
{
	struct blk_zone_report *rep;
	struct blk_zone *list;
	uint32_t total, done = 0;
	int failed;

	if (ioctl(fd, BLKGETNRZONES, &total) || !total)
		errx(2, "not a zoned device");
	list = calloc(total, sizeof(*list));
	rep = calloc(1, sizeof(*rep) + total * sizeof(*list));
	if (!list || !rep)
		errx(2, "out of memory");
	while (done < total) {
		rep->sector = done ? list[done - 1].start + list[done - 1].len :
				     0;
		rep->nr_zones = total - done;
		/* The volume may be suspended for a moment. */
		while ((failed = ioctl(fd, BLKREPORTZONE, rep)) && errno == EAGAIN)
			usleep(1000);
		if (failed || !rep->nr_zones)
			err(2, "zone report");
		memcpy(list + done, rep->zones, rep->nr_zones * sizeof(*list));
		done += rep->nr_zones;
	}
	free(rep);
	*nr = total;
	return list;
}

/* ---- work ----------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/**
 * struct thread - one that works
 * @number:	zones with this remainder modulo NR_THREADS are its own
 * @state:	of its random numbers
 * @aio:	its context
 * @buf:	MAX_BURST times MAX_WRITE
 * @got:	MAX_READ
 * @want:	MAX_READ
 */
struct thread {
	pthread_t id;
	uint32_t number;
	uint64_t state;
	aio_context_t aio;
	char *buf, *got, *want;
};

static uint64_t chance(struct thread *t, uint64_t below)
{
	t->state = mix(t->state);
	return t->state % below;
}

/* What belongs at byte @at of a zone. */
static void fill(char *to, const struct zone *z, uint64_t at, size_t len)
{
	uint64_t what = mix(mix(seed ^ mix(phase)) ^ z->start ^ z->life);
	uint64_t word;
	size_t i;

	for (i = 0; i < len; i += sizeof(word)) {
		word = mix(what ^ (at + i));
		memcpy(to + i, &word, sizeof(word));
	}
}

static bool is_active(const struct zone *z)
{
	return z->wp && !z->full;
}

static uint32_t nr_own(const struct thread *t)
{
	return (nr_zones - t->number + NR_THREADS - 1) / NR_THREADS;
}

static struct zone *own(const struct thread *t, uint32_t i)
{
	return &zones[t->number + i * NR_THREADS];
}

/* A zone to write to, so that no more than THREAD_ACTIVE are active. */
static struct zone *choose(struct thread *t)
{
	uint32_t first = chance(t, nr_own(t)), active = 0, i;
	struct zone *z;

	for (i = 0; i < nr_own(t); i++)
		active += is_active(own(t, i));
	for (i = 0; i < nr_own(t); i++) {
		z = own(t, (first + i) % nr_own(t));
		if (is_active(z) || (!z->full && active < THREAD_ACTIVE))
			return z;
	}
	return NULL;
}

static void zone_op(const struct zone *z, unsigned long op, const char *what)
{
	struct blk_zone_range range = {
		.sector = z->start >> 9,
		.nr_sectors = zones[1].start >> 9,
	};

	if (ioctl(volume, op, &range))
		err(1, "%s of zone %u", what, (unsigned int)(z - zones));
}

static void reset(struct zone *z)
{
	zone_op(z, BLKRESETZONE, "reset");
	z->wp = 0;
	z->first = 0;
	z->full = false;
	z->life++;
}

static void finish(struct zone *z)
{
	zone_op(z, BLKFINISHZONE, "finish");
	z->full = true;
}

static size_t write_size(struct thread *t)
{
	static const uint64_t most[] = { 1, 8, 8, 20, MAX_WRITE / BLOCK };

	return (1 + chance(t, most[chance(t, 5)])) * BLOCK;
}

/* Up to MAX_BURST writes one behind the other, some with FUA. */
static void burst(struct thread *t, struct zone *z)
{
	uint32_t nr = 1 + (chance(t, 2) ? chance(t, MAX_BURST) : 0), i;
	struct iocb cbs[MAX_BURST] = { 0 }, *list[MAX_BURST];
	struct io_event events[MAX_BURST];

	for (i = 0; i < nr && z->wp < z->capacity; i++) {
		char *buf = t->buf + i * MAX_WRITE;
		size_t len = write_size(t);

		if (len > z->capacity - z->wp)
			len = z->capacity - z->wp;
		fill(buf, z, z->wp, len);
		cbs[i].aio_lio_opcode = IOCB_CMD_PWRITE;
		cbs[i].aio_fildes = volume;
		cbs[i].aio_buf = (uintptr_t)buf;
		cbs[i].aio_nbytes = len;
		cbs[i].aio_offset = z->start + z->wp;
		cbs[i].aio_rw_flags = chance(t, 8) ? 0 : RWF_DSYNC;
		list[i] = &cbs[i];
		z->wp += len;
	}
	nr = i;
	z->full = z->wp == z->capacity;
	if (syscall(SYS_io_submit, t->aio, nr, list) != nr)
		err(1, "io_submit");
	if (syscall(SYS_io_getevents, t->aio, nr, nr, events, NULL) != nr)
		err(1, "io_getevents");
	for (i = 0; i < nr; i++) {
		struct iocb *cb = (struct iocb *)(uintptr_t)events[i].obj;

		if (events[i].res != (int64_t)cb->aio_nbytes)
			errx(1, "write of %llu bytes at %llu: %lld",
			     (unsigned long long)cb->aio_nbytes,
			     (unsigned long long)cb->aio_offset,
			     (long long)events[i].res);
	}
}

/* Something that was written in this phase. */
static void look(struct thread *t)
{
	struct zone *z = own(t, chance(t, nr_own(t)));
	uint64_t at, len;

	if (z->wp == z->first)
		return;
	at = z->first + chance(t, (z->wp - z->first) / BLOCK) * BLOCK;
	len = (1 + chance(t, MAX_READ / BLOCK)) * BLOCK;
	if (len > z->wp - at)
		len = z->wp - at;
	if (pread(volume, t->got, len, z->start + at) != (ssize_t)len)
		err(1, "read of zone %u at %llu", (unsigned int)(z - zones),
		    (unsigned long long)at);
	fill(t->want, z, at, len);
	if (memcmp(t->got, t->want, len))
		errx(1, "zone %u: wrong data in %llu bytes at %llu",
		     (unsigned int)(z - zones), (unsigned long long)len,
		     (unsigned long long)at);
}

static void one_op(struct thread *t)
{
	uint64_t what = chance(t, 100);
	struct zone *z;

	if (what < 10) {
		look(t);
	} else if (what < 16) {
		if (fsync(volume))
			err(1, "flush");
	} else if (what < 20) {
		reset(own(t, chance(t, nr_own(t))));
	} else {
		z = choose(t);
		if (!z)
			reset(own(t, chance(t, nr_own(t))));
		else if (what < 23)
			finish(z);
		else
			burst(t, z);
	}
}

static void *work_thread(void *data)
{
	struct thread *t = data;
	uint64_t i;

	t->state = mix(mix(seed) ^ mix(phase << 8 | t->number));
	t->buf = pages(MAX_BURST * MAX_WRITE);
	t->got = pages(MAX_READ);
	t->want = pages(MAX_READ);
	if (syscall(SYS_io_setup, MAX_BURST, &t->aio))
		err(2, "io_setup");
	for (i = 0; i < nr_ops; i++)
		one_op(t);
	return NULL;
}

static void take_zones(void)
{
	struct blk_zone *list = report(volume, &nr_zones);
	uint32_t i;

	if (nr_zones < NR_THREADS)
		errx(2, "too few zones");
	zones = calloc(nr_zones, sizeof(*zones));
	if (!zones)
		errx(2, "out of memory");
	for (i = 0; i < nr_zones; i++) {
		zones[i].start = list[i].start << 9;
		zones[i].capacity = list[i].capacity << 9;
		zones[i].full = list[i].cond == BLK_ZONE_COND_FULL;
		zones[i].wp = zones[i].full ? zones[i].capacity :
			      (list[i].wp - list[i].start) << 9;
		zones[i].first = zones[i].wp;
	}
	free(list);
}

static int work(const char *path)
{
	static struct thread threads[NR_THREADS];
	uint32_t i;

	volume = open_device(path, O_RDWR);
	take_zones();
	for (i = 0; i < NR_THREADS; i++) {
		threads[i].number = i;
		if (pthread_create(&threads[i].id, NULL, work_thread,
				   &threads[i]))
			errx(2, "no thread");
	}
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i].id, NULL);
	if (fsync(volume))
		err(1, "last flush");
	return 0;
}

/* ---- comparison ----------------------------------------------------------- */

/* @bytes at the given places of two devices; returns the first that differs, or them. */
static uint64_t compare(int a, uint64_t from_a, int b, uint64_t from_b,
			uint64_t bytes)
{
	static char *buf_a, *buf_b;
	uint64_t at;
	size_t len, i;

	if (!buf_a) {
		buf_a = pages(MAX_READ);
		buf_b = pages(MAX_READ);
	}
	for (at = 0; at < bytes; at += len) {
		len = bytes - at < MAX_READ ? bytes - at : MAX_READ;
		if (pread(a, buf_a, len, from_a + at) != (ssize_t)len)
			err(1, "A: read at %llu",
			    (unsigned long long)(from_a + at));
		if (pread(b, buf_b, len, from_b + at) != (ssize_t)len)
			err(1, "B: read at %llu",
			    (unsigned long long)(from_b + at));
		if (!memcmp(buf_a, buf_b, len))
			continue;
		for (i = 0; buf_a[i] == buf_b[i]; i++)
			;
		return at + i;
	}
	return bytes;
}

/* Conditions that differ only in how zones are opened and closed count as one. */
static unsigned int kind(const struct blk_zone *z)
{
	switch (z->cond) {
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
		return BLK_ZONE_COND_CLOSED;
	default:
		return z->cond;
	}
}

static int volumes(const char *path_a, const char *path_b)
{
	int a = open_device(path_a, O_RDONLY), b = open_device(path_b, O_RDONLY);
	struct blk_zone *list_a, *list_b;
	uint64_t bytes, same, all = 0;
	uint32_t nr_a, nr_b, i;

	list_a = report(a, &nr_a);
	list_b = report(b, &nr_b);
	if (nr_a != nr_b)
		errx(1, "%u zones and %u", nr_a, nr_b);
	for (i = 0; i < nr_a; i++) {
		if (kind(&list_a[i]) != kind(&list_b[i]) ||
		    (list_a[i].cond != BLK_ZONE_COND_FULL &&
		     list_a[i].wp != list_b[i].wp)) {
			wrong("zone %u: A has condition %u, write pointer %llu, B %u, %llu",
			      i, list_a[i].cond, list_a[i].wp - list_a[i].start,
			      list_b[i].cond, list_b[i].wp - list_b[i].start);
			continue;
		}
		bytes = kind(&list_a[i]) == BLK_ZONE_COND_FULL ?
			list_a[i].capacity << 9 :
			(list_a[i].wp - list_a[i].start) << 9;
		same = compare(a, list_a[i].start << 9, b, list_b[i].start << 9,
			       bytes);
		if (same < bytes)
			wrong("zone %u: data differ from byte %llu on", i,
			      (unsigned long long)same);
		all += bytes;
	}
	printf("%u zones, %llu KiB\n", nr_a, (unsigned long long)all >> 10);
	return !!messages;
}

/* struct column - a line of a table; sectors */
struct column {
	unsigned int zone, column;
	char drive[64], cond[16];
	unsigned long long start, wp, data;
};

static bool next_column(FILE *file, struct column *c)
{
	int n = fscanf(file, "%u %u %63s %llu %15s %llu %llu", &c->zone,
		       &c->column, c->drive, &c->start, c->cond, &c->wp,
		       &c->data);

	if (n != EOF && n != 7)
		errx(2, "a line of a table makes no sense");
	return n == 7;
}

static void compare_columns(const struct column *a, const struct column *b)
{
	int fd_a = open_device(a->drive, O_RDONLY);
	int fd_b = open_device(b->drive, O_RDONLY);
	uint64_t same;

	same = compare(fd_a, a->start << 9, fd_b, b->start << 9, a->data << 9);
	if (same < a->data << 9)
		wrong("zone %u column %u: %s at %llu and %s at %llu differ from byte %llu of %llu on",
		      a->zone, a->column, a->drive, a->start, b->drive,
		      b->start, (unsigned long long)same, a->data << 9);
	close(fd_a);
	close(fd_b);
}

static int columns(const char *path_a, const char *path_b)
{
	FILE *file_a = fopen(path_a, "r"), *file_b = fopen(path_b, "r");
	unsigned long long nr = 0, sectors = 0;
	struct column a, b;

	if (!file_a || !file_b)
		err(2, "tables");
	while (next_column(file_a, &a)) {
		if (!next_column(file_b, &b) || a.zone != b.zone ||
		    a.column != b.column)
			errx(1, "zone %u column %u is in table A only", a.zone,
			     a.column);
		nr++;
		if (strcmp(a.cond, b.cond) || a.wp != b.wp || a.data != b.data) {
			wrong("zone %u column %u: %s at %llu is %s, wp %llu, data up to %llu; %s at %llu is %s, wp %llu, data up to %llu",
			      a.zone, a.column, a.drive, a.start, a.cond, a.wp,
			      a.data, b.drive, b.start, b.cond, b.wp, b.data);
			continue;
		}
		sectors += a.data;
		compare_columns(&a, &b);
	}
	if (next_column(file_b, &b))
		errx(1, "zone %u column %u is in table B only", b.zone, b.column);
	printf("%llu columns, %llu KiB\n", nr, sectors / 2);
	return !!messages || !nr;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";

	if (!strcmp(what, "work") && argc == 6) {
		seed = strtoull(argv[3], NULL, 0);
		phase = strtoull(argv[4], NULL, 0);
		nr_ops = strtoull(argv[5], NULL, 0);
		return work(argv[2]);
	}
	if (!strcmp(what, "volumes"))
		return volumes(argv[2], argv[3]);
	if (!strcmp(what, "columns"))
		return columns(argv[2], argv[3]);
	errx(2, "see the head of equivalence.c");
}
