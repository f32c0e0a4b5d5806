/* SPDX-License-Identifier: GPL-2.0 */
/*
 * powercut - cuts the power of an array again and again
 *
 * Simulated drives (tests/zonesim) that lose power together carry an array.
 * Threads write, flush, reset, finish ... zones of the volume until the power
 * is cut; the array is started again and every zone must hold what it promised
 * to hold, and nothing that was not written there.  Then it goes on, with the
 * same array: a chain of crashes.
 *
 *	main.c		options
 *	chain.c		chains and rounds
 *	harness.c	failing, and a parent process that watches
 *	shape.c		drives and array of a chain
 *	drives.c	the simulated drives
 *	volume.c	the array: made, started, suspended, removed
 *	model.c		what each zone may and must hold; verification
 *	work.c		the threads and what they do to the volume
 *
 * Everything by chance comes from the seed, the number of the chain and the
 * number of the round.  All quantities are sectors (512 bytes) unless a name
 * says otherwise.
 */
#ifndef POWERCUT_H
#define POWERCUT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "../lib/common.h"

#define MAX_MEMBERS	8
#define MAX_DRIVES	(MAX_MEMBERS + 1)
#define MAX_THREADS	8
#define LOG_ZONES	5U
#define MAX_ZONES	64
#define STATUS_SIZE	1024

/**
 * struct rng - a stream of random numbers
 * @state:	advances with each number
 */
struct rng {
	u64 state;
};

/**
 * struct settings - what the command line asks for
 * @seed:	of all chance
 * @cuts:	how many power cuts
 * @first_chain: the first chain to run
 * @chains:	how many chains at most
 * @rounds:	how many rounds of a chain, 0 for by chance
 * @level:	of each array; this and the following ones: -1 for by chance
 * @members:	of each array
 * @through:	write cache of the array
 * @cached:	do the drives have a volatile write cache?
 * @threads:	that write; 1 also means one command of theirs at a time
 * @permute:	are columns on members of other slots?
 * @lossless:	no member is ever lost
 * @cutless:	no power cuts, only clean stops: a test of the model
 * @enumerate:	only chains that cut a fixed workload at each command in turn
 * @verbose:	a line for each round
 */
struct settings {
	u64 seed;
	u64 cuts;
	u64 first_chain;
	u64 chains;
	u64 rounds;
	int level;
	int members;
	int through;
	int cached;
	int threads;
	int permute;
	bool lossless;
	bool cutless;
	bool enumerate;
	bool verbose;
};

/**
 * struct shape - drives and array of one chain
 * @level:	RAID level
 * @members:	number of drives
 * @parity:	units of parity in each stripe
 * @drive_zones: zones of each drive
 * @surplus:	zones that every second drive has more
 * @debris_kib:	debris of a column that a start leaves in place, at most; 0: as the module does
 * @permuted:	seed of the slots of columns; 0: each is in the slot of its number
 * @zone_kib:	their size
 * @cap_kib:	their capacity
 * @spare_cap_kib: that of the drive that is no member at first
 * @block:	sectors of a logical block
 * @su:		sectors of a stripe unit
 * @limit:	open and active zones of a drive, 0 for no limits
 * @cached:	the drives have a volatile write cache
 * @fua:	... and know FUA
 * @finish_flushes: a finished zone is durable
 * @fill:	what a drive reads where nothing was written
 * @max_io_kib:	largest command of a drive
 * @latency_us:	of each command
 * @jitter_us:	on top of it, at most
 * @completion:	where commands complete
 * @through:	write cache of the array
 * @through_by_table: it is the table that says so, not the superblock
 * @trusting:	the array trusts buffers
 * @threads:	that write
 * @serial:	one command at a time: a seed gives the same each time
 * @enumerated:	the power is cut at each command of a fixed workload in turn
 * @renewed:	... with a new array each time, which then loses a member
 * @has_spare:	there is one drive more than members
 * @spares:	zones of each drive that take a column's place
 * @nr_conventional: zones at the front of each drive
 * @nr_zones:	zones of the volume
 * @zone_size:	their size
 * @cap:	their capacity
 * @stripe:	sectors of data of a stripe
 */
struct shape {
	u32 level;
	u32 members;
	u32 parity;
	u32 drive_zones;
	u32 surplus;
	u32 debris_kib;
	u32 permuted;
	u32 zone_kib;
	u32 cap_kib;
	u32 spare_cap_kib;
	u32 block;
	u32 su;
	u32 limit;
	bool cached;
	bool fua;
	bool finish_flushes;
	u32 fill;
	u32 max_io_kib;
	u32 latency_us;
	u32 jitter_us;
	const char *completion;
	bool through;
	bool through_by_table;
	bool trusting;
	u32 threads;
	bool serial;
	bool enumerated;
	bool renewed;
	bool has_spare;
	u32 spares;
	u32 nr_conventional;

	u32 nr_zones;
	u64 zone_size;
	u64 cap;
	u64 stripe;
};

/**
 * struct stats - what happened, for the summary
 */
struct stats {
	_Atomic u64 writes, flushes, resets, finishes, reset_alls, reloads;
	_Atomic u64 sectors_written, sectors_verified;
	u64 rounds, chains, clean_stops;
	u64 cuts_at_work, cuts_at_start, cuts_at_stop;
	u64 losses, degraded_starts;
	u64 away, refused, stale, maintained;	/* starts; see try_start() */
	u64 read_only;		/* starts before others */
	u64 stood_in;		/* ... with data in memory that drives lacked */
	u64 stood_in_most;	/* sectors of these, at most */
	u64 spoilt_starts;	/* with rows that are spoilt in place */
	u64 spoilt_sectors;	/* the most after a start */
	u64 zones_shorter;	/* an unflushed end was lost */
	u64 in_flight_done, in_flight_undone;	/* resets and finishes */
	u64 log_switches;	/* under load */
	u64 parity_checks;
	u64 usec_start, usec_verify, usec_work, usec_stop, usec_make;
};

/**
 * struct volume_state - from the status line
 * @state:	active, degraded, read-only or failed
 * @letters:	one for each member
 * @log_switches: since the start, and by it
 * @degraded_zones: zones that lack a column
 * @action:	idle, rebuild, check or repair
 * @done:	sectors of the action
 * @total:	sectors of the action
 * @mismatches:	stripes that were wrong
 * @repaired:	and are right now
 * @read_errors: of each member
 * @write_errors: of each member
 * @spoilt:	sectors that are spoilt in place
 * @healed:	columns of each member that were written again
 * @complete:	all of this was there
 */
struct volume_state {
	char state[16];
	char letters[16];
	u64 log_switches;
	u32 degraded_zones;
	char action[16];
	u64 done;
	u64 total;
	u64 mismatches;
	u64 repaired;
	u64 read_errors[MAX_MEMBERS];
	u64 write_errors[MAX_MEMBERS];
	u64 healed[MAX_MEMBERS];
	u64 spoilt;
	bool complete;
};

extern struct settings set;
extern struct shape shape;
extern struct stats stats;
extern u64 chain_now, round_now;

/* harness.c */
void fail(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void phase(const char *what);
void print_phases(void);
void set_rerun(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
u64 now_usec(void);
int run_program(const char *program, char *const argv[]);
int harness_run(int (*work)(void));

/* chain.c */
int chains_run(void);

/* shape.c */
void print_shape(FILE *out);
void choose_shape(struct rng *r);
void shape_complete(void);
u32 slot_of(u32 zone, u32 column);

/* drives.c */
void drives_make(void);
void drives_wear(void);
void drives_gone(void);
void drives_seed(u64 seed, const char *keep);
void drives_power_on(u32 lost);
void drives_cut(void);
void drives_arm(u64 nth);
void drives_disarm(void);
u64 drives_commands(void);
bool drives_were_cut(void);
void drives_lose(u32 member, bool unplug);
void drives_plan(u32 member, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
u64 drives_planned(u32 member);
u64 drives_count(u32 member, const char *kind);
u64 drives_errors(u32 member, const char *kind);
bool drives_are_on(u32 member);
void drives_mend(u32 member, bool zones);
u32 drives_bad_zones(u32 member, u32 nr);
void drives_empty(u32 member);
void drives_exchange(u32 member);
void drives_swap(u32 member);
bool drives_armed_cut(void);
void drives_spoil(u32 member, const char *attribute, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void drives_print_counters(FILE *out);
void drives_dump(void);
const char *drive_path(u32 member);

/* volume.c */
void volume_clear(void);
void volume_create(void);
int volume_start(u32 absent, bool degraded, bool maintain);
int volume_start_read_only(u32 absent, bool degraded);
void volume_stop(void);
int volume_cycle(bool reload);
int volume_leave_out(u32 absent);
u32 volume_left_out(void);
int volume_rebuild(u32 slot, u32 absent);
void volume_wipe(void);
bool volume_is_wiped(void);
void volume_status(char *text, size_t size);
void volume_state(struct volume_state *s);
int volume_message(const char *text);
u32 volume_limit(const char *name);
extern int volume_fd;
extern char volume_path[64];

/* relocated.c */
void relocated_begin(void);
void relocated_count(void);
void relocated_print(void);

/* model.c */
void model_new(void);
u64 model_digest(void);
void model_verify(struct rng *r, bool all, bool exact, const char *when);
void model_verify_running(struct rng *r, bool all, const char *when);
bool model_is_damaged(void);
void model_forget_rest(void);
void model_verify_rest(const char *when, u32 well, u64 *served, u64 *refused);
void model_print(u32 zone);

/* work.c */
extern bool (*io_excuse)(void);
/*
 * Commands to one zone that are under way together. What was held back while the device
 * was suspended may be overtaken: the array sees to it that writes find their order
 * again, but a reset or a finish that comes too early is one.
 */
enum together { ONE_COMMAND, WRITES_ONLY, ALL_COMMANDS };

void work_begin(u64 seed, u32 nr_ops, enum together together);
void work_wait(void);
void work_reset_all(void);
void work_flush(void);
void work_alone(void);
void work_write(u32 zone, const u64 *lengths, int n, bool fua);
void work_read(u32 zone, u64 sector, u64 nr);
void work_reset(u32 zone);
void work_finish(u32 zone);
void work_open(u32 zone);
void work_close(u32 zone);
bool work_was_stopped(void);

static inline u64 rnd(struct rng *r)
{
	return mix(r->state += 0x9e3779b97f4a7c15ULL);
}

/* 0 .. n - 1 */
static inline u64 below(struct rng *r, u64 n)
{
	return n ? rnd(r) % n : 0;
}

static inline bool percent(struct rng *r, unsigned int p)
{
	return below(r, 100) < p;
}

/* A stream for one purpose. */
static inline struct rng rng_for(u64 a, u64 b, u64 c)
{
	return (struct rng){ mix(mix(mix(a + 1) ^ b) + c * 0xd1342543de82ef95ULL) };
}

#endif /* POWERCUT_H */
