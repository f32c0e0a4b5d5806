// SPDX-License-Identifier: GPL-2.0
/*
 * Budgets: how many sectors of user writes may be under way.
 *
 * Each stripe under way holds a parity buffer and perhaps copies of its data until the
 * drives have written it. From 6.10 on the block layer queues a zone's writes without
 * limit, so writes under way are bounded here: for each zone, and for the array. A writer
 * beyond a budget waits, or gets EAGAIN if it must not wait; once a suspend has begun its
 * write is kept instead, because the writer could come again too late. Later writes of the
 * zone are out of order then, and wait as well: see early.c.
 *
 * Waiting always ends: writes under way were issued to the drives, or are about to be by a
 * zone's worker, and do not depend on writers that wait. A plug that holds writes back ends
 * as soon as its task sleeps.
 */
#include <linux/mm.h>

#include "io/io.h"

/* Budget of each zone: enough to keep the drives busy with one zone only. */
#define ZONE_BYTES	(16U << 20)

/* Budget of all zones: a part of the memory, within bounds. */
#define MEMORY_PART	16U
#define LEAST_BYTES	(32ULL << 20)
#define MOST_BYTES	(1024ULL << 20)

/**
 * raizn_budget_init() - set the budgets for this machine and geometry
 * @arr:	array with its geometry
 */
void raizn_budget_init(struct raizn_array *arr)
{
	u64 memory = (u64)totalram_pages() << PAGE_SHIFT;

	arr->zone_budget = max(ZONE_BYTES >> SECTOR_SHIFT, 2 * arr->geo.stripe);
	arr->budget = clamp(memory / MEMORY_PART, LEAST_BYTES, MOST_BYTES) >>
		      SECTOR_SHIFT;
}

/**
 * raizn_budget_init_zone() - no writer waits for room
 * @oz:	open zone of an array that is being made
 */
void raizn_budget_init_zone(struct raizn_open_zone *oz)
{
	atomic_set(&oz->sleepers, 0);
	oz->turned_away = jiffies - RAIZN_COMES_AGAIN - 1;
}

/* Sectors that were accepted and are not completed. */
static u32 under_way(const struct raizn_zone *z, const struct raizn_open_zone *oz)
{
	u32 wp = READ_ONCE(z->wp), completed = READ_ONCE(oz->completed);

	/* With a reset to be carried out, wp is below completed. */
	return wp > completed ? wp - completed : 0;
}

static bool array_has_room(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u64 sum = 0;
	u32 i;

	if ((u64)READ_ONCE(arr->nr_active) * arr->zone_budget <= arr->budget)
		return true;
	for (i = 0; i < arr->nr_open_zones; i++) {
		z = READ_ONCE(arr->open_zones[i].zone);
		if (z)
			sum += under_way(z, &arr->open_zones[i]);
	}
	return sum < arr->budget;
}

/**
 * raizn_budget_has_room() - may a zone have more writes under way?
 * @z:		zone
 *
 * Each zone may have one batch under way, even if the array has no room.
 *
 * Context: any. With zone->lock held the zone gets no more writes meanwhile, but other
 * zones may: the array can exceed its budget by a write of each zone.
 */
bool raizn_budget_has_room(struct raizn_zone *z)
{
	struct raizn_open_zone *oz = READ_ONCE(z->oz);
	u32 sectors = oz ? under_way(z, oz) : 0;

	return sectors < RAIZN_BATCH_SECTORS ||
	       (sectors < z->arr->zone_budget && array_has_room(z->arr));
}

/**
 * raizn_budget_in_use() - are writes of a zone under way?
 * @z:		zone
 *
 * Context: any.
 */
bool raizn_budget_in_use(const struct raizn_zone *z)
{
	struct raizn_open_zone *oz = READ_ONCE(z->oz);

	return oz && under_way(z, oz);
}

/**
 * raizn_budget_turns_away() - is a writer expected that had to wait, or to come again?
 * @z:		zone
 *
 * A writer is expected while it waits. After that, or after EAGAIN, it is expected until the
 * zone's write pointer has left the offset of its write, but not longer than
 * RAIZN_COMES_AGAIN. A thread of io_uring that submits such a write again comes seconds later
 * if the CPUs are busy.
 *
 * Context: any.
 */
bool raizn_budget_turns_away(const struct raizn_zone *z)
{
	struct raizn_open_zone *oz = READ_ONCE(z->oz);

	return oz && (atomic_read(&oz->sleepers) ||
		      (READ_ONCE(oz->turned_at) == READ_ONCE(z->wp) &&
		       time_before(jiffies,
				   READ_ONCE(oz->turned_away) + RAIZN_COMES_AGAIN)));
}

/* Expect a writer at @offset. An append has no offset of its own: no write waits for it. */
static void turn_away(struct raizn_open_zone *oz, u32 offset)
{
	WRITE_ONCE(oz->turned_at, offset);
	WRITE_ONCE(oz->turned_away, jiffies);
}

static bool may_try_again(struct raizn_zone *z)
{
	return raizn_budget_has_room(z) || !raizn_array_writable(z->arr);
}

/**
 * raizn_budget_wait() - wait until a zone may have more writes under way
 * @oz:		open zone that has no room
 * @z:		zone of @oz, now or before
 * @offset:	offset of the write in the zone (sectors)
 * @nowait:	do not wait
 *
 * Context: process unless @nowait.
 * Return: BLK_STS_OK to try again, also if the array has failed; or BLK_STS_AGAIN.
 */
blk_status_t raizn_budget_wait(struct raizn_open_zone *oz, struct raizn_zone *z,
			       u32 offset, bool nowait)
{
	turn_away(oz, offset);
	if (nowait)
		return BLK_STS_AGAIN;
	atomic_inc(&oz->sleepers);
	wait_event(z->arr->sync_wait, may_try_again(z));
	turn_away(oz, offset);
	atomic_dec(&oz->sleepers);
	return BLK_STS_OK;
}

static bool may_issue(struct raizn_open_zone *oz)
{
	/* A batch that failed never moves completed. */
	return oz->issued - READ_ONCE(oz->completed) < oz->zone->arr->zone_budget ||
	       list_empty_careful(&oz->batches);
}

/**
 * raizn_budget_issue() - wait until more of a zone's writes may be issued
 * @oz:		open zone without a batch that is being built
 *
 * Needed for single writes that are larger than the budget.
 *
 * Context: the caller has claimed the zone; may sleep.
 */
void raizn_budget_issue(struct raizn_open_zone *oz)
{
	if (unlikely(!may_issue(oz)))
		wait_event(oz->zone->arr->sync_wait, may_issue(oz));
}
