// SPDX-License-Identifier: GPL-2.0
/*
 * Marking members, and columns of single zones, that fail while the array runs.
 *
 * An error that parity makes up for is absorbed by the command that meets it: the command
 * continues as if it had succeeded, without the member.  From then on no user bio ends that
 * changes something, and no step of a protocol begins that relies on all members, until the
 * failure is durable on the other members: see fault_record.c.
 */
#include <linux/module.h>
#include <linux/timekeeping.h>

#include "member/background.h"
#include "member/fault.h"

/* Seconds, 0: errors do not grow old. */
static unsigned int error_halving = 3600;
module_param(error_halving, uint, 0644);
MODULE_PARM_DESC(error_halving, "seconds after which errors count half for error_limit");

/**
 * raizn_array_move() - move an array to another state of its life
 * @arr:	array
 * @state:	state
 *
 * Context: any.  Return: false if the array has failed, which is final.
 */
bool raizn_array_move(struct raizn_array *arr, enum raizn_array_state state)
{
	u32 old = READ_ONCE(arr->state);

	do {
		if (old == RAIZN_ARRAY_FAILED)
			return false;
	} while (!try_cmpxchg(&arr->state, &old, state));
	return true;
}

/**
 * raizn_array_fail() - stop writing, because more failed than parity makes up for
 * @arr:	array
 * @what:	failed operation, for the log
 * @status:	error of the operation
 *
 * Context: any.
 */
void raizn_array_fail(struct raizn_array *arr, const char *what,
		      blk_status_t status)
{
	if (raizn_array_move(arr, RAIZN_ARRAY_FAILED)) {
		DMCRIT("array %pU: %s failed (%d), nothing more is written",
		       arr->uuid, what, blk_status_to_errno(status));
		/* The worker ends held bios and sends an event. */
		queue_work(arr->fail_wq, &arr->fail_work);
	}
	wake_up(&arr->sync_wait);
}

/**
 * raizn_array_event() - notify listeners that the state changed
 * @arr:	array
 *
 * Context: process.
 */
void raizn_array_event(struct raizn_array *arr)
{
	mutex_lock(&arr->event_mutex);
	if (arr->table)
		dm_table_event(arr->table);
	mutex_unlock(&arr->event_mutex);
}

/**
 * raizn_array_listen() - set the table that sends events
 * @arr:	array
 * @table:	table in use, or NULL
 *
 * Context: process.
 */
void raizn_array_listen(struct raizn_array *arr, struct dm_table *table)
{
	mutex_lock(&arr->event_mutex);
	arr->table = table;
	mutex_unlock(&arr->event_mutex);
}

/**
 * raizn_counter_read() - sum of a counter over all CPUs
 * @arr:	array
 * @c:		counter
 *
 * Context: any.  Return: the sum.
 */
u64 raizn_counter_read(struct raizn_array *arr, enum raizn_counter c)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += local64_read(&per_cpu_ptr(arr->counters, cpu)->value[c]);
	return sum;
}

/*
 * Must precede the failure mark itself: a reader that sees the mark, such as retire(), must
 * also see that no bio that relies on the mark may end.
 */
static void set_unsettled(struct raizn_array *arr)
{
	lockdep_assert_held(&arr->fail_lock);
	WRITE_ONCE(arr->settling, RAIZN_UNRECORDED);
	/* Pairs with raizn_end_bio(). */
	smp_wmb();
	queue_work(arr->fail_wq, &arr->fail_work);
}

/*
 * Errors grow old, as read errors do in md: a drive that fails a command now and then, over
 * years, is no worse than others.
 */
static void age_errors(struct raizn_member *m)
{
	time64_t passed = ktime_get_boottime_seconds() - m->fresh_since;
	unsigned int halving = READ_ONCE(error_halving);
	u64 times;

	lockdep_assert_held(&m->arr->fail_lock);
	if (!halving || passed < halving)
		return;
	times = div_u64(passed, halving);
	m->fresh_errors = times < 32 ? m->fresh_errors >> times : 0;
	m->fresh_since += times * halving;
}

/* Count an error in one of the two counters.  fail_lock is held. */
static void add_error(struct raizn_member *m, u32 *errors)
{
	age_errors(m);
	++*errors;
	m->fresh_errors++;
}

/* Mark a member as failed.  fail_lock is held. */
static void kill_member(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;

	lockdep_assert_held(&arr->fail_lock);
	set_unsettled(arr);
	WRITE_ONCE(arr->dead, arr->dead | BIT(m->slot));
	arr->failing |= BIT(m->slot);
}

static bool can_spare(const struct raizn_array *arr, u32 slot, enum raizn_drop why)
{
	const struct raizn_zone *z;

	if (hweight32(READ_ONCE(arr->dead) | BIT(slot)) > arr->geo.nr_parity)
		return false;
	for (z = arr->zones; z < arr->zones + arr->geo.nr_zones; z++)
		if (!raizn_may_drop(z, raizn_zone_column(z, slot), why))
			return false;
	return true;
}

/*
 * Give up a working member if it can be spared.  The decision is made under fail_lock,
 * because other members may fail and the array may be suspended at this moment.  A start
 * decides itself which members it does without, and the superblocks of a suspended array
 * say clean: neither gives members up here.  Returns whether the member is given up now.
 */
static bool give_up(struct raizn_member *m, enum raizn_drop why)
{
	struct raizn_array *arr = m->arr;
	bool possible;

	/* First without the lock, because checking all zones takes long. */
	if (!can_spare(arr, m->slot, why))
		return false;
	spin_lock_irq(&arr->fail_lock);
	possible = raizn_array_in_use(arr) && !(arr->dead & BIT(m->slot)) &&
		   can_spare(arr, m->slot, why);
	if (possible)
		kill_member(m);
	spin_unlock_irq(&arr->fail_lock);
	wake_up(&arr->sync_wait);
	return possible;
}

/**
 * raizn_member_give_up() - give up a member if everything stays readable and writable
 * @m:		member
 *
 * Context: process.  Return: whether the member is given up now.
 */
bool raizn_member_give_up(struct raizn_member *m)
{
	return give_up(m, RAIZN_DROP_UNASKED);
}

/**
 * raizn_member_failed() - a command to a member failed
 * @m:		member
 * @what:	failed operation, for the log
 * @status:	error of the operation
 *
 * Zones may lack too many columns then.  raizn_judge_members() decides whether the array goes on
 * with the others.
 *
 * Context: any.
 * Return: true if the array goes on without the member; false if it cannot, and writes
 * nothing more.
 */
bool raizn_member_failed(struct raizn_member *m, const char *what,
			 blk_status_t status)
{
	struct raizn_array *arr = m->arr;
	bool known, absorbed;
	unsigned long flags;

	spin_lock_irqsave(&arr->fail_lock, flags);
	known = arr->dead & BIT(m->slot);
	absorbed = !raizn_array_failed(arr) && raizn_array_started(arr) &&
		   (known || hweight32(arr->dead | BIT(m->slot)) <= arr->geo.nr_parity);
	if (absorbed && !known)
		kill_member(m);
	if (!known)
		add_error(m, &m->write_errors);
	spin_unlock_irqrestore(&arr->fail_lock, flags);
	/* fail_work may wait for a zone's worker, which waits until this failure is recorded. */
	wake_up(&arr->sync_wait);

	if (known)
		return absorbed;
	DMERR("array %pU: member %u (%pg): %s failed: %d%s", arr->uuid, m->slot,
	      m->bdev, what, blk_status_to_errno(status),
	      absorbed ? "; the array goes on without it" : "");
	if (!absorbed)
		raizn_array_fail(arr, what, status);
	return absorbed;
}

/*
 * Mark a column of a zone as failed, if parity makes up for it.  fail_lock is held.  @known
 * is set to whether the column had failed before.
 */
static bool absorb_column(struct raizn_zone *z, u32 column, bool *known)
{
	struct raizn_array *arr = z->arr;

	lockdep_assert_held(&arr->fail_lock);
	/* A column that is not rebuilt yet can fail, too, in a reset. */
	*known = (z->failing | raizn_zone_dead(z)) & BIT(column);
	if (raizn_array_failed(arr) || !raizn_array_started(arr) ||
	    !raizn_may_drop(z, column, RAIZN_DROP_LOST))
		return false;
	if (!*known) {
		set_unsettled(arr);
		WRITE_ONCE(z->failing, z->failing | BIT(column));
		__set_bit(raizn_zone_number(z), arr->fail_map);
	}
	return true;
}

static void tell_of_column(struct raizn_zone *z, u32 column, const char *what,
			   blk_status_t status)
{
	struct raizn_member *m = raizn_zone_member(z, column);

	DMERR_LIMIT("array %pU: member %u (%pg): %s in logical zone %u failed: %d",
		    z->arr->uuid, m->slot, m->bdev, what, raizn_zone_number(z),
		    blk_status_to_errno(status));
}

/*
 * A write or finish of an active zone failed, and parity does not make up for it: the zone
 * takes no more writes.  Returns false if that is not enough: the worker could not tell the
 * data of a column that failed a moment before.
 */
static bool break_zone(struct raizn_zone *z)
{
	bool possible;
	unsigned long flags;

	spin_lock_irqsave(&z->lock, flags);
	possible = z->oz && !raizn_zone_newly_lost(z);
	if (possible)
		z->broken = true;
	spin_unlock_irqrestore(&z->lock, flags);
	if (possible)
		queue_work(z->arr->zone_wq, &z->work);
	return possible;
}

/**
 * raizn_column_failed() - a command to a column of a zone failed
 * @z:		zone
 * @column:	column
 * @what:	failed operation, for the log
 * @status:	error of the operation
 *
 * judge_column(), or the zone's worker, finds out later whether the whole member has failed.
 *
 * Context: any.
 * Return: true if the zone goes on without the column; false if the command's user must get
 * the error: the zone takes no more writes, or the array does not.
 */
bool raizn_column_failed(struct raizn_zone *z, u32 column, const char *what,
			 blk_status_t status)
{
	struct raizn_member *m = raizn_zone_member(z, column);
	struct raizn_array *arr = z->arr;
	bool known, absorbed;
	unsigned long flags;

	spin_lock_irqsave(&arr->fail_lock, flags);
	absorbed = absorb_column(z, column, &known);
	/* Other writes that are under way fail for the same reason. */
	known |= !absorbed && z->broken;
	/* A log without space is no error of the drive, and no bio of a drive ends so. */
	if (!known && status != BLK_STS_DEV_RESOURCE)
		add_error(m, &m->write_errors);
	spin_unlock_irqrestore(&arr->fail_lock, flags);
	wake_up(&arr->sync_wait);

	if (known)
		return absorbed;
	tell_of_column(z, column, what, status);
	if (!absorbed && !raizn_array_failed(arr) && !break_zone(z))
		raizn_array_fail(arr, what, status);
	return absorbed;
}

/**
 * raizn_column_give_up() - go on without a column that has unreadable sectors
 * @z:		zone
 * @column:	column
 *
 * The column is kept if unreadable sectors of other columns need it, or if too many columns
 * have failed by now.
 *
 * Context: process.  Return: whether the column is given up, now or before.
 */
bool raizn_column_give_up(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	bool known = false;
	bool possible;

	spin_lock_irq(&arr->fail_lock);
	possible = (raizn_zone_lost(z) & BIT(column) ||
		    raizn_may_drop(z, column, RAIZN_DROP_UNASKED)) &&
		   absorb_column(z, column, &known);
	spin_unlock_irq(&arr->fail_lock);
	wake_up(&arr->sync_wait);
	if (possible && !known)
		tell_of_column(z, column, "read", BLK_STS_MEDIUM);
	return possible;
}

/**
 * raizn_settle() - wait until all failures so far are durable
 * @arr:	array
 *
 * Context: process, without md_mutex.  Return: 0, or -EIO if the array has failed.
 */
int raizn_settle(struct raizn_array *arr)
{
	if (unlikely(READ_ONCE(arr->settling) == RAIZN_UNRECORDED))
		wait_event(arr->sync_wait,
			   READ_ONCE(arr->settling) != RAIZN_UNRECORDED ||
			   raizn_array_failed(arr));
	return raizn_array_failed(arr) ? -EIO : 0;
}

/**
 * raizn_end_bio() - end a bio that changed something, once all failures are settled
 * @arr:	array
 * @bio:	user bio
 * @status:	result of the bio
 *
 * Context: any.
 */
void raizn_end_bio(struct raizn_array *arr, struct bio *bio, blk_status_t status)
{
	bool failed, hold;
	unsigned long flags;

	bio->bi_status = status;
	/* Pairs with set_unsettled(). */
	smp_rmb();
	if (unlikely(READ_ONCE(arr->settling) != RAIZN_SETTLED)) {
		spin_lock_irqsave(&arr->fail_lock, flags);
		failed = raizn_array_failed(arr);
		hold = arr->settling != RAIZN_SETTLED && !failed;
		if (hold)
			bio_list_add(&arr->held, bio);
		spin_unlock_irqrestore(&arr->fail_lock, flags);
		if (hold)
			return;
		/* An absorbed error may have counted as a success. */
		if (failed && !status)
			bio->bi_status = BLK_STS_IOERR;
	}
	bio_endio(bio);
}

/* Errors that count for the limit. */
static u32 errors_of(struct raizn_member *m)
{
	unsigned long flags;
	u32 errors;

	spin_lock_irqsave(&m->arr->fail_lock, flags);
	age_errors(m);
	errors = m->fresh_errors;
	spin_unlock_irqrestore(&m->arr->fail_lock, flags);
	return errors;
}

/**
 * raizn_error_is_retired() - the last error of a write was that of a zone that the drive retired
 * @m:		member
 *
 * Drives have zones in reserve, and so has the array: a zone that became read-only or offline
 * says nothing of the others.  The error does not count for the limit.
 *
 * Context: process.
 */
void raizn_error_is_retired(struct raizn_member *m)
{
	spin_lock_irq(&m->arr->fail_lock);
	m->fresh_errors -= !!m->fresh_errors;
	spin_unlock_irq(&m->arr->fail_lock);
}

/**
 * raizn_errors_forget() - count the errors of a member from zero again
 * @m:		member that gets a drive
 *
 * Context: any; arr->fail_lock is held.
 */
void raizn_errors_forget(struct raizn_member *m)
{
	lockdep_assert_held(&m->arr->fail_lock);
	m->read_errors = 0;
	m->write_errors = 0;
	m->fresh_errors = 0;
}

/**
 * raizn_judge_errors() - fail a member that has more errors than the limit allows
 * @m:		member
 * @why_now:	reason to judge it now, for the log
 *
 * Context: any.
 */
void raizn_judge_errors(struct raizn_member *m, const char *why_now)
{
	struct raizn_array *arr = m->arr;
	u32 limit = READ_ONCE(arr->error_limit);
	u32 errors = errors_of(m);

	if (limit && errors > limit && raizn_member_give_up(m))
		DMERR("array %pU: member %u (%pg): %u errors, %s: the array goes on without it",
		      arr->uuid, m->slot, m->bdev, errors, why_now);
}

/* The live member with the most errors, except members in @judged. */
static struct raizn_member *worst_member(struct raizn_array *arr, u32 judged)
{
	struct raizn_member *worst = NULL;
	struct raizn_member *m;

	for (m = arr->members; m < arr->members + arr->geo.nr_members; m++)
		if (raizn_member_live(m) && !(judged & BIT(m->slot)) &&
		    (!worst || errors_of(m) > errors_of(worst)))
			worst = m;
	return worst;
}

/**
 * raizn_members_judge() - go on without members that could not be spared before
 * @arr:	array in which a column was rebuilt or rewritten, or a zone was reset
 *
 * The worst member comes first: once it is given up, no other one may be spared.
 *
 * Context: process.
 */
void raizn_members_judge(struct raizn_array *arr)
{
	struct raizn_member *m;
	u32 judged = 0;

	while ((m = worst_member(arr, judged))) {
		judged |= BIT(m->slot);
		raizn_judge_errors(m, "and it can be spared now");
	}
}

/*
 * Count an error in one of the two counters.  A drive may have thousands of errors, so an
 * event is sent only when their number is a power of two.
 */
static void count_error(struct raizn_member *m, u32 *errors)
{
	struct raizn_array *arr = m->arr;
	bool tell;

	spin_lock_irq(&arr->fail_lock);
	add_error(m, errors);
	tell = is_power_of_2(m->read_errors + m->write_errors);
	spin_unlock_irq(&arr->fail_lock);
	if (tell)
		raizn_array_event(arr);
}

/**
 * raizn_read_failed() - count a failed read that parity makes up for
 * @m:		member
 *
 * Context: process.
 */
void raizn_read_failed(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;

	count_error(m, &m->read_errors);
	DMWARN_LIMIT("array %pU: member %u (%pg): a read failed", arr->uuid,
		     m->slot, m->bdev);
	if (raizn_array_in_use(arr))
		raizn_judge_errors(m, "the last of a read");
}

/**
 * raizn_report_failed() - count a failed zone report that costs nothing
 * @m:		member
 *
 * As a read; but the caller sends the event, and the error limit is looked at with the next error.
 *
 * Context: process.
 */
void raizn_report_failed(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;

	spin_lock_irq(&arr->fail_lock);
	add_error(m, &m->read_errors);
	spin_unlock_irq(&arr->fail_lock);
	DMWARN_LIMIT("array %pU: member %u (%pg): a zone report failed", arr->uuid,
		     m->slot, m->bdev);
}

/**
 * raizn_write_failed() - count a failed write or reset that loses no data
 * @m:		member
 *
 * Context: process.
 */
void raizn_write_failed(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;

	count_error(m, &m->write_errors);
	DMWARN_LIMIT("array %pU: member %u (%pg): a write failed", arr->uuid,
		     m->slot, m->bdev);
	raizn_judge_errors(m, "the last of a write");
}

static void tell_why_not(const struct raizn_array *arr, u32 slot)
{
	const struct raizn_zone *z = arr->zones;
	unsigned long others;

	if (!raizn_array_in_use(arr)) {
		DMERR("array %pU: member %u cannot be failed: the array is not being written",
		      arr->uuid, slot);
		return;
	}
	if (hweight32(READ_ONCE(arr->dead) | BIT(slot)) > arr->geo.nr_parity) {
		DMERR("array %pU: member %u cannot be spared: another one has failed",
		      arr->uuid, slot);
		return;
	}
	while (z < arr->zones + arr->geo.nr_zones - 1 &&
	       raizn_may_drop(z, raizn_zone_column(z, slot), RAIZN_DROP_ASKED))
		z++;
	others = raizn_zone_slots(z, raizn_zone_lost(z) | READ_ONCE(z->heal)) & ~BIT(slot);
	if (!others)
		DMERR("array %pU: member %u cannot be spared: it has data beside the lost blocks of logical zone %u, which cannot be computed without these",
		      arr->uuid, slot, raizn_zone_number(z));
	else
		DMERR("array %pU: member %u cannot be spared: in logical zone %u it is needed to reconstruct member %*pbl",
		      arr->uuid, slot, raizn_zone_number(z), RAIZN_MAX_MEMBERS, &others);
}

/**
 * raizn_fail_member() - give up a member at the request of a user
 * @arr:	array
 * @slot:	slot of the member
 * @lose:	also if unreadable sectors of other members are lost then
 *
 * Context: process.  Return: 0, -EINVAL, -EBUSY if the member cannot be spared, or -EIO if
 * the array has failed.
 */
int raizn_fail_member(struct raizn_array *arr, u32 slot, bool lose)
{
	if (slot >= arr->geo.nr_members)
		return -EINVAL;
	if (!give_up(&arr->members[slot],
		     lose ? RAIZN_DROP_LOST : RAIZN_DROP_ASKED) &&
	    (!raizn_array_in_use(arr) || !(READ_ONCE(arr->dead) & BIT(slot)))) {
		tell_why_not(arr, slot);
		return -EBUSY;
	}
	DMWARN("array %pU: member %u was failed by request", arr->uuid, slot);
	return raizn_settle(arr);
}

/**
 * raizn_degraded_zones() - number of zones that lack a column
 * @arr:	array
 *
 * Context: any.  Return: their number.
 */
u32 raizn_degraded_zones(const struct raizn_array *arr)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		nr += !!raizn_zone_lost(&arr->zones[i]);
	return nr;
}

/**
 * raizn_damaged_zones() - number of zones that lost more than parity makes up for
 * @arr:	array
 *
 * Context: any.  Return: their number.
 */
u32 raizn_damaged_zones(const struct raizn_array *arr)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		nr += raizn_zone_damaged(&arr->zones[i]) &&
		      !raizn_zone_unwritable(&arr->zones[i]);
	return nr;
}

/**
 * raizn_unwritable_zones() - number of zones that could not be written to their end
 * @arr:	array
 *
 * They can be read, see raizn_zone_end_writing(); the next start recovers them.
 *
 * Context: any.  Return: their number.
 */
u32 raizn_unwritable_zones(const struct raizn_array *arr)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		nr += raizn_zone_unwritable(&arr->zones[i]);
	return nr;
}
