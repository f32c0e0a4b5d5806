// SPDX-License-Identifier: GPL-2.0
/*
 * Writes that are submitted by the completion of the one before them.
 *
 * Loading the module does the work; it loads only when all was right.  One write after the
 * other goes to the zones in turns.  On drives that complete at once each may be submitted
 * inside the one before it, and stacks have an end: that may be so for a few only.
 *
 * The zones must be empty.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"

static char *device;
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "path of the zoned block device");
static unsigned int zones = 8;
module_param(zones, uint, 0);
MODULE_PARM_DESC(zones, "number of zones to use, from the first one on");
static unsigned int writes = 400;
module_param(writes, uint, 0);
MODULE_PARM_DESC(writes, "number of writes");
static unsigned int deepest = 3;
module_param(deepest, uint, 0);
MODULE_PARM_DESC(deepest, "writes that may be inside each other");

/**
 * struct link - one write of the chain
 * @task:	who submitted it
 * @depth:	writes that it was submitted inside of, and itself
 * @inside:	submit_bio() has not returned
 */
struct link {
	struct task_struct *task;
	unsigned int depth;
	bool inside;
};

static struct opened opened;
static struct link *links;
static struct page *page;
static unsigned int submitted;
static unsigned int seen;
static blk_status_t status;
static DECLARE_COMPLETION(over);

static void submit_next(unsigned int depth);

static void write_done(struct bio *bio)
{
	struct link *link = bio->bi_private;
	unsigned int depth = 1;

	if (in_task() && READ_ONCE(link->inside) && link->task == current)
		depth += link->depth;
	seen = max(seen, depth - 1);
	status = bio->bi_status;
	bio_put(bio);
	if (status || submitted == writes || depth > deepest + 1)
		complete(&over);
	else
		submit_next(depth);
}

/* One is under way at a time, so nothing here needs a lock. */
static void submit_next(unsigned int depth)
{
	unsigned int nr = submitted++;
	struct link *link = &links[nr];
	struct bio *bio = bio_alloc(opened.bdev, 1, REQ_OP_WRITE, GFP_ATOMIC);

	if (!bio) {
		status = BLK_STS_RESOURCE;
		complete(&over);
		return;
	}
	__bio_add_page(bio, page, PAGE_SIZE, 0);
	bio->bi_iter.bi_sector = nr % zones * bdev_zone_sectors(opened.bdev) +
				 nr / zones * PAGE_SECTORS;
	bio->bi_end_io = write_done;
	bio->bi_private = link;
	link->task = current;
	link->depth = depth;
	WRITE_ONCE(link->inside, true);
	submit_bio(bio);
	WRITE_ONCE(link->inside, false);
}

static int run(void)
{
	links = vzalloc(array_size(writes, sizeof(*links)));
	page = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!links || !page)
		return -ENOMEM;
	submit_next(1);
	wait_for_completion(&over);
	pr_info("%u of %u writes, %u inside each other, error %d\n", submitted, writes,
		seen, blk_status_to_errno(status));
	if (status)
		return blk_status_to_errno(status);
	return seen > deepest ? -ELOOP : 0;
}

static int __init write_chain_init(void)
{
	int error;

	if (!device || !zones || !writes)
		return -EINVAL;
	error = open_device(&opened, device);
	if (error)
		return error;
	error = run();
	if (page)
		__free_page(page);
	close_device(&opened);
	vfree(links);
	return error;
}

static void __exit write_chain_exit(void)
{
}

module_init(write_chain_init);
module_exit(write_chain_exit);

MODULE_DESCRIPTION("Test of writes submitted by completions");
MODULE_LICENSE("GPL");
