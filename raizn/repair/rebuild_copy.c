// SPDX-License-Identifier: GPL-2.0
/*
 * Copying the rows of a column from the other members to the member that gets the column.
 *
 * Drives that limit active zones may leave room for only one job, and a drive reaches its
 * full speed only if the next write is queued before the current one ends.  So a job reads
 * ahead: of its chunks under way some are read, and up to two written, in order.
 */
#include "member/bad_block.h"
#include "repair/repair.h"

/* Writes under way: the current one and the next. */
#define MAX_WRITES	2U

/* Blocks to check, at most, at the end of a column that may be whole. */
#define MAX_LAST_BLOCKS	16U

/* Progress of a copy.  @next is a row, the rest count chunks, which use buffers in turn. */
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

/* Is the stripe the tail, whose running parity belongs to the zone's worker (@idle)? */
static bool has_running_parity(const struct raizn_job *job, u32 sector, bool idle)
{
	const struct raizn_geometry *geo = &job->zone->arr->geo;
	const struct raizn_open_zone *oz = job->zone->oz;

	return idle && oz && oz->parity[0] &&
	       sector >> geo->su_shift == oz->issued / geo->stripe;
}

static int begin_decode(struct raizn_job *job, struct raizn_decode *dec, u32 sector,
			u32 nr, bool idle)
{
	bool running = has_running_parity(job, sector, idle);
	const void *parity[RAIZN_MAX_PARITY];
	struct raizn_zone *z = job->zone;

	if (running)
		raizn_running_parity(z->oz, sector, parity);
	return raizn_decode_begin(z->arr, dec, raizn_zone_number(z), BIT(job->column),
				  sector, nr, job->wp, running ? parity : NULL);
}

static int begin_decode_copy(struct raizn_job *job, struct raizn_copy *copy, bool idle)
{
	int err = begin_decode(job, copy->dec, copy->sector, copy->nr, idle);

	copy->decoding = !err;
	return err;
}

static int decode_now(struct raizn_job *job, struct raizn_decode *dec, u32 sector,
		      u32 nr, bool idle)
{
	int err = begin_decode(job, dec, sector, nr, idle);

	return err ? err : raizn_decode_end(job->zone->arr, dec);
}

/*
 * Read the column of a job in its own place, data or not.  If its zone is given up meanwhile, the
 * job does not end well.
 */
static int read_own_rows(struct raizn_job *job, u32 sector, void *buf, u32 nr)
{
	struct raizn_zone *z = job->zone;
	sector_t start = raizn_column_start(z->arr, raizn_zone_number(z), job->column);

	return raizn_rows_read(z, job->column, sector, start + sector, buf, nr);
}

/* Read rows from the column itself, as far as they are data. */
static int copy_own_block(struct raizn_job *job, u32 sector, void *buf, u32 nr)
{
	return raizn_column_read(job->zone, job->column, sector, buf, nr);
}

static int copy_lost_unit(struct raizn_job *job, struct raizn_copy *copy, bool idle)
{
	const struct raizn_geometry *geo = &job->zone->arr->geo;
	struct raizn_zone *z = job->zone;
	int err = -ENOENT;

	/* While the zone is written, only complete stripes are copied. */
	if (idle && z->oz)
		err = raizn_lost_copy(z->oz, job->column,
				      copy->sector >> geo->su_shift,
				      copy->sector & (geo->su - 1), copy->nr,
				      copy->dec->buf[job->column]);
	/* Rows that could not be decoded when the column was lost may be decodable now. */
	return err ? begin_decode_copy(job, copy, idle) : 0;
}

/* Does the job's column hold parity at a row? */
static bool is_parity(const struct raizn_job *job, u32 sector)
{
	const struct raizn_geometry *geo = &job->zone->arr->geo;
	u32 pc = raizn_parity_column(geo, raizn_zone_number(job->zone),
				     sector >> geo->su_shift);

	return (job->column + geo->nr_members - pc) % geo->nr_members < geo->nr_parity;
}

/*
 * Get rows of a column that is in use.  Data is read, and decoded only if the read
 * fails; parity is always computed, because the column may hold wrong parity.  With more
 * than one parity, wrong data can be told, and put right, if all columns can be read.
 */
static int read_live(struct raizn_job *job, struct raizn_copy *copy, bool idle)
{
	struct raizn_array *arr = job->zone->arr;

	if (arr->geo.nr_parity > 1 && !has_running_parity(job, copy->sector, idle) &&
	    !raizn_gather_right(arr, copy->dec, raizn_zone_number(job->zone),
				job->column, copy->sector, copy->nr, job->wp))
		return 0;
	if (!is_parity(job, copy->sector) &&
	    !copy_own_block(job, copy->sector, copy->dec->buf[job->column], copy->nr))
		return 0;
	return begin_decode_copy(job, copy, idle);
}

/* A column that is rewritten takes its lost blocks along.  Returns 0 or @err. */
static int take_lost_block(struct raizn_job *job, u32 sector, void *buf, int err)
{
	u32 block = job->zone->arr->geo.block, bytes = block << SECTOR_SHIFT;

	if (!raizn_rows_are_bad(job->zone, job->column, sector, block, 0) ||
	    raizn_bad_note(job->zone, job->column, job->physical, 0, sector, block))
		return err;
	raizn_bad_blocks_placeholder(buf, bytes, bytes);
	return 0;
}

/*
 * Can the drive of a column still read, and the column's zone be read, so that only a block is
 * bad?  @buf has room for a block of 4096 bytes.
 */
static bool is_block_bad(const struct raizn_zone *z, u32 column, void *buf)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map, raizn_zone_number(z),
					       column);
	int cond = physical == RAIZN_NOWHERE ? -ENOENT :
					       raizn_member_zone_condition(m, physical);

	return cond >= 0 && cond != BLK_ZONE_COND_OFFLINE && !raizn_log_readable(m->general, buf);
}

/*
 * Columns (bit by column) that could not be read when a block was decoded.  0 if the block may
 * be decoded later: columns may come back, the zone is being reset, parity makes up for these
 * columns, or a drive or a zone of it is bad and not a block.
 */
static u32 unreadable_there(struct raizn_job *job, struct raizn_decode *dec)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	u32 lost = raizn_zone_lost(z);
	unsigned long columns = (dec->avoid | dec->failed) & ~(lost | dec->want);
	unsigned long c;

	if (READ_ONCE(job->cancelled) || READ_ONCE(z->resets) || !raizn_array_writable(arr) ||
	    raizn_zone_too_many(z, lost | BIT(job->column)))
		return 0;
	if (!raizn_zone_too_many(z, lost | BIT(job->column) | columns))
		return 0;
	for_each_set_bit(c, &columns, arr->geo.nr_members)
		if (!is_block_bad(z, c, dec->buf[c]))
			return 0;
	return columns;
}

/*
 * A block is neither at its member nor can it be computed: put a placeholder in its place.  Not
 * in the tail, which a start after a power cut has to read: the job waits for the end of the
 * stripe.  Returns 0 or @err.
 */
static int leave_out(struct raizn_job *job, struct raizn_decode *dec, u32 sector, void *buf,
		     bool idle, int err)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	const struct raizn_geometry *geo = &arr->geo;
	u32 unreadable = unreadable_there(job, dec);
	unsigned long slots = raizn_zone_slots(z, unreadable);
	int full;

	if (!unreadable)
		return err;
	if (idle && z->oz && sector >> geo->su_shift == z->oz->issued / geo->stripe) {
		job->waits = true;
		DMERR_LIMIT("array %pU: logical zone %u cannot be rebuilt on member %u before the zone's last stripe is complete: member %*pbl cannot read sectors of it",
			    arr->uuid, raizn_zone_number(z), job->member->slot,
			    RAIZN_MAX_MEMBERS, &slots);
		return err;
	}
	/* No power cut must take the stripe away again: users would write other data there. */
	if (raizn_flush_members(arr))
		return err;
	full = raizn_bad_note(z, job->column, job->physical, unreadable, sector, geo->block);
	if (full == -ENOSPC)
		DMERR_LIMIT("array %pU: no more lost blocks can be recorded: reset zones that have some, see raizn status --blocks",
			    arr->uuid);
	if (full)
		return err;
	job->left_out |= unreadable;
	DMERR_LIMIT("array %pU: logical zone %u, sectors %u to %u of member %u are lost: member %*pbl cannot read the same sectors",
		    arr->uuid, raizn_zone_number(z), sector, sector + geo->block - 1,
		    job->member->slot, RAIZN_MAX_MEMBERS, &slots);
	raizn_bad_blocks_placeholder(buf, geo->block << SECTOR_SHIFT,
				     geo->block << SECTOR_SHIFT);
	return 0;
}

/* Read rows of a lost column from the member zone that it left, if that is kept. */
static int copy_kept_block(struct raizn_job *job, u32 sector, void *buf, u32 nr)
{
	struct raizn_array *arr = job->zone->arr;
	u32 kept = raizn_quarantine_find(job->zone, job->column, sector + nr);
	int err;

	if (kept == RAIZN_NOWHERE)
		return -ENOENT;
	err = raizn_member_read(job->member->bdev,
				raizn_reserved_zone_start(&arr->geo, kept) + sector, buf,
				nr << SECTOR_SHIFT);
	if (err)
		return err;
	raizn_count(arr, RAIZN_MEMBER_READ, nr);
	job->took_kept = true;
	return 0;
}

/*
 * Another column cannot be read either, perhaps in other rows: get each block from the
 * column itself, if it is in use, or by decoding, parity by decoding first.  Go from the last
 * block down, because decoding puts its result at the start of the buffer.
 */
static int copy_by_blocks(struct raizn_job *job, struct raizn_copy *copy, bool idle)
{
	void *buf = copy->dec->buf[job->column];
	bool parity = is_parity(job, copy->sector);
	u32 block = job->zone->arr->geo.block;
	u32 left, sector;
	void *there;
	int err = 0;

	copy->dec->alone = REQ_NOMERGE;
	for (left = copy->nr; left && !err; left -= block) {
		sector = copy->sector + left - block;
		there = buf + ((left - block) << SECTOR_SHIFT);
		if (job->heal && !parity && !copy_own_block(job, sector, there, block))
			continue;
		err = decode_now(job, copy->dec, sector, block, idle);
		if (!err)
			memmove(there, buf, block << SECTOR_SHIFT);
		else if (job->heal && parity)
			err = copy_own_block(job, sector, there, block);
		if (err && !job->heal && !copy_kept_block(job, sector, there, block))
			err = 0;
		if (err)
			err = job->heal ? take_lost_block(job, sector, there, err) :
					  leave_out(job, copy->dec, sector, there, idle, err);
	}
	copy->dec->alone = 0;
	return err;
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
			  copy_lost_unit(job, copy, idle);
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

static void copy_endio(struct bio *bio)
{
	struct raizn_copy *copy = bio->bi_private;
	blk_status_t status = bio->bi_status;

	bio_put(bio);
	raizn_group_put(&copy->write, status);
}

static int begin_write(struct raizn_job *job, struct progress *at, bool idle)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_copy *copy = nth_copy(job, at->writing);
	void *data = copy->dec->buf[job->column];
	int err = end_read(job, copy);
	struct bio *bio;

	/* On an error, no read of this chunk is left to be waited for. */
	copy->decoding = false;
	if (err)
		err = copy_by_blocks(job, copy, idle);
	if (err)
		return err;
	raizn_group_init(&copy->write);
	raizn_group_get(&copy->write);
	bio = bio_alloc_bioset(job->member->bdev, 1,
			       REQ_OP_WRITE | REQ_SYNC, GFP_NOIO, &arr->bios);
	bio->bi_iter.bi_sector = copy->sector +
		raizn_reserved_zone_start(&arr->geo, job->physical);
	bio->bi_private = copy;
	bio->bi_end_io = copy_endio;
	__bio_add_page(bio, virt_to_page(data), copy->nr << SECTOR_SHIFT,
		       offset_in_page(data));
	at->writing++;
	submit_bio(bio);
	return 0;
}

static int end_write(struct raizn_job *job, struct progress *at)
{
	struct raizn_member *m = job->member;
	struct raizn_copy *copy = nth_copy(job, at->done++);
	int err = raizn_group_wait(&copy->write);

	/* A failed write, too, may have written sectors that count later. */
	if (m->volatile_cache)
		atomic64_inc(&m->written);
	if (!err)
		raizn_count(m->arr, RAIZN_REBUILD_WRITTEN, copy->nr);
	if (!err && copy->sector == job->at)
		job->at += copy->nr;
	return err;
}

/*
 * Wait for all chunks under way: the drive is asked for its write pointer afterwards.
 * Returns whether a write failed.
 */
static bool drain_copies(struct raizn_job *job, struct progress *at)
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
	       !raizn_array_running(job->zone->arr);
}

/**
 * raizn_rebuild_ends_right() - does the job's column end with the right data?
 * @job:	job in its own place, of a zone that is full or finished; job->wp is set
 * @end:	row behind the column's last one (sectors)
 *
 * Tells a member zone that was written to its end from one that its drive finished early.
 * Unwritten sectors read as one byte repeated, so blocks are compared with decoded data from
 * the last one down to one that looks written, and placeholders with placeholders.  If none of
 * the last blocks does, which is rare, the answer is 0.  A block that cannot be decoded, because
 * another column cannot be read, only has to look written, as at a start that lacks another
 * column.
 *
 * Context: process.  Return: 1 or 0; -errno when this cannot be told because another column
 * cannot be read there.
 */
int raizn_rebuild_ends_right(struct raizn_job *job, u32 end)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	struct raizn_decode *dec = job->copies[0].dec;
	void *right = dec->buf[job->column];
	void *own = dec->buf[job->column ? 0 : 1];
	u32 block = arr->geo.block, bytes = block << SECTOR_SHIFT;
	int ret = 0;
	int err;
	u32 i;

	for (i = 0; i < MAX_LAST_BLOCKS && end >= block; i++) {
		end -= block;
		if (raizn_rows_are_bad(z, job->column, end, block, RAIZN_BAD_PLACEHOLDER)) {
			raizn_bad_blocks_placeholder(right, bytes, bytes);
			err = 0;
		} else {
			err = raizn_decode_rows(arr, dec, raizn_zone_number(z),
						BIT(job->column), end, block, job->wp, NULL);
		}
		if (read_own_rows(job, end, own, block) ||
		    (!err && memcmp(own, right, bytes)))
			return 0;
		if (raizn_looks_written(own, bytes))
			return ret ? ret : 1;
		if (err)
			ret = err;
	}
	return ret;
}

/**
 * raizn_rebuild_copy() - write rows of a column
 * @job:	job; on return job->at is the first row that is not known to be written
 * @end:	row to stop at (sectors)
 * @idle:	all of the zone is in place.  Otherwise all stripes up to @end are, and
 *		the copy can be interrupted and keeps to the pace of background work
 * @wrote:	set to whether a write to the member failed
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
			err = begin_write(job, &at, idle);
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
	/* A write behind a failed one fails, too, and is not counted again. */
	if (drain_copies(job, &at) && !*wrote)
		raizn_write_failed(job->member);
	return err;
}
