// SPDX-License-Identifier: GPL-2.0
/*
 * Early writes: writes that overtook earlier writes of their zone.
 *
 * A write that begins beyond its zone's write pointer waits for the writes before it, when
 * these are known to be held back:
 *
 * - From the beginning of a suspend to some time after the resume.  Device mapper holds back
 *   bios that are submitted while a device is suspended.  At the resume its worker releases
 *   them one after the other, while bios that are submitted from then on come at once: several
 *   writes to a zone arrive out of order (dm_queue_flush() and dm_wq_work() in
 *   drivers/md/dm.c).  A suspend that is interrupted does the same.
 * - While a writer waits because of the budget, or got EAGAIN: see budget.c.  When its write
 *   has come, the waiting writes are accepted as there is room; writes that come behind them
 *   meanwhile wait as well.
 *
 * If the writes before it do not come, the early write fails as it would have at once.
 */
#include "zone/zone.h"

/* Time after a resume during which writes may overtake others. */
#define GRACE		(10 * HZ)
/* Time that a write waits when no earlier write is known to be held back. */
#define PATIENCE	(2 * HZ)
/* Writes that are checked without a pause. */
#define AT_ONCE		64U

static void grace_ends(struct work_struct *work)
{
	struct raizn_early *early =
		container_of(to_delayed_work(work), struct raizn_early, grace_work);

	WRITE_ONCE(early->grace, false);
}

/**
 * raizn_early_init() - initialize arr->early; no write waits
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

/* First waiting write of a zone, or NULL.  Its early.nr counts all of the zone. */
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

/* Count a write that is about to be inserted. */
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

/* Stop counting a write that is about to be removed. */
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

/* A write that follows no other one is a head: the write before it has not come. */
static void set_head(struct raizn_array *arr, struct rb_node *node)
{
	struct raizn_io *io = io_of(node);

	list_del_init(&io->early.head);
	if (!follows(arr, node, rb_prev(node)))
		list_add_tail(&io->early.head, &arr->early->heads);
}

/* Insert a write; false if another one has its sector already.  early->lock is held. */
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

/* Remove a write.  early->lock is held. */
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

/* Changes when a reset or finish is accepted, not when it is carried out. */
static u16 life_of(const struct raizn_zone *z)
{
	lockdep_assert_held(&z->lock);
	return z->life + z->ops;
}

/* Is a write the next one of its zone?  Otherwise it waits for one that has not come. */
static bool is_early_next(struct raizn_array *arr, struct raizn_io *io)
{
	return (sector_of(io) & (arr->geo.zone_size - 1)) == READ_ONCE(zone_of(arr, io)->wp);
}

/* Does any write wait for one that has not come? */
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
 * raizn_early_suspend() - prepare for a suspend: device mapper is about to hold back bios
 * @arr:	array
 *
 * The writes that early writes wait for have to come first: device mapper would hold them back,
 * and the suspend would wait for the early ones.  This takes little longer than a writer that
 * got EAGAIN is expected to need.  From now on a write with REQ_NOWAIT gets EAGAIN if it would
 * wait for a write that has not come.
 *
 * A write that overtakes others after this function returns and before device mapper holds
 * bios back waits in vain: the suspend does not end before that write has failed.
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
 * raizn_early_resumed() - device mapper is about to release the bios that it held back
 * @arr:	array
 *
 * Before the first resume of a device no bio was held back.  Context: process.
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
 * raizn_early_keep() - have a write wait for earlier writes, or for room
 * @z:		zone; its lock is held
 * @bio:	write that was not accepted; it is ended later if it is kept
 * @status:	reason why it was not accepted; BLK_STS_AGAIN: there is no room
 *
 * Context: any.
 * Return: BLK_STS_OK if @bio is kept; BLK_STS_AGAIN if it would have to wait, but has
 * REQ_NOWAIT and cannot be kept; @status when there is nothing to wait for.
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
 * raizn_early_take() - remove the waiting write that begins at the zone's write pointer
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
	/* A write from before a reset does not belong to the data that is written now. */
	if (io && io->early.life == life_of(z))
		bio = take_early(arr, io);
	spin_unlock(&arr->early->lock);
	if (bio && READ_ONCE(arr->early->suspending))
		wake_up(&arr->sync_wait);
	return bio;
}

/*
 * May the writes before an early one still come?  They may if device mapper holds bios back,
 * the zone is written, or a writer has to wait for the budget.  A failed array takes no more
 * writes, nor does a zone below its write pointer.
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

/* Take some writes that have waited too long.  Returns whether there may be more. */
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
 * raizn_early_work() - fail writes that have waited too long
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
 * raizn_early_exit() - stop the delayed work of early writes
 * @arr:	array; no I/O is under way
 */
void raizn_early_exit(struct raizn_array *arr)
{
	cancel_delayed_work_sync(&arr->early->grace_work);
	cancel_delayed_work_sync(&arr->early->work);
}
