// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of a column on their way from the other members to the one that gets them.
 *
 * Drives that limit active zones leave room for one job at a time, and a drive is only
 * as fast as it can be if it has the next write before it is done with this one.  So a
 * job reads ahead: of the chunks under way some are read, and up to two written, in
 * order.
 */
#include "raizn.h"

/* Writes under way: one, and the next. */
#define MAX_WRITES	2U

/* How far a copy has come; chunks are counted, and use the job's buffers in turn. */
struct progress {
	u32 next;
	u32 reading;
	u32 writing;
	u32 done;
};

static struct raizn_copy *nth_copy(struct raizn_job *job, u32 n)
{
	return &job->copies[n % job->nr_copies];
}

static int decode(struct raizn_job *job, struct raizn_copy *copy, bool idle,
		  const void *parity)
{
	struct raizn_zone *z = job->zone;
	int err = raizn_decode_begin(z->arr, copy->dec, raizn_zone_number(z),
				     job->column, copy->sector, copy->nr,
				     idle ? raizn_issued_wp(z) : job->wp, parity);

	copy->decoding = !err;
	return err;
}

static int read_lost(struct raizn_job *job, struct raizn_copy *copy, bool idle)
{
	const struct raizn_geometry *geo = &job->zone->arr->geo;
	struct raizn_zone *z = job->zone;

	/* Beside the zone's writes only stripes are asked for that are complete. */
	if (idle && z->oz &&
	    raizn_lost_copy(z->oz, job->column, copy->sector >> geo->su_shift,
			    copy->sector & (geo->su - 1), copy->nr,
			    copy->dec->buf[job->column]))
		return 0;
	return decode(job, copy, idle, NULL);
}

/*
 * The same of a column that is in use: data as it is, if it can be read; parity is
 * computed, because it may be wrong.
 */
static int read_live(struct raizn_job *job, struct raizn_copy *copy, bool idle)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 stripe = copy->sector >> geo->su_shift;
	const void *parity = NULL;

	if (job->column != raizn_parity_column(geo, zone, stripe) &&
	    !raizn_member_read(arr->members[job->column].bdev,
			       raizn_column_start(arr, zone, job->column) +
			       copy->sector, copy->dec->buf[job->column],
			       copy->nr << SECTOR_SHIFT)) {
		raizn_count(arr, RAIZN_MEMBER_READ, copy->nr);
		return 0;
	}
	/* The parity of the tail belongs to the zone's worker, who asks for it. */
	if (idle && z->oz && z->oz->parity[0] &&
	    stripe == z->oz->issued / geo->stripe)
		parity = z->oz->parity[0]->data +
			 ((copy->sector & (geo->su - 1)) << SECTOR_SHIFT);
	return decode(job, copy, idle, parity);
}

static int begin_read(struct raizn_job *job, struct progress *at, u32 end,
		      bool idle)
{
	const u32 su = job->zone->arr->geo.su;
	struct raizn_copy *copy = nth_copy(job, at->reading);
	int err;

	copy->sector = at->next;
	copy->nr = min3(end - at->next, RAIZN_DECODE_ROWS,
			su - (at->next & (su - 1)));
	copy->decoding = false;
	err = job->heal ? read_live(job, copy, idle) :
			  read_lost(job, copy, idle);
	if (err)
		return err;
	at->next += copy->nr;
	at->reading++;
	return 0;
}

static int end_read(struct raizn_job *job, struct raizn_copy *copy)
{
	return copy->decoding ?
	       raizn_decode_end(job->zone->arr, copy->dec) : 0;
}

static void written(struct bio *bio)
{
	struct raizn_copy *copy = bio->bi_private;

	copy->status = bio->bi_status;
	bio_put(bio);
	complete(&copy->written);
}

static int begin_write(struct raizn_job *job, struct progress *at)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_copy *copy = nth_copy(job, at->writing);
	void *data = copy->dec->buf[job->column];
	int err = end_read(job, copy);
	struct bio *bio;

	/* Whoever fails has nothing left that would have to be waited for. */
	copy->decoding = false;
	if (err)
		return err;
	init_completion(&copy->written);
	bio = bio_alloc_bioset(arr->members[job->column].bdev, 1,
			       REQ_OP_WRITE | REQ_SYNC, GFP_NOIO, &arr->bios);
	bio->bi_iter.bi_sector = copy->sector +
		raizn_reserved_zone_start(&arr->geo, job->physical);
	bio->bi_private = copy;
	bio->bi_end_io = written;
	__bio_add_page(bio, virt_to_page(data), copy->nr << SECTOR_SHIFT,
		       offset_in_page(data));
	at->writing++;
	submit_bio(bio);
	return 0;
}

static int end_write(struct raizn_job *job, struct progress *at)
{
	struct raizn_member *m = &job->zone->arr->members[job->column];
	struct raizn_copy *copy = nth_copy(job, at->done++);
	int err;

	wait_for_completion_io(&copy->written);
	/* Of what failed, too, there may be something that counts later. */
	if (m->volatile_cache)
		atomic64_inc(&m->written);
	err = blk_status_to_errno(copy->status);
	if (!err && copy->sector == job->at)
		job->at += copy->nr;
	return err;
}

/*
 * Nothing may be under way any more when a drive is asked how far it has come.
 * Returns whether a write failed.
 */
static bool drain(struct raizn_job *job, struct progress *at)
{
	bool failed = false;
	u32 n;

	for (n = at->writing; n != at->reading; n++)
		end_read(job, nth_copy(job, n));
	while (at->done != at->writing)
		failed |= end_write(job, at);
	return failed;
}

static bool interrupted(const struct raizn_job *job)
{
	return READ_ONCE(job->cancelled) ||
	       READ_ONCE(job->zone->arr->background.stop);
}

/**
 * raizn_rebuild_copy() - write rows of a column
 * @job:	job; on return job->at is the first row that is not known to be written
 * @end:	row to stop at (sectors)
 * @idle:	all of the zone is in place.  Otherwise all stripes up to @end are, and
 *		the copy can be interrupted and keeps to the array's speed
 * @wrote:	set to whether it is the member that failed
 *
 * Context: process; with @idle the zone's worker.
 * Return: 0, -ECANCELED, or another -errno.
 */
int raizn_rebuild_copy(struct raizn_job *job, u32 end, bool idle, bool *wrote)
{
	struct raizn_array *arr = job->zone->arr;
	struct progress at = { .next = job->at };
	u32 before = job->at;
	int err = 0;

	*wrote = false;
	while (!err && job->at < end) {
		if (at.next < end && at.reading - at.done < job->nr_copies) {
			err = !idle && interrupted(job) ? -ECANCELED :
				begin_read(job, &at, end, idle);
		} else if (at.writing != at.reading &&
			   at.writing - at.done < MAX_WRITES) {
			err = begin_write(job, &at);
		} else {
			err = end_write(job, &at);
			*wrote = err;
			if (!idle) {
				raizn_background_pace(arr, true, job->at - before,
						      &job->cancelled);
				before = job->at;
			}
		}
	}
	/* Behind a write that failed the next one does, too. */
	if (drain(job, &at) && !*wrote)
		raizn_write_failed(&arr->members[job->column]);
	return err;
}
