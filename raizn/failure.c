// SPDX-License-Identifier: GPL-2.0
/*
 * Members, and columns of single zones, that fail while the array runs.
 *
 * An error that parity makes up for is absorbed where it is seen: whoever waits
 * for the command goes on as if it had succeeded, without the member.  From that
 * moment on nothing that a user waits for ends, and no step of a protocol that
 * relies on all members begins, until the failure is durable on the others:
 *
 *   crash after		the next start
 *   the error			trusts the member: its column of the zones written
 *				last is short, the others and parity make up for it.
 *				A reset whose intent it lacks makes it stale
 *   new superblock (or		the same, or goes on without the member: nothing
 *   zone map) on some		was acknowledged that depends on which
 *   ... on all			goes on without the member
 *
 * Bios are held back until the active zones do without the column, too: before that,
 * what was written to them cannot be read.
 *
 * What a column that failed holds is not trusted any more, so its zone map entry
 * says that it is nowhere, until it is rebuilt somewhere else.
 */
#include "raizn.h"
#include "trace.h"

/*
 * Comes before what says what failed: who has seen that, as retire() does, has to find
 * here that nothing may end that relies on it.
 */
static void set_unsettled(struct raizn_array *arr)
{
	lockdep_assert_held(&arr->fail_lock);
	arr->unrecorded = true;
	WRITE_ONCE(arr->unsettled, true);
	/* Pairs with raizn_end_bio(). */
	smp_wmb();
	queue_work(arr->fail_wq, &arr->fail_work);
}

/* Mark a member as failed.  fail_lock is held. */
static void kill_member(struct raizn_member *m)
{
	struct raizn_array *arr = m->arr;

	lockdep_assert_held(&arr->fail_lock);
	set_unsettled(arr);
	WRITE_ONCE(m->state, RAIZN_MEMBER_FAILED);
	WRITE_ONCE(arr->dead, arr->dead | BIT(m->slot));
	arr->failing |= BIT(m->slot);
}

/* Members that nobody else may rely on. */
static u32 not_whole(const struct raizn_array *arr)
{
	u32 members = READ_ONCE(arr->dead);
	u32 i;

	for (i = 0; i < arr->geo.nr_members; i++)
		if (READ_ONCE(arr->members[i].state) != RAIZN_MEMBER_ACTIVE)
			members |= BIT(i);
	return members;
}

/*
 * What giving a member up may cost.  A zone that lacks too many columns takes no writes; who
 * is asked to do without a member does not mind that in a zone that is empty.
 */
enum cost { COST_NOTHING, COST_EMPTY_ZONES, COST_SECTORS };

/* Can a zone do without a column?  What others could not read is decoded with it. */
static bool zone_can_spare(const struct raizn_zone *z, u32 column, enum cost cost)
{
	const u32 most = z->arr->geo.nr_parity;
	u32 lost = raizn_zone_lost(z);

	if (!raizn_zone_at_risk(z) && (cost > COST_NOTHING || hweight32(lost) > most))
		return true;
	if (cost < COST_SECTORS && !(lost & BIT(column)))
		lost |= raizn_zone_unreadable(z);
	return hweight32(lost | BIT(column)) <= most;
}

static bool can_spare(const struct raizn_array *arr, u32 slot, enum cost cost)
{
	u32 i;

	if (hweight32(not_whole(arr) | BIT(slot)) > arr->geo.nr_parity)
		return false;
	for (i = 0; i < arr->geo.nr_zones; i++)
		if (!zone_can_spare(&arr->zones[i], slot, cost))
			return false;
	return true;
}

/*
 * A start has to be over, for it decides itself what to do without a member; one that is being
 * suspended has told its members that all is well.
 */
static bool is_used(const struct raizn_array *arr)
{
	return raizn_array_writable(arr) && arr->running &&
	       !READ_ONCE(arr->background.stop);
}

/*
 * Give a member up that could go on, if it can be spared.  Under the lock, for others may
 * fail at this moment, and the array be suspended.  Returns whether it is given up now.
 */
static bool give_up(struct raizn_member *m, enum cost cost)
{
	struct raizn_array *arr = m->arr;
	bool possible;

	/* Asked twice: that takes a while. */
	if (!can_spare(arr, m->slot, cost))
		return false;
	spin_lock_irq(&arr->fail_lock);
	possible = is_used(arr) && !(arr->dead & BIT(m->slot)) &&
		   can_spare(arr, m->slot, cost);
	if (possible)
		kill_member(m);
	spin_unlock_irq(&arr->fail_lock);
	wake_up(&arr->sync_wait);
	return possible;
}

/**
 * raizn_member_give_up() - go on without a member, if all that can be read, or written, now
 *			    can be then
 * @m:		member
 *
 * Context: process.  Return: whether it is given up now.
 */
bool raizn_member_give_up(struct raizn_member *m)
{
	return give_up(m, COST_NOTHING);
}

/**
 * raizn_member_failed() - a member did not do what it was told
 * @m:		member
 * @what:	what failed, for the log
 * @status:	how
 *
 * Context: any.
 * Return: true when the array goes on without the member, from now on; false when
 * it cannot: it writes nothing more then.
 */
bool raizn_member_failed(struct raizn_member *m, const char *what,
			 blk_status_t status)
{
	struct raizn_array *arr = m->arr;
	bool known, absorbed;
	unsigned long flags;

	spin_lock_irqsave(&arr->fail_lock, flags);
	known = arr->dead & BIT(m->slot);
	absorbed = !READ_ONCE(arr->failed) && arr->activated &&
		   (known || hweight32(not_whole(arr) | BIT(m->slot)) <=
			     arr->geo.nr_parity);
	if (absorbed && !known)
		kill_member(m);
	if (!known)
		m->write_errors++;
	spin_unlock_irqrestore(&arr->fail_lock, flags);
	/* Who makes failures durable may wait for something that waits for that. */
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
 * Mark a column of a zone as failed, if parity makes up for it.  fail_lock is held.  Sets
 * whether it had failed before.
 */
static bool absorb_column(struct raizn_zone *z, u32 column, bool *known)
{
	struct raizn_array *arr = z->arr;
	u32 lost = raizn_zone_lost(z);

	lockdep_assert_held(&arr->fail_lock);
	/* A column that is not rebuilt yet can fail, too: in a reset. */
	*known = (z->failing | arr->dead) & BIT(column);
	/* In a zone that is being reset there is nothing to be lost. */
	if (READ_ONCE(arr->failed) || !arr->activated ||
	    (raizn_zone_at_risk(z) &&
	     hweight32(lost | BIT(column)) > arr->geo.nr_parity))
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
	struct raizn_member *m = &z->arr->members[column];

	DMERR_LIMIT("array %pU: member %u (%pg): %s in logical zone %u failed: %d",
		    z->arr->uuid, column, m->bdev, what, raizn_zone_number(z),
		    blk_status_to_errno(status));
}

/**
 * raizn_column_failed() - a column of a zone was not written, or read, as it should
 * @z:		zone
 * @column:	column
 * @what:	what failed, for the log
 * @status:	how
 *
 * Whether it is the member that fails is found out later, by asking it.
 *
 * Context: any.  Return: as raizn_member_failed().
 */
bool raizn_column_failed(struct raizn_zone *z, u32 column, const char *what,
			 blk_status_t status)
{
	struct raizn_array *arr = z->arr;
	bool known, absorbed;
	unsigned long flags;

	spin_lock_irqsave(&arr->fail_lock, flags);
	absorbed = absorb_column(z, column, &known);
	if (!known)
		arr->members[column].write_errors++;
	spin_unlock_irqrestore(&arr->fail_lock, flags);
	wake_up(&arr->sync_wait);

	if (known)
		return absorbed;
	tell_of_column(z, column, what, status);
	if (!absorbed)
		raizn_array_fail(arr, what, status);
	return absorbed;
}

/**
 * raizn_column_give_up() - go on without a column that cannot be read in part
 * @z:		zone
 * @column:	column
 *
 * Not if others need it for what they cannot read, or have failed by now.
 *
 * Context: process.  Return: whether it is given up, now or before.
 */
bool raizn_column_give_up(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	bool known = false;
	bool possible;

	spin_lock_irq(&arr->fail_lock);
	possible = zone_can_spare(z, column, COST_NOTHING) &&
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
 * Context: process, without md_mutex.  Return: 0, or -EIO when too much failed.
 */
int raizn_settle(struct raizn_array *arr)
{
	if (unlikely(READ_ONCE(arr->unrecorded)))
		wait_event(arr->sync_wait, !READ_ONCE(arr->unrecorded) ||
			   READ_ONCE(arr->failed));
	return READ_ONCE(arr->failed) ? -EIO : 0;
}

/**
 * raizn_end_bio() - end a bio that changed something, once failures are durable
 * @arr:	array
 * @bio:	the user's
 * @status:	how it went
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
	if (unlikely(READ_ONCE(arr->unsettled))) {
		spin_lock_irqsave(&arr->fail_lock, flags);
		failed = READ_ONCE(arr->failed);
		hold = arr->unsettled && !failed &&
		       !raizn_is_mutant(RAIZN_MUTANT_FAIL_NOT_HELD);
		if (hold)
			bio_list_add(&arr->held, bio);
		spin_unlock_irqrestore(&arr->fail_lock, flags);
		if (hold)
			return;
		/* It may have been taken for a success by an absorbed error. */
		if (failed && !status)
			bio->bi_status = BLK_STS_IOERR;
	}
	bio_endio(bio);
}

static u32 errors_of(const struct raizn_member *m)
{
	return READ_ONCE(m->read_errors) + READ_ONCE(m->write_errors);
}

/* A member has errors, of which only so many are put up with. */
static void judge_errors(struct raizn_member *m, const char *why_now)
{
	struct raizn_array *arr = m->arr;
	u32 limit = READ_ONCE(arr->error_limit);
	u32 errors = errors_of(m);

	if (limit && errors > limit && raizn_member_give_up(m))
		DMERR("array %pU: member %u (%pg): %u errors, %s: the array goes on without it",
		      arr->uuid, m->slot, m->bdev, errors, why_now);
}

/* The member with the most errors of those that are left. */
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
 * @arr:	array, of which something was rebuilt, healed or reset
 *
 * Who is given up first may be the last one that can be.  Context: process.
 */
void raizn_members_judge(struct raizn_array *arr)
{
	struct raizn_member *m;
	u32 judged = 0;

	while ((m = worst_member(arr, judged))) {
		judged |= BIT(m->slot);
		judge_errors(m, "and it can be spared now");
	}
}

/*
 * One more error, in one of the two counters. A drive may have them by the thousand: the
 * more there are, the less are told.
 */
static void count_error(struct raizn_member *m, u32 *errors)
{
	struct raizn_array *arr = m->arr;
	bool tell;

	spin_lock_irq(&arr->fail_lock);
	++*errors;
	tell = is_power_of_2(m->read_errors + m->write_errors);
	spin_unlock_irq(&arr->fail_lock);
	if (tell)
		raizn_array_event(arr);
}

/**
 * raizn_read_failed() - a member failed to read what is decoded now
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
	if (arr->running)
		judge_errors(m, "the last of a read");
}

/**
 * raizn_write_failed() - a member failed to write what will be written again
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
	judge_errors(m, "the last of a write");
}

/*
 * A zone that turned read-only or offline is no reason to give the drive up; nor are
 * a few other errors.
 */
static void judge_column(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	struct raizn_member *m = &arr->members[column];
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map,
					       raizn_zone_number(z), column);
	int cond = raizn_member_zone_condition(m, physical);

	if (cond < 0)
		raizn_member_failed(m, "zone report", errno_to_blk_status(cond));
	else if (cond != BLK_ZONE_COND_READONLY &&
		 cond != BLK_ZONE_COND_OFFLINE)
		judge_errors(m, "the last of a command");
}

static bool lost_too_much(const struct raizn_zone *z)
{
	return raizn_zone_at_risk(z) &&
	       hweight32(raizn_zone_lost(z)) > z->arr->geo.nr_parity;
}

/*
 * Fail the array if a zone lost more than parity makes up for.  Who suspects that looks again
 * with the locks: of what a reset puts an end to just then, the one thing may have been seen
 * before and the other one after it.  Returns 0, or -EIO when the array failed, now or before.
 */
static int check_zone(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	bool too_much;

	if (unlikely(lost_too_much(z))) {
		spin_lock_irq(&z->lock);
		spin_lock(&arr->fail_lock);
		too_much = lost_too_much(z);
		spin_unlock(&arr->fail_lock);
		spin_unlock_irq(&z->lock);
		if (too_much)
			raizn_array_fail(arr, "another column of a degraded zone",
					 BLK_STS_IOERR);
	}
	return READ_ONCE(arr->failed) ? -EIO : 0;
}

/* Rebuilding may have given the column another place, so that it has not failed. */
static int record_nowhere(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	bool nowhere;
	int err = 0;
	u32 old;

	mutex_lock(&arr->place_mutex);
	old = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
	nowhere = READ_ONCE(z->failing) & BIT(column);
	/* What is one too many must not become durable; others may have failed since. */
	if (nowhere)
		err = check_zone(z);
	if (nowhere && !err && !raizn_is_mutant(RAIZN_MUTANT_COLUMN_NOT_RECORDED))
		err = raizn_general_map(arr, zone, column, RAIZN_NOWHERE);
	mutex_unlock(&arr->place_mutex);
	if (nowhere && !err)
		raizn_member_give_up_zone(&arr->members[column], old);
	return err;
}

/* There is no memory to say where columns are.  Returns whether the array does without. */
static bool map_too_large(struct raizn_member *m)
{
	return raizn_member_failed(m, "memory for its zone map", BLK_STS_RESOURCE);
}

/**
 * raizn_zone_disown() - columns that a reset did not reach are nowhere
 * @z:		zone that is being reset, durably intended
 *
 * A member zone that cannot be used keeps what it holds.  It may be usable again at a later
 * start, which must not take that for what belongs there in the zone's next life.
 *
 * Of members that fail meanwhile only raizn_settle() says that this is durable.
 *
 * Durable on return.  Context: process; no job has the zone.  Return: 0 or -errno.
 */
int raizn_zone_disown(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	int err = 0;
	u32 c;

	mutex_lock(&arr->place_mutex);
	for (c = 0; !err && c < arr->geo.nr_members; c++) {
		if (!raizn_column_is_unusable(z, c))
			continue;
		err = raizn_general_map(arr, zone, c, RAIZN_NOWHERE);
		if (err == -ENOMEM && map_too_large(&arr->members[c]))
			err = 0;
	}
	mutex_unlock(&arr->place_mutex);
	return err;
}

static int record_column(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	int err;

	if (arr->dead & BIT(column))
		return 0;
	judge_column(z, column);
	if (arr->dead & BIT(column))
		return 0;
	err = record_nowhere(z, column);
	return err == -ENOMEM && map_too_large(&arr->members[column]) ? 0 : err;
}

/* Columns that failed and are not known to be nowhere yet. */
static u32 unrecorded(const struct raizn_zone *z)
{
	const struct raizn_array *arr = z->arr;
	u32 columns = READ_ONCE(z->failing);
	u32 c;

	for (c = 0; c < arr->geo.nr_members; c++)
		if (raizn_zone_map_physical(&arr->geo, &arr->map,
					    raizn_zone_number(z), c) ==
		    RAIZN_NOWHERE)
			columns &= ~BIT(c);
	return columns;
}

static int record_columns(struct raizn_array *arr)
{
	struct raizn_zone *z;
	unsigned long zone;
	u32 columns;
	int err = 0;

	for_each_set_bit(zone, arr->fail_map, arr->geo.nr_zones) {
		z = &arr->zones[zone];
		spin_lock_irq(&arr->fail_lock);
		__clear_bit(zone, arr->fail_map);
		spin_unlock_irq(&arr->fail_lock);
		for (columns = unrecorded(z); !err && columns;
		     columns &= columns - 1)
			err = record_column(z, __ffs(columns));
		if (err)
			return err;
	}
	return 0;
}

static int record_members(struct raizn_array *arr)
{
	u32 failing;
	int err;

	spin_lock_irq(&arr->fail_lock);
	failing = arr->failing;
	spin_unlock_irq(&arr->fail_lock);
	if (!failing)
		return 0;
	err = raizn_general_superblock(arr, false);
	if (err)
		return err;
	spin_lock_irq(&arr->fail_lock);
	arr->failing &= ~failing;
	spin_unlock_irq(&arr->fail_lock);
	return 0;
}

/**
 * raizn_check_zones() - fail the array if a zone lost more than parity makes up for
 * @arr:	array
 *
 * A member that fails may be one too many for a zone that lacks another column.  What
 * was lost before the start is lost anyway.
 *
 * Context: process, no spinlock is held.
 * Return: 0, or -EIO when the array failed, now or before.
 */
int raizn_check_zones(struct raizn_array *arr)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_zones && !check_zone(&arr->zones[i]); i++)
		;
	return READ_ONCE(arr->failed) ? -EIO : 0;
}

static bool all_recorded(struct raizn_array *arr)
{
	bool done;

	spin_lock_irq(&arr->fail_lock);
	done = READ_ONCE(arr->failed) ||
	       (!arr->failing && bitmap_empty(arr->fail_map, arr->geo.nr_zones));
	if (done)
		arr->unrecorded = false;
	spin_unlock_irq(&arr->fail_lock);
	wake_up(&arr->sync_wait);
	return done;
}

/* Do all active zones do without what they lost? */
static bool all_degraded(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->max_active; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z && raizn_zone_newly_lost(z))
			return false;
	}
	/* See raizn_zone_degrade(). */
	smp_rmb();
	return true;
}

/* Every zone that lost a column has to notice. */
static void degrade_zones(struct raizn_array *arr)
{
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		if (raizn_zone_newly_lost(&arr->zones[i]))
			queue_work(arr->zone_wq, &arr->zones[i].work);
	/* A worker may wait for another failure to be recorded. */
	wait_event(arr->sync_wait, all_degraded(arr) ||
		   READ_ONCE(arr->unrecorded) || READ_ONCE(arr->failed));
}

/*
 * If nothing has failed since, what was held back can end.  After one failure too
 * many nothing is ever settled: bios whose commands still return would end as if
 * the failures that were absorbed for them were durable.
 */
static bool release_held(struct raizn_array *arr, struct bio_list *held)
{
	bool failed, done;

	spin_lock_irq(&arr->fail_lock);
	failed = READ_ONCE(arr->failed);
	done = !arr->unrecorded && (failed || all_degraded(arr));
	if (done) {
		*held = arr->held;
		bio_list_init(&arr->held);
		arr->unsettled = failed;
	}
	spin_unlock_irq(&arr->fail_lock);
	return done;
}

/* What waits for a log that will never have space again fails now. */
static void wake_active(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u32 i;

	for (i = 0; i < arr->max_active; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z)
			queue_work(arr->zone_wq, &z->work);
	}
}

/* Make all failures durable, unless too much failed. */
static void record(struct raizn_array *arr)
{
	int err;

	do {
		/* What is one too many must not become durable. */
		if (raizn_check_zones(arr))
			continue;
		err = record_columns(arr);
		if (!err)
			err = record_members(arr);
		if (err)
			raizn_array_fail(arr, "recording a failure",
					 errno_to_blk_status(err));
	} while (!all_recorded(arr));
}

/**
 * raizn_fail_work() - make failures durable
 * @work:	arr->fail_work
 */
void raizn_fail_work(struct work_struct *work)
{
	struct raizn_array *arr = container_of(work, struct raizn_array,
					       fail_work);
	struct bio_list held = BIO_EMPTY_LIST;
	struct bio *bio;

	do {
		record(arr);
		degrade_zones(arr);
	} while (!release_held(arr, &held));

	if (READ_ONCE(arr->failed))
		wake_active(arr);
	while ((bio = bio_list_pop(&held))) {
		if (READ_ONCE(arr->failed) && !bio->bi_status)
			bio->bi_status = BLK_STS_IOERR;
		bio_endio(bio);
	}
	raizn_array_event(arr);
}

static void tell_why_not(const struct raizn_array *arr, u32 slot)
{
	const struct raizn_zone *z = arr->zones;
	unsigned long others;

	if (!is_used(arr)) {
		DMERR("array %pU: member %u cannot be failed: the array is not being written",
		      arr->uuid, slot);
		return;
	}
	if (hweight32(not_whole(arr) | BIT(slot)) > arr->geo.nr_parity) {
		DMERR("array %pU: member %u cannot be spared: another one is not whole",
		      arr->uuid, slot);
		return;
	}
	while (z < arr->zones + arr->geo.nr_zones - 1 &&
	       zone_can_spare(z, slot, COST_EMPTY_ZONES))
		z++;
	others = (raizn_zone_lost(z) | raizn_zone_unreadable(z)) & ~BIT(slot);
	DMERR("array %pU: member %u cannot be spared: in logical zone %u it takes it to know what member %*pbl lacks or cannot read",
	      arr->uuid, slot, raizn_zone_number(z), RAIZN_MAX_MEMBERS, &others);
}

/**
 * raizn_fail_member() - a user gives a member up
 * @arr:	array
 * @slot:	the member's
 * @lose:	also if sectors that others could not read are lost with it
 *
 * Context: process.  Return: 0, -EINVAL, or -EBUSY when it cannot be spared.
 */
int raizn_fail_member(struct raizn_array *arr, u32 slot, bool lose)
{
	if (slot >= arr->geo.nr_members)
		return -EINVAL;
	if (!give_up(&arr->members[slot],
		     lose ? COST_SECTORS : COST_EMPTY_ZONES) &&
	    (!is_used(arr) || !(READ_ONCE(arr->dead) & BIT(slot)))) {
		tell_why_not(arr, slot);
		return -EBUSY;
	}
	DMWARN("array %pU: member %u was failed by request", arr->uuid, slot);
	return raizn_settle(arr);
}

/**
 * raizn_degraded_zones() - how many zones do without a column?
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
 * raizn_damaged_zones() - how many zones lost more than parity makes up for?
 * @arr:	array
 *
 * Context: any.  Return: their number.
 */
u32 raizn_damaged_zones(const struct raizn_array *arr)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < arr->geo.nr_zones; i++)
		nr += raizn_zone_damaged(&arr->zones[i]);
	return nr;
}
