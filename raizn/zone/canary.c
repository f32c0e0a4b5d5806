// SPDX-License-Identifier: GPL-2.0
/*
 * The canary: a read that shows when device mapper has released all bios that it held back.
 *
 * Device mapper does not tell when it is done, but it releases bios in order.  So just before
 * it begins, a read of our own is queued behind all held bios; when the read completes, the
 * others have arrived.  Two kinds of held bios remain unknown: those submitted between the
 * canary and the start of the release, and those of an interrupted suspend: device mapper
 * then starts the release before it tells the target.
 */
#include <linux/blk-cgroup.h>
#include <linux/highmem.h>

#include "zone/zone.h"

static void canary_end(struct bio *bio)
{
	struct raizn_array *arr = bio->bi_private;

	__free_page(bio_first_page_all(bio));
	bio_put(bio);
	/* Once canary_out is false, only RCU keeps the array alive. */
	rcu_read_lock();
	WRITE_ONCE(arr->early->canary_out, false);
	wake_up(&arr->sync_wait);
	rcu_read_unlock();
}

/**
 * raizn_canary_send() - queue a read behind all bios that device mapper holds back
 * @arr:	array; its device is about to be resumed
 *
 * Without memory no read is sent, and raizn_canary_wait() does not wait.
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
	/* A limit of the task's cgroup would delay the read. */
	bio_associate_blkg_from_css(bio, blkcg_root_css);
	__bio_add_page(bio, page, arr->granularity << SECTOR_SHIFT, 0);
	bio->bi_end_io = canary_end;
	bio->bi_private = arr;
	WRITE_ONCE(arr->early->canary_out, true);
	submit_bio(bio);
}

/**
 * raizn_canary_wait() - wait for all bios that device mapper held back, or for a signal
 * @arr:	array
 *
 * Context: process; device mapper holds nothing back at the moment.
 */
void raizn_canary_wait(struct raizn_array *arr)
{
	wait_event_interruptible(arr->sync_wait, !READ_ONCE(arr->early->canary_out));
}
