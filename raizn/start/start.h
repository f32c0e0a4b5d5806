/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From drives to an array that takes I/O.
 */
#ifndef RAIZN_START_START_H
#define RAIZN_START_START_H

#include "member/bad_block.h"
#include "member/relocation.h"
#include "zone/zone.h"

/* Active zones of an array without a member that limits them. */
#define RAIZN_DEFAULT_ACTIVE	128U

/**
 * struct raizn_start_options - options of a start, from the table line
 * @nr_absent:	members given as "-"
 * @rebuild:	a drive takes the place of member @rebuild_slot
 * @rebuild_slot: see @rebuild
 * @degraded:	start without members that the superblocks call good
 * @renumber:	restart all generations
 * @host:	identity of the machine that starts the array, for the superblocks; zero if
 *		not given
 * @read_logs:	not from the table line: the start before met sectors that a drive cannot
 *		read, so partial parity is needed although the stop was clean
 */
struct raizn_start_options {
	u32 nr_absent;
	bool rebuild;
	u32 rebuild_slot;
	bool degraded;
	bool renumber;
	uuid_t host;
	bool read_logs;
};

/**
 * struct raizn_zone_work - a zone that the start has work for
 * @zone:	logical zone number
 * @facts:	state of the zone on the members
 * @plan:	plan of its recovery
 * @debris:	columns that hold data beyond the recovered write pointer
 * @spoil:	columns whose debris stays
 * @pad:	the zone is full, but its member zones are not finished
 * @unreadable:	columns with sectors that their drives could not read
 * @moves_to:	member zone that a column is being moved to, or 0
 */
struct raizn_zone_work {
	u32 zone;
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 debris;
	u32 spoil;
	bool pad;
	u32 unreadable;
	u32 moves_to;
};

/**
 * struct raizn_recovery - state of a start: work to be done before the first I/O
 * @clean:	the array was stopped cleanly
 * @renumber:	see struct raizn_start_options
 * @read_logs:	see struct raizn_start_options
 * @degraded:	see struct raizn_start_options
 * @in_memory:	the work that had to be done was done in memory only
 * @unreadable:	a drive could not read sectors that this start needs
 * @unidentified: a log zone of a member may be its newest partial-parity log, and does not tell
 * @partial:	members that are trusted though their drives cannot read all of their general logs
 *		(bit by slot)
 * @cut_off:	members (bit by slot) with columns behind the end of their drives
 * @nr_damaged:	zones that cannot be reconstructed
 * @works:	active zones, and others that need work, by zone number
 * @nr_works:	entries of @works
 * @resets:	zones with an interrupted reset (bit by zone)
 * @pp:		partial-parity records of @works
 * @nr_pp:	entries of @pp
 * @pp_zone:	zones of the records, by index in @pp
 * @log_start:	highest start number seen
 * @filled:	sectors filled
 * @moved:	columns moved or emptied
 * @spoilt:	columns whose debris stayed
 * @facts:	spoilt rows, by zone and column, for struct raizn_zone_facts
 * @nr_facts:	entries of @facts
 * @facts_zone:	zones of the rows, by index in @facts
 * @relocated:	rows of @facts that are in logs
 * @reset:	zones reset
 * @finished:	zones finished
 * @rows:	RAIZN_DECODE_ROWS sectors: rows of a column that is produced
 * @other:	RAIZN_DECODE_ROWS sectors: rows of another column
 * @block:	a block each: data, and each parity, of a block that is decoded
 */
struct raizn_recovery {
	bool clean;
	bool renumber;
	bool read_logs;
	bool degraded;
	bool in_memory;
	bool unreadable;
	bool unidentified;
	u32 partial;
	u32 cut_off;
	u32 nr_damaged;
	struct raizn_zone_work *works;
	u32 nr_works;
	unsigned long *resets;
	struct raizn_pp_entry *pp;
	u32 nr_pp;
	u32 *pp_zone;
	u64 log_start;
	u64 filled;
	u32 moved;
	u32 spoilt;
	struct raizn_spoilt_rows *facts;
	u32 nr_facts;
	u32 *facts_zone;
	struct raizn_relocated_rows *relocated;
	u32 reset;
	u32 finished;
	void *rows;
	void *other;
	void *block[1 + RAIZN_MAX_PARITY];
};

typedef int (*raizn_member_write_fn)(struct raizn_member *m, sector_t sector,
				     void *buf, u32 bytes);

/* assemble.c */
void raizn_member_set_device(struct raizn_member *m, struct block_device *bdev);
int raizn_assemble(struct raizn_array *arr, struct block_device **bdevs, u32 nr,
		   const struct raizn_start_options *opts, char **error);

/* examine.c */
int raizn_recovery_alloc(struct raizn_array *arr);
void raizn_recovery_free(struct raizn_array *arr);

/* debris.c */
int raizn_spoilt_load(struct raizn_array *arr, const struct raizn_spoilt_list *list);
void raizn_spoilt_facts(struct raizn_array *arr, struct raizn_zone_facts *facts);
void raizn_relocated_take(struct raizn_array *arr, u32 slot, const struct raizn_record *rec);
int raizn_relocated_facts(struct raizn_array *arr);
void raizn_debris_choose(struct raizn_array *arr);
int raizn_debris_leave(struct raizn_array *arr);

/* rewrite.c */
int raizn_rewrite_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column);
int raizn_renew_column(struct raizn_array *arr, struct raizn_zone_work *w,
		       u32 column);

/* recover_zone.c */
int raizn_recover_pad(struct raizn_zone *z, u32 column, u32 row, u32 end);
int raizn_recover_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, sector_t start, u32 sector,
			 raizn_member_write_fn write);
int raizn_recover_fill(struct raizn_array *arr, struct raizn_zone_work *w);
int raizn_recover_tail(struct raizn_array *arr, struct raizn_zone_work *w);
int raizn_recover_tail_without(struct raizn_array *arr, struct raizn_zone_work *w,
			       u32 columns);

/* stand_in.c */
int raizn_stand_ins_make(struct raizn_array *arr);

/* recover.c */
int raizn_drop_logs(struct raizn_member *m, enum raizn_use use);
int raizn_recover(struct raizn_array *arr);

/* rebuild_load.c */
bool raizn_column_is_whole(const struct raizn_zone *z, u32 column, const void *unused);
bool raizn_column_stays_kept(const struct raizn_zone *z, u32 column, const void *known);
int raizn_rebuild_disown(struct raizn_member *m, const u8 *conds, u32 nr,
			 const struct raizn_zone_state *known, bool former);
int raizn_rebuild_keep(struct raizn_member *m);
int raizn_rebuild_load(struct raizn_member *m,
		       const struct raizn_zone_state *known, bool former);

/* replace.c */
int raizn_replace_check(struct raizn_array *arr, u32 slot,
			struct block_device *bdev);
int raizn_replace_member(struct raizn_array *arr, u32 slot,
			 struct block_device *bdev);

#endif /* RAIZN_START_START_H */
