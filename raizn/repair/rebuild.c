// SPDX-License-Identifier: GPL-2.0
/*
 * Rebuilding columns while the array is used.
 *
 * A job rewrites one column of one zone: in place, when its member is being rebuilt, the
 * column was never whole and the member zone is good, else into a spare zone.  First it
 * copies all complete stripes, while the zone is written.  Then the zone's worker, between
 * two batches, copies the rest, and from there on the column takes part.
 *
 *   crash after		the next start finds
 *   part or all of the copy	in place: a column that is too short; the rebuild
 *				continues behind its end.  In a spare zone: a
 *				copy that belongs to no column
 *   flush			the same
 *   ZONE_MAP record, FUA	the column, whole, at its new place, or marked as whole
 *   superblock "active"	a member that is whole
 *
 * Invariant: all data up to the write pointers of a member that is being rebuilt is
 * valid, see raizn_rebuild_load().  So its write pointers hold the progress of each job, and
 * the map tells which columns are whole.
 *
 * A reset cancels the job of its zone and waits until the job has no more commands
 * under way.
 */
#include "member/bad_block.h"
#include "member/relocation.h"
#include "repair/repair.h"
#include "trace.h"

/* Sectors that the zone's worker copies, at most, unless the job cannot keep up. */
#define WORKER_SECTORS	1024U
#define MAX_ROUNDS	8

/* Write errors that a job tolerates. */
#define MAX_ERRORS	3U

static bool limits_zones(const struct raizn_member *m)
{
	return m->max_active || m->max_open;
}

/**
 * raizn_member_extra_zones() - zones of a member that jobs may keep active
 * @m:		member
 *
 * The zones beyond those of users and metadata, which a drive of another model may have;
 * else one zone that metadata does not need while the array runs.
 *
 * Return: zones, 1 to RAIZN_REBUILDERS; U32_MAX when the drive has no limit.
 */
u32 raizn_member_extra_zones(const struct raizn_member *m)
{
	const struct raizn_array *arr = m->arr;
	u32 room = U32_MAX;

	if (!limits_zones(m))
		return U32_MAX;
	if (m->max_active)
		room = m->max_active - arr->max_active;
	if (m->max_open)
		room = min(room, m->max_open - arr->max_open);
	return room > RAIZN_MD_ACTIVE_ZONES ?
	       min(room - RAIZN_MD_ACTIVE_ZONES, RAIZN_REBUILDERS) : 1;
}

/*
 * Columns that jobs have begun and left on a member, but for that of @z, are active there: they
 * take places of jobs.
 */
static u32 left_on(const struct raizn_member *m, const struct raizn_zone *z)
{
	const struct raizn_rebuild *rb = m->arr->rebuild;
	u32 nr = 0;
	u32 i;

	lockdep_assert_held(&rb->mutex);
	for (i = 0; i < RAIZN_LEFT_MAX; i++)
		nr += rb->left[i].zone && rb->left[i].zone != z &&
		      raizn_zone_member(rb->left[i].zone, rb->left[i].column) == m;
	return nr;
}

/* Zones of a member that are active for users. */
static u32 active_on(const struct raizn_member *m)
{
	const struct raizn_array *arr = m->arr;
	const struct raizn_zone *z;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		nr += z && raizn_column_live(z, raizn_zone_column(z, m->slot));
	}
	return nr;
}

/*
 * Is there room for another active zone of a member?  There may be none, also within the number for
 * jobs, if more zones are active than users may have.  A column that @stays takes a place of users
 * when it is whole, and must leave one for a job.  raizn_zone_release() makes room.
 */
static bool has_active_zone(const struct raizn_zone *z, u32 column, bool stays)
{
	const struct raizn_member *m = raizn_zone_member(z, column);
	struct raizn_array *arr = z->arr;
	u32 jobs = m->extra_jobs + left_on(m, z);
	u32 others = RAIZN_MD_ACTIVE_ZONES - !stays;
	/* A column that is held itself needs no other zone. */
	u32 held = READ_ONCE(m->held) - raizn_column_is_held(z, column);

	if (jobs >= raizn_member_extra_zones(m))
		return false;
	if (!m->max_active ||
	    likely(!READ_ONCE(m->held) && READ_ONCE(arr->nr_active) <= raizn_places(arr)))
		return true;
	WRITE_ONCE(arr->rebuild->crowded, true);
	/* Pairs with raizn_zone_release(): it sees the mark, or its zone is not counted. */
	smp_mb();
	return active_on(m) + held + jobs + others < m->max_active;
}

static bool is_finished(const struct raizn_zone *z)
{
	return READ_ONCE(z->arr->zone_state[raizn_zone_number(z)].flags) &
	       RAIZN_ZONE_FINISHED;
}

/**
 * raizn_column_ends_finished() - must a column be finished once it is whole?
 * @z:		zone that is idle
 * @m:		member that holds the column
 *
 * A member zone that ends behind the last stripe unit does not become full by writes.  It is
 * finished once the logical zone is full, not before, though some columns end earlier.
 */
bool raizn_column_ends_finished(const struct raizn_zone *z,
				const struct raizn_member *m)
{
	return is_finished(z) ||
	       (m->zone_pad && raizn_issued_wp(z) == z->arr->geo.zone_cap);
}

/**
 * raizn_column_end() - sectors of a column when all of the zone is in place
 * @z:		zone that is idle; its lock is held, unless the array takes no I/O: an
 *		accepted reset moves the write pointer back at once
 * @column:	column
 */
u32 raizn_column_end(const struct raizn_zone *z, u32 column)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	u32 zone = raizn_zone_number(z);
	u32 wp = raizn_issued_wp(z);
	u32 extent = raizn_column_extent(geo, zone, column, wp);
	u32 pc = raizn_parity_column(geo, zone, wp / geo->stripe);
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;

	/* Finishing wrote the tail's parity in place. */
	if (is_finished(z) && nth < raizn_running_parities(geo))
		extent += min(wp % geo->stripe, geo->su);
	return extent;
}

/*
 * Set @end to the sectors of a column that can be decoded while the zone is written, and
 * job->wp to the matching write pointer.  Returns -ECANCELED after a reset was accepted.
 */
static int complete_end(struct raizn_job *job, u32 *end)
{
	struct raizn_zone *z = job->zone;
	const struct raizn_geometry *geo = &z->arr->geo;
	int err = 0;

	spin_lock_irq(&z->lock);
	if (job->cancelled || z->resets) {
		err = -ECANCELED;
	} else if (z->oz) {
		job->wp = z->oz->completed;
		*end = job->wp / geo->stripe << geo->su_shift;
	} else {
		job->wp = z->wp;
		*end = raizn_column_end(z, job->column);
	}
	spin_unlock_irq(&z->lock);
	return err;
}

/*
 * A member zone that cannot be written any more is replaced by another one.  After other
 * errors the data up to the zone's write pointer is valid, and a job in place continues
 * behind it.  The error after MAX_ERRORS of these costs the member, if it can be spared; it
 * does not fail the array.
 *
 * Return: -EUCLEAN when the job must choose a place again, or @err.
 */
static int write_failed(struct raizn_job *job, int err)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_member *m = job->member;
	int cond = raizn_member_zone_condition(m, job->physical);
	bool bad = cond == BLK_ZONE_COND_READONLY ||
		   cond == BLK_ZONE_COND_OFFLINE;

	if (cond < 0)
		raizn_member_failed(m, "zone report", errno_to_blk_status(cond));
	else if (bad)
		raizn_spare_set(m, job->physical, RAIZN_USE_BAD);
	else
		raizn_write_failed(m);
	if (!raizn_member_live(m) || !raizn_array_writable(arr))
		return err;
	if (bad || job->errors++ < MAX_ERRORS)
		return -EUCLEAN;
	/* Relocated rows can stay as they are. */
	if (job->heal && !(READ_ONCE(job->zone->heal) & BIT(job->column)))
		return err;
	if (raizn_member_give_up(m))
		DMERR("array %pU: member %u (%pg) cannot be rebuilt: %d; the array goes on without it",
		      arr->uuid, m->slot, m->bdev, err);
	return err;
}

static int copy_column(struct raizn_job *job, u32 end, bool idle)
{
	bool wrote;
	int err = raizn_rebuild_copy(job, end, idle, &wrote);

	return wrote ? write_failed(job, err) : err;
}

/* Copy all that is complete, while the zone is written. */
static int copy_complete(struct raizn_job *job)
{
	u32 end;
	int err;

	do {
		err = complete_end(job, &end);
		if (err || job->at >= end)
			return err;
		err = copy_column(job, end, false);
	} while (!err);
	return err;
}

/**
 * raizn_column_is_back() - a column is whole and takes part again
 * @z:		zone that is idle
 * @column:	column
 * @anew:	the whole column was rewritten, so that all of it can be read
 *
 * The column stays lost if its member has just failed.
 *
 * Context: process.  Return: whether the column takes part.
 */
bool raizn_column_is_back(struct raizn_zone *z, u32 column, bool anew)
{
	struct raizn_array *arr = z->arr;
	bool back;

	spin_lock_irq(&z->lock);
	spin_lock(&arr->fail_lock);
	back = raizn_member_live(raizn_zone_member(z, column));
	if (back) {
		WRITE_ONCE(z->failing, z->failing & ~BIT(column));
		WRITE_ONCE(z->missing, z->missing & ~BIT(column));
		if (anew)
			WRITE_ONCE(z->heal, z->heal & ~BIT(column));
		/* With this column, the rebuild of others may succeed. */
		WRITE_ONCE(z->tried, 0);
		if (z->oz)
			z->oz->retired &= ~BIT(column);
		if (z->oz && !raizn_zone_lost(z)) {
			z->oz->sound = U32_MAX;
			z->oz->sound_durable = U32_MAX;
		}
	}
	spin_unlock(&arr->fail_lock);
	if (z->oz && !z->missing)
		raizn_lost_drop(z->oz, U32_MAX);
	spin_unlock_irq(&z->lock);
	wake_up(&arr->sync_wait);
	return back;
}

/*
 * Columns that were found unreadable where a placeholder is now cannot be healed without the
 * placeholder's data.  With one parity, a column that was lost needed each row of all others: they
 * had no other unreadable rows when these were copied.
 */
static void do_not_heal(const struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	u32 columns = job->left_out & ~job->heal_before;

	if (job->heal)
		return;
	if (z->arr->geo.nr_parity == 1 && !job->took_kept)
		columns = raizn_bad_columns(z);
	spin_lock_irq(&z->lock);
	WRITE_ONCE(z->heal, z->heal & ~columns);
	spin_unlock_irq(&z->lock);
}

/* The copy is whole and durable: from now on it is the column. */
static int take_part(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = job->member;
	u32 requested, old;
	int err;

	mutex_lock(&arr->place_mutex);
	requested = raizn_relocation_requested(z) & BIT(job->column);
	old = raizn_zone_map_physical(&arr->geo, &arr->map,
				      raizn_zone_number(z), job->column);
	if (!job->moved && old != job->physical)
		err = -EUCLEAN;
	else
		err = raizn_general_map(arr, raizn_zone_number(z), job->column,
					job->physical);
	/* A failure of the column at its old place does not count any more. */
	if (!err && !raizn_column_is_back(z, job->column, job->anew))
		err = -EIO;
	if (!err)
		raizn_quarantine_end(z, BIT(job->column));
	if (!err && job->moved)
		WRITE_ONCE(m->healed, m->healed + 1);
	mutex_unlock(&arr->place_mutex);
	/* Entries that were left behind do not count; if this fails, the next start drops them. */
	if (!err) {
		raizn_bad_tidy(z);
		do_not_heal(job);
	}
	if (!err && requested)
		trace_raizn_relocate(raizn_zone_number(z), job->column, 0, job->end,
				     RAIZN_RELOCATED_REWRITTEN);
	if (!err && job->moved && old != RAIZN_NOWHERE &&
	    READ_ONCE(m->use[old]) != RAIZN_USE_BAD)
		raizn_member_give_up_zone(m, old, false);
	return err;
}

/* Copy the rest, in the zone's worker: no write of the zone is under way. */
static int complete_job(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = job->member;
	const bool no_wait = true;
	u32 before = job->at;
	bool full = raizn_column_ends_finished(z, m);
	int err = 0;

	if (job->at < job->end)
		err = copy_column(job, job->end, true);
	raizn_background_pace(arr, true, job->at - before, &no_wait);
	/* A full zone is taken for whole: make its data durable before it is finished. */
	if (!err && full)
		err = raizn_flush_members(arr);
	if (!err && full) {
		err = raizn_member_try_zone_op(m, REQ_OP_ZONE_FINISH,
					       raizn_reserved_zone_start(&arr->geo,
									 job->physical));
		if (err)
			err = write_failed(job, err);
	}
	/* The map, and later flushes of users, vouch for the copy. */
	if (!err)
		err = raizn_flush_members(arr);
	if (!err)
		err = raizn_settle(arr);
	return err ? err : take_part(job);
}

/*
 * Can data of a zone not be had without these columns?  A zone that was finished in its first
 * stripe may have columns that hold nothing.
 */
static bool lacks_data(const struct raizn_zone *z, u32 columns)
{
	u32 c;

	if (likely(!raizn_zone_too_many(z, columns)))
		return false;
	if (READ_ONCE(z->cond) != BLK_ZONE_COND_FULL)
		return true;
	for (c = 0; c < z->arr->geo.nr_members; c++)
		if (columns & BIT(c) && !raizn_column_end(z, c))
			columns &= ~BIT(c);
	return raizn_zone_too_many(z, columns);
}

/* Is the job's column still to be rewritten, and are the columns there that this takes? */
static bool is_wanted(const struct raizn_job *job)
{
	u32 lost = raizn_zone_lost(job->zone);

	if (job->heal == !!(lost & BIT(job->column)))
		return false;
	return !job->end || !lacks_data(job->zone, lost | BIT(job->column));
}

/**
 * raizn_job_work() - the worker's part of the job of its zone
 * @z:		zone with a job
 *
 * Context: the zone's worker, no batch is being built.
 */
void raizn_job_work(struct raizn_zone *z)
{
	struct raizn_job *job;
	bool ready, void_now;
	int err;

	/* A job that is ready stays until it is handed back. */
	spin_lock_irq(&z->lock);
	job = z->job;
	ready = job && job->ready;
	void_now = ready && (job->cancelled || z->resets);
	/* A reset that is accepted from now on waits for this worker: the data stays. */
	if (ready && !void_now) {
		job->wp = raizn_issued_wp(z);
		job->end = raizn_column_end(z, job->column);
	}
	spin_unlock_irq(&z->lock);
	if (!ready)
		return;
	if (z->oz)
		raizn_wait_drained(z);
	if (void_now || z->broken || !raizn_array_writable(z->arr) || !is_wanted(job))
		err = -ECANCELED;
	else if (job->end > job->at + WORKER_SECTORS &&
		 job->rounds++ < MAX_ROUNDS)
		err = -EAGAIN;
	else
		err = complete_job(job);

	spin_lock_irq(&z->lock);
	job->ready = false;
	job->err = err;
	spin_unlock_irq(&z->lock);
	complete(&job->handed_back);
}

/**
 * raizn_job_cancel() - cancel the job of a zone that is about to be reset or made read-only
 * @z:		zone; its worker is the caller, or is frozen
 *
 * No command of a job to the zone is under way on return, and none begins before that is
 * done: see wanted_columns().
 *
 * Context: process.
 */
void raizn_job_cancel(struct raizn_zone *z)
{
	struct raizn_job *job;
	bool ready = false;

	spin_lock_irq(&z->lock);
	job = z->job;
	if (job) {
		WRITE_ONCE(job->cancelled, true);
		ready = job->ready;
	}
	/* A job that was handed back may be done, and the column at its new place. */
	if (ready) {
		job->ready = false;
		job->err = -ECANCELED;
	}
	spin_unlock_irq(&z->lock);
	if (ready)
		complete(&job->handed_back);
	if (job)
		wait_event(z->arr->sync_wait, !READ_ONCE(z->job));
}

static int hand_over(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	bool ready;

	reinit_completion(&job->handed_back);
	spin_lock_irq(&z->lock);
	ready = !job->cancelled;
	job->ready = ready;
	spin_unlock_irq(&z->lock);
	if (!ready)
		return -ECANCELED;
	queue_work(z->arr->zone_wq, &z->work);
	wait_for_completion(&job->handed_back);
	return job->err;
}

/*
 * Empty the place of a job, where no row is spoilt after that.  In between, a start finds an empty
 * column, which does not count.
 */
static int empty_place(struct raizn_job *job)
{
	struct raizn_array *arr = job->zone->arr;
	int err = raizn_member_try_zone_op(job->member, REQ_OP_ZONE_RESET,
					   raizn_reserved_zone_start(&arr->geo, job->physical));

	return err ? err : raizn_general_forget_spoilt(arr, raizn_zone_number(job->zone),
						       job->column);
}

/*
 * A full member zone may be whole, or its drive may have finished it early.  In the second
 * case it is emptied, unless others have unreadable sectors or lost blocks that parity does not
 * make up for without this column: then this zone may hold the only data, and must be kept.
 *
 * Returns the number of valid sectors, or -errno; -ENOTEMPTY if it must be kept, or
 * cannot be emptied.
 */
static s64 what_full_zone_holds(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	u32 end;
	int ret = complete_end(job, &end);

	if (ret)
		return ret;
	if (!job->errors && (is_finished(z) || end == arr->geo.member_zone_cap))
		ret = raizn_rebuild_ends_right(job, end);
	if (ret < 0)
		return ret;
	if (ret)
		return end;
	if (!raizn_array_writable(arr))
		return -EIO;
	if (raizn_rows_needed(z, job->column))
		return -ENOTEMPTY;
	return empty_place(job) ? -ENOTEMPTY : 0;
}

/*
 * Take a free zone of the member, or else one whose reset failed before.  Superblocks must call the
 * use of surplus zones first.  The last resort is the zone that the column left: it is free when
 * the job is tried again.
 */
static int take_spare(struct raizn_job *job)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_member *m = job->member;
	int err;

	WRITE_ONCE(job->moved, true);
	err = raizn_spare_take(m, &job->physical);
	if (err)
		err = raizn_spare_unstick(m, &job->physical);
	if (err && !job->heal)
		raizn_quarantine_yield(job->zone, job->column);
	if (err || job->physical < raizn_common_zones(&arr->geo))
		return err;
	err = raizn_general_surplus(arr);
	if (err)
		raizn_spare_set(m, job->physical, RAIZN_USE_FREE);
	return err;
}

/* Choose where the column goes, and find out how much of it is there already. */
static int place_job(struct raizn_job *job)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_member *m = job->member;
	s64 written;

	WRITE_ONCE(job->moved, false);
	/* Pairs with free_old_places(): the column may be recorded as nowhere meanwhile. */
	smp_mb();
	job->physical = raizn_zone_map_physical(&arr->geo, &arr->map,
						raizn_zone_number(job->zone),
						job->column);
	job->at = 0;
	job->rounds = 0;
	job->anew = true;
	if (job->heal || !raizn_column_rebuilding(job->zone, job->column) ||
	    !raizn_column_exists(job->zone, job->column))
		return take_spare(job);
	/* From here on the job counts it. */
	raizn_column_hold(job->zone, job->column, false);
	written = raizn_member_zone_written(m, job->physical);
	if (written < 0 && written != -EFBIG && written != -EUCLEAN) {
		raizn_member_failed(m, "zone report",
				    errno_to_blk_status(written));
		return written;
	}
	if (written == -EFBIG)
		written = what_full_zone_holds(job);
	if (written == -EUCLEAN)
		raizn_spare_set(m, job->physical, RAIZN_USE_BAD);
	if (written == -EUCLEAN || written == -ENOTEMPTY)
		return take_spare(job);
	if (written < 0)
		return written;
	/* After an error, the sectors were written by this job, which was paced for them. */
	if (!job->errors) {
		raizn_background_less(arr, written);
		job->found = written;
	}
	job->anew = !written || !job->found;
	job->at = written;
	return 0;
}

/* Empty a spare zone that was taken in vain. */
static void give_back(struct raizn_job *job)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_member *m = job->member;

	if (!job->moved || m->use[job->physical] == RAIZN_USE_BAD ||
	    !raizn_member_live(m) || !raizn_array_writable(arr))
		return;
	raizn_bad_forget_rows(job->zone, job->column, job->physical, 0);
	raizn_spare_clean_zone(m, job->physical);
}

/**
 * raizn_rebuild_keep_column() - call a lost column nowhere, and keep its member zone in quarantine
 * @z:		zone that does without the column
 * @column:	column with an entry of raizn_quarantine_begin() for its place
 *
 * The member zone is finished, so that it does not stay active.
 *
 * Context: process; no other job has the zone, or the array takes no I/O.  Return: 0 or -errno.
 */
int raizn_rebuild_keep_column(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	u32 physical;
	bool kept;
	int err;

	mutex_lock(&arr->place_mutex);
	physical = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
	err = raizn_general_map(arr, zone, column, RAIZN_NOWHERE);
	kept = !err && raizn_quarantine_keep(z, column, S64_MAX);
	/* The place may be emptied later, and its rows must not be taken for data then. */
	if (err)
		raizn_quarantine_end(z, BIT(column));
	mutex_unlock(&arr->place_mutex);
	if (err)
		return err;
	/* See raizn_may_drop(). */
	spin_lock_irq(&arr->fail_lock);
	WRITE_ONCE(z->failing, z->failing | BIT(column));
	spin_unlock_irq(&arr->fail_lock);
	raizn_member_give_up_zone(raizn_zone_member(z, column), physical, kept);
	return 0;
}

/* Note the rows of a job's place for quarantine, if all of them are right. */
static bool note_rows_of_job(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	u32 rows = min(job->at, raizn_relocation_start(z, job->column));

	/* As in raizn_keep_column(). */
	if ((raizn_bad_columns(z) | READ_ONCE(z->heal)) & BIT(job->column))
		return false;
	mutex_lock(&arr->place_mutex);
	if (raizn_column_exists(z, job->column))
		raizn_quarantine_begin(z, job->column, rows, rows);
	mutex_unlock(&arr->place_mutex);
	return raizn_quarantine_find(z, job->column, rows) == job->physical;
}

/*
 * Must the member zone not be emptied that a job in place leaves?  A member that is back had rows
 * there, and other drives may be unable to read theirs by now, known or not: they go to quarantine.
 * If that cannot be, rows that are known to be needed stay, and the zone stays active.
 */
static bool keep_place(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;

	if (!job->found)
		return false;
	/* The next start would still find the data that an accepted reset is for. */
	if (READ_ONCE(z->resets))
		return z->expiring;
	/* The next start may have the other columns, and continue here. */
	if (raizn_zone_too_many(z, raizn_zone_lost(z)))
		return true;
	if (!note_rows_of_job(job))
		return raizn_rows_needed(z, job->column);
	raizn_rebuild_keep_column(z, job->column);
	return true;
}

/*
 * Count the member zone of a column that a job in place has begun, if it is active: no job goes on
 * with it now, unless it is one beside @job.  A reset that is accepted meanwhile empties it.
 */
static void count_left(struct raizn_zone *z, u32 column, const struct raizn_job *job)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = raizn_zone_member(z, column);
	u16 life = READ_ONCE(z->life);
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map, raizn_zone_number(z), column);

	if (physical == RAIZN_NOWHERE ||
	    !raizn_is_cond_active(raizn_member_zone_condition(m, physical)))
		return;
	spin_lock_irq(&z->lock);
	if (z->life == life && !z->ops && raizn_column_rebuilding(z, column) &&
	    (z->job == job || (z->job && z->job->column != column)))
		raizn_column_hold(z, column, true);
	spin_unlock_irq(&z->lock);
}

/*
 * A member zone that a job in place leaves partly written stays active: a few of them would
 * leave no active zone for the logs of the drive, or none for users.
 */
static void leave_place(struct raizn_job *job)
{
	struct raizn_array *arr = job->zone->arr;
	struct raizn_member *m = job->member;

	if (job->moved || !limits_zones(m) || !raizn_member_live(m) || !raizn_array_writable(arr))
		return;
	if (keep_place(job))
		count_left(job->zone, job->column, job);
	else if (empty_place(job))
		raizn_write_failed(m);
}

/*
 * Would the job fail again?  Not certainly if a column was found unreadable since the job began,
 * which may have been a transient error, or if the column to be rewritten was lost.
 */
static bool is_worth_no_retry(const struct raizn_job *job, int err)
{
	const struct raizn_zone *z = job->zone;

	lockdep_assert_held(&z->lock);
	return err != -ECANCELED && !(z->heal & ~job->heal_before) &&
	       job->heal == !(raizn_zone_lost(z) & BIT(job->column));
}

/*
 * A job ended at a stripe that was not complete: have another one follow when it is.  Returns
 * whether it is complete by now.
 */
static bool waits_no_more(const struct raizn_job *job)
{
	struct raizn_open_zone *oz = job->zone->oz;
	u32 end = roundup(job->wp, job->zone->arr->geo.stripe);

	lockdep_assert_held(&job->zone->lock);
	if (!oz || oz->completed >= end)
		return true;
	oz->rebuild_at = end;
	return false;
}

/* Write the column.  Entries of an earlier job in the same place do not concern its data. */
static int write_column(struct raizn_job *job)
{
	int err = raizn_bad_forget_rows(job->zone, job->column, job->physical, job->at);

	while (!err) {
		err = copy_complete(job);
		if (!err)
			err = hand_over(job);
		if (err != -EAGAIN)
			break;
		err = 0;
	}
	return err;
}

static int run_job(struct raizn_job *job)
{
	struct raizn_zone *z = job->zone;
	struct raizn_array *arr = z->arr;
	bool placed = false;
	bool reset;
	int err;

	job->errors = 0;
	job->found = 0;
	do {
		err = place_job(job);
		placed = !err;
		if (err)
			break;
		err = write_column(job);
		if (err)
			give_back(job);
	} while (err == -EUCLEAN);
	/* Other jobs may need the active zone before a reset that waits for this one. */
	reset = (READ_ONCE(job->cancelled) || READ_ONCE(z->resets)) && !READ_ONCE(z->oz);
	if (err && placed && (err != -ECANCELED || reset))
		leave_place(job);
	trace_raizn_rebuild(raizn_zone_number(z), job->column, job->physical,
			    job->at, err);
	if (err && err != -ECANCELED)
		DMERR_LIMIT("array %pU: logical zone %u cannot be rebuilt on member %u now: %s (%d)",
			    arr->uuid, raizn_zone_number(z), job->member->slot,
			    err == -ENOSPC ? "no free zone is left there" : "an error", err);
	spin_lock_irq(&z->lock);
	if (err && is_worth_no_retry(job, err) && !(job->waits && waits_no_more(job)))
		raizn_zone_note_tried(z, job->column, job->epoch);
	z->job = NULL;
	spin_unlock_irq(&z->lock);
	wake_up(&arr->sync_wait);
	return err;
}

/*
 * Columns of a zone that can be rebuilt now; an empty zone may lack any number of them.
 * zone->lock is held.
 */
static u32 wanted_columns(const struct raizn_zone *z, u32 lost)
{
	if (z->job || z->ops || z->broken ||
	    (raizn_zone_damaged(z) && !raizn_zone_unwritable(z)) ||
	    (lacks_data(z, lost) && raizn_zone_at_risk(z)) ||
	    raizn_zone_newly_lost(z))
		return 0;
	return raizn_columns_wanted(z, lost);
}

/* Is a zone of a member free, or can one be, see take_spare()? */
static bool may_have_spare(const struct raizn_member *m)
{
	return raizn_spare_left(m) || raizn_spare_is_stuck(m);
}

/* Choose the first column that there is room for, in its own place or in a spare zone. */
static u32 choose_column(const struct raizn_zone *z, u32 columns)
{
	u32 left, column;

	for (left = columns; hweight32(columns) > 1 && left; left &= left - 1) {
		column = __ffs(left);
		if (may_have_spare(raizn_zone_member(z, column)) ||
		    (raizn_column_rebuilding(z, column) && raizn_column_exists(z, column)))
			return column;
	}
	return __ffs(columns);
}

/*
 * Take a job for one of @these columns (bit by column).
 *
 * Return: 1 when the zone has the job now, 0 when the zone needs none, -EBUSY when the
 * member has no room for another active zone.
 */
static int take_job_of_zone(struct raizn_zone *z, u32 these, struct raizn_job *job)
{
	struct raizn_member *m;
	u32 columns, column, lost;
	bool heal, extra;
	int ret = 0;

	if (!raizn_zone_wanted(z))
		return 0;
	spin_lock_irq(&z->lock);
	/* Read this once: columns may be lost at any time. */
	lost = raizn_zone_lost(z);
	columns = wanted_columns(z, lost) & these;
	/* A column that is in use keeps its old zone until the new one is whole. */
	heal = !(columns & lost);
	if (columns) {
		column = heal ? __ffs(columns) : choose_column(z, columns);
		m = raizn_zone_member(z, column);
		/* A zone may become full meanwhile: the job's member zone stays active longer. */
		extra = heal || !z->oz || limits_zones(m);
		ret = !extra || has_active_zone(z, column, z->oz && !heal) ? 1 : -EBUSY;
		/* A job that ends may leave a zone behind: drop_job() kicks then. */
		if (heal && m->extra_jobs && !may_have_spare(m)) {
			z->arr->rebuild->turned_away |= BIT(m->slot);
			ret = 0;
		}
	}
	if (ret > 0) {
		job->zone = z;
		job->column = column;
		job->member = m;
		job->heal = heal;
		job->heal_before = z->heal;
		job->left_out = 0;
		job->took_kept = false;
		job->waits = false;
		job->at = 0;
		job->moved = false;
		job->extra_zone = extra;
		job->cancelled = false;
		job->ready = false;
		m->extra_jobs += extra;
		z->job = job;
	}
	spin_unlock_irq(&z->lock);
	return ret;
}

/* A column that a job has begun gets none now: others take the place of the job. */
static void drop_left(struct raizn_left *left)
{
	struct raizn_zone *z = left->zone;

	left->zone = NULL;
	if (limits_zones(raizn_zone_member(z, left->column)))
		count_left(z, left->column, NULL);
}

/* First take columns that are begun on the member.  Those without room are passed over. */
static int take_left(struct raizn_rebuild *rb, struct raizn_job *job)
{
	struct raizn_left *left;
	struct raizn_zone *z;
	int taken = 0;
	u32 lost;

	for (left = rb->left; left < rb->left + RAIZN_LEFT_MAX && taken <= 0; left++) {
		z = left->zone;
		if (!z)
			continue;
		/*
		 * The member zone stays active until a reset or finish is done.  That kicks if
		 * columns can be rebuilt then, but not for those of failed members.
		 */
		lost = raizn_zone_lost(z) & ~raizn_zone_dead(z);
		taken = lost && READ_ONCE(z->ops) ? -EBUSY :
			take_job_of_zone(z, BIT(left->column), job);
		if (taken > 0)
			left->zone = NULL;
		else if (!taken)
			drop_left(left);
	}
	return taken;
}

/* Active zones come first: each write to them is at risk. */
static int take_active(struct raizn_array *arr, struct raizn_job *job)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z && take_job_of_zone(z, U32_MAX, job) > 0)
			return 1;
	}
	return 0;
}

/*
 * Zones that there is no room for are passed over, since columns of other members may have room,
 * and are tried again when a job ends.
 */
static int take_any(struct raizn_array *arr, struct raizn_job *job)
{
	struct raizn_rebuild *rb = arr->rebuild;
	u32 busy = U32_MAX, i;
	int taken = 0;

	for (i = rb->next; i < arr->geo.nr_zones && taken <= 0; i++) {
		taken = take_job_of_zone(&arr->zones[i], U32_MAX, job);
		if (taken < 0)
			busy = min(busy, i);
	}
	rb->next = min(i, busy);
	return taken;
}

static bool take_job(struct raizn_rebuilder *rebuilder, struct raizn_job *job)
{
	struct raizn_array *arr = rebuilder->arr;
	struct raizn_rebuild *rb = arr->rebuild;
	int taken;

	if (!raizn_array_in_use(arr) || raizn_settle(arr))
		return false;
	mutex_lock(&rb->mutex);
	job->epoch = atomic_read(&arr->epoch);
	taken = take_left(rb, job);
	if (taken <= 0)
		taken = take_active(arr, job);
	if (taken <= 0)
		taken = take_any(arr, job);
	rebuilder->job = taken > 0 ? job : NULL;
	mutex_unlock(&rb->mutex);
	return taken > 0;
}

/**
 * raizn_rebuild_left() - note a column that is active on its member and partly written
 * @z:		logical zone that lacks it
 * @column:	column of a member that limits active zones
 *
 * Jobs continue with these columns first, and each of them takes the place of a job.  A member has
 * no more of them than there are rebuilders, see raizn_member_extra_zones().
 *
 * Context: process; the array's rebuild->mutex is held, or there are no rebuilders yet.
 */
void raizn_rebuild_left(struct raizn_zone *z, u32 column)
{
	struct raizn_rebuild *rb = z->arr->rebuild;
	u32 i;

	for (i = 0; i < RAIZN_LEFT_MAX - 1 && rb->left[i].zone; i++)
		;
	rb->left[i].zone = z;
	rb->left[i].column = column;
}

/**
 * raizn_rebuild_forget_left() - forget columns that were left on the drive before this one
 * @arr:	array
 * @slot:	slot of the member that has another drive
 *
 * Context: process; the array takes no I/O and no job is under way.
 */
void raizn_rebuild_forget_left(struct raizn_array *arr, u32 slot)
{
	struct raizn_left *left = arr->rebuild->left;
	u32 i;

	for (i = 0; i < RAIZN_LEFT_MAX; i++)
		if (left[i].zone && raizn_zone_member(left[i].zone, left[i].column)->slot == slot)
			left[i].zone = NULL;
}

/* May a job write to the member zone that the map names, or named? */
static bool one_is_in_place(const struct raizn_rebuild *rb, const struct raizn_member *m)
{
	const struct raizn_job *job;
	u32 i;

	lockdep_assert_held(&rb->mutex);
	for (i = 0; i < RAIZN_REBUILDERS; i++) {
		job = rb->rebuilders[i].job;
		if (job && job->member == m && !READ_ONCE(job->moved))
			return true;
	}
	return false;
}

/*
 * May a member zone that a column left be used again?  All members know where the column is now.
 * No write to the old place, and no finish, is under way once the zones of failed columns do
 * without them.  A reset looks places up after all failures are recorded, and cancels jobs before.
 * A read that is under way does not count, see raizn_moves().
 */
static bool is_left_for_good(struct raizn_member *m, u32 physical)
{
	struct raizn_array *arr = m->arr;

	if (likely(!raizn_spare_is_dirty(m, physical)))
		return false;
	/* Pairs with place_job(). */
	smp_mb();
	return READ_ONCE(arr->settling) == RAIZN_SETTLED &&
	       !one_is_in_place(arr->rebuild, m) && raizn_array_in_use(arr);
}

/* Reset the member zones that columns left.  Returns whether one is free now. */
static bool free_old_places(struct raizn_array *arr)
{
	struct raizn_member *m;
	bool freed = false;
	u32 i;

	for (m = arr->members; m < arr->members + arr->geo.nr_members; m++)
		for (i = RAIZN_NR_LOG_ZONES; i < m->nr_physical && raizn_member_live(m); i++)
			if (is_left_for_good(m, i))
				freed |= !raizn_spare_clean_zone(m, i);
	return freed;
}

static void drop_job(struct raizn_rebuilder *rebuilder, struct raizn_job *job, int err)
{
	struct raizn_array *arr = rebuilder->arr;
	struct raizn_member *m = job->member;
	struct raizn_rebuild *rb = arr->rebuild;

	mutex_lock(&rb->mutex);
	if (!err)
		rb->eased = true;
	else if (job->epoch != (u32)atomic_read(&arr->epoch))
		/* The job missed the events since then, and this pass may be past its zone. */
		rb->epoch = job->epoch;
	m->extra_jobs -= job->extra_zone;
	job->extra_zone = false;
	rebuilder->job = NULL;
	if (!err && job->moved)
		free_old_places(arr);
	if (rb->turned_away & BIT(m->slot) && raizn_spare_left(m)) {
		rb->turned_away &= ~BIT(m->slot);
		raizn_rebuild_kick(arr);
	}
	if (err == -ECANCELED && !job->moved && limits_zones(m))
		raizn_rebuild_left(job->zone, job->column);
	mutex_unlock(&rb->mutex);
}

/* All zones have their columns back: the member is whole.  rebuild->mutex is held. */
static void promote(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;
	const struct raizn_zone *z;
	bool whole;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		if (!raizn_column_live(z, raizn_zone_column(z, m->slot)))
			return;
	}
	if (raizn_flush_members(arr) || raizn_settle(arr))
		return;
	spin_lock_irq(&arr->fail_lock);
	whole = raizn_member_live(m);
	if (whole)
		WRITE_ONCE(arr->rebuilding, arr->rebuilding & ~BIT(m->slot));
	spin_unlock_irq(&arr->fail_lock);
	/* The member may have failed a moment ago. */
	if (!whole)
		return;
	arr->rebuild->eased = true;
	/* Marks must stay until no superblock that may count calls the member rebuilding. */
	if (!raizn_general_whole(arr) && !raizn_settle(arr) &&
	    !raizn_general_mark(arr, BIT(m->slot), NULL, NULL))
		DMINFO("array %pU: member %u (%pg) is rebuilt", arr->uuid,
		       m->slot, m->bdev);
	raizn_array_event(arr);
}

/* Sectors to be written, as far as is known without asking drives. */
static u64 missing_sectors(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u64 sum = 0;
	u32 columns, end;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++) {
		z = &arr->zones[i];
		columns = raizn_zone_wanted(z);
		if (!columns)
			continue;
		spin_lock_irq(&z->lock);
		end = raizn_column_end(z, __ffs(columns));
		if (z->job)
			end -= min(end, READ_ONCE(z->job->at));
		spin_unlock_irq(&z->lock);
		sum += end;
	}
	return sum;
}

/**
 * raizn_rebuild_wanted() - is there anything to rebuild or heal?
 * @arr:	array
 *
 * Context: any.
 */
bool raizn_rebuild_wanted(const struct raizn_array *arr)
{
	u32 i;

	if (READ_ONCE(arr->rebuilding) & ~READ_ONCE(arr->dead))
		return true;
	for (i = 0; i < arr->geo.nr_zones; i++)
		if (raizn_zone_wanted(&arr->zones[i]))
			return true;
	return false;
}

/*
 * Begin a pass over all zones for columns to rebuild or heal.  Returns whether there is
 * anything to do.
 */
static bool start_rebuilders(struct raizn_array *arr)
{
	struct raizn_rebuild *rb = arr->rebuild;
	u64 total;
	u32 i;

	lockdep_assert_held(&rb->mutex);
	rb->next = 0;
	WRITE_ONCE(rb->crowded, false);
	rb->epoch = atomic_read(&arr->epoch);
	if (!raizn_rebuild_wanted(arr))
		return false;
	total = missing_sectors(arr);
	/* One action for all rebuilders: the last of them ends it, see rebuilt(). */
	if (READ_ONCE(arr->background->action) == RAIZN_ACTION_REBUILD)
		raizn_background_more(arr, total);
	else if (!READ_ONCE(arr->scrub->active))
		raizn_background_begin(arr, RAIZN_ACTION_REBUILD, total);
	for (i = 0; i < RAIZN_REBUILDERS; i++)
		if (queue_work(arr->rebuild_wq, &rb->rebuilders[i].work))
			rb->running++;
	return true;
}

/*
 * The last rebuilder found nothing more to do.  Jobs may have failed, and members with errors
 * may have been kept, only because something else was not whole: if a job has succeeded, or
 * the epoch has moved on since the pass began, begin another pass.  Within a pass the success
 * of one job is no reason to try failed ones again: each would fail as often.
 */
static void rebuilt(struct raizn_array *arr)
{
	struct raizn_rebuild *rb = arr->rebuild;
	u32 slot;

	for (slot = 0; slot < arr->geo.nr_members; slot++)
		if (raizn_member_state(&arr->members[slot]) == RAIZN_MEMBER_REBUILDING &&
		    raizn_array_in_use(arr))
			promote(&arr->members[slot]);
	/* Jobs in place may have kept zones from being freed. */
	if (raizn_array_in_use(arr) && free_old_places(arr))
		rb->eased = true;
	if (rb->eased)
		atomic_inc(&arr->epoch);
	rb->eased = false;
	if (raizn_array_in_use(arr)) {
		raizn_members_judge(arr);
		if (rb->epoch != (u32)atomic_read(&arr->epoch) && start_rebuilders(arr))
			return;
	}
	if (READ_ONCE(arr->background->action) == RAIZN_ACTION_REBUILD)
		raizn_background_end(arr);
}

/* One set of buffers is always available; with more, reads run ahead of writes. */
static void take_buffers(struct raizn_rebuilder *rebuilder, struct raizn_job *job)
{
	struct raizn_array *arr = rebuilder->arr;
	struct raizn_decode *dec = mempool_alloc(&arr->decode_pool, GFP_NOIO);
	u32 nr = 0;

	job->copies = rebuilder->copies;
	while (dec) {
		job->copies[nr++].dec = dec;
		dec = nr == RAIZN_COPIES ? NULL :
		      raizn_decode_alloc(arr, RAIZN_DECODE_ROWS,
					 GFP_NOIO | __GFP_NORETRY | __GFP_NOWARN);
	}
	job->nr_copies = nr;
}

static void give_buffers(struct raizn_rebuilder *rebuilder, struct raizn_job *job)
{
	struct raizn_array *arr = rebuilder->arr;

	while (--job->nr_copies)
		raizn_decode_free(arr, job->copies[job->nr_copies].dec);
	mempool_free(job->copies[0].dec, &arr->decode_pool);
}

static void rebuild_work(struct work_struct *work)
{
	struct raizn_rebuilder *rebuilder =
		container_of(work, struct raizn_rebuilder, work);
	struct raizn_array *arr = rebuilder->arr;
	struct raizn_job job = { };
	int err;

	take_buffers(rebuilder, &job);
	init_completion(&job.handed_back);
	while (take_job(rebuilder, &job)) {
		err = run_job(&job);
		drop_job(rebuilder, &job, err);
		/* A zone that needs another column rewritten was passed over meanwhile. */
		if (err == -ECANCELED || raizn_zone_wanted(job.zone))
			raizn_rebuild_kick(arr);
	}
	give_buffers(rebuilder, &job);
	mutex_lock(&arr->rebuild->mutex);
	if (!--arr->rebuild->running)
		rebuilt(arr);
	mutex_unlock(&arr->rebuild->mutex);
}

static void kick_work(struct work_struct *work)
{
	struct raizn_array *arr = container_of(work, struct raizn_array,
					       rebuild_kick);

	if (!raizn_array_in_use(arr))
		return;
	mutex_lock(&arr->rebuild->mutex);
	/* Jobs may have failed for want of a zone. */
	if (free_old_places(arr))
		atomic_inc(&arr->epoch);
	/* Rebuilders at work judge the members when they end. */
	if (!start_rebuilders(arr) && !arr->rebuild->running)
		raizn_members_judge(arr);
	mutex_unlock(&arr->rebuild->mutex);
}

/**
 * raizn_rebuild_init() - initialize rebuilding
 * @arr:	array
 *
 * Return: 0 or -ENOMEM.
 */
int raizn_rebuild_init(struct raizn_array *arr)
{
	struct raizn_rebuild *rb = arr->rebuild;
	u32 i;

	mutex_init(&rb->mutex);
	INIT_WORK(&arr->rebuild_kick, kick_work);
	raizn_relocated_init(rb);
	for (i = 0; i < RAIZN_REBUILDERS; i++) {
		rb->rebuilders[i].arr = arr;
		INIT_WORK(&rb->rebuilders[i].work, rebuild_work);
	}
	arr->rebuild_wq = alloc_workqueue("raizn_rebuild",
					  WQ_UNBOUND | WQ_MEM_RECLAIM,
					  RAIZN_REBUILDERS + 2);
	return arr->rebuild_wq ? 0 : -ENOMEM;
}
