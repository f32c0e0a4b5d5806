/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Degraded operation, rebuild and scrub.
 */
#ifndef RAIZN_REPAIR_REPAIR_H
#define RAIZN_REPAIR_REPAIR_H

#include <linux/completion.h>

#include "io/io.h"

/* Rows decoded at a time (sectors). */
#define RAIZN_DECODE_ROWS	128U

/**
 * struct raizn_decode - rows of a stripe that are reconstructed, or compared
 * @buf:	RAIZN_DECODE_ROWS sectors for each column, by column; fewer for a small read
 * @zone:	logical zone number
 * @sector:	first row (sectors in the columns)
 * @nr:		number of rows
 * @wp:		write pointer of the zone (offset); data beyond it counts as zeros
 * @parity:	each parity of the rows, in memory; NULL: on its member
 * @want:	columns to be computed (bit by column)
 * @avoid:	columns that cannot be read: those of @want, lost ones, unreadable ones
 * @unknown:	data positions (bit by position) to be solved for
 * @solves:	data position that each parity is used for
 * @life:	zone->life when the reads began
 * @moves:	arr->moves when the reads began
 * @pooled:	taken from arr->decode_pool for one read
 * @alone:	REQ_NOMERGE if the reads must not fail together with other reads, else 0
 * @reads:	reads of columns
 * @failed:	columns that could not be read, or hold a placeholder there
 */
struct raizn_decode {
	void *buf[RAIZN_MAX_MEMBERS];
	u32 zone;
	u32 sector;
	u32 nr;
	u32 wp;
	const void *parity[RAIZN_MAX_PARITY];
	u32 want;
	u32 avoid;
	u32 unknown;
	u32 solves[RAIZN_MAX_PARITY];
	u16 life;
	u32 moves;
	bool pooled;
	blk_opf_t alone;
	struct raizn_group reads;
	unsigned long failed;
};

/* Columns that are rebuilt in parallel. */
#define RAIZN_REBUILDERS	4U

/* Chunks of a job that may be under way. */
#define RAIZN_COPIES	4U

/**
 * struct raizn_copy - chunk of a column that is copied to a member zone
 * @dec:	buffers
 * @sector:	first row
 * @nr:		sectors
 * @decoding:	raizn_decode_begin() was called, raizn_decode_end() must follow
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
 * struct raizn_job - rebuild of a column of a zone
 * @zone:	the zone; its lock protects @cancelled, @ready and @err
 * @column:	the column
 * @member:	member that it belongs to
 * @physical:	member zone that the column is written to
 * @moved:	@physical is a spare zone; false before the job has a place
 * @heal:	the old column stays in use until the new one is whole
 * @extra_zone:	the job is counted in member->extra_jobs
 * @found:	valid sectors that the member zone held when the job began
 * @anew:	this job writes the whole column
 * @at:		sectors of the column that are written
 * @wp:		write pointer of the zone that the copied data belongs to
 * @end:	sectors of the whole column, when the zone's worker has the job
 * @rounds:	times the zone's worker handed the job back because too much was left
 * @errors:	failed writes to member zones that the drive calls good
 * @epoch:	arr->epoch when the job began
 * @heal_before: zone->heal when the job began
 * @left_out:	columns with rows that could not be read, so that they are lost
 * @took_kept:	rows came from the member zone that the column left
 * @waits:	the job can go on when the zone's last stripe is complete
 * @copies:	chunks under way
 * @nr_copies:	entries of @copies
 * @cancelled:	the zone is about to be reset or made read-only: the job must stop
 * @ready:	the zone's worker has the job, until @handed_back
 * @handed_back: completed by the zone's worker
 * @err:	result of the worker's part
 */
struct raizn_job {
	struct raizn_zone *zone;
	u32 column;
	struct raizn_member *member;
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
	u32 epoch;
	u32 heal_before;
	u32 left_out;
	bool took_kept;
	bool waits;
	struct raizn_copy *copies;
	u32 nr_copies;
	bool cancelled;
	bool ready;
	struct completion handed_back;
	int err;
};

/**
 * struct raizn_rebuilder - carries out jobs, one at a time
 * @arr:	array
 * @work:	takes jobs until none is left
 * @job:	job under way, or NULL; rebuild->mutex
 * @copies:	chunks of the job under way
 */
struct raizn_rebuilder {
	struct raizn_array *arr;
	struct work_struct work;
	struct raizn_job *job;
	struct raizn_copy copies[RAIZN_COPIES];
};

/* Four columns of each of four members, as many as can be rebuilt at once and more. */
#define RAIZN_LEFT_MAX	(4 * RAIZN_REBUILDERS)

/**
 * struct raizn_left - column that a job has begun in place, and left
 * @zone:	its zone, or NULL: no entry
 * @column:	the column
 */
struct raizn_left {
	struct raizn_zone *zone;
	u32 column;
};

/**
 * struct raizn_rebuild - all rebuilders
 * @mutex:	protects the fields up to @crowded, and member->extra_jobs
 * @next:	first zone that has not been looked at in this pass
 * @left:	columns to continue with first, see raizn_rebuild_left()
 * @running:	number of rebuilders at work
 * @epoch:	arr->epoch when this pass over the zones began, or an earlier one
 * @eased:	a job of this pass has succeeded: arr->epoch moves on at its end
 * @turned_away: members (bit by slot) of which columns were passed over, because no zone was free
 *		while another job was under way
 * @crowded:	columns were passed over, because too many zones are active: a zone that is
 *		released begins another pass
 * @rebuilders:	the rebuilders
 * @relocated:	looks whether users are idle, to have columns with spoilt rows rewritten
 * @users:	sectors that users had read and written at the last look; @relocated only
 */
struct raizn_rebuild {
	struct mutex mutex;
	u32 next;
	struct raizn_left left[RAIZN_LEFT_MAX];
	u32 running;
	u32 epoch;
	bool eased;
	u32 turned_away;
	bool crowded;
	struct raizn_rebuilder rebuilders[RAIZN_REBUILDERS];
	struct delayed_work relocated;
	u64 users;
};

/* relocated.c */
void raizn_relocated_init(struct raizn_rebuild *rb);
u32 raizn_relocated_most(void);
void raizn_relocated_begin(struct raizn_array *arr);

/* reconstruct.c */
struct raizn_decode *raizn_decode_alloc(struct raizn_array *arr, u32 rows, gfp_t gfp);
void raizn_decode_free(struct raizn_array *arr, struct raizn_decode *dec);
int raizn_decode_pool_init(struct raizn_array *arr);
int raizn_rows_read(const struct raizn_zone *z, u32 column, u32 sector, sector_t start,
		    void *buf, u32 nr);
int raizn_column_read(const struct raizn_zone *z, u32 column, u32 sector, void *buf, u32 nr);
int raizn_gather_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 sector, u32 nr, u32 wp);
u32 raizn_wrong_columns(const struct raizn_geometry *geo, struct raizn_decode *dec);
int raizn_gather_right(struct raizn_array *arr, struct raizn_decode *dec, u32 zone,
		       u32 column, u32 sector, u32 nr, u32 wp);
int raizn_decode_begin(struct raizn_array *arr, struct raizn_decode *dec,
		       u32 zone, u32 want, u32 sector, u32 nr, u32 wp,
		       const void * const *parity);
int raizn_decode_end(struct raizn_array *arr, struct raizn_decode *dec);
int raizn_decode_rows(struct raizn_array *arr, struct raizn_decode *dec,
		      u32 zone, u32 want, u32 sector, u32 nr, u32 wp,
		      const void * const *parity);

void raizn_running_parity(const struct raizn_open_zone *oz, u32 sector,
			  const void **parity);

/* decode.c */
void raizn_decode_queue(struct raizn_array *arr, struct bio *bio, bool refused);

/* degrade.c */
void raizn_zone_degrade(struct raizn_zone *z);

/* tail.c */
int raizn_tail_go_back(struct raizn_open_zone *oz);

/* rebuild_copy.c */
int raizn_rebuild_ends_right(struct raizn_job *job, u32 end);
int raizn_rebuild_copy(struct raizn_job *job, u32 end, bool idle, bool *wrote);

/* rebuild.c */
u32 raizn_member_extra_zones(const struct raizn_member *m);
bool raizn_column_ends_finished(const struct raizn_zone *z,
				const struct raizn_member *m);
u32 raizn_column_end(const struct raizn_zone *z, u32 column);
bool raizn_column_is_back(struct raizn_zone *z, u32 column, bool anew);
int raizn_rebuild_keep_column(struct raizn_zone *z, u32 column);
void raizn_job_work(struct raizn_zone *z);
void raizn_job_cancel(struct raizn_zone *z);
void raizn_rebuild_left(struct raizn_zone *z, u32 column);
void raizn_rebuild_forget_left(struct raizn_array *arr, u32 slot);
bool raizn_rebuild_wanted(const struct raizn_array *arr);
int raizn_rebuild_init(struct raizn_array *arr);

/* scrub.c */
int raizn_scrub_start(struct raizn_array *arr, bool repair, u32 from);
void raizn_scrub_load(struct raizn_array *arr, bool clean);
u32 raizn_scrub_found(struct raizn_array *arr, struct raizn_mismatch *found);
void raizn_scrub_resume(struct raizn_array *arr);
int raizn_scrub_control(struct raizn_array *arr, const char *what);
void raizn_scrub_init(struct raizn_array *arr);

#endif /* RAIZN_REPAIR_REPAIR_H */
