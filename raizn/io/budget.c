// SPDX-License-Identifier: GPL-2.0
/*
 * How much of what users write may be under way.
 *
 * Each stripe under way holds a parity buffer and perhaps copies of its data, which nobody
 * can take back before the drives have written it. From 6.10 on the block layer queues a
 * zone's writes without end, so what is under way has to be bounded here: in each zone, and
 * in all of the array. Whoever submits more waits, or gets EAGAIN if it must not wait; as a
 * suspend begins it is kept instead, for it could come again too late. The writes of such a zone
 * that come behind are out of order then, and wait as well: see early.c.
 *
 * Waiting always ends: what is under way was issued to the drives, or is about to be by a
 * zone's worker, and needs nothing of who waits. A plug that holds it back ends as soon as
 * its task sleeps.
 */
#include <linux/mm.h>

#include "io/io.h"

/* Of each zone: enough for drives that are busy with one zone only. */
#define ZONE_BYTES	(16U << 20)

/* Of all zones: a part of the memory, within bounds. */
#define MEMORY_PART	16U
#define LEAST_BYTES	(32ULL << 20)
#define MOST_BYTES	(1024ULL << 20)

/**
 * raizn_budget_init() - what this machine and geometry allow
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
 * raizn_budget_init_zone() - nobody waits for room
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

	/* With a reset to be carried out it is the other way round. */
	return wp > completed ? wp - completed : 0;
}

static bool array_has_room(struct raizn_array *arr)
{
	struct raizn_zone *z;
	u64 sum = 0;
	u32 i;

	if ((u64)READ_ONCE(arr->nr_active) * arr->zone_budget <= arr->budget)
		return true;
	for (i = 0; i < arr->max_active; i++) {
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
 * One batch of each zone may always be, whatever others do.
 *
 * Context: any. With zone->lock held the zone gets no more meanwhile, but others may: the array
 * can have more under way than its budget by a write of each zone.
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
 * raizn_budget_turns_away() - is a writer expected that had to wait or to come again?
 * @z:		zone
 *
 * One is until the zone's write pointer has left the place of its write, or for
 * RAIZN_COMES_AGAIN.  A thread of io_uring that submits such a write again comes seconds later
 * where the CPUs are busy.
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

/* An append has no place of its own: nobody waits for it. */
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
 * @z:		its zone, or what was its zone
 * @offset:	where in the zone the writer wants to write (sectors)
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
	/* What failed is never completed. */
	return oz->issued - READ_ONCE(oz->completed) < oz->zone->arr->zone_budget ||
	       list_empty_careful(&oz->batches);
}

/**
 * raizn_budget_issue() - wait until more of a zone's writes may be issued
 * @oz:		open zone without a batch that is being built
 *
 * For single writes that are larger than the budget.
 *
 * Context: who claimed the zone; may sleep.
 */
void raizn_budget_issue(struct raizn_open_zone *oz)
{
	if (unlikely(!may_issue(oz)))
		wait_event(oz->zone->arr->sync_wait, may_issue(oz));
}
