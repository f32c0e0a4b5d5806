// SPDX-License-Identifier: GPL-2.0
/*
 * The state machine of logical zones, as the ZNS command set defines it, and the
 * acceptance of all operations that move a write pointer.
 *
 * A zone changes its condition when an operation is accepted, under zone->lock;
 * the zone's worker then carries out accepted operations in order.  An active zone
 * owns a struct raizn_open_zone, the "active resource" of the command set, and keeps
 * it until its member zones are not active any more.  Users may have max_active of
 * them.  A start may find more zones active: then no other zone can become active
 * until enough of these are full or reset.
 */
#include "zone/zone.h"

static bool cond_is_open(u8 cond)
{
	return cond == BLK_ZONE_COND_IMP_OPEN || cond == BLK_ZONE_COND_EXP_OPEN;
}

/* Move a zone to another condition and keep the counts.  cond_lock is held. */
static void set_cond(struct raizn_zone *z, u8 cond)
{
	struct raizn_array *arr = z->arr;

	lockdep_assert_held(&arr->cond_lock);
	if (z->cond == BLK_ZONE_COND_IMP_OPEN) {
		arr->nr_imp_open--;
		list_del_init(&z->oz->lru);
	} else if (z->cond == BLK_ZONE_COND_EXP_OPEN) {
		arr->nr_exp_open--;
	}
	if (cond == BLK_ZONE_COND_IMP_OPEN) {
		arr->nr_imp_open++;
		list_add_tail(&z->oz->lru, &arr->imp_open);
	} else if (cond == BLK_ZONE_COND_EXP_OPEN) {
		arr->nr_exp_open++;
	}
	WRITE_ONCE(z->cond, cond);
}

static void change_cond(struct raizn_zone *z, u8 cond)
{
	lockdep_assert_held(&z->lock);
	spin_lock(&z->arr->cond_lock);
	set_cond(z, cond);
	spin_unlock(&z->arr->cond_lock);
}

/* Give a zone the state of an active one.  Both locks are held. */
static bool take_open_zone(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	struct raizn_open_zone *oz;

	lockdep_assert_held(&arr->cond_lock);
	if (z->oz)
		return true;
	oz = list_first_entry_or_null(&arr->oz_free, struct raizn_open_zone,
				      lru);
	if (!oz)
		return false;
	list_del_init(&oz->lru);
	arr->nr_active++;
	oz->zone = z;
	oz->issued = 0;
	oz->logged = 0;
	oz->ioprio = RAIZN_IOPRIO;
	oz->hint = 0;
	oz->completed = 0;
	oz->sound = U32_MAX;
	oz->sound_durable = U32_MAX;
	oz->rebuild_at = 0;
	oz->retired = 0;
	oz->protected = 0;
	oz->durable = 0;
	oz->sync_wanted = false;
	oz->sync_end = 0;
	oz->relog = false;
	oz->relog_issued = false;
	z->oz = oz;
	return true;
}

/**
 * raizn_may_activate() - may another zone become active?
 * @arr:	array; its cond_lock is held
 */
bool raizn_may_activate(const struct raizn_array *arr)
{
	lockdep_assert_held(&arr->cond_lock);
	return arr->nr_active < raizn_places(arr);
}

/*
 * Open a zone, closing another one that was opened implicitly if need be, as a
 * drive does.
 */
static blk_status_t open_zone(struct raizn_zone *z, u8 cond)
{
	struct raizn_array *arr = z->arr;
	struct raizn_open_zone *victim;
	blk_status_t status = BLK_STS_OK;

	lockdep_assert_held(&z->lock);
	spin_lock(&arr->cond_lock);
	if (z->cond == cond)
		goto out;
	if (!z->oz && !raizn_may_activate(arr)) {
		status = BLK_STS_ZONE_ACTIVE_RESOURCE;
		goto out;
	}
	if (!cond_is_open(z->cond) &&
	    arr->nr_imp_open + arr->nr_exp_open >= arr->max_open) {
		victim = list_first_entry_or_null(&arr->imp_open,
						  struct raizn_open_zone, lru);
		if (!victim) {
			status = BLK_STS_ZONE_OPEN_RESOURCE;
			goto out;
		}
		set_cond(victim->zone, BLK_ZONE_COND_CLOSED);
	}
	take_open_zone(z);
	set_cond(z, cond);
out:
	spin_unlock(&arr->cond_lock);
	return status;
}

/**
 * raizn_zone_empty() - begin the next life of a zone, with write pointer 0
 * @z:		zone; its lock is held
 *
 * Changes the users' view of the zone.  The state of an active zone, if any, stays
 * until the zone's worker has carried the reset out.
 */
void raizn_zone_empty(struct raizn_zone *z)
{
	lockdep_assert_held(&z->lock);
	/* Pairs with raizn_zone_at_risk(), which must see the reset if it sees EMPTY. */
	smp_wmb();
	change_cond(z, BLK_ZONE_COND_EMPTY);
	z->wp = 0;
	WRITE_ONCE(z->readable, 0);
}

/**
 * raizn_zone_lose() - a reset failed: the contents of the zone are undefined
 * @z:		zone that was emptied for the reset; its lock is held
 *
 * From now on reads fail instead of returning zeros.  The array has failed.
 */
void raizn_zone_lose(struct raizn_zone *z)
{
	lockdep_assert_held(&z->lock);
	change_cond(z, BLK_ZONE_COND_READONLY);
}

/**
 * raizn_zone_end_writing() - a zone whose end could not be written takes no more writes
 * @z:		zone with the state of an active one; its lock is held, and nothing is pending
 * @retired:	its columns (bit by column) in member zones that are read-only or offline
 *
 * The zone can be read up to its last completed write, until it is reset.  A zone that is
 * complete lacks nothing.
 */
void raizn_zone_end_writing(struct raizn_zone *z, u32 retired)
{
	struct raizn_open_zone *oz = z->oz;

	lockdep_assert_held(&z->lock);
	z->broken = false;
	if (oz->completed == z->arr->geo.zone_cap)
		return;
	z->wp = oz->completed;
	oz->retired = retired;
	/* The record that a flush waits for may have been one of data that was not written. */
	oz->sync_wanted = true;
	change_cond(z, BLK_ZONE_COND_READONLY);
}

/**
 * raizn_retired_zones() - number of zones of which a start would read less than is read now
 * @arr:	array
 * @first:	set to the first one, if there are any
 *
 * They take no more writes.  Member zones that drives call read-only or offline count as missing at
 * a start, and with the columns that the zone lacks they are more than parity makes up for.  Now
 * read-only ones can be read, and the data of the last stripe is in memory.
 *
 * Context: process.
 */
u32 raizn_retired_zones(struct raizn_array *arr, u32 *first)
{
	struct raizn_zone *z;
	u32 nr = 0;
	u32 i;

	*first = 0;
	for (i = arr->geo.nr_zones; i--;) {
		z = &arr->zones[i];
		if (likely(!raizn_zone_unwritable(z)))
			continue;
		spin_lock_irq(&z->lock);
		if (z->oz && raizn_zone_damaged(z) &&
		    raizn_zone_too_many(z, raizn_zone_lost(z) | z->oz->retired)) {
			*first = i;
			nr++;
		}
		spin_unlock_irq(&z->lock);
	}
	return nr;
}

/* Offset of the first stripe unit that is lost with its column, but at most @end. */
static u32 first_lost(const struct raizn_zone *z, u32 end)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	struct raizn_place place;
	u32 offset;

	for (offset = 0; offset < end; offset += geo->su) {
		raizn_place(geo, raizn_zone_number(z), offset, &place);
		if (z->missing & BIT(place.column))
			break;
	}
	return min(offset, end);
}

/**
 * raizn_zone_damage() - a zone lost more than parity makes up for
 * @z:		full or finished zone that is not active; its lock is held
 *
 * From now on it is as raizn_zone_load_damaged() leaves a zone.
 */
void raizn_zone_damage(struct raizn_zone *z)
{
	u32 wp = first_lost(z, z->wp);

	lockdep_assert_held(&z->lock);
	change_cond(z, BLK_ZONE_COND_READONLY);
	/* Pairs with decode_bio(), which must not take data behind the new end for zeros. */
	smp_wmb();
	WRITE_ONCE(z->wp, wp);
}

/* A write of this life failed for good, or the zone is damaged.  zone->lock is held. */
static bool takes_no_writes(const struct raizn_zone *z)
{
	return (z->broken && !z->resets) || z->cond == BLK_ZONE_COND_READONLY;
}

/**
 * raizn_zone_release() - give up the state of an active zone, if it can be
 * @z:		zone; its lock is held
 * @last:	bios that wait for the release are added, for the caller to end
 *		afterwards; NULL: keep the state if there are any
 *
 * The state can be given up when the zone is empty or full and no accepted operation
 * remains to be carried out.  While a column of its data is newly lost nothing happens:
 * raizn_zone_degrade() needs the state, and the worker tries again after that.  A failed
 * array keeps the state of zones with data.
 *
 * Context: the zone's worker, or its worker is not busy.
 */
void raizn_zone_release(struct raizn_zone *z, struct bio_list *last)
{
	struct raizn_array *arr = z->arr;
	struct raizn_open_zone *oz = z->oz;
	bool failed = raizn_array_failed(arr);
	u32 i;

	lockdep_assert_held(&z->lock);
	if (!oz || !list_empty(&oz->batches) ||
	    (oz->issued && raizn_zone_newly_lost(z) && !failed))
		return;
	/* A user that learns that the zone is full may open another one at once. */
	if (last && !(z->ops && z->cond == BLK_ZONE_COND_FULL)) {
		bio_list_merge(last, &oz->last);
		bio_list_init(&oz->last);
	}
	/* The parity of the tail may not be in place; reads then need the data in memory. */
	if ((failed && oz->issued) || (z->broken && oz->completed < arr->geo.zone_cap))
		return;
	if (z->ops || oz->issued != z->wp || !bio_list_empty(&z->pending) ||
	    !bio_list_empty(&oz->last) ||
	    (z->cond != BLK_ZONE_COND_EMPTY && z->cond != BLK_ZONE_COND_FULL))
		return;

	for (i = 0; i < arr->geo.nr_parity; i++) {
		if (oz->parity[i])
			raizn_parity_free(arr, oz->parity[i]);
		oz->parity[i] = NULL;
	}
	raizn_lost_drop(oz, U32_MAX);
	spin_lock(&arr->cond_lock);
	oz->zone = NULL;
	oz->relog = false;
	z->oz = NULL;
	z->broken = false;
	list_add_tail(&oz->lru, &arr->oz_free);
	arr->nr_active--;
	spin_unlock(&arr->cond_lock);
	/* See wait_for_active(). */
	wake_up(&arr->sync_wait);
	/* Pairs with has_active_zone(). */
	smp_mb();
	if (unlikely(READ_ONCE(arr->rebuild->crowded)))
		raizn_rebuild_kick(arr);
}

/**
 * raizn_accept_write() - accept a write or append
 * @z:		zone; its lock is held
 * @bio:	the bio; an append gets its sector
 *
 * Return: BLK_STS_OK when @bio is the next write and the zone can be open for it.
 */
blk_status_t raizn_accept_write(struct raizn_zone *z, struct bio *bio)
{
	const struct raizn_geometry *geo = &z->arr->geo;
	sector_t start = (sector_t)raizn_zone_number(z) << geo->zone_shift;
	u32 sectors = bio_sectors(bio);
	blk_status_t status;

	if (bio_op(bio) == REQ_OP_ZONE_APPEND) {
		if (bio->bi_iter.bi_sector != start)
			return BLK_STS_IOERR;
		bio->bi_iter.bi_sector += z->wp;
	}
	if (z->cond == BLK_ZONE_COND_FULL || unlikely(takes_no_writes(z)) ||
	    bio->bi_iter.bi_sector != start + z->wp ||
	    sectors & (z->arr->granularity - 1) ||
	    sectors > geo->zone_cap - z->wp)
		return BLK_STS_IOERR;
	if (unlikely(raizn_zone_too_many(z, raizn_zone_lost(z))))
		return BLK_STS_IOERR;
	if (!cond_is_open(READ_ONCE(z->cond))) {
		status = open_zone(z, BLK_ZONE_COND_IMP_OPEN);
		if (status)
			return status;
	}

	z->wp += sectors;
	if (z->wp == geo->zone_cap)
		change_cond(z, BLK_ZONE_COND_FULL);
	return BLK_STS_OK;
}

/**
 * raizn_accept_close() - close a zone; it stays active if it was written
 * @z:		zone; its lock is held
 *
 * There is nothing for the worker to do.  Return: status for the operation.
 */
blk_status_t raizn_accept_close(struct raizn_zone *z)
{
	switch (z->cond) {
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
		change_cond(z, z->wp ? BLK_ZONE_COND_CLOSED :
				       BLK_ZONE_COND_EMPTY);
		return BLK_STS_OK;
	case BLK_ZONE_COND_CLOSED:
		return BLK_STS_OK;
	default:
		return BLK_STS_IOERR;
	}
}

/**
 * raizn_accept_open() - open a zone explicitly
 * @z:		zone; its lock is held
 *
 * Return: status for the operation.
 */
blk_status_t raizn_accept_open(struct raizn_zone *z)
{
	if (z->cond == BLK_ZONE_COND_FULL || takes_no_writes(z) ||
	    raizn_zone_too_many(z, raizn_zone_lost(z)))
		return BLK_STS_IOERR;
	return open_zone(z, BLK_ZONE_COND_EXP_OPEN);
}

/**
 * raizn_accept_reset() - accept a reset: for users the zone is empty from now on
 * @z:		zone; its lock is held
 *
 * A zone that was never written in this life is empty on all members already.  The reset gives
 * up a damaged zone, which then has all columns again that there is room for.
 *
 * Return: whether the zone's worker has to carry the reset out.
 */
bool raizn_accept_reset(struct raizn_zone *z)
{
	bool written = raizn_zone_needs_reset(z);

	if (z->cond == BLK_ZONE_COND_EMPTY && !z->ops)
		return false;
	/* Set this before the zone looks empty: see raizn_zone_at_risk(). */
	z->expiring = raizn_zone_at_risk(z);
	/* Pairs with raizn_zone_at_risk(). */
	smp_wmb();
	z->ops += written;
	WRITE_ONCE(z->resets, z->resets + written);
	raizn_zone_empty(z);
	return written;
}

/**
 * raizn_accept_finish() - accept a finish
 * @z:		zone; its lock is held
 * @work:	set to whether the zone's worker has to carry the finish out
 *
 * Finishing needs the resources of an active zone for a moment, even if the
 * zone is empty.  The write that filled the zone, or another finish, may be under way:
 * this finish must not end before it.
 *
 * Return: status for the operation.
 */
blk_status_t raizn_accept_finish(struct raizn_zone *z, bool *work)
{
	blk_status_t status;

	*work = z->cond == BLK_ZONE_COND_FULL && z->oz;
	if (z->cond == BLK_ZONE_COND_FULL)
		return BLK_STS_OK;
	if (takes_no_writes(z) || raizn_zone_too_many(z, raizn_zone_lost(z)))
		return BLK_STS_IOERR;
	if (!cond_is_open(READ_ONCE(z->cond))) {
		status = open_zone(z, BLK_ZONE_COND_IMP_OPEN);
		if (status)
			return status;
	}
	change_cond(z, BLK_ZONE_COND_FULL);
	*work = true;
	return BLK_STS_OK;
}

/* Early writes that are accepted without a pause, once the writes before them have come. */
#define EARLY_AT_ONCE	256U

/**
 * raizn_zone_accept_early() - accept writes that had overtaken others and are next now
 * @z:		zone; its lock is held
 * @failed:	writes that fail are added; the caller ends them
 *
 * Accepts as many as there is room for, or some of them: then the zone's worker goes on.
 *
 * Context: any.
 */
void raizn_zone_accept_early(struct raizn_zone *z, struct bio_list *failed)
{
	struct bio *bio;
	u32 nr = 0;

	lockdep_assert_held(&z->lock);
	if (likely(!raizn_early_waits(z)))
		return;
	while (nr++ < EARLY_AT_ONCE && raizn_budget_has_room(z) &&
	       (bio = raizn_early_take(z))) {
		bio->bi_status = raizn_accept_write(z, bio);
		bio_list_add(bio->bi_status ? failed : &z->pending, bio);
	}
}

/**
 * raizn_zone_load() - set a zone up as it was found on the members
 * @z:		zone of an array that takes no I/O yet
 * @wp:		write pointer (sectors in the zone)
 * @finished:	the zone was finished
 *
 * More zones may be active than users may have.  Return: 0, or -ENOSPC when raizn_open_zones_init()
 * made no room for the zone.
 */
int raizn_zone_load(struct raizn_zone *z, u32 wp, bool finished)
{
	struct raizn_array *arr = z->arr;
	int err = 0;

	z->wp = wp;
	z->readable = wp;
	if (finished || wp == arr->geo.zone_cap) {
		z->cond = BLK_ZONE_COND_FULL;
		return 0;
	}
	if (!wp)
		return 0;

	spin_lock_irq(&z->lock);
	spin_lock(&arr->cond_lock);
	if (take_open_zone(z)) {
		z->cond = BLK_ZONE_COND_CLOSED;
		z->oz->issued = wp;
		z->oz->completed = wp;
		/* raizn_pp_log_start() makes this true before any I/O. */
		z->oz->logged = wp;
		z->oz->protected = wp;
		z->oz->durable = wp;
	} else {
		err = -ENOSPC;
	}
	spin_unlock(&arr->cond_lock);
	spin_unlock_irq(&z->lock);
	return err;
}

/**
 * raizn_zone_load_damaged() - set up a zone that can only be read in part
 * @z:		zone of an array that takes no I/O yet
 * @wp:		offset below which nothing was lost, and reads may decode (sectors)
 * @readable:	offset below which the columns that are there are complete; all other
 *		reads fail, because the sectors are not known to be zeros
 */
void raizn_zone_load_damaged(struct raizn_zone *z, u32 wp, u32 readable)
{
	z->wp = wp;
	z->readable = readable;
	z->cond = BLK_ZONE_COND_READONLY;
}

/*
 * Of a damaged zone, the end of the data to save.  If parity makes up for the missing columns,
 * data behind z->wp cannot be decoded, but read.
 */
static u32 reported_wp(const struct raizn_zone *z)
{
	if (!raizn_zone_damaged(z) || z->oz || raizn_zone_too_many(z, raizn_zone_lost(z)))
		return z->wp;
	return z->readable;
}

/**
 * raizn_zone_describe() - fill in the zone report of a zone
 * @z:		zone
 * @zone:	filled
 */
void raizn_zone_describe(struct raizn_zone *z, struct blk_zone *zone)
{
	const struct raizn_geometry *geo = &z->arr->geo;

	memset(zone, 0, sizeof(*zone));
	zone->start = (u64)raizn_zone_number(z) << geo->zone_shift;
	zone->len = geo->zone_size;
	zone->capacity = geo->zone_cap;
	zone->type = BLK_ZONE_TYPE_SEQWRITE_REQ;
	spin_lock_irq(&z->lock);
	zone->cond = READ_ONCE(z->cond);
	if (zone->cond == BLK_ZONE_COND_FULL)
		zone->wp = zone->start + zone->len;
	else
		zone->wp = zone->start + reported_wp(z);
	spin_unlock_irq(&z->lock);
}
