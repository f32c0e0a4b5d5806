// SPDX-License-Identifier: GPL-2.0
/*
 * appendload - zone appends for the benchmark: user space cannot submit them
 *
 * Writing "DEVICE KIB DEPTH ZONES MILLISECONDS" to the module's parameter "run"
 * appends so many KiB at a time, so many of them in flight, to so many zones in turns
 * and then to the next ones, until the time is over or the device is full; the writer
 * waits for that.  What was seen is in the parameter "result" afterwards:
 *
 *   APPENDS NANOSECONDS MEDIAN
 *
 * the last one the latency of an append, in nanoseconds, to within a sixteenth.
 * The zones must be empty.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "../append/compat.h"

#define MAX_DEPTH	64
#define MAX_KIB		1024
#define MAX_ZONES	64

/* Latencies are counted by their power of two and the four bits below the top one. */
#define STEP_BITS	4
#define NR_STEPS	(64 << STEP_BITS)

/**
 * struct slot - one append in flight
 * @bio:	the append; its data is that of the load
 * @vec:	its only bio_vec
 * @load:	what it is part of
 * @begun:	when it was submitted
 * @busy:	it is under way
 */
struct slot {
	struct bio bio;
	struct bio_vec vec;
	struct load *load;
	u64 begun;
	bool busy;
};

/**
 * struct load - one run
 * @bdev:	the device
 * @page:	what is appended, again and again: memory in one piece
 * @bytes:	of an append
 * @slots:	appends
 * @depth:	number of them
 * @error:	of any append
 * @steps:	completions by latency
 */
struct load {
	struct block_device *bdev;
	struct page *page;
	unsigned int bytes;
	struct slot *slots;
	unsigned int depth;
	int error;
	atomic_t steps[NR_STEPS];
};

static DEFINE_MUTEX(run_mutex);
/* Outlives a run: it is used after the last look at one. */
static DECLARE_WAIT_QUEUE_HEAD(done_wait);
static char result[64] = "none";

static unsigned int step_of(u64 ns)
{
	unsigned int top = fls64(ns | BIT(STEP_BITS)) - 1;

	return (top << STEP_BITS) +
	       ((ns >> (top - STEP_BITS)) & (BIT(STEP_BITS) - 1));
}

static u64 step_ns(unsigned int step)
{
	unsigned int top = step >> STEP_BITS;

	return (BIT_ULL(STEP_BITS) + (step & (BIT(STEP_BITS) - 1))) <<
	       (top - STEP_BITS);
}

static u64 median_ns(struct load *load, u64 nr)
{
	unsigned int i;
	u64 seen = 0;

	for (i = STEP_BITS << STEP_BITS; i < NR_STEPS; i++) {
		seen += atomic_read(&load->steps[i]);
		if (seen * 2 >= nr)
			return step_ns(i);
	}
	return 0;
}

static void append_done(struct bio *bio)
{
	struct slot *slot = container_of(bio, struct slot, bio);
	struct load *load = slot->load;

	atomic_inc(&load->steps[step_of(ktime_get_ns() - slot->begun)]);
	if (bio->bi_status)
		WRITE_ONCE(load->error, blk_status_to_errno(bio->bi_status));
	bio_uninit(bio);
	/* With is_busy(): whoever sees it idle may use it again. */
	smp_store_release(&slot->busy, false);
	wake_up(&done_wait);
}

static bool is_busy(struct slot *slot)
{
	/* With append_done(). */
	return smp_load_acquire(&slot->busy);
}

static void append(struct load *load, struct slot *slot, sector_t zone)
{
	bio_init(&slot->bio, load->bdev, &slot->vec, 1,
		 REQ_OP_ZONE_APPEND | REQ_SYNC | REQ_IDLE);
	slot->bio.bi_iter.bi_sector = zone;
	slot->bio.bi_end_io = append_done;
	__bio_add_page(&slot->bio, load->page, load->bytes, 0);
	slot->busy = true;
	slot->begun = ktime_get_ns();
	submit_bio(&slot->bio);
}

static unsigned int nr_idle(struct load *load)
{
	unsigned int nr = 0, i;

	for (i = 0; i < load->depth; i++)
		nr += !is_busy(&load->slots[i]);
	return nr;
}

/* Begin of the zone of an append: some in turns until they are full, then the next. */
static sector_t zone_of(struct load *load, unsigned int zones, u64 number)
{
	sector_t size = bdev_zone_sectors(load->bdev);
	u32 each = div_u64(size, load->bytes >> SECTOR_SHIFT);
	u32 turn;
	u64 full = div_u64_rem(number, each * zones, &turn) * zones;

	return (full + turn % zones) * size;
}

/*
 * Appends until @end or until @most of them; returns their number.  A half of them
 * is submitted at once, as a program with many of them would.
 */
static u64 append_all(struct load *load, unsigned int zones, u64 end, u64 most)
{
	unsigned int batch = max(load->depth / 2, 1U), i;
	struct blk_plug plug;
	u64 nr = 0;

	while (nr < most && !READ_ONCE(load->error) && ktime_get_ns() < end) {
		wait_event(done_wait, nr_idle(load) >= batch);
		blk_start_plug(&plug);
		for (i = 0; i < load->depth && nr < most; i++)
			if (!is_busy(&load->slots[i])) {
				append(load, &load->slots[i],
				       zone_of(load, zones, nr));
				nr++;
			}
		blk_finish_plug(&plug);
	}
	wait_event(done_wait, nr_idle(load) == load->depth);
	return nr;
}

static int load_run(struct load *load, unsigned int zones, unsigned int ms)
{
	u64 begun = ktime_get_ns(), end = begun + (u64)ms * NSEC_PER_MSEC;
	u64 most = div_u64(bdev_zone_sectors(load->bdev),
			   load->bytes >> SECTOR_SHIFT) *
		   rounddown(bdev_nr_zones(load->bdev), zones);
	u64 nr = append_all(load, zones, end, most);

	scnprintf(result, sizeof(result), "%llu %llu %llu", nr,
		  ktime_get_ns() - begun, median_ns(load, nr));
	return load->error;
}

static struct load *load_alloc(struct block_device *bdev, unsigned int kib,
			       unsigned int depth)
{
	struct load *load = kvzalloc(sizeof(*load), GFP_KERNEL);
	unsigned int i;

	if (!load)
		return NULL;
	load->bdev = bdev;
	load->bytes = kib * SZ_1K;
	load->depth = depth;
	load->page = alloc_pages(GFP_KERNEL | __GFP_ZERO, get_order(load->bytes));
	load->slots = kvcalloc(depth, sizeof(*load->slots), GFP_KERNEL);
	for (i = 0; load->slots && i < depth; i++)
		load->slots[i].load = load;
	return load;
}

static void load_free(struct load *load)
{
	if (load->page)
		__free_pages(load->page, get_order(load->bytes));
	kvfree(load->slots);
	kvfree(load);
}

static int run_on(struct block_device *bdev, unsigned int kib,
		  unsigned int depth, unsigned int zones, unsigned int ms)
{
	struct load *load;
	int error = -ENOMEM;

	if (!bdev_is_zoned(bdev) ||
	    kib * 2 > bdev_max_zone_append_sectors(bdev))
		return -EOPNOTSUPP;
	load = load_alloc(bdev, kib, depth);
	if (!load)
		return -ENOMEM;
	if (load->page && load->slots)
		error = load_run(load, zones, ms);
	load_free(load);
	return error;
}

static int set_run(const char *text, const struct kernel_param *param)
{
	unsigned int kib, depth, zones, ms;
	struct opened opened;
	char device[64];
	int error;

	if (sscanf(text, "%63s %u %u %u %u", device, &kib, &depth, &zones,
		   &ms) != 5 || !kib || kib > MAX_KIB || kib % 4 || !depth ||
	    depth > MAX_DEPTH || !zones || zones > MAX_ZONES)
		return -EINVAL;
	mutex_lock(&run_mutex);
	error = open_device(&opened, device);
	if (!error) {
		error = run_on(opened.bdev, kib, depth, zones, ms);
		close_device(&opened);
	}
	mutex_unlock(&run_mutex);
	return error;
}

static const struct kernel_param_ops run_ops = { .set = set_run };
module_param_cb(run, &run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "written: appends, and waits for that");
module_param_string(result, result, sizeof(result), 0444);
MODULE_PARM_DESC(result, "of the last run: appends, ns, median latency in ns");

static int __init appendload_init(void)
{
	return 0;
}

static void __exit appendload_exit(void)
{
}

module_init(appendload_init);
module_exit(appendload_exit);

MODULE_DESCRIPTION("zone appends for the benchmark");
MODULE_LICENSE("GPL");
