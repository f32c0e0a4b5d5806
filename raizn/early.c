// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that overtook those before them.
 *
 * What is submitted while a device is suspended is kept by device mapper. At the resume
 * its worker lets go of that, one bio after the other, and whatever is submitted from
 * then on comes at once: the writes of a user who has several of a zone under way are
 * out of order (dm_queue_flush() and dm_wq_work() in drivers/md/dm.c). A suspend that is
 * interrupted does the same. So from the beginning of a suspend to some time after the
 * resume a write that does not begin at its zone's write pointer but behind it waits for
 * those that belong before it. If they do not come it fails as it would have at once.
 */
#include <linux/delay.h>

#include "raizn.h"

/* So long after a resume writes may overtake others. */
#define GRACE		(3 * HZ)
/* So long the first of them waits. */
#define PATIENCE	(2 * HZ)
/* So long device mapper takes, about, to let go of what it has held back. */
#define LETTING_GO_MS	100

static void grace_ends(struct work_struct *work)
{
	struct raizn_array *arr =
		container_of(to_delayed_work(work), struct raizn_array, grace_work);

	WRITE_ONCE(arr->grace, false);
}

/**
 * raizn_early_init() - nothing waits
 * @arr:	array that is being made
 */
void raizn_early_init(struct raizn_array *arr)
{
	spin_lock_init(&arr->early_lock);
	bio_list_init(&arr->early);
	INIT_DELAYED_WORK(&arr->early_work, raizn_early_work);
	INIT_DELAYED_WORK(&arr->grace_work, grace_ends);
}

/**
 * raizn_early_suspend() - device mapper is about to hold back what comes
 * @arr:	array
 *
 * Writes that have overtaken others have their turn before: those that they wait for
 * would be held back once more.  Context: process.
 */
void raizn_early_suspend(struct raizn_array *arr)
{
	bool again = cancel_delayed_work_sync(&arr->grace_work);

	WRITE_ONCE(arr->grace, true);
	/* Not all of what was held back the last time may be here yet. */
	if (again)
		msleep(LETTING_GO_MS);
	wait_event_timeout(arr->sync_wait, !READ_ONCE(arr->nr_early),
			   2 * PATIENCE);
}

/**
 * raizn_early_resumed() - device mapper has begun to let go of what it has held back
 * @arr:	array
 *
 * A device that was never used has held back nothing.  Context: process.
 */
void raizn_early_resumed(struct raizn_array *arr)
{
	if (READ_ONCE(arr->grace))
		queue_delayed_work(arr->zone_wq, &arr->grace_work, GRACE);
}

/**
 * raizn_early_keep() - have a write wait for those before it
 * @z:		zone; its lock is held
 * @bio:	write that was not accepted; ended later if the return is true
 *
 * Context: any.  Return: false when there is nothing that it could wait for.
 */
bool raizn_early_keep(struct raizn_zone *z, struct bio *bio)
{
	struct raizn_array *arr = z->arr;
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	u32 offset = bio->bi_iter.bi_sector & (arr->geo.zone_size - 1);

	lockdep_assert_held(&z->lock);
	if (bio_op(bio) != REQ_OP_WRITE || offset <= z->wp ||
	    offset + bio_sectors(bio) > arr->geo.zone_cap ||
	    z->cond == BLK_ZONE_COND_FULL || raizn_zone_damaged(z) ||
	    !READ_ONCE(arr->grace))
		return false;
	io->since = jiffies;
	spin_lock(&arr->early_lock);
	bio_list_add(&arr->early, bio);
	WRITE_ONCE(arr->nr_early, arr->nr_early + 1);
	spin_unlock(&arr->early_lock);
	queue_delayed_work(arr->zone_wq, &arr->early_work, PATIENCE);
	return true;
}

/* Takes one of those that wait off the list, if it is the one.  early_lock is held. */
static struct bio *take(struct raizn_array *arr,
			bool (*wanted)(struct bio *bio, const void *data),
			const void *data)
{
	struct bio_list rest = BIO_EMPTY_LIST;
	struct bio *bio, *found = NULL;

	lockdep_assert_held(&arr->early_lock);
	while ((bio = bio_list_pop(&arr->early))) {
		if (!found && wanted(bio, data))
			found = bio;
		else
			bio_list_add(&rest, bio);
	}
	arr->early = rest;
	if (found)
		WRITE_ONCE(arr->nr_early, arr->nr_early - 1);
	return found;
}

static bool is_next(struct bio *bio, const void *data)
{
	const struct raizn_zone *z = data;

	return bio->bi_iter.bi_sector ==
	       ((sector_t)raizn_zone_number(z) << z->arr->geo.zone_shift) + z->wp;
}

/**
 * raizn_early_take() - the write that waits for the zone's write pointer to be where it is
 * @z:		zone; its lock is held
 *
 * Context: any.  Return: the write, or NULL.
 */
struct bio *raizn_early_take(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	struct bio *bio;

	lockdep_assert_held(&z->lock);
	if (likely(!READ_ONCE(arr->nr_early)))
		return NULL;
	spin_lock(&arr->early_lock);
	bio = take(arr, is_next, z);
	spin_unlock(&arr->early_lock);
	wake_up(&arr->sync_wait);
	return bio;
}

static bool is_late(struct bio *bio, const void *data)
{
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));

	return time_after_eq(jiffies, io->since + PATIENCE);
}

/**
 * raizn_early_work() - what has waited too long fails
 * @work:	arr->early_work
 */
void raizn_early_work(struct work_struct *work)
{
	struct raizn_array *arr =
		container_of(to_delayed_work(work), struct raizn_array, early_work);
	struct bio *bio;
	bool more;

	do {
		spin_lock_irq(&arr->early_lock);
		bio = take(arr, is_late, NULL);
		more = arr->nr_early;
		spin_unlock_irq(&arr->early_lock);
		if (bio)
			bio_io_error(bio);
	} while (bio);
	wake_up(&arr->sync_wait);
	if (more)
		queue_delayed_work(arr->zone_wq, &arr->early_work, PATIENCE / 4);
}

/**
 * raizn_early_exit() - nothing comes any more
 * @arr:	array; nothing is under way
 */
void raizn_early_exit(struct raizn_array *arr)
{
	cancel_delayed_work_sync(&arr->grace_work);
	cancel_delayed_work_sync(&arr->early_work);
}
