// SPDX-License-Identifier: GPL-2.0
/*
 * Has device mapper let go of all that it has held back?
 *
 * It does not tell, but it lets go in order. So just before it begins, a read of our own is
 * put behind all that it holds. When that comes back the rest is here. What is submitted in
 * the moment between that and device mapper's beginning is held back, too, and not known of;
 * nor is anything after a suspend that was interrupted, for device mapper begins before it tells.
 */
#include <linux/blk-cgroup.h>
#include <linux/highmem.h>

#include "zone/zone.h"

static void canary_end(struct bio *bio)
{
	struct raizn_array *arr = bio->bi_private;

	__free_page(bio_first_page_all(bio));
	bio_put(bio);
	/* Once it is not out any more, only RCU holds the array. */
	rcu_read_lock();
	WRITE_ONCE(arr->early->canary_out, false);
	wake_up(&arr->sync_wait);
	rcu_read_unlock();
}

/**
 * raizn_canary_send() - follow what device mapper has held back
 * @arr:	array whose device is about to be resumed
 *
 * Without memory nothing is sent, and nothing waited for.
 *
 * Context: process; the resume of a target.
 */
void raizn_canary_send(struct raizn_array *arr)
{
	struct page *page;
	struct bio *bio;

	if (READ_ONCE(arr->early->canary_out))
		return;
	page = alloc_page(GFP_NOWAIT | __GFP_NOWARN);
	if (!page)
		return;
	bio = bio_alloc(dm_disk(arr->md)->part0, 1, REQ_OP_READ,
			GFP_NOWAIT | __GFP_NOWARN);
	if (!bio) {
		__free_page(page);
		return;
	}
	/* A limit of the task's cgroup would have it come late. */
	bio_associate_blkg_from_css(bio, blkcg_root_css);
	__bio_add_page(bio, page, arr->granularity << SECTOR_SHIFT, 0);
	bio->bi_end_io = canary_end;
	bio->bi_private = arr;
	WRITE_ONCE(arr->early->canary_out, true);
	submit_bio(bio);
}

/**
 * raizn_canary_wait() - wait for all that device mapper has held back, or for a signal
 * @arr:	array
 *
 * Context: process; device mapper holds nothing back at the moment.
 */
void raizn_canary_wait(struct raizn_array *arr)
{
	wait_event_interruptible(arr->sync_wait, !READ_ONCE(arr->early->canary_out));
}
