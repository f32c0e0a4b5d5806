// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that overtook those before them.
 *
 * A write that does not begin at its zone's write pointer but behind it waits for those that
 * belong before it, when these are known to be held back:
 *
 * - From the beginning of a suspend to some time after the resume. What is submitted while a
 *   device is suspended is kept by device mapper. At the resume its worker lets go of that,
 *   one bio after the other, and whatever is submitted from then on comes at once: the
 *   writes of a user who has several of a zone under way are out of order (dm_queue_flush()
 *   and dm_wq_work() in drivers/md/dm.c). A suspend that is interrupted does the same.
 * - While a writer waits because of the budget, or was told to come again: see budget.c. When
 *   it has come, those that wait are accepted as there is room; what comes behind them
 *   meanwhile waits as well.
 *
 * If those before it do not come, it fails as it would have at once.
 */
#include "zone/zone.h"

/* So long after a resume writes may overtake others. */
#define GRACE		(10 * HZ)
/* So long the first of them waits where nothing is known to be held back. */
#define PATIENCE	(2 * HZ)
/* Writes that are looked at without a pause. */
#define AT_ONCE		64U

static void grace_ends(struct work_struct *work)
{
	struct raizn_early *early =
		container_of(to_delayed_work(work), struct raizn_early, grace_work);

	WRITE_ONCE(early->grace, false);
}

/**
 * raizn_early_init() - nothing waits
 * @arr:	array that is being made
 */
void raizn_early_init(struct raizn_array *arr)
{
	arr->early->arr = arr;
	spin_lock_init(&arr->early->lock);
	arr->early->writes = RB_ROOT;
	INIT_LIST_HEAD(&arr->early->queue);
	INIT_LIST_HEAD(&arr->early->heads);
	INIT_DELAYED_WORK(&arr->early->work, raizn_early_work);
	INIT_DELAYED_WORK(&arr->early->grace_work, grace_ends);
}

static struct raizn_io *io_of(struct rb_node *node)
{
	return rb_entry(node, struct raizn_io, early.node);
}

static sector_t sector_of(struct raizn_io *io)
{
	return dm_bio_from_per_bio_data(io, sizeof(*io))->bi_iter.bi_sector;
}

static struct raizn_zone *zone_of(struct raizn_array *arr, struct raizn_io *io)
{
	return &arr->zones[sector_of(io) >> arr->geo.zone_shift];
}

/* The first write of a zone, whose early.nr counts all of the zone's; or NULL. */
static struct raizn_io *first_of(struct raizn_array *arr, struct raizn_zone *z)
{
	sector_t begin = (sector_t)raizn_zone_number(z) << arr->geo.zone_shift;
	struct rb_node *node = arr->early->writes.rb_node;
	struct raizn_io *first = NULL;

	lockdep_assert_held(&arr->early->lock);
	while (node) {
		if (sector_of(io_of(node)) < begin) {
			node = node->rb_right;
		} else {
			first = io_of(node);
			node = node->rb_left;
		}
	}
	return first && zone_of(arr, first) == z ? first : NULL;
}

/* Count a write that is about to be sorted in. */
static void count_early(struct raizn_array *arr, struct raizn_io *io)
{
	struct raizn_zone *z = zone_of(arr, io);
	struct raizn_io *first = first_of(arr, z);

	if (!first) {
		io->early.nr = 1;
		set_bit(raizn_zone_number(z), arr->early->zones);
	} else if (sector_of(io) < sector_of(first)) {
		io->early.nr = first->early.nr + 1;
	} else {
		first->early.nr++;
	}
}

/* Stop counting a write that is about to be taken out. */
static void uncount_early(struct raizn_array *arr, struct raizn_io *io)
{
	struct raizn_zone *z = zone_of(arr, io);
	struct raizn_io *first = first_of(arr, z);

	if (io != first)
		first->early.nr--;
	else if (io->early.nr > 1)
		io_of(rb_next(&io->early.node))->early.nr = io->early.nr - 1;
	else
		clear_bit(raizn_zone_number(z), arr->early->zones);
}

/* Does a write begin where another one of its zone ends? */
static bool follows(const struct raizn_array *arr, struct rb_node *node,
		    struct rb_node *before)
{
	return before && sector_of(io_of(node)) & (arr->geo.zone_size - 1) &&
	       sector_of(io_of(node)) ==
	       bio_end_sector(dm_bio_from_per_bio_data(io_of(before),
						       sizeof(struct raizn_io)));
}

/* Those that follow no other one are heads: what comes before them is not here. */
static void set_head(struct raizn_array *arr, struct rb_node *node)
{
	struct raizn_io *io = io_of(node);

	list_del_init(&io->early.head);
	if (!follows(arr, node, rb_prev(node)))
		list_add_tail(&io->early.head, &arr->early->heads);
}

/* Sorts it in; false if there is one at its sector already.  early->lock is held. */
static bool put_early(struct raizn_array *arr, struct raizn_io *io)
{
	struct rb_node **link = &arr->early->writes.rb_node, *parent = NULL;
	struct rb_node *node = &io->early.node;
	sector_t sector = sector_of(io);

	lockdep_assert_held(&arr->early->lock);
	while (*link) {
		parent = *link;
		if (sector == sector_of(io_of(parent)))
			return false;
		link = sector < sector_of(io_of(parent)) ? &parent->rb_left :
							   &parent->rb_right;
	}
	count_early(arr, io);
	rb_link_node(node, parent, link);
	rb_insert_color(node, &arr->early->writes);
	INIT_LIST_HEAD(&io->early.head);
	set_head(arr, node);
	if (rb_next(node))
		set_head(arr, rb_next(node));
	list_add_tail(&io->early.queue, &arr->early->queue);
	return true;
}

/* early->lock is held. */
static struct bio *take_early(struct raizn_array *arr, struct raizn_io *io)
{
	struct rb_node *next = rb_next(&io->early.node);

	lockdep_assert_held(&arr->early->lock);
	uncount_early(arr, io);
	rb_erase(&io->early.node, &arr->early->writes);
	list_del(&io->early.head);
	if (next)
		set_head(arr, next);
	list_del(&io->early.queue);
	return dm_bio_from_per_bio_data(io, sizeof(*io));
}

static struct raizn_io *find_early(struct raizn_array *arr, sector_t sector)
{
	struct rb_node *node = arr->early->writes.rb_node;

	lockdep_assert_held(&arr->early->lock);
	while (node && sector != sector_of(io_of(node)))
		node = sector < sector_of(io_of(node)) ? node->rb_left : node->rb_right;
	return node ? io_of(node) : NULL;
}

/* Changes with each reset or finish as it is accepted, and not as it is carried out. */
static u16 life_of(const struct raizn_zone *z)
{
	lockdep_assert_held(&z->lock);
	return z->life + z->ops;
}

/* Is this write the zone's next one, or does it wait for one that is not here? */
static bool is_early_next(struct raizn_array *arr, struct raizn_io *io)
{
	return (sector_of(io) & (arr->geo.zone_size - 1)) == READ_ONCE(zone_of(arr, io)->wp);
}

/* Does any write wait for one that is not here? */
static bool has_gap(struct raizn_array *arr)
{
	struct raizn_io *io;
	bool gap = false;

	spin_lock_irq(&arr->early->lock);
	list_for_each_entry(io, &arr->early->heads, early.head) {
		gap = !is_early_next(arr, io);
		if (gap)
			break;
	}
	spin_unlock_irq(&arr->early->lock);
	return gap;
}

/**
 * raizn_early_suspend() - device mapper is about to hold back what comes
 * @arr:	array
 *
 * What writes that have overtaken others wait for has to come before: it would be held back,
 * too, and they would be waited for.  That takes no longer than a writer is expected who was
 * told to come again.  Those that may not wait themselves are told to come again from now on,
 * if they would wait for something that is not here.
 *
 * A write that overtakes others between the end of this and the moment from which device mapper
 * holds back what comes waits in vain: the suspend does not end before it has failed.
 *
 * Context: process.
 */
void raizn_early_suspend(struct raizn_array *arr)
{
	cancel_delayed_work_sync(&arr->early->grace_work);
	WRITE_ONCE(arr->early->suspending, true);
	WRITE_ONCE(arr->early->grace, true);
	raizn_canary_wait(arr);
	/* Device mapper sees the signal, too, and ends the suspend. */
	wait_event_interruptible_timeout(arr->sync_wait, !has_gap(arr),
					 RAIZN_COMES_AGAIN + 2 * PATIENCE);
}

/**
 * raizn_early_resumed() - device mapper is about to let go of what it has held back
 * @arr:	array
 *
 * A device that was never used has held back nothing.  Context: process.
 */
void raizn_early_resumed(struct raizn_array *arr)
{
	WRITE_ONCE(arr->early->suspending, false);
	if (!READ_ONCE(arr->early->grace))
		return;
	raizn_canary_send(arr);
	queue_delayed_work(arr->zone_wq, &arr->early->grace_work, GRACE);
}

/**
 * raizn_early_keep() - have a write wait for those before it, or for room
 * @z:		zone; its lock is held
 * @bio:	write that was not accepted; it is ended later if it is kept
 * @status:	why it was not accepted; BLK_STS_AGAIN: there is no room
 *
 * Context: any.
 * Return: BLK_STS_OK if it is kept; BLK_STS_AGAIN if its submitter may not wait for what it
 * would have to wait for; @status when there is nothing that it could wait for.
 */
blk_status_t raizn_early_keep(struct raizn_zone *z, struct bio *bio, blk_status_t status)
{
	struct raizn_array *arr = z->arr;
	struct raizn_io *io = dm_per_bio_data(bio, sizeof(*io));
	u32 offset = bio->bi_iter.bi_sector & (arr->geo.zone_size - 1);
	struct raizn_io *first;

	lockdep_assert_held(&z->lock);
	if (bio_op(bio) != REQ_OP_WRITE || offset < z->wp ||
	    (offset == z->wp && status != BLK_STS_AGAIN) ||
	    offset + bio_sectors(bio) > arr->geo.zone_cap ||
	    z->cond == BLK_ZONE_COND_FULL || raizn_zone_damaged(z) ||
	    (!READ_ONCE(arr->early->grace) && !READ_ONCE(arr->early->canary_out) &&
	     !raizn_budget_turns_away(z) && !raizn_early_waits(z)))
		return status;
	io->early.since = jiffies;
	io->early.life = life_of(z);
	spin_lock(&arr->early->lock);
	first = first_of(arr, z);
	if (first && first->early.nr >= RAIZN_EARLY_MAX) {
		if (bio->bi_opf & REQ_NOWAIT)
			status = BLK_STS_AGAIN;
	} else if (put_early(arr, io)) {
		status = BLK_STS_OK;
		if (READ_ONCE(arr->early->suspending) && bio->bi_opf & REQ_NOWAIT &&
		    !list_empty(&io->early.head) && !is_early_next(arr, io)) {
			take_early(arr, io);
			status = BLK_STS_AGAIN;
		}
	}
	spin_unlock(&arr->early->lock);
	if (!status)
		queue_delayed_work(arr->zone_wq, &arr->early->work, PATIENCE);
	return status;
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
	struct bio *bio = NULL;
	struct raizn_io *io;

	lockdep_assert_held(&z->lock);
	if (likely(!raizn_early_waits(z)))
		return NULL;
	spin_lock(&arr->early->lock);
	io = find_early(arr, ((sector_t)raizn_zone_number(z) << arr->geo.zone_shift) + z->wp);
	/* One from before a reset is not for what is written now. */
	if (io && io->early.life == life_of(z))
		bio = take_early(arr, io);
	spin_unlock(&arr->early->lock);
	if (bio && READ_ONCE(arr->early->suspending))
		wake_up(&arr->sync_wait);
	return bio;
}

/*
 * May those before it still come?  Device mapper holds some back, their zone is written, or
 * its writer has to wait.  An array that has failed takes no more, nor does a zone below its
 * write pointer.
 */
static bool may_wait_on(struct raizn_array *arr, struct raizn_io *io)
{
	const struct raizn_zone *z = zone_of(arr, io);
	u32 offset = sector_of(io) & (arr->geo.zone_size - 1);

	return raizn_array_writable(arr) && offset >= READ_ONCE(z->wp) &&
	       (READ_ONCE(arr->early->canary_out) || raizn_budget_turns_away(z) ||
		raizn_budget_in_use(z) ||
		(READ_ONCE(arr->early->grace) && !READ_ONCE(arr->early->suspending)));
}

/* Take some of those that have waited too long.  Returns whether there may be more. */
static bool take_late(struct raizn_array *arr, struct bio_list *late)
{
	struct raizn_io *io, *next;
	u32 nr = 0;

	spin_lock_irq(&arr->early->lock);
	list_for_each_entry_safe(io, next, &arr->early->queue, early.queue) {
		if (time_before(jiffies, io->early.since + PATIENCE) || nr++ == AT_ONCE)
			break;
		if (may_wait_on(arr, io)) {
			io->early.since = jiffies;
			list_move_tail(&io->early.queue, &arr->early->queue);
		} else {
			bio_list_add(late, take_early(arr, io));
		}
	}
	spin_unlock_irq(&arr->early->lock);
	return nr > AT_ONCE;
}

/**
 * raizn_early_work() - what has waited too long fails
 * @work:	arr->early->work
 */
void raizn_early_work(struct work_struct *work)
{
	struct raizn_early *early =
		container_of(to_delayed_work(work), struct raizn_early, work);
	struct raizn_array *arr = early->arr;
	struct bio_list late = BIO_EMPTY_LIST;
	struct bio *bio;
	bool more;

	do {
		more = take_late(arr, &late);
		while ((bio = bio_list_pop(&late)))
			bio_io_error(bio);
		cond_resched();
	} while (more);
	if (!list_empty_careful(&arr->early->queue))
		queue_delayed_work(arr->zone_wq, &arr->early->work, PATIENCE / 4);
	wake_up(&arr->sync_wait);
}

/**
 * raizn_early_exit() - nothing comes any more
 * @arr:	array; nothing is under way
 */
void raizn_early_exit(struct raizn_array *arr)
{
	cancel_delayed_work_sync(&arr->early->grace_work);
	cancel_delayed_work_sync(&arr->early->work);
}
