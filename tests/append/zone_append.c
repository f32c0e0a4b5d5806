// SPDX-License-Identifier: GPL-2.0
/*
 * Zone appends from inside the kernel: user space has no way to submit them.
 *
 * Loading the module does the work; it loads only when all was right.  Several
 * threads append to the same zones, many appends in flight, until the zones are
 * full or the number of appends is reached.  Then the places the device answered
 * must cover each zone from its begin to its write pointer, without a gap and
 * without an overlap, and every sector must hold what was appended there.
 *
 * The zones must be empty.  All quantities are sectors unless said otherwise.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "compat.h"

static char *device;
module_param(device, charp, 0);
MODULE_PARM_DESC(device, "path of the zoned block device");
static unsigned int first;
module_param(first, uint, 0);
MODULE_PARM_DESC(first, "first zone to use");
static unsigned int zones = 4;
module_param(zones, uint, 0);
MODULE_PARM_DESC(zones, "number of zones to use");
static unsigned int threads = 3;
module_param(threads, uint, 0);
MODULE_PARM_DESC(threads, "number of threads");
static unsigned int appends = 500;
module_param(appends, uint, 0);
MODULE_PARM_DESC(appends, "appends of each thread");
static unsigned int depth = 16;
module_param(depth, uint, 0);
MODULE_PARM_DESC(depth, "appends of a thread in flight");
static unsigned int kib = 256;
module_param(kib, uint, 0);
MODULE_PARM_DESC(kib, "longest append, KiB");

#define MARK		0x5a4f4e4541505044ULL
#define PATTERN_WORDS	(SECTOR_SIZE / sizeof(u64))
#define READ_PAGES	64U

/**
 * struct append - one append and what became of it
 * @owner:	thread
 * @id:		unique; part of the data
 * @zone:	zone number
 * @len:	sectors
 * @sector:	where the device put it
 */
struct append {
	struct appender *owner;
	u32 id;
	u32 zone;
	u32 len;
	sector_t sector;
	blk_status_t status;
};

/**
 * struct appender - a thread
 * @free:	appends that may still be submitted
 * @wait:	woken by completions
 */
struct appender {
	struct append *list;
	unsigned int number;
	unsigned int done;
	atomic_t free;
	wait_queue_head_t wait;
	struct completion ended;
	int error;
};

static struct opened opened;
static struct block_device *bdev;
static struct append *all;
static unsigned int unit;
static unsigned int max_len;

/* ---- data ------------------------------------------------------------------ */

static void fill_sector(u64 *words, u32 id, u32 index)
{
	u64 value = ((u64)id << 32 | index) * 0x9e3779b97f4a7c15ULL;
	unsigned int i;

	words[0] = MARK;
	words[1] = (u64)id << 32 | index;
	for (i = 2; i < PATTERN_WORDS; i++) {
		value += 0x9e3779b97f4a7c15ULL;
		words[i] = value ^ value >> 31;
	}
}

static bool sector_is_right(const u64 *words, u32 id, u32 index)
{
	u64 want[PATTERN_WORDS];

	fill_sector(want, id, index);
	return !memcmp(words, want, SECTOR_SIZE);
}

/* ---- appending ------------------------------------------------------------- */

static void free_pages_of(struct bio *bio)
{
	struct bvec_iter_all iter;
	struct bio_vec *bv;

	bio_for_each_segment_all(bv, bio, iter)
		__free_page(bv->bv_page);
	bio_put(bio);
}

static void append_done(struct bio *bio)
{
	struct append *a = bio->bi_private;
	struct appender *t = a->owner;

	a->sector = bio->bi_iter.bi_sector;
	a->status = bio->bi_status;
	free_pages_of(bio);
	atomic_inc(&t->free);
	wake_up(&t->wait);
}

/* Pages one by one, not always begun at their begin: bios of odd shapes. */
static struct bio *make_append(struct append *a)
{
	unsigned int left = a->len, index = 0, room, i;
	blk_opf_t opf = REQ_OP_ZONE_APPEND;
	struct page *page;
	struct bio *bio;
	void *data;

	if (!get_random_u32_below(8))
		opf |= REQ_FUA;
	bio = bio_alloc(bdev, DIV_ROUND_UP(a->len, unit), opf, GFP_KERNEL);
	bio->bi_iter.bi_sector = a->zone * bdev_zone_sectors(bdev);
	bio->bi_end_io = append_done;
	bio->bi_private = a;
	while (left) {
		page = alloc_page(GFP_KERNEL);
		if (!page) {
			free_pages_of(bio);
			return NULL;
		}
		room = min_t(unsigned int, left, PAGE_SECTORS);
		if (room > unit && !get_random_u32_below(4))
			room = unit;
		data = page_address(page);
		for (i = 0; i < room; i++)
			fill_sector(data + i * SECTOR_SIZE, a->id, index++);
		__bio_add_page(bio, page, room << SECTOR_SHIFT, 0);
		left -= room;
	}
	return bio;
}

static u32 some_length(void)
{
	u32 units = max_len / unit;

	if (get_random_u32_below(2))
		units = min(units, 8U);
	return (1 + get_random_u32_below(units)) * unit;
}

static int appender_run(void *argument)
{
	struct appender *t = argument;
	struct append *a;
	struct bio *bio;
	unsigned int i;

	for (i = 0; i < appends; i++) {
		a = &t->list[i];
		a->owner = t;
		a->id = t->number * appends + i + 1;
		a->zone = first + get_random_u32_below(zones);
		a->len = some_length();
		bio = make_append(a);
		if (!bio) {
			t->error = -ENOMEM;
			break;
		}
		wait_event(t->wait, atomic_add_unless(&t->free, -1, 0));
		t->done++;
		submit_bio(bio);
	}
	wait_event(t->wait, atomic_read(&t->free) == depth);
	complete(&t->ended);
	return 0;
}

static int append_all(struct appender *list)
{
	struct task_struct *task;
	int error = 0;
	unsigned int i;

	for (i = 0; i < threads; i++) {
		struct appender *t = &list[i];

		t->number = i;
		t->list = all + (size_t)i * appends;
		atomic_set(&t->free, depth);
		init_waitqueue_head(&t->wait);
		init_completion(&t->ended);
		task = kthread_run(appender_run, t, "zone_append/%u", i);
		if (IS_ERR(task)) {
			t->error = PTR_ERR(task);
			complete(&t->ended);
		}
	}
	for (i = 0; i < threads; i++) {
		wait_for_completion(&list[i].ended);
		if (list[i].error)
			error = list[i].error;
	}
	return error;
}

/* ---- checking ---------------------------------------------------------------- */

static int by_sector(const void *a, const void *b)
{
	const struct append *x = a, *y = b;

	if (x->sector != y->sector)
		return x->sector < y->sector ? -1 : 1;
	return 0;
}

static int take_zone(struct blk_zone *zone, unsigned int index, void *data)
{
	*(struct blk_zone *)data = *zone;
	return 0;
}

static int read_sectors(void *buf, sector_t sector, unsigned int nr)
{
	struct bio *bio = bio_alloc(bdev, READ_PAGES, REQ_OP_READ, GFP_KERNEL);
	unsigned int bytes = nr << SECTOR_SHIFT, at, len;
	int error;

	bio->bi_iter.bi_sector = sector;
	for (at = 0; at < bytes; at += len) {
		len = min_t(unsigned int, bytes - at, PAGE_SIZE);
		__bio_add_page(bio, vmalloc_to_page(buf + at), len, 0);
	}
	error = submit_bio_wait(bio);
	bio_put(bio);
	return error;
}

static int check_append(const struct append *a, void *buf)
{
	unsigned int at, nr, i;

	for (at = 0; at < a->len; at += nr) {
		nr = min_t(unsigned int, a->len - at,
			   READ_PAGES * PAGE_SECTORS);
		if (read_sectors(buf, a->sector + at, nr)) {
			pr_err("sector %llu+%u cannot be read\n",
			       (u64)a->sector + at, nr);
			return -EIO;
		}
		for (i = 0; i < nr; i++) {
			if (sector_is_right(buf + i * SECTOR_SIZE, a->id,
					    at + i))
				continue;
			pr_err("append %u of %u sectors at %llu: sector %u of it holds %016llx %016llx\n",
			       a->id, a->len, (u64)a->sector, at + i,
			       ((u64 *)(buf + i * SECTOR_SIZE))[0],
			       ((u64 *)(buf + i * SECTOR_SIZE))[1]);
			return -EIO;
		}
	}
	return 0;
}

/* @list: the zone's successful appends, in order of their sectors. */
static int check_zone(u32 number, const struct append *list, unsigned int nr,
		      void *buf, sector_t *left)
{
	struct blk_zone zone;
	unsigned int i;
	sector_t at;

	if (blkdev_report_zones(bdev, number * bdev_zone_sectors(bdev), 1,
				take_zone, &zone) != 1)
		return -EIO;
	at = zone.start;
	for (i = 0; i < nr; i++) {
		if (list[i].sector != at) {
			pr_err("zone %u: an append is at %llu, the one before it ends at %llu\n",
			       number, (u64)list[i].sector, (u64)at);
			return -EIO;
		}
		at += list[i].len;
		if (check_append(&list[i], buf))
			return -EIO;
	}
	*left = zone.start + zone.capacity - at;
	if (at > zone.start + zone.capacity ||
	    (zone.cond == BLK_ZONE_COND_FULL ? *left : zone.wp != at)) {
		pr_err("zone %u: condition %u, write pointer %llu, the appends end at %llu\n",
		       number, zone.cond, zone.wp, (u64)at);
		return -EIO;
	}
	return 0;
}

/* May an append of this length have failed? Only where it found no room. */
static int check_failures(const struct append *list, unsigned int nr,
			  const sector_t *left)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!list[i].status || list[i].len > left[list[i].zone - first])
			continue;
		pr_err("zone %u: an append of %u sectors failed (%d), %llu are left\n",
		       list[i].zone, list[i].len,
		       blk_status_to_errno(list[i].status),
		       (u64)left[list[i].zone - first]);
		return -EIO;
	}
	return 0;
}

static int check_all(unsigned int nr)
{
	struct append *zone_list;
	unsigned int z, i, n, good = 0;
	sector_t *left;
	u64 total = 0;
	int error = -ENOMEM;
	void *buf;

	zone_list = vmalloc(array_size(nr, sizeof(*zone_list)));
	left = kcalloc(zones, sizeof(*left), GFP_KERNEL);
	buf = vmalloc(READ_PAGES * PAGE_SIZE);
	if (!zone_list || !left || !buf)
		goto out;
	for (z = 0; z < zones; z++) {
		for (i = 0, n = 0; i < nr; i++)
			if (all[i].zone == first + z && !all[i].status) {
				zone_list[n++] = all[i];
				total += all[i].len;
			}
		sort(zone_list, n, sizeof(*zone_list), by_sector, NULL);
		error = check_zone(first + z, zone_list, n, buf, &left[z]);
		if (error)
			goto out;
		good += n;
	}
	error = check_failures(all, nr, left);
	if (!good)
		error = -EIO;
	pr_info("%u appends, %llu sectors, %u found no room: %s\n", good, total,
		nr - good, error ? "wrong" : "right");
out:
	vfree(buf);
	kfree(left);
	vfree(zone_list);
	return error;
}

static int run(void)
{
	struct appender *list;
	unsigned int i, nr = 0;
	int error;

	if (!bdev_is_zoned(bdev) || !bdev_max_zone_append_sectors(bdev))
		return -EOPNOTSUPP;
	unit = bdev_zone_write_granularity(bdev) >> SECTOR_SHIFT;
	max_len = min_t(unsigned int, bdev_max_zone_append_sectors(bdev),
			min(kib * 2, BIO_MAX_VECS * unit));
	max_len = rounddown(max_len, unit);
	all = vzalloc(array3_size(threads, appends, sizeof(*all)));
	list = kcalloc(threads, sizeof(*list), GFP_KERNEL);
	error = -ENOMEM;
	if (all && list)
		error = append_all(list);
	/* Close up what a thread that stopped early left out. */
	for (i = 0; all && list && i < threads; i++) {
		memmove(all + nr, all + (size_t)i * appends,
			list[i].done * sizeof(*all));
		nr += list[i].done;
	}
	if (!error)
		error = check_all(nr);
	kfree(list);
	vfree(all);
	return error;
}

static int __init zone_append_init(void)
{
	int error;

	if (!device || !zones || !threads || !appends || !depth || !kib)
		return -EINVAL;
	error = open_device(&opened, device);
	if (error)
		return error;
	bdev = opened.bdev;
	error = run();
	close_device(&opened);
	return error;
}

static void __exit zone_append_exit(void)
{
}

module_init(zone_append_init);
module_exit(zone_append_exit);

MODULE_DESCRIPTION("Test of zone appends");
MODULE_LICENSE("GPL");
