// SPDX-License-Identifier: GPL-2.0
/*
 * zonemodel - random operations on a zoned block device, checked by a model
 *
 * Several threads, each the owner of a range of zones, write, read, flush,
 * reset, finish, open, close and report in random order.  A model of every zone
 * knows what each report must say (condition and write pointer) and what each
 * read must return: data that is a function of the seed, the zone, the number
 * of its resets and the sector; zeros from the write pointer on.  It also knows
 * which operations must fail, and that those change nothing.
 *
 * What the model leaves open, because a drive may do either:
 *  - a zone that was opened implicitly may be closed by the drive at any time;
 *  - a zone without data that was opened and closed again may be reported as
 *    closed or as empty;
 *  - the write pointer of a full zone may stand at the end of its capacity or
 *    at the end of the zone;
 *  - at the limits, an empty or closed zone can be finished or not;
 *  - a drive that is no mapped device may answer a read of what was not written
 *    with bytes of 0xff; so may any drive when the zone is being reset.
 *
 * With one thread, a seed gives the same operations each time.
 *
 * All quantities are sectors (512 bytes) unless a name says otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/aio_abi.h>
#include <linux/blkzoned.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#ifndef BLK_ZONE_REP_CAPACITY
#define BLK_ZONE_REP_CAPACITY	(1U << 0)
#endif

#define SECTOR		512U
#define BUF_BYTES	(8U << 20)
#define BATCH_MAX	32
#define HISTORY		16
#define SUSPEND_TRIES	60000U		/* one each millisecond */
#define SMALL_BYTES	(64U << 10)	/* surely one bio */
#define MAX_THREADS	64
#define SAVE_MAGIC	0x314c444d454e4f5aULL

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

enum state { EMPTY, IMPLICIT, EXPLICIT, CLOSED, FULL };

static const char * const state_name[] = {
	"empty", "implicit-open", "explicit-open", "closed", "full",
};

/**
 * struct zone - what the model knows of a zone
 * @start:	first sector on the device
 * @cap:	capacity
 * @wp:		end of the data, relative to @start; also of a finished zone
 * @state:	condition; IMPLICIT stands for implicitly open or closed
 * @gen:	resets so far, part of what the data are made from
 * @seen_gen:	as @gen, raised before a reset begins; for readers of other
 *		threads
 * @seen_wp:	data below it are written; for readers of other threads
 * @history:	the last operations, for the report of a failure
 */
struct zone {
	_Atomic u64 seen_gen;
	_Atomic u64 seen_wp;
	u32 number;
	u64 start;
	u64 cap;
	u64 wp;
	enum state state;
	u64 gen;
	unsigned int nr_history;
	char history[HISTORY][88];
};

enum counter {
	C_WRITE, C_WRITE_FUA, C_BATCH, C_FLUSH, C_READ, C_READ_NOWAIT,
	C_READ_OTHER, C_REPORT, C_RESET, C_RESET_RANGE, C_RESET_ALL, C_FINISH,
	C_OPEN, C_CLOSE, C_FILL, C_NEGATIVE, C_LIMIT, C_VERIFY, NR_COUNTERS
};

static const char * const counter_name[NR_COUNTERS] = {
	"writes", "fua-writes", "batches", "flushes", "reads", "nowait-reads",
	"foreign-reads", "reports", "resets", "range-resets", "resets-of-all",
	"finishes", "opens", "closes", "fills", "negatives", "limit-rounds",
	"full-verifies",
};

struct thread {
	pthread_t id;
	unsigned int number;
	u32 first;		/* zones it owns */
	u32 nr;
	u64 random;
	u8 *wbuf;
	u8 *rbuf;
	aio_context_t aio;
	u64 count[NR_COUNTERS];
};

/* ---- settings and the device ------------------------------------------- */

static u64 seed;
static u64 nr_ops = 1000;
static unsigned int nr_threads = 1;
static u64 budget_bytes = 512ULL << 20;
static u64 max_write_bytes = 4U << 20;
static const char *device;
static const char *save_file, *load_file;
static bool verify_only;
static bool any_memory;
static bool orderly, plain;
static bool reset_first;

static int fd;
static struct zone *zones;
static u32 nr_zones;		/* in the model */
static u32 first_zone;
static u32 device_zones;
static u64 zone_size;
static u64 device_size;
static u64 unit;		/* write granularity, sectors */
static u64 max_open, max_active;	/* 0: no limit */
static bool strict;		/* a mapped device: no zone write plug in front */
static bool memory_offset_ok;	/* buffers need not be block-aligned */

static struct thread threads[MAX_THREADS];

/* SIGTERM came: end as if all operations were done. */
static volatile sig_atomic_t stopped;

/* Everyone holds it shared; operations that concern all zones exclusively. */
static pthread_rwlock_t world;

/* Guards what follows it. */
static pthread_mutex_t account = PTHREAD_MUTEX_INITIALIZER;
static u64 nr_active;		/* zones not empty and not full, or about to be */
static u64 nr_explicit;
static _Atomic u64 data_sectors;

/* ---- failing ------------------------------------------------------------ */

static void print_history(const struct zone *z)
{
	unsigned int i = z->nr_history > HISTORY ? z->nr_history - HISTORY : 0;

	fprintf(stderr, "zone %u by the model: %s, write pointer %" PRIu64
		" of %" PRIu64 ", %" PRIu64 " resets; last operations:\n",
		z->number, state_name[z->state], z->wp, z->cap, z->gen);
	for (; i < z->nr_history; i++)
		fprintf(stderr, "  %s\n", z->history[i % HISTORY]);
}

static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;

static void __attribute__((format(printf, 2, 3), noreturn))
fail(const struct zone *z, const char *format, ...)
{
	va_list args;

	/* Never unlocked: one failure is enough. */
	pthread_mutex_lock(&failing);
	fflush(stdout);
	fprintf(stderr, "zonemodel: FAILED (seed %" PRIu64 "): ", seed);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	if (z)
		print_history(z);
	fflush(stderr);
	_exit(1);
}

static void __attribute__((format(printf, 1, 2), noreturn))
die(const char *format, ...)
{
	va_list args;

	fprintf(stderr, "zonemodel: ");
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static void __attribute__((format(printf, 2, 3)))
record(struct zone *z, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(z->history[z->nr_history++ % HISTORY],
		  sizeof(z->history[0]), format, args);
	va_end(args);
}

/* ---- random numbers and data -------------------------------------------- */

static u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static u64 rnd(struct thread *t)
{
	return mix(t->random += 0x9e3779b97f4a7c15ULL);
}

/* 0 .. n - 1 */
static u64 below(struct thread *t, u64 n)
{
	return n ? rnd(t) % n : 0;
}

static bool percent(struct thread *t, unsigned int p)
{
	return below(t, 100) < p;
}

/* First word of a sector: 0x5a, zone, resets, sector in the zone. */
#define TAG_ZONE_BITS	16
#define TAG_GEN_BITS	14
#define TAG_SECTOR_BITS	26

static u64 tag(const struct zone *z, u64 gen, u64 sector)
{
	return 0x5aULL << 56 |
	       (u64)(z->number & ((1U << TAG_ZONE_BITS) - 1)) <<
			(TAG_GEN_BITS + TAG_SECTOR_BITS) |
	       (gen & ((1U << TAG_GEN_BITS) - 1)) << TAG_SECTOR_BITS |
	       (sector & ((1U << TAG_SECTOR_BITS) - 1));
}

static void describe(char *text, size_t size, const u64 *words)
{
	u64 w = words[0];
	unsigned int i;

	for (i = 0; i < SECTOR / sizeof(*words) && !words[i]; i++)
		;
	if (i == SECTOR / sizeof(*words))
		snprintf(text, size, "zeros");
	else if (w >> 56 != 0x5a)
		snprintf(text, size, "foreign data %016" PRIx64, w);
	else
		snprintf(text, size, "data of zone %u, reset %u, sector %u",
			 (u32)(w >> (TAG_GEN_BITS + TAG_SECTOR_BITS)) &
			 ((1U << TAG_ZONE_BITS) - 1),
			 (u32)(w >> TAG_SECTOR_BITS) & ((1U << TAG_GEN_BITS) - 1),
			 (u32)w & ((1U << TAG_SECTOR_BITS) - 1));
}

static void make_sector(u64 *words, const struct zone *z, u64 gen, u64 sector)
{
	u64 h = mix(seed ^ mix(((u64)z->number << 32 | (u32)gen) ^
			       sector * 0x9e3779b97f4a7c15ULL));
	unsigned int i;

	words[0] = tag(z, gen, sector);
	for (i = 1; i < SECTOR / sizeof(*words); i++) {
		h += 0x9e3779b97f4a7c15ULL;
		words[i] = h ^ h >> 29;
	}
}

static void make_data(void *buf, const struct zone *z, u64 sector, u64 nr)
{
	u64 words[SECTOR / sizeof(u64)];
	u8 *out = buf;

	/* The buffer may be aligned to nothing. */
	for (; nr; nr--, sector++, out += SECTOR) {
		make_sector(words, z, z->gen, sector);
		memcpy(out, words, SECTOR);
	}
}

/* What a plain drive answers where nothing was written, beside zeros. */
static bool is_fill(const u64 *words)
{
	unsigned int i;

	for (i = 0; i < SECTOR / sizeof(*words); i++)
		if (words[i] != UINT64_MAX)
			return false;
	return !strict;
}

static void check_sector(const u8 *got, const struct zone *z, u64 sector,
			 const char *how)
{
	u64 want[SECTOR / sizeof(u64)] = { 0 };
	u64 copy[SECTOR / sizeof(u64)];
	char is[80];

	if (sector < z->wp)
		make_sector(want, z, z->gen, sector);
	if (!memcmp(got, want, SECTOR))
		return;
	memcpy(copy, got, SECTOR);
	if (sector >= z->wp && is_fill(copy))
		return;
	describe(is, sizeof(is), copy);
	fail(z, "%s: zone %u sector %" PRIu64 " should be %s, is %s%s", how,
	     z->number, sector, sector < z->wp ? "what was written" : "zeros",
	     is, copy[0] == want[0] && want[0] ? " with a wrong rest" : "");
}

/* Checks what was read of owned zones. */
static void check_data(const u8 *buf, u64 sector, u64 nr, const char *how)
{
	for (; nr; nr--, sector++, buf += SECTOR) {
		struct zone *z = &zones[sector / zone_size - first_zone];

		check_sector(buf, z, sector - z->start, how);
	}
}

/* ---- limits --------------------------------------------------------------- */

static bool is_active(const struct zone *z)
{
	return z->state == IMPLICIT || z->state == EXPLICIT ||
	       z->state == CLOSED;
}

/* Room for one more active zone?  Takes it. */
static bool take_active(void)
{
	/* null_blk opens no closed zone in the place of another one while as
	 * many zones are active as can be.
	 */
	u64 spare = !strict && max_open < max_active;
	bool got;

	pthread_mutex_lock(&account);
	got = !max_active || nr_active + spare < max_active;
	if (got)
		nr_active++;
	pthread_mutex_unlock(&account);
	return got;
}

static void put_active(void)
{
	pthread_mutex_lock(&account);
	nr_active--;
	pthread_mutex_unlock(&account);
}

/* One place stays for the zones that are written. */
static bool take_explicit(void)
{
	bool got;

	pthread_mutex_lock(&account);
	got = !max_open || nr_explicit + 1 < max_open;
	if (got)
		nr_explicit++;
	pthread_mutex_unlock(&account);
	return got;
}

static void put_explicit(void)
{
	pthread_mutex_lock(&account);
	nr_explicit--;
	pthread_mutex_unlock(&account);
}

/* The model's zone takes a new state, after the device took it. */
static void set_state(struct zone *z, enum state state)
{
	bool was_active = is_active(z);

	if (z->state == EXPLICIT && state != EXPLICIT)
		put_explicit();
	z->state = state;
	if (was_active && !is_active(z))
		put_active();
}

/* ---- reports --------------------------------------------------------------- */

static void check_report(struct zone *z, const struct blk_zone *r,
			 const char *how)
{
	u64 want = z->start + z->wp;
	bool right;

	if (r->start != z->start || r->len != zone_size ||
	    r->capacity != z->cap || r->type != BLK_ZONE_TYPE_SEQWRITE_REQ)
		fail(z, "%s: zone %u is reported as start %llu, length %llu, capacity %llu, type %u",
		     how, z->number, r->start, r->len, r->capacity, r->type);

	switch (z->state) {
	case EMPTY:
		right = r->cond == BLK_ZONE_COND_EMPTY;
		break;
	case IMPLICIT:
		right = r->cond == BLK_ZONE_COND_IMP_OPEN ||
			r->cond == BLK_ZONE_COND_CLOSED;
		break;
	case EXPLICIT:
		right = r->cond == BLK_ZONE_COND_EXP_OPEN;
		break;
	case CLOSED:
		right = r->cond == BLK_ZONE_COND_CLOSED;
		break;
	default:
		if (r->cond != BLK_ZONE_COND_FULL)
			fail(z, "%s: zone %u is reported with condition %u, wants full",
			     how, z->number, r->cond);
		if (r->wp != z->start + z->cap && r->wp != z->start + zone_size)
			fail(z, "%s: full zone %u is reported with write pointer +%llu",
			     how, z->number, r->wp - z->start);
		return;
	}
	if (!right || r->wp != want)
		fail(z, "%s: zone %u is reported with condition %u, write pointer +%llu; want %s, +%" PRIu64,
		     how, z->number, r->cond, r->wp - z->start,
		     state_name[z->state], z->wp);
}

static struct blk_zone_report *get_report(u64 sector, u32 nr)
{
	struct blk_zone_report *report =
		calloc(1, sizeof(*report) + nr * sizeof(struct blk_zone));
	unsigned int tries = SUSPEND_TRIES;

	if (!report)
		die("out of memory");
	/* A mapped device that is suspended may ask to come again. */
	for (;;) {
		report->sector = sector;
		report->nr_zones = nr;
		if (!ioctl(fd, BLKREPORTZONE, report))
			return report;
		if (errno != EAGAIN || !tries--)
			fail(NULL, "report of %u zones at sector %" PRIu64 ": %s",
			     nr, sector, strerror(errno));
		usleep(1000);
	}
}

static void report_zone(struct zone *z, struct blk_zone *r)
{
	struct blk_zone_report *report = get_report(z->start, 1);

	if (report->nr_zones != 1)
		fail(z, "report of zone %u gives %u zones", z->number,
		     report->nr_zones);
	*r = report->zones[0];
	free(report);
}

static void check_zone(struct zone *z, const char *how)
{
	struct blk_zone r;

	report_zone(z, &r);
	check_report(z, &r, how);
}

static void op_report(struct thread *t)
{
	u32 first = below(t, t->nr), nr = 1 + below(t, t->nr), i, want;
	u64 sector = zones[t->first + first].start;
	struct blk_zone_report *report;

	/* The zone that holds the sector comes first. */
	if (percent(t, 30))
		sector += below(t, zone_size);
	report = get_report(sector, nr);
	want = device_zones - (first_zone + t->first + first);
	if (want > nr)
		want = nr;
	if (report->nr_zones != want)
		fail(NULL, "report of %u zones at sector %" PRIu64 " gives %u zones, not %u",
		     nr, sector, report->nr_zones, want);
	for (i = 0; i < want && first + i < t->nr; i++)
		check_report(&zones[t->first + first + i], &report->zones[i],
			     "report");
	free(report);
	t->count[C_REPORT]++;
}

/* ---- zone operations -------------------------------------------------------- */

static int zone_ioctl(unsigned long request, u64 sector, u64 nr)
{
	struct blk_zone_range range = { .sector = sector, .nr_sectors = nr };
	unsigned int tries = SUSPEND_TRIES;

	/* Older kernels report the zones to reset all of them. */
	while (ioctl(fd, request, &range)) {
		if (errno != EAGAIN || !tries--)
			return errno;
		usleep(1000);
	}
	return 0;
}

/* A zone without data that was opened and closed: closed or empty? */
static void adopt_closed(struct zone *z)
{
	struct blk_zone r;

	report_zone(z, &r);
	set_state(z, r.cond == BLK_ZONE_COND_EMPTY ? EMPTY : CLOSED);
	check_report(z, &r, "after close of a zone without data");
}

static void begin_reset(struct zone *z)
{
	record(z, "reset");
	atomic_store(&z->seen_wp, 0);
	atomic_fetch_add(&z->seen_gen, 1);
}

static void end_reset(struct zone *z)
{
	atomic_fetch_sub(&data_sectors, z->wp);
	z->gen++;
	z->wp = 0;
	set_state(z, EMPTY);
}

static void op_reset(struct thread *t, struct zone *z)
{
	int error;

	begin_reset(z);
	error = zone_ioctl(BLKRESETZONE, z->start, zone_size);
	if (error)
		fail(z, "reset of zone %u: %s", z->number, strerror(error));
	end_reset(z);
	if (percent(t, 50))
		check_zone(z, "after reset");
	t->count[C_RESET]++;
}

static void op_reset_range(struct thread *t)
{
	u32 first = below(t, t->nr), nr = 2 + below(t, 4), i;
	struct zone *z = &zones[t->first + first];
	int error;

	if (first + nr > t->nr)
		nr = t->nr - first;
	for (i = 0; i < nr; i++)
		begin_reset(&z[i]);
	error = zone_ioctl(BLKRESETZONE, z->start, nr * zone_size);
	if (error)
		fail(z, "reset of zones %u..%u: %s", z->number,
		     z->number + nr - 1, strerror(error));
	for (i = 0; i < nr; i++) {
		end_reset(&z[i]);
		check_zone(&z[i], "after range reset");
	}
	t->count[C_RESET_RANGE]++;
}

static void op_finish(struct thread *t, struct zone *z)
{
	bool taken = false;
	int error;

	if (z->state == EMPTY) {
		taken = take_active();
		if (!taken)
			return;
	}
	record(z, "finish at %" PRIu64, z->wp);
	error = zone_ioctl(BLKFINISHZONE, z->start, zone_size);
	if (error)
		fail(z, "finish of zone %u: %s", z->number, strerror(error));
	set_state(z, FULL);
	if (taken)
		put_active();
	if (percent(t, 50))
		check_zone(z, "after finish");
	t->count[C_FINISH]++;
}

static void op_open(struct thread *t, struct zone *z)
{
	bool taken = false;
	int error;

	if (z->state == FULL || z->state == EXPLICIT) {
		record(z, "open (%s)", state_name[z->state]);
		error = zone_ioctl(BLKOPENZONE, z->start, zone_size);
		if (z->state == FULL ? !error : error)
			fail(z, "open of %s zone %u: %s", state_name[z->state],
			     z->number, error ? strerror(error) : "no error");
		check_zone(z, "after open");
		return;
	}
	if (!take_explicit())
		return;
	if (z->state == EMPTY) {
		taken = take_active();
		if (!taken) {
			put_explicit();
			return;
		}
	}
	record(z, "open");
	error = zone_ioctl(BLKOPENZONE, z->start, zone_size);
	if (error)
		fail(z, "open of zone %u: %s", z->number, strerror(error));
	z->state = EXPLICIT;
	if (percent(t, 50))
		check_zone(z, "after open");
	t->count[C_OPEN]++;
}

static void op_close(struct thread *t, struct zone *z)
{
	bool must_fail = z->state == EMPTY || z->state == FULL;
	int error;

	record(z, "close (%s)", state_name[z->state]);
	error = zone_ioctl(BLKCLOSEZONE, z->start, zone_size);
	if (must_fail ? !error : error)
		fail(z, "close of %s zone %u: %s", state_name[z->state],
		     z->number, error ? strerror(error) : "no error");
	if (!must_fail) {
		if (!z->wp)
			adopt_closed(z);
		else
			set_state(z, CLOSED);
	}
	check_zone(z, "after close");
	t->count[C_CLOSE]++;
}

/* ---- writes ------------------------------------------------------------------ */

/* Splits a buffer into pieces of whole units, for bios of odd shapes. */
static int make_iovec(struct thread *t, struct iovec *iov, u8 *buf, u64 bytes)
{
	int nr = 0, pieces = percent(t, 30) ? 4 : 1;
	u64 units = bytes / SECTOR / unit;

	while (units) {
		u64 n = nr + 1 < pieces ? 1 + below(t, units) : units;

		iov[nr].iov_base = buf;
		iov[nr++].iov_len = n * unit * SECTOR;
		buf += n * unit * SECTOR;
		units -= n;
	}
	return nr;
}

/* A place in a buffer, not always at the begin of a page. */
static u8 *some_place(struct thread *t, u8 *buf)
{
	if (memory_offset_ok && percent(t, 20))
		return buf + SECTOR * (1 + below(t, 7));
	return buf;
}

/* Length of a random write (or read): mostly small, sometimes large. */
static u64 some_length(struct thread *t, u64 most)
{
	u64 max, nr;

	switch (below(t, 20)) {
	case 0 ... 5:
		max = unit;
		break;
	case 6 ... 13:
		max = SMALL_BYTES / SECTOR;
		break;
	case 14 ... 18:
		max = (512U << 10) / SECTOR;
		break;
	default:
		max = max_write_bytes / SECTOR;
		break;
	}
	nr = (1 + below(t, max / unit ? max / unit : 1)) * unit;
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

static void write_sectors(struct thread *t, struct zone *z, u64 nr, bool fua)
{
	u8 *buf = some_place(t, t->wbuf);
	struct iovec iov[4];
	int n = make_iovec(t, iov, buf, nr * SECTOR);
	ssize_t ret;

	make_data(buf, z, z->wp, nr);
	record(z, "write %" PRIu64 "+%" PRIu64 "%s", z->wp, nr,
	       fua ? " fua" : "");
	ret = pwritev2(fd, iov, n, (z->start + z->wp) * SECTOR,
		       fua ? RWF_DSYNC : 0);
	if (ret != (ssize_t)(nr * SECTOR))
		fail(z, "write of zone %u at %" PRIu64 "+%" PRIu64 ": %s",
		     z->number, z->wp, nr,
		     ret < 0 ? strerror(errno) : "short");
	wrote(z, nr);
	t->count[fua ? C_WRITE_FUA : C_WRITE]++;
}

static void op_write(struct thread *t, struct zone *z)
{
	if (!may_write(z))
		return;
	write_sectors(t, z, some_length(t, z->cap - z->wp), percent(t, 20));
}

/* Up to the end, or to a few blocks before it. */
static void op_fill(struct thread *t, struct zone *z)
{
	u64 leave = percent(t, 50) ? 0 : (1 + below(t, 20)) * unit;

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
		write_sectors(t, z, unit, false);
	t->count[C_FILL]++;
}

/* ---- asynchronous batches ------------------------------------------------------ */

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
	cb->aio_fildes = fd;
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
static void op_batch(struct thread *t, struct zone *z)
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
			u64 from = below(t, old_wp / unit) * unit;

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
		if (strict && !orderly && percent(t, 3) && at + unit < z->cap) {
			kind[b.nr] = WRONG;
			batch_add(&b, IOCB_CMD_PWRITE, t->wbuf,
				  z->start + at + unit, unit, 0);
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
		write_sectors(t, z, unit, false);
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

static void op_flush(struct thread *t)
{
	if (percent(t, 50) ? fsync(fd) : fdatasync(fd))
		fail(NULL, "flush: %s", strerror(errno));
	t->count[C_FLUSH]++;
}

/* ---- reads -------------------------------------------------------------------- */

static void read_owned(struct thread *t, u64 sector, u64 nr, int flags,
		       const char *how)
{
	u8 *buf = some_place(t, t->rbuf);
	struct iovec iov[4];
	int n = make_iovec(t, iov, buf, nr * SECTOR);
	ssize_t ret;

	memset(buf, 0xee, nr * SECTOR);
	ret = preadv2(fd, iov, n, sector * SECTOR, flags);
	if (ret < 0 && errno == EAGAIN && flags & RWF_NOWAIT)
		return;
	if (ret != (ssize_t)(nr * SECTOR))
		fail(&zones[sector / zone_size - first_zone],
		     "%s at sector %" PRIu64 "+%" PRIu64 ": %s", how, sector,
		     nr, ret < 0 ? strerror(errno) : "short");
	check_data(buf, sector, nr, how);
	t->count[flags & RWF_NOWAIT ? C_READ_NOWAIT : C_READ]++;
}

static void op_read(struct thread *t, struct zone *z)
{
	u64 owned_end = zones[t->first + t->nr - 1].start + zone_size;
	u64 nr = some_length(t, BUF_BYTES / SECTOR), sector;

	switch (below(t, 10)) {
	case 0:			/* anywhere, also behind the capacity */
		sector = z->start + below(t, zone_size / unit) * unit;
		break;
	case 1:			/* across the end of the zone */
		sector = z->start + zone_size - (1 + below(t, nr / unit)) * unit;
		break;
	case 2 ... 3:		/* across the write pointer */
		sector = z->start + z->wp;
		sector -= (z->wp < nr ? below(t, z->wp / unit + 1) :
			   below(t, nr / unit + 1)) * unit;
		break;
	default:
		sector = z->start + below(t, (z->wp ? z->wp : z->cap) / unit) *
			unit;
		break;
	}
	if (sector + nr > owned_end)
		nr = owned_end - sector;
	if (nr)
		read_owned(t, sector, nr, percent(t, 20) ? RWF_NOWAIT : 0,
			   "read");
}

/* A zone someone else works on at the moment. */
static void op_read_other(struct thread *t)
{
	struct zone *z = &zones[below(t, nr_zones)];
	u64 gen, gen_after, wp, from, nr, i;
	u64 word;
	ssize_t ret;

	if (z >= &zones[t->first] && z < &zones[t->first + t->nr])
		return;
	gen = atomic_load(&z->seen_gen);
	wp = atomic_load(&z->seen_wp);
	if (gen != atomic_load(&z->seen_gen))
		return;
	from = wp < 256 ? 0 : wp - 128 - below(t, (wp - 128) / unit) * unit;
	from -= from % unit;
	nr = some_length(t, z->cap - from);
	ret = pread(fd, t->rbuf, nr * SECTOR, (z->start + from) * SECTOR);
	if (ret != (ssize_t)(nr * SECTOR))
		fail(z, "foreign read of zone %u at %" PRIu64 "+%" PRIu64 ": %s",
		     z->number, from, nr, ret < 0 ? strerror(errno) : "short");
	gen_after = atomic_load(&z->seen_gen);
	for (i = 0; i < nr; i++) {
		u64 want[SECTOR / sizeof(u64)], g;
		char is[80];

		memcpy(&word, t->rbuf + i * SECTOR, sizeof(word));
		describe(is, sizeof(is), (u64 *)(t->rbuf + i * SECTOR));
		if (gen == gen_after && from + i < wp) {
			make_sector(want, z, gen, from + i);
			if (memcmp(want, t->rbuf + i * SECTOR, SECTOR))
				fail(z, "foreign read of zone %u: sector %" PRIu64 " was written, reads %s",
				     z->number, from + i, is);
			continue;
		}
		/* A reset may have overtaken the read: it got to the drive. */
		if (!word || (word == UINT64_MAX &&
			      (!strict || gen != gen_after || !wp)))
			continue;
		for (g = gen ? gen - 1 : 0; g <= gen_after; g++)
			if (word == tag(z, g, from + i))
				break;
		if (g > gen_after)
			fail(z, "foreign read of zone %u: sector %" PRIu64 " reads %s",
			     z->number, from + i, is);
	}
	t->count[C_READ_OTHER]++;
}

static void verify_zone(struct thread *t, struct zone *z)
{
	u64 step = BUF_BYTES / SECTOR, end, at, nr;

	check_zone(z, "verify");
	/* All the data, and something of what follows. */
	end = z->wp + 512 < zone_size ? z->wp + 512 : zone_size;
	for (at = 0; at < end; at += nr) {
		nr = end - at < step ? end - at : step;
		memset(t->rbuf, 0xee, nr * SECTOR);
		if (pread(fd, t->rbuf, nr * SECTOR, (z->start + at) * SECTOR) !=
		    (ssize_t)(nr * SECTOR))
			fail(z, "verify: read of zone %u at %" PRIu64 "+%" PRIu64 ": %s",
			     z->number, at, nr, strerror(errno));
		check_data(t->rbuf, z->start + at, nr, "verify");
	}
}

static void verify_all(struct thread *t)
{
	u32 i;

	for (i = 0; i < nr_zones; i++)
		verify_zone(t, &zones[i]);
	t->count[C_VERIFY]++;
}

/* ---- what must fail ---------------------------------------------------------- */

static void must_fail(struct thread *t, struct zone *z, u64 offset, u64 bytes,
		      int want, const char *what)
{
	ssize_t ret;
	u64 at;

	memset(t->wbuf, 0xbb, bytes);
	record(z, "must fail: %s, %" PRIu64 " bytes +%" PRIu64, what, offset,
	       bytes);
	ret = pwrite(fd, t->wbuf, bytes, z->start * SECTOR + offset);
	if (ret >= 0)
		fail(z, "%s: write of zone %u at byte %" PRIu64 "+%" PRIu64 " succeeded",
		     what, z->number, offset, bytes);
	if (errno != want)
		fail(z, "%s: write of zone %u fails with '%s', not '%s'", what,
		     z->number, strerror(errno), strerror(want));
	/* On a plain drive the report is also what mends the zone's write
	 * plug. The array needs no such thing.
	 */
	if (!strict || percent(t, 70))
		check_zone(z, what);
	/* What is around it? */
	at = offset / SECTOR / unit * unit;
	at = at > 16 * unit ? at - 16 * unit : 0;
	read_owned(t, z->start + at,
		   zone_size - at < 64 * unit ? zone_size - at : 64 * unit, 0,
		   what);
}

static void range_must_fail(struct zone *z, unsigned long request, u64 sector,
			    u64 nr, const char *what)
{
	int error = zone_ioctl(request, sector, nr);

	if (error != EINVAL)
		fail(z, "%s: result is '%s', not '%s'", what,
		     strerror(error), strerror(EINVAL));
	check_zone(z, what);
}

static void op_negative(struct thread *t, struct zone *z)
{
	u64 len = (1 + below(t, SMALL_BYTES / SECTOR / unit)) * unit;
	u64 left, at;

	switch (below(t, 8)) {
	case 0:			/* behind the write pointer */
		if (z->state == FULL || z->cap - z->wp <= unit)
			return;
		at = z->wp + (1 + below(t, (z->cap - z->wp) / unit - 1)) * unit;
		if (at + len > z->cap)
			len = z->cap - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write behind the write pointer");
		break;
	case 1:			/* before the write pointer */
		if (!z->wp)
			return;
		at = below(t, z->wp / unit) * unit;
		if (at + len > z->cap)
			len = z->cap - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write before the write pointer");
		break;
	case 2:			/* beyond the capacity, from the write pointer */
		left = z->cap - z->wp;
		if (!is_active(z) || left * SECTOR >= SMALL_BYTES)
			return;
		if (z->wp + left + unit > zone_size)
			return;	/* the block layer, or device mapper, may split it */
		must_fail(t, z, z->wp * SECTOR, (left + unit) * SECTOR, EIO,
			  "write beyond the capacity");
		break;
	case 3:			/* into the gap */
		if (z->cap == zone_size)
			return;
		at = z->cap + below(t, (zone_size - z->cap) / unit) * unit;
		if (at + len > zone_size)
			len = zone_size - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write behind the capacity");
		break;
	case 4:
		if (z->state != FULL)
			return;
		at = percent(t, 50) ? 0 : z->cap - unit;
		if (at + len > z->cap)
			len = z->cap - at;
		must_fail(t, z, at * SECTOR, len * SECTOR, EIO,
			  "write to a full zone");
		break;
	case 5:			/* half a block */
		if (unit > 1)
			must_fail(t, z, z->wp * SECTOR, SECTOR, EINVAL,
				  "write of less than a block");
		else
			must_fail(t, z, z->wp * SECTOR, 100, EINVAL,
				  "write of less than a block");
		break;
	case 6:
		if (unit > 1)
			must_fail(t, z, (z->wp + 1) * SECTOR, unit * SECTOR,
				  EINVAL, "write between blocks");
		break;
	default:
		range_must_fail(z, BLKRESETZONE, z->start + unit, zone_size,
				"reset of a part of a zone");
		range_must_fail(z, BLKFINISHZONE, z->start, zone_size / 2,
				"finish of a part of a zone");
		range_must_fail(z, BLKOPENZONE, device_size, zone_size,
				"open behind the end");
		range_must_fail(z, BLKRESETZONE, z->start,
				device_size - z->start + zone_size,
				"reset across the end");
		break;
	}
	t->count[C_NEGATIVE]++;
}

/* ---- operations that concern all zones (the world is held exclusively) -------- */

static void op_reset_all(struct thread *t)
{
	u32 i;
	int error;

	/* Only when the model knows all zones. */
	if (nr_zones != device_zones)
		return;
	for (i = 0; i < nr_zones; i++)
		begin_reset(&zones[i]);
	error = zone_ioctl(BLKRESETZONE, 0, device_size);
	if (error)
		fail(NULL, "reset of all zones: %s", strerror(error));
	for (i = 0; i < nr_zones; i++)
		end_reset(&zones[i]);
	for (i = 0; i < nr_zones; i++)
		check_zone(&zones[i], "after reset of all zones");
	t->count[C_RESET_ALL]++;
}

static struct zone *find_zone(struct thread *t, enum state state)
{
	u32 first = below(t, nr_zones), i;

	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[(first + i) % nr_zones];

		if (z->state == state)
			return z;
	}
	return NULL;
}

static struct zone *need_zone(struct thread *t, enum state state)
{
	struct zone *z = find_zone(t, state);

	if (!z && state == EMPTY) {
		z = find_zone(t, FULL);
		if (z)
			op_reset(t, z);
	}
	return z;
}

/* The whole report: does it keep the limits? */
static void check_limits(const char *how)
{
	struct blk_zone_report *report = get_report(0, device_zones);
	u64 open = 0, active = 0, i;

	if (report->nr_zones != device_zones)
		fail(NULL, "%s: report of all %u zones gives %u", how,
		     device_zones, report->nr_zones);
	for (i = 0; i < report->nr_zones; i++) {
		u8 cond = report->zones[i].cond;

		if (cond == BLK_ZONE_COND_IMP_OPEN ||
		    cond == BLK_ZONE_COND_EXP_OPEN)
			open++;
		if (cond == BLK_ZONE_COND_IMP_OPEN ||
		    cond == BLK_ZONE_COND_EXP_OPEN ||
		    cond == BLK_ZONE_COND_CLOSED)
			active++;
	}
	for (i = 0; i < nr_zones; i++)
		check_report(&zones[i], &report->zones[first_zone + i], how);
	if ((max_open && open > max_open) ||
	    (max_active && active > max_active))
		fail(NULL, "%s: %" PRIu64 " zones open, %" PRIu64 " active; limits are %" PRIu64 ", %" PRIu64,
		     how, open, active, max_open, max_active);
	free(report);
}

/* Either is right; but what it says is what it does, and nobody waits for it later. */
static void finish_at_limit(struct thread *t, struct zone *z)
{
	int error;

	record(z, "finish at the limit");
	error = zone_ioctl(BLKFINISHZONE, z->start, zone_size);
	if (error && error != EOVERFLOW && error != ETOOMANYREFS)
		fail(z, "finish of zone %u at the limit: %s", z->number,
		     strerror(error));
	if (!error)
		set_state(z, FULL);
	check_zone(z, "after finish at the limit");
	op_flush(t);
}

/* An empty zone when no more zones may be active. */
static void check_too_many_active(struct thread *t)
{
	struct zone *z = need_zone(t, EMPTY);
	bool also_open = max_open && nr_explicit >= max_open;
	int error;

	if (!z)
		return;
	record(z, "must fail: too many active");
	make_data(t->wbuf, z, 0, unit);
	error = pwrite(fd, t->wbuf, unit * SECTOR, z->start * SECTOR) < 0 ?
		errno : 0;
	if (error != EOVERFLOW && !(also_open && error == ETOOMANYREFS))
		fail(z, "write of zone %u while %" PRIu64 " zones are active: '%s', not '%s'",
		     z->number, nr_active, strerror(error),
		     strerror(EOVERFLOW));
	check_zone(z, "after a write that would make too many active");
	error = zone_ioctl(BLKOPENZONE, z->start, zone_size);
	if (error != EOVERFLOW && !(also_open && error == ETOOMANYREFS))
		fail(z, "open of zone %u while %" PRIu64 " zones are active: '%s', not '%s'",
		     z->number, nr_active, strerror(error),
		     strerror(EOVERFLOW));
	verify_zone(t, z);
	if (percent(t, 30))
		finish_at_limit(t, z);
}

/* A zone that is not open when all that may be are open explicitly. */
static void check_too_many_open(struct thread *t, enum state state)
{
	struct zone *z = find_zone(t, state);
	int error;

	if (!z)
		return;
	record(z, "must fail: too many open");
	make_data(t->wbuf, z, z->wp, unit);
	error = pwrite(fd, t->wbuf, unit * SECTOR,
		       (z->start + z->wp) * SECTOR) < 0 ? errno : 0;
	if (error != ETOOMANYREFS)
		fail(z, "write of zone %u while %" PRIu64 " zones are open: '%s', not '%s'",
		     z->number, nr_explicit, strerror(error),
		     strerror(ETOOMANYREFS));
	check_zone(z, "after a write that would make too many open");
	error = zone_ioctl(BLKOPENZONE, z->start, zone_size);
	if (error != ETOOMANYREFS)
		fail(z, "open of zone %u while %" PRIu64 " zones are open: '%s', not '%s'",
		     z->number, nr_explicit, strerror(error),
		     strerror(ETOOMANYREFS));
	verify_zone(t, z);
	if (percent(t, 50))
		finish_at_limit(t, z);
}

static void op_limits(struct thread *t)
{
	struct zone *z;
	u32 i;

	/* As many explicitly open as can be; closed ones stay if any. */
	while (percent(t, 90) && max_open && nr_explicit < max_open) {
		z = find_zone(t, IMPLICIT);
		if (!z && (nr_explicit < 2 || percent(t, 50)))
			z = find_zone(t, CLOSED);
		if (!z) {
			z = need_zone(t, EMPTY);
			if (!z || !take_active())
				break;
		}
		record(z, "open (limits)");
		if (zone_ioctl(BLKOPENZONE, z->start, zone_size))
			fail(z, "open of zone %u, %" PRIu64 " explicitly open before: %s",
			     z->number, nr_explicit, strerror(errno));
		z->state = EXPLICIT;
		nr_explicit++;
		check_zone(z, "open at the limits");
	}
	/* Zones the drive may or may not have closed become closed. */
	for (i = 0; i < nr_zones; i++)
		if (zones[i].state == IMPLICIT)
			op_close(t, &zones[i]);
	check_limits("explicitly open");
	if (max_open && nr_explicit == max_open) {
		check_too_many_open(t, CLOSED);
		if (!max_active || nr_active < max_active)
			check_too_many_open(t, EMPTY);
	}

	/* As many active as can be. Without the place of an open zone none
	 * becomes active by a write.
	 */
	while (max_active && nr_active < max_active &&
	       (!max_open || nr_explicit < max_open)) {
		z = need_zone(t, EMPTY);
		if (!z)
			break;
		nr_active++;
		z->state = CLOSED;
		write_sectors(t, z, unit, percent(t, 10));
		check_zone(z, "write at the limits");
	}
	check_limits("active");
	if (max_active && nr_active == max_active)
		check_too_many_active(t);
	check_limits("after the limits");

	/* Back to where everyone can work. */
	while (max_active && nr_active >= max_active) {
		z = find_zone(t, IMPLICIT);
		if (!z)
			z = find_zone(t, CLOSED);
		if (!z)
			z = find_zone(t, EXPLICIT);
		if (!z)
			break;
		op_reset(t, z);
	}
	while (max_open && nr_explicit + 1 >= max_open) {
		z = find_zone(t, EXPLICIT);
		if (!z)
			break;
		op_reset(t, z);
	}
	for (i = 0; i < nr_zones; i++) {
		if (!is_active(&zones[i]))
			continue;
		if (zones[i].state == EXPLICIT && percent(t, 70))
			op_close(t, &zones[i]);
		switch (below(t, 4)) {
		case 0 ... 1:
			op_reset(t, &zones[i]);
			break;
		case 2:
			if (zones[i].state != EMPTY)
				op_finish(t, &zones[i]);
			break;
		}
	}
	check_limits("back from the limits");
	t->count[C_LIMIT]++;
}

/* ---- threads -------------------------------------------------------------------- */

static struct zone *pick_zone(struct thread *t)
{
	int i;

	for (i = 0; i < 4; i++) {
		struct zone *z = &zones[t->first + below(t, t->nr)];

		if (is_active(z))
			return z;
	}
	return &zones[t->first + below(t, t->nr)];
}

/* The owned zone that holds most. */
static struct zone *largest_zone(struct thread *t)
{
	struct zone *z = &zones[t->first];
	u32 i;

	for (i = 1; i < t->nr; i++)
		if (zones[t->first + i].wp > z->wp)
			z = &zones[t->first + i];
	return z;
}

static void one_op(struct thread *t)
{
	struct zone *z = pick_zone(t);
	u64 dice = below(t, 1000);

	if (dice < 4) {
		pthread_rwlock_unlock(&world);
		pthread_rwlock_wrlock(&world);
		if (dice == 0)
			op_reset_all(t);
		else if (dice == 1)
			verify_all(t);
		else
			op_limits(t);
		pthread_rwlock_unlock(&world);
		pthread_rwlock_rdlock(&world);
		return;
	}
	if (atomic_load(&data_sectors) * SECTOR > budget_bytes)
		op_reset(t, largest_zone(t));
	if (dice < 360)
		op_write(t, z);
	else if (dice < 480)
		op_batch(t, z);
	else if (dice < 486)
		op_fill(t, z);
	else if (dice < 550)
		op_flush(t);
	else if (dice < 700)
		op_read(t, z);
	else if (dice < 750)
		op_read_other(t);
	else if (dice < 800)
		op_report(t);
	else if (dice < 815)
		op_reset(t, z);
	else if (dice < 820)
		op_reset_range(t);
	else if (dice < 840)
		op_finish(t, z);
	else if (dice < 880)
		op_open(t, z);
	else if (dice < 920)
		op_close(t, z);
	else
		op_negative(t, z);
}

static void *work(void *argument)
{
	struct thread *t = argument;
	u64 i;

	for (i = 0; i < nr_ops && !stopped; i++) {
		pthread_rwlock_rdlock(&world);
		one_op(t);
		pthread_rwlock_unlock(&world);
	}
	return NULL;
}

static void *buffer(void)
{
	/* Room to begin in the middle of a page. */
	void *p = mmap(NULL, BUF_BYTES + 4096, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

static void start_threads(void)
{
	unsigned int i;

	for (i = 0; i < nr_threads; i++) {
		struct thread *t = &threads[i];

		t->number = i;
		t->first = (u64)nr_zones * i / nr_threads;
		t->nr = (u64)nr_zones * (i + 1) / nr_threads - t->first;
		t->random = mix(seed + i) ^ nr_ops ^ (load_file ? 1 : 0);
		t->wbuf = buffer();
		t->rbuf = buffer();
		if (syscall(SYS_io_setup, BATCH_MAX, &t->aio))
			die("io_setup: %s", strerror(errno));
	}
}

/* ---- the device ------------------------------------------------------------------ */

static u64 queue_number(const char *attribute)
{
	char path[128], text[32] = "";
	struct stat st;
	FILE *f;

	fstat(fd, &st);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/%s",
		 major(st.st_rdev), minor(st.st_rdev), attribute);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (!fgets(text, sizeof(text), f))
		text[0] = 0;
	fclose(f);
	return strtoull(text, NULL, 10);
}

static void open_device(u32 want_zones)
{
	u32 zone_sectors, i, nr;
	char path[64];
	struct stat st;
	u64 bytes;

	fd = open(device, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		die("%s: %s", device, strerror(errno));
	if (ioctl(fd, BLKGETZONESZ, &zone_sectors) ||
	    ioctl(fd, BLKGETNRZONES, &nr) ||
	    ioctl(fd, BLKGETSIZE64, &bytes) || !zone_sectors || !nr)
		die("%s is not a zoned block device", device);
	zone_size = zone_sectors;
	device_size = bytes / SECTOR;
	device_zones = nr;
	if (first_zone >= nr)
		die("%s has %u zones", device, nr);
	nr_zones = nr - first_zone;
	if (want_zones && want_zones < nr_zones)
		nr_zones = want_zones;
	unit = queue_number("zone_write_granularity") / SECTOR;
	if (!unit)
		unit = queue_number("logical_block_size") / SECTOR;
	if (!unit)
		unit = 8;
	max_open = queue_number("max_open_zones");
	max_active = queue_number("max_active_zones");
	fstat(fd, &st);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/dm",
		 major(st.st_rdev), minor(st.st_rdev));
	strict = !plain && !access(path, F_OK);

	zones = calloc(nr_zones, sizeof(*zones));
	if (!zones)
		die("out of memory");
	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[i];
		struct blk_zone_report *report;

		z->number = first_zone + i;
		z->start = z->number * zone_size;
		report = get_report(z->start, 1);
		z->cap = report->zones[0].capacity;
		free(report);
	}
}

/*
 * Do buffers have to be aligned to blocks, or to 512 bytes only?  null_blk says
 * the latter, but takes memory in pieces smaller than its blocks for something
 * else, so blocks of 4096 bytes are only tried on demand.
 */
static void probe_memory_alignment(void)
{
	if (unit > 1 && !any_memory)
		return;
	memory_offset_ok = pread(fd, threads[0].rbuf + SECTOR, unit * SECTOR,
				 zones[0].start * SECTOR) ==
			   (ssize_t)(unit * SECTOR);
}

/* Zones outside of the model count against the limits too. */
static void count_foreign_zones(void)
{
	struct blk_zone_report *report = get_report(0, device_zones);
	u32 i;

	for (i = 0; i < report->nr_zones; i++) {
		u8 cond = report->zones[i].cond;

		if (i >= first_zone && i < first_zone + nr_zones)
			continue;
		if (cond == BLK_ZONE_COND_EXP_OPEN)
			nr_explicit++;
		if (cond == BLK_ZONE_COND_IMP_OPEN ||
		    cond == BLK_ZONE_COND_EXP_OPEN ||
		    cond == BLK_ZONE_COND_CLOSED)
			nr_active++;
	}
	free(report);
}

/* ---- the model in a file: for the time after a restart --------------------------- */

struct saved_head {
	u64 magic, seed, nr_zones, first_zone, zone_size;
};

struct saved_zone {
	u64 wp, gen, state, cap;
};

static void save(void)
{
	struct saved_head head = { SAVE_MAGIC, seed, nr_zones, first_zone,
				   zone_size };
	FILE *f = fopen(save_file, "w");
	u32 i;

	if (!f || fwrite(&head, sizeof(head), 1, f) != 1)
		die("%s: %s", save_file, strerror(errno));
	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[i];
		struct saved_zone s = { z->wp, z->gen, z->state, z->cap };

		if (fwrite(&s, sizeof(s), 1, f) != 1)
			die("%s: %s", save_file, strerror(errno));
	}
	if (fclose(f))
		die("%s: %s", save_file, strerror(errno));
}

static void load(void)
{
	struct saved_head head;
	FILE *f = fopen(load_file, "r");
	struct blk_zone r;
	u32 i;

	if (!f || fread(&head, sizeof(head), 1, f) != 1 ||
	    head.magic != SAVE_MAGIC)
		die("%s holds no model", load_file);
	if (head.nr_zones != nr_zones || head.first_zone != first_zone ||
	    head.zone_size != zone_size)
		die("%s is a model of %llu zones of %llu sectors from %llu on",
		    load_file, (unsigned long long)head.nr_zones,
		    (unsigned long long)head.zone_size,
		    (unsigned long long)head.first_zone);
	seed = head.seed;
	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[i];
		struct saved_zone s;

		if (fread(&s, sizeof(s), 1, f) != 1)
			die("%s is too short", load_file);
		if (s.cap != z->cap)
			fail(z, "capacity of zone %u was %llu, is %llu", i,
			     (unsigned long long)s.cap,
			     (unsigned long long)z->cap);
		z->wp = s.wp;
		z->gen = s.gen;
		z->state = s.state;
		record(z, "restart (%s before)", state_name[z->state]);
		/* A restart closes what was open. */
		if (is_active(z)) {
			z->state = z->wp ? CLOSED : EMPTY;
			report_zone(z, &r);
			if (!z->wp && r.cond == BLK_ZONE_COND_CLOSED)
				z->state = CLOSED;
		}
		if (is_active(z))
			nr_active++;
		data_sectors += z->wp;
		atomic_store(&z->seen_gen, z->gen);
		atomic_store(&z->seen_wp, z->wp);
	}
	fclose(f);
}

/* ---- main -------------------------------------------------------------------------- */

static void usage(FILE *out)
{
	fputs("usage: zonemodel [OPTION...] DEVICE\n"
	      "Random operations on a zoned block device, checked by a model. All data on\n"
	      "the device are lost.\n"
	      "  -s, --seed N        seed (default: the time)\n"
	      "  -n, --ops N         operations of each thread (1000)\n"
	      "  -t, --threads N     threads (1)\n"
	      "  -z, --zones N       zones to use (all)\n"
	      "  -f, --first N       first zone to use (0)\n"
	      "  -b, --budget MIB    reset zones when more data than this are held (512)\n"
	      "  -w, --max-write KIB longest write (4096)\n"
	      "  -r, --reset         reset the zones first; otherwise they must be empty or\n"
	      "                      in the state of --load\n"
	      "      --any-memory    buffers at any multiple of 512 also for larger blocks;\n"
	      "                      null_blk drives do not take that\n"
	      "      --orderly       no wrong writes under way with others: the volume is\n"
	      "                      suspended meanwhile, and takes writes for early ones\n"
	      "      --plain         a mapped device that is no more than the drive below it\n"
	      "      --save FILE     write the model to FILE at the end\n"
	      "      --load FILE     begin with the model in FILE; the device was restarted\n"
	      "      --verify        only compare the device with the model\n"
	      "SIGTERM ends the operations early.\n"
	      "Exit status: 0 all as it must be, 1 the device was wrong, 2 trouble.\n", out);
}

static u64 number(const char *text)
{
	char *end;
	u64 value = strtoull(text, &end, 0);

	if (*end || end == text)
		die("'%s' is not a number", text);
	return value;
}

static u32 parse_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "ops", required_argument, NULL, 'n' },
		{ "threads", required_argument, NULL, 't' },
		{ "zones", required_argument, NULL, 'z' },
		{ "first", required_argument, NULL, 'f' },
		{ "budget", required_argument, NULL, 'b' },
		{ "max-write", required_argument, NULL, 'w' },
		{ "reset", no_argument, NULL, 'r' },
		{ "any-memory", no_argument, NULL, 'M' },
		{ "orderly", no_argument, NULL, 'O' },
		{ "plain", no_argument, NULL, 'P' },
		{ "save", required_argument, NULL, 'S' },
		{ "load", required_argument, NULL, 'L' },
		{ "verify", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL }
	};
	u32 want_zones = 0;
	int c;

	seed = time(NULL) * 1000003ULL + getpid();
	while ((c = getopt_long(argc, argv, "s:n:t:z:f:b:w:rh", options,
				NULL)) != -1) {
		switch (c) {
		case 's':
			seed = number(optarg);
			break;
		case 'n':
			nr_ops = number(optarg);
			break;
		case 't':
			nr_threads = number(optarg);
			break;
		case 'z':
			want_zones = number(optarg);
			break;
		case 'f':
			first_zone = number(optarg);
			break;
		case 'b':
			budget_bytes = number(optarg) << 20;
			break;
		case 'w':
			max_write_bytes = number(optarg) << 10;
			break;
		case 'r':
			reset_first = true;
			break;
		case 'M':
			any_memory = true;
			break;
		case 'O':
			orderly = true;
			break;
		case 'P':
			plain = true;
			break;
		case 'S':
			save_file = optarg;
			break;
		case 'L':
			load_file = optarg;
			break;
		case 'V':
			verify_only = true;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			exit(2);
		}
	}
	if (optind + 1 != argc) {
		usage(stderr);
		exit(2);
	}
	device = argv[optind];
	if (!nr_threads || nr_threads > MAX_THREADS)
		die("between 1 and %d threads", MAX_THREADS);
	if (!max_write_bytes || max_write_bytes > BUF_BYTES)
		die("writes of 1 to %u KiB", BUF_BYTES >> 10);
	return want_zones;
}

static void print_summary(void)
{
	u64 total[NR_COUNTERS] = { 0 };
	unsigned int i, c;

	for (i = 0; i < nr_threads; i++)
		for (c = 0; c < NR_COUNTERS; c++)
			total[c] += threads[i].count[c];
	printf("zonemodel: seed %" PRIu64 ", %u zones, %u threads:", seed,
	       nr_zones, nr_threads);
	for (c = 0; c < NR_COUNTERS; c++)
		printf(" %" PRIu64 " %s%s", total[c], counter_name[c],
		       c + 1 < NR_COUNTERS ? "," : "\n");
}

static void on_sigterm(int number)
{
	stopped = number;
}

int main(int argc, char **argv)
{
	u32 want_zones = parse_options(argc, argv), i;
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr,
				      PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&world, &attr);

	open_device(want_zones);
	if (nr_threads > nr_zones)
		die("more threads than zones");
	count_foreign_zones();
	if (load_file)
		load();
	start_threads();
	probe_memory_alignment();
	printf("zonemodel: %s: %u of %u zones of %" PRIu64 " sectors, capacity %" PRIu64 ", at most %" PRIu64 " open, %" PRIu64 " active; seed %" PRIu64 "\n",
	       device, nr_zones, device_zones, zone_size, zones[0].cap,
	       max_open, max_active, seed);
	fflush(stdout);
	if (reset_first)
		for (i = 0; i < nr_zones; i++)
			op_reset(&threads[0], &zones[i]);

	verify_all(&threads[0]);
	if (!verify_only) {
		signal(SIGTERM, on_sigterm);
		for (i = 0; i < nr_threads; i++)
			if (pthread_create(&threads[i].id, NULL, work,
					   &threads[i]))
				die("can not start a thread");
		for (i = 0; i < nr_threads; i++)
			pthread_join(threads[i].id, NULL);
		verify_all(&threads[0]);
	}
	for (i = 0; i < nr_threads; i++)
		syscall(SYS_io_destroy, threads[i].aio);
	check_limits("at the end");
	if (save_file)
		save();
	print_summary();
	return 0;
}
