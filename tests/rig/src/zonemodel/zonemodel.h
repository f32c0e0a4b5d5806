/* SPDX-License-Identifier: GPL-2.0 */
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
 *	main.c		options, and the order of things
 *	work.c		threads, and the choice of their operations
 *	model.c		what is known of the zones; failing
 *	data.c		what the data are
 *	device.c	the device
 *	report.c	reports of zones
 *	zone_ops.c	reset, finish, open, close
 *	write.c		writes and flushes
 *	read.c		reads and verification
 *	negative.c	operations that must fail
 *	limits.c	as many zones open and active as may be
 *	save.c		the model in a file
 *
 * All quantities are sectors (512 bytes) unless a name says otherwise.
 */
#ifndef ZONEMODEL_H
#define ZONEMODEL_H

#include <linux/aio_abi.h>
#include <pthread.h>
#include <stdatomic.h>

#include "../lib/common.h"

#define BUF_BYTES	(8U << 20)
#define BATCH_MAX	32
#define HISTORY		16
#define SUSPEND_TRIES	60000U		/* one each millisecond */
#define SMALL_BYTES	(64U << 10)	/* surely one bio */
#define MAX_THREADS	64

struct blk_zone;
struct blk_zone_report;
struct iovec;

enum state { EMPTY, IMPLICIT, EXPLICIT, CLOSED, FULL };

extern const char * const state_name[];

/**
 * struct zone - what the model knows of a zone
 * @seen_gen:	as @gen, raised before a reset begins; for readers of other
 *		threads
 * @seen_wp:	data below it are written; for readers of other threads
 * @number:	on the device
 * @start:	first sector on the device
 * @cap:	capacity
 * @wp:		end of the data, relative to @start; also of a finished zone
 * @state:	condition; IMPLICIT stands for implicitly open or closed
 * @gen:	resets so far, part of what the data are made from
 * @nr_history:	operations so far
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

/**
 * struct thread - one that works on zones of its own
 * @id:		of the C library
 * @number:	of the thread
 * @first:	first zone it owns
 * @nr:		zones it owns
 * @random:	state of its random numbers
 * @wbuf:	BUF_BYTES to write from
 * @rbuf:	BUF_BYTES to read to
 * @aio:	its requests
 * @count:	operations, by kind
 */
struct thread {
	pthread_t id;
	unsigned int number;
	u32 first;
	u32 nr;
	u64 random;
	u8 *wbuf;
	u8 *rbuf;
	aio_context_t aio;
	u64 count[NR_COUNTERS];
};

/**
 * struct settings - what the command line asks for
 * @device:	to work on
 * @seed:	of all chance
 * @ops:	operations of each thread
 * @threads:	number of them
 * @zones:	zones to use, 0 for all
 * @first_zone:	the first of them
 * @budget:	bytes of data to hold at most
 * @max_write:	bytes of the longest write
 * @reset_first: reset the zones at first
 * @any_memory:	buffers at any multiple of 512
 * @orderly:	no writes that must fail beside others
 * @plain:	a mapped device that behaves as the drive below it
 * @verify_only: no operations
 * @save_file:	for the model in the end, or NULL
 * @load_file:	with the model to begin with, or NULL
 */
struct settings {
	const char *device;
	u64 seed;
	u64 ops;
	u32 threads;
	u32 zones;
	u32 first_zone;
	u64 budget;
	u64 max_write;
	bool reset_first;
	bool any_memory;
	bool orderly;
	bool plain;
	bool verify_only;
	const char *save_file;
	const char *load_file;
};

/**
 * struct device - the device
 * @fd:		file descriptor
 * @nr_zones:	all its zones
 * @zone_size:	of each
 * @size:	of all
 * @unit:	write granularity
 * @block:	logical block; smaller than @unit on disks of 512e
 * @max_open:	zones that may be open, 0 for no limit
 * @max_active:	zones that may be active, 0 for no limit
 * @strict:	a mapped device: no zone write plug in front
 * @memory_offset_ok: buffers need not be aligned to blocks
 */
struct device {
	int fd;
	u32 nr_zones;
	u64 zone_size;
	u64 size;
	u64 unit;
	u64 block;
	u64 max_open;
	u64 max_active;
	bool strict;
	bool memory_offset_ok;
};

extern struct settings set;
extern struct device dev;
extern struct zone *zones;	/* of the model */
extern u32 nr_zones;
extern struct thread threads[MAX_THREADS];

/* All threads hold it shared; operations that concern all zones exclusively. */
extern pthread_rwlock_t world;

extern u64 nr_active;		/* zones not empty and not full, or about to be */
extern u64 nr_explicit;		/* zones that are explicitly open */
extern _Atomic u64 data_sectors;

/* model.c */
void fail(const struct zone *z, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void record(struct zone *z, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
bool is_active(const struct zone *z);
bool take_active(void);
void put_active(void);
bool take_explicit(void);
void put_explicit(void);
void set_state(struct zone *z, enum state state);

/* data.c */
u64 tag(const struct zone *z, u64 gen, u64 sector);
void describe(char *text, size_t size, const u64 *words);
void make_sector(u64 *words, const struct zone *z, u64 gen, u64 sector);
void make_data(void *buf, const struct zone *z, u64 sector, u64 nr);
void check_data(const u8 *buf, u64 sector, u64 nr, const char *how);

/* device.c */
void open_device(void);
void probe_memory_alignment(void);
void count_foreign_zones(void);

/* report.c */
void check_report(struct zone *z, const struct blk_zone *r, const char *how);
struct blk_zone_report *get_report(u64 sector, u32 nr);
void report_zone(struct zone *z, struct blk_zone *r);
void check_zone(struct zone *z, const char *how);
void op_report(struct thread *t);
void check_limits(const char *how);

/* zone_ops.c */
int zone_ioctl(unsigned long request, u64 sector, u64 nr);
void op_reset(struct thread *t, struct zone *z);
void op_reset_range(struct thread *t);
void op_finish(struct thread *t, struct zone *z);
void op_open(struct thread *t, struct zone *z);
void op_close(struct thread *t, struct zone *z);
void op_reset_all(struct thread *t);

/* write.c */
int make_iovec(struct thread *t, struct iovec *iov, u8 *buf, u64 bytes);
u8 *some_place(struct thread *t, u8 *buf);
u64 some_length(struct thread *t, u64 most);
void write_sectors(struct thread *t, struct zone *z, u64 nr, bool fua);
void op_write(struct thread *t, struct zone *z);
void op_fill(struct thread *t, struct zone *z);
void op_batch(struct thread *t, struct zone *z);
void op_flush(struct thread *t);

/* read.c */
void read_owned(struct thread *t, u64 sector, u64 nr, int flags,
		const char *how);
void op_read(struct thread *t, struct zone *z);
void op_read_other(struct thread *t);
void verify_zone(struct thread *t, struct zone *z);
void verify_all(struct thread *t);

/* negative.c */
void op_negative(struct thread *t, struct zone *z);

/* limits.c */
void op_limits(struct thread *t);

/* work.c */
void start_threads(void);
void work_all(void);
void end_threads(void);
void print_summary(void);

/* save.c */
void save(void);
void load(void);

static inline u64 rnd(struct thread *t)
{
	return mix(t->random += 0x9e3779b97f4a7c15ULL);
}

/* 0 .. n - 1 */
static inline u64 below(struct thread *t, u64 n)
{
	return n ? rnd(t) % n : 0;
}

static inline bool percent(struct thread *t, unsigned int p)
{
	return below(t, 100) < p;
}

#endif /* ZONEMODEL_H */
