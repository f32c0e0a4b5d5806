/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doing without columns, and bringing them back.
 */
#ifndef RAIZN_REPAIR_REPAIR_H
#define RAIZN_REPAIR_REPAIR_H

#include "io/io.h"

/* Rows decoded at a time (sectors). */
#define RAIZN_DECODE_ROWS	128U

/**
 * struct raizn_decode - what decoding and comparing need in memory
 * @buf:	RAIZN_DECODE_ROWS sectors, by column; less for one read that is small
 * @zone:	logical zone number
 * @life:	of it, when the reads began
 * @map_version: of the zone map then
 * @column:	column that is computed
 * @nr:		sectors of it
 * @pooled:	of decode_pool, for one read
 * @alone:	REQ_NOMERGE, or 0: may what is read fail with what is behind it?
 * @reads:	reads of columns
 * @failed:	columns that could not be read
 */
struct raizn_decode {
	void *buf[RAIZN_MAX_MEMBERS];
	u32 zone;
	u16 life;
	u64 map_version;
	u32 column;
	u32 nr;
	bool pooled;
	blk_opf_t alone;
	struct raizn_group reads;
	unsigned long failed;
};

/* Columns that are rebuilt at once. */
#define RAIZN_REBUILDERS	4U

/* Chunks of a job under way. */
#define RAIZN_COPIES	4U

/**
 * struct raizn_copy - rows of a column on their way to a member zone
 * @dec:	buffers
 * @sector:	first row
 * @nr:		sectors
 * @decoding:	raizn_decode_end() has to follow
 * @write:	the write
 */
struct raizn_copy {
	struct raizn_decode *dec;
	u32 sector;
	u32 nr;
	bool decoding;
	struct raizn_group write;
};

/**
 * struct raizn_job - a column of a zone that is written anew
 * @zone:	the zone; its lock protects @cancelled, @ready and @err
 * @column:	the column
 * @physical:	member zone it goes to
 * @moved:	that is a spare zone
 * @heal:	the column is in use and stays so until then
 * @extra_zone:	it counts in the member's extra_jobs
 * @found:	sectors of it that were there before, in its own place
 * @anew:	there were none, or it goes to another place
 * @at:		sectors of the column that are done
 * @wp:		write pointer that what is copied belongs to
 * @end:	sectors of the column, when it is the worker's turn
 * @rounds:	how often the zone's worker found too much left
 * @errors:	of writes, to zones that are said to be good
 * @changes:	value of arr->eased when it began
 * @copies:	chunks under way
 * @nr_copies:	how many at most
 * @cancelled:	the zone is to be reset: stop
 * @ready:	it is the worker's turn, until @handed_back
 * @handed_back: the worker's part is done
 * @err:	how
 * @failed:	a job of the same rebuilder failed before
 */
struct raizn_job {
	struct raizn_zone *zone;
	u32 column;
	u32 physical;
	bool moved;
	bool heal;
	bool extra_zone;
	u32 found;
	bool anew;
	u32 at;
	u32 wp;
	u32 end;
	u32 rounds;
	u32 errors;
	int changes;
	struct raizn_copy *copies;
	u32 nr_copies;
	bool cancelled;
	bool ready;
	struct completion handed_back;
	int err;
	bool failed;
};

/**
 * struct raizn_rebuilder - one of those that carry out jobs
 * @arr:	array
 * @work:	takes jobs as long as there are any
 * @copies:	of the job
 */
struct raizn_rebuilder {
	struct raizn_array *arr;
	struct work_struct work;
	struct raizn_copy copies[RAIZN_COPIES];
};

/**
 * struct raizn_rebuild - all of them
 * @mutex:	protects the rest, but where it says otherwise
 * @next:	zones below it were looked at
 * @left:	zones to continue with first: see raizn_rebuild_left()
 * @running:	rebuilders at work
 * @failed:	a job failed since they began
 * @worth:	something changed after that, or meanwhile: trying again may be of use
 * @rebuilders:	the rebuilders
 */
struct raizn_rebuild {
	struct mutex mutex;
	u32 next;
	struct raizn_zone *left[RAIZN_REBUILDERS];
	u32 running;
	bool failed;
	bool worth;
	struct raizn_rebuilder rebuilders[RAIZN_REBUILDERS];
};

/* decode.c */
struct raizn_decode *raizn_decode_alloc(struct raizn_array *arr, gfp_t gfp);
void raizn_decode_free(struct raizn_array *arr, struct raizn_decode *dec);
int raizn_decode_pool_init(struct raizn_array *arr);
int raizn_gather_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 sector, u32 nr, u32 wp);
int raizn_decode_begin(struct raizn_array *arr, struct raizn_decode *dec,
		       u32 zone, u32 column, u32 sector, u32 nr, u32 wp,
		       const void *parity);
int raizn_decode_end(struct raizn_array *arr, struct raizn_decode *dec);
int raizn_decode_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 column, u32 sector, u32 nr, u32 wp,
		      const void *parity);
void raizn_decode_queue(struct raizn_array *arr, struct bio *bio, bool refused);

/* degrade.c */
void raizn_zone_degrade(struct raizn_zone *z);

/* rebuild_copy.c */
int raizn_rebuild_ends_right(struct raizn_job *job, u32 end);
int raizn_rebuild_copy(struct raizn_job *job, u32 end, bool idle, bool *wrote);

/* rebuild.c */
u32 raizn_member_extra_zones(const struct raizn_member *m);
bool raizn_column_ends_finished(const struct raizn_zone *z,
				const struct raizn_member *m);
u32 raizn_column_end(const struct raizn_zone *z, u32 column);
bool raizn_column_is_back(struct raizn_zone *z, u32 column, bool anew);
void raizn_job_work(struct raizn_zone *z);
void raizn_job_cancel(struct raizn_zone *z);
void raizn_rebuild_left(struct raizn_zone *z);
bool raizn_rebuild_wanted(const struct raizn_array *arr);
int raizn_rebuild_init(struct raizn_array *arr);

/* scrub.c */
int raizn_scrub_start(struct raizn_array *arr, bool repair, u32 from);
void raizn_scrub_load(struct raizn_array *arr);
u32 raizn_scrub_found(struct raizn_array *arr, struct raizn_mismatch *found);
void raizn_scrub_resume(struct raizn_array *arr);
int raizn_scrub_control(struct raizn_array *arr, const char *what);
void raizn_scrub_init(struct raizn_array *arr);

#endif /* RAIZN_REPAIR_REPAIR_H */
