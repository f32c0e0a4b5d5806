/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From drives to an array that takes I/O.
 */
#ifndef RAIZN_START_START_H
#define RAIZN_START_START_H

#include "zone/zone.h"

/* Active zones of an array whose members set no limit. */
#define RAIZN_DEFAULT_ACTIVE	128U

/**
 * struct raizn_start_options - what the table line says of the start
 * @nr_absent:	members given as "-"
 * @degraded:	go on without members that the superblocks call good
 * @renumber:	begin all generations anew
 * @rebuild:	a drive takes the place of member @rebuild_slot
 * @rebuild_slot: see @rebuild
 * @host:	identity of the machine that starts the array, for the superblocks; zero if
 *		it was not given
 * @read_logs:	not of the table line: the start before met what a drive cannot read, so
 *		partial parity is wanted though the stop was clean
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
 * struct raizn_zone_work - a zone that the start must look after
 * @zone:	logical zone number
 * @facts:	what was found
 * @plan:	what to do
 * @debris:	columns that hold more than they should
 * @pad:	full, but the members' zones are not finished
 * @unreadable:	columns with sectors that their drives could not read
 */
struct raizn_zone_work {
	u32 zone;
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 debris;
	bool pad;
	u32 unreadable;
};

/**
 * struct raizn_recovery - what is to be done before the first I/O
 * @works:	active zones, and others that need something, by zone number
 * @nr_works:	number of them
 * @resets:	zones whose reset was interrupted (bit by zone)
 * @pp:		partial-parity records of @works
 * @nr_pp:	number of them
 * @pp_zone:	their zones
 * @log_start:	highest start number seen
 * @filled:	sectors filled
 * @moved:	columns moved or emptied
 * @reset:	zones
 * @finished:	zones
 */
struct raizn_recovery {
	struct raizn_zone_work *works;
	u32 nr_works;
	unsigned long *resets;
	struct raizn_pp_entry *pp;
	u32 nr_pp;
	u32 *pp_zone;
	u64 log_start;
	u64 filled;
	u32 moved;
	u32 reset;
	u32 finished;
};

typedef int (*raizn_member_write_fn)(struct raizn_member *m, sector_t sector,
				     void *buf, u32 bytes);

/* assemble.c */
void raizn_member_set_device(struct raizn_member *m, struct block_device *bdev);
int raizn_assemble(struct raizn_array *arr, struct block_device **bdevs, u32 nr,
		   const struct raizn_start_options *opts, char **error);

/* examine.c */
void raizn_recovery_free(struct raizn_array *arr);

/* rewrite.c */
int raizn_rewrite_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, void *buf, void *tmp);
int raizn_renew_column(struct raizn_array *arr, struct raizn_zone_work *w,
		       u32 column, void *buf, void *tmp);

/* recover_zone.c */
int raizn_recover_column(struct raizn_array *arr, struct raizn_zone_work *w,
			 u32 column, sector_t start, u32 sector,
			 raizn_member_write_fn write, void *buf, void *tmp);
int raizn_recover_fill(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp);
int raizn_recover_tail(struct raizn_array *arr, struct raizn_zone_work *w,
		       void *buf, void *tmp);

/* recover.c */
int raizn_recover(struct raizn_array *arr);

/* rebuild_load.c */
int raizn_rebuild_disown(struct raizn_member *m, const u8 *conds,
			 const struct raizn_zone_state *known, bool former);
int raizn_rebuild_load(struct raizn_member *m,
		       const struct raizn_zone_state *known, bool former);

/* replace.c */
int raizn_replace_check(struct raizn_array *arr, u32 slot,
			struct block_device *bdev);
int raizn_replace_member(struct raizn_array *arr, u32 slot,
			 struct block_device *bdev);

#endif /* RAIZN_START_START_H */
