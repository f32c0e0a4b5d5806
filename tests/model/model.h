/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Crash model: one logical zone of an array, the drives it lives on, what the
 * module writes to them, power cuts at any moment, and recovery with the real
 * planner.  explore.c goes through what
 * can happen, check.c says what must be true then.
 *
 * A block is 4096 bytes on a drive and one 64-bit value here.  Everything is
 * counted in blocks; only what is handed to the planner is in sectors.
 */
#ifndef RAIZN_CRASH_MODEL_H
#define RAIZN_CRASH_MODEL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../raizn/core/claims.h"
#include "../../raizn/core/recovery_plan.h"
#include "set.h"

#define __printf(a, b)	__attribute__((format(printf, a, b)))

#define MAX_W		5	/* members */
#define MAX_P		2
#define MAX_SU		4	/* blocks of a stripe unit */
#define MAX_COL		8	/* blocks of a member zone */
#define MAX_CAP		32	/* data blocks of a logical zone */
#define MAX_RECORDS	32	/* records in a log zone */
#define MAX_SPOILT	2	/* runs of spoilt blocks of a column */
#define PP_ZONES	3	/* partial-parity log zones a member can have */
#define MAX_POOL	512	/* records that exist at one time */
#define BLOCK		8	/* sectors */

/* Largest partial-parity payload: a small one, so that records are split. */
#define PP_ROWS_MAX	3

/* What is under way and may be done or not when power fails. */
#define PEND_RESET	1
#define PEND_FINISH	2

/**
 * struct zone - a member zone with data and parity
 * @len:	blocks written
 * @durable:	of these, blocks that no power cut can take away
 * @full:	finished
 * @pending:	PEND_*
 * @v:		contents
 */
struct zone {
	u8 len;
	u8 durable;
	u8 full;
	u8 pending;
	u64 v[MAX_COL];
};

/**
 * struct record - a record of a partial-parity log
 * @hash:	of all but @seq
 * @seq:	sequence number
 * @relocated:	a block of the member's column, which is spoilt in place; @row is its number
 * @parity:	0 = P, 1 = Q
 * @generation:	of the zone, when it was written
 * @start:	as on disk, in blocks
 * @end:	same
 * @row:	same
 * @nr_rows:	same
 * @v:		payload
 */
struct record {
	u64 hash;
	u32 seq;
	u8 relocated;
	u8 parity;
	u8 generation;
	u8 start;
	u8 end;
	u8 row;
	u8 nr_rows;
	u64 v[MAX_SU];
};

/**
 * struct log_zone - a log zone with partial-parity records
 * @used:	not empty: it has its superblock at least
 * @nr:		records written
 * @pending:	PEND_RESET or 0
 * @epoch:	order of the log zones of a member
 * @start:	number of the start that the log belongs to
 * @durable:	records (bit by record) that no power cut can take away: appends
 *		that are under way at the same time come to lie in any order
 * @lost:	records that a power cut took away, until they are removed
 * @rec:	the records, by number in the pool
 */
struct log_zone {
	u8 used;
	u8 nr;
	u8 pending;
	u8 epoch;
	u8 start;
	u32 durable;
	u32 lost;
	u16 rec[MAX_RECORDS];
};

/**
 * struct spoilt - blocks of a column that hold debris or padding in place
 * @from:	first one
 * @end:	block behind the last one; 0: there are none
 */
struct spoilt {
	u8 from;
	u8 end;
};

/**
 * struct general - what one member's general log adds up to
 * @event:	event count
 * @dead:	members that are not to be trusted any more
 * @base:	event count of what it took the place of
 * @base_dead:	members that one called dead
 * @start:	number of the start whose partial-parity logs count
 * @map:	columns that live in the member's second zone
 * @map_version: counts changes of @map
 * @generation:	of the zone
 * @flags:	RAIZN_ZONE_*
 * @wp:		of a finished zone
 * @spoilt_version: counts changes of @spoilt
 * @spoilt:	by column
 *
 * Records of the general log are written FUA and waited for, one at a time, so
 * a power cut finds each member's log before or after the last record.
 * Checkpoints and switches of general logs do not show at this level: the unit
 * tests of replay go through them.
 */
struct general {
	u8 event;
	u8 dead;
	u8 base;
	u8 base_dead;
	u8 start;
	u8 map;
	u8 map_version;
	u8 generation;
	u8 flags;
	u8 wp;
	u8 spoilt_version;
	struct spoilt spoilt[MAX_W][MAX_SPOILT];
};

/**
 * struct media - everything the drives hold
 * @zone:	by member: the data zone, and a spare zone
 * @pp:		by member: partial-parity log zones
 * @general:	by member: the general log
 * @next:	general-log record under way to all members
 * @pending:	members that @next is under way to
 * @seq:	last sequence number
 */
struct media {
	struct zone zone[MAX_W][2];
	struct log_zone pp[MAX_W][PP_ZONES];
	struct general general[MAX_W];
	struct general next;
	u8 pending;
	u32 seq;
};

/**
 * struct promise - what must and what may be found after a crash
 * @generation:	of the zone
 * @durable:	a flush or FUA write said so
 * @issued:	nothing beyond that was ever written
 * @may_reset:	a reset is under way
 * @may_finish:	a finish is under way, or done
 * @must_finish: it is done
 * @val:	what was written
 */
struct promise {
	u8 generation;
	u8 durable;
	u8 issued;
	u8 may_reset;
	u8 may_finish;
	u8 must_finish;
	u64 val[MAX_CAP];
};

/**
 * struct run - an array in operation
 * @m:		its drives
 * @pr:		what it promised
 * @wp:		how far the zone is issued (pr.issued is at least that)
 * @logged:	partial parity is logged up to here
 * @durable:	as in the module: durable, and known to be
 * @missing:	members it works without
 * @life:	makes contents of different lives different
 * @finished:	the zone is
 * @switching:	member whose partial-parity log is moving, or MAX_W
 * @relogged:	the tail is in its new zone
 * @acc:	running parity of the tail
 */
struct run {
	struct media m;
	struct promise pr;
	u8 wp;
	u8 logged;
	u8 durable;
	u8 missing;
	u8 life;
	u8 finished;
	u8 switching;
	u8 relogged;
	u64 acc[MAX_P][MAX_SU];
};

/**
 * struct config - what is explored
 * @level:	RAID level
 * @members:	W
 * @su:		blocks of a stripe unit
 * @stripes:	stripes of a zone
 * @through:	write_cache=through
 * @relocate:	debris stays where it is
 * @depth:	operations from an empty array
 * @redepth:	operations after a recovery
 */
struct config {
	u32 level;
	u32 members;
	u32 su;
	u32 stripes;
	u32 through;
	u32 relocate;
	u32 depth;
	u32 redepth;
};

/* Placement of the zone in blocks, from the real geometry. */
struct placement {
	u8 column;
	u8 block;
	u8 stripe;
	u8 pos;
	u8 row;
};

/* Rows and records that the facts of a zone point to. */
struct evidence {
	struct raizn_pp_entry pp[MAX_POOL];
	struct raizn_relocated_rows relocated[MAX_POOL];
	struct raizn_spoilt_rows spoilt[MAX_W * MAX_SPOILT];
};

/* of the configuration being explored */
extern struct config cfg;
extern struct raizn_geometry geo;
extern u32 W, D, P, SU, STRIPE, CAP, ALL;
extern struct placement place[MAX_CAP];
extern struct record pool[MAX_POOL];
extern u32 pool_nr;

/* drive.c */
void geometry_setup(void);
void media_complete(struct media *m, u32 members);
bool zone_append(struct media *m, u32 column, u32 block, u64 v);
u32 current_zone(const struct media *m, u32 column);
struct log_zone *current_log(struct media *m, u32 member);
struct log_zone *log_open(struct media *m, u32 member, u8 start);
void log_append(struct media *m, u32 member, const struct record *rec);
void relocate(struct media *m, u32 column, u32 block, u8 generation, u64 v);
u32 spoilt_end(const struct general *g, u32 column, u32 block);
void general_write(struct media *m, u32 members, const struct general *next);
void general_complete(struct media *m);
u32 all_records(const struct log_zone *l);
u64 media_hash_member(const struct media *m, u32 member);
bool join_members(const struct media *m, u32 lost, struct raizn_trust *trust);
struct general general_join(const struct media *m, u32 lost);
void gather_facts(const struct media *m, const struct general *joined,
		  u32 missing, struct raizn_zone_facts *facts,
		  struct evidence *evidence);
bool read_data(const struct media *m, const struct raizn_zone_facts *facts,
	       u32 map, u32 offset, u64 *v);
u64 parity_of(u32 parity, const u64 *val, u32 offset, u32 limit);
u64 gf_power(u64 v, u32 n);
u32 bits(u32 mask);

/* array.c */
enum op_kind {
	OP_WRITE,
	OP_FUA,
	OP_FLUSH,
	OP_FLUSH_CUT,
	OP_FLUSH_WRITE,
	OP_RESET,
	OP_FINISH,
	OP_SWITCH,
	OP_SWITCH_BEGIN,
	OP_SWITCH_RELOG,
	OP_SWITCH_END,
};

struct op {
	u8 kind;
	u8 arg;
};

void run_init(struct run *r);
void run_resume(struct run *r);
bool run_op(struct run *r, struct op op);
void append_tail(struct run *r, u32 members, u32 start);

/* recover.c */
struct outcome {
	u8 generation;
	u8 wp;
	u8 finished;
	u8 missing;
};

bool recover(struct media *m, u32 lost, struct outcome *out);

/* crash_model.c: the path to where we are, and what is to be said at the end */
#define MAX_PATH	64

/**
 * struct token - one step of a path
 * @kind:	operation 'o', moment of a power cut '@', which of its outcomes
 *		'#', lost members 'L', the recovered array goes on '+'
 * @op:		OP_*
 * @arg:	of the operation
 * @n:		of the other kinds
 */
struct token {
	char kind;
	u8 op;
	u8 arg;
	u32 n;
};

/**
 * struct result - of one configuration, in memory shared with the parent
 * @states:	distinct crash states
 * @nested:	of these, met by a crash of recovery first
 * @operations:	operations carried out
 * @resumed:	distinct arrays after recovery
 * @moments:	moments at which power failed
 * @thinned:	of these, moments with so much under way that only the ends and
 *		their neighbours of what can survive were taken
 * @failed:	UNFINISHED, VIOLATED or 0
 * @text:	what was violated
 */
struct result {
	u64 states;
	u64 nested;
	u64 operations;
	u64 resumed;
	u64 moments;
	u64 thinned;
	int failed;
	char text[2048];
};

#define UNFINISHED	1
#define VIOLATED	2

extern struct result *result;
extern u64 limit;	/* outcomes of one moment that are looked at */
extern struct token path[MAX_PATH];
extern u32 path_nr;
extern bool replaying;

bool push(char kind, u32 n, struct op op);
_Noreturn void violation(const char *fmt, ...)
	__printf(1, 2);

/* explore.c */
extern const struct promise *promise;	/* of the array that power fails for */
extern u32 current_life;
extern struct set situations;

void crash_point(struct media *m, const char *what);
void explore(const struct run *r, u32 depth);

/* check.c */
u64 promise_hash(const struct promise *pr);
void check_outcome(const struct media *m, const struct outcome *out);
void explore_bases(void);

#endif /* RAIZN_CRASH_MODEL_H */
