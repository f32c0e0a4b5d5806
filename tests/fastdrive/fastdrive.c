// SPDX-License-Identifier: GPL-2.0
/*
 * fastdrive - drives for the benchmark: as fast as memory that is never touched,
 * with a bandwidth and a latency on demand
 *
 * Like null_blk without memory backing: a command costs the block layer's work and
 * the check of a write pointer, data is thrown away.  Unlike null_blk
 *   - the beginning of a drive keeps its data, so that an array finds its metadata
 *     there;
 *   - the limit of the bandwidth is a reservation for each command and not a
 *     budget for each tick, so that drives that are used in parallel are as fast
 *     as one by itself;
 *   - zoned and conventional drives take the same way through the same code.
 *
 * A drive is made by writing "NAME ZONES ZONE_MIB KEEP_MIB" to the module's
 * parameter "zoned" or "conventional"; all drives are gone with the module.  The
 * parameters mib_per_s, burst_us and latency_us are for all drives and can be
 * changed at any time; max_active, logical_block and poll_queues are for those that are
 * made after they were set.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/highmem.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/xarray.h>

#include "compat.h"

#define MAX_IO_SECTORS	(SZ_1M >> SECTOR_SHIFT)
#define QUEUE_DEPTH	256

static unsigned int mib_per_s;
module_param(mib_per_s, uint, 0644);
MODULE_PARM_DESC(mib_per_s, "bandwidth of each drive; 0: no limit");

static unsigned int burst_us = 2000;
module_param(burst_us, uint, 0644);
MODULE_PARM_DESC(burst_us, "bandwidth that an idle drive saves up, as time");

static unsigned int latency_us;
module_param(latency_us, uint, 0644);
MODULE_PARM_DESC(latency_us, "how long each command takes at least");

static unsigned int max_active;
module_param(max_active, uint, 0644);
MODULE_PARM_DESC(max_active, "zones that zoned drives made from now on let be active, which nobody counts; 0: all");

static unsigned int logical_block = SZ_4K;
module_param(logical_block, uint, 0644);
MODULE_PARM_DESC(logical_block, "size of logical blocks of drives made from now on");

static unsigned int poll_queues;
module_param(poll_queues, uint, 0644);
MODULE_PARM_DESC(poll_queues, "queues for polled commands of drives made from now on");

/**
 * struct fd_zone - one zone
 * @lock:	see there
 * @wp:		write pointer, relative to the zone
 * @cond:	enum blk_zone_cond
 */
struct fd_zone {
	spinlock_t lock;	/* protects what follows */
	sector_t wp;
	u8 cond;
};

/**
 * struct fd_drive - one drive
 * @node:	in the list of drives
 * @disk:	its disk
 * @tag_set:	of the disk
 * @nr_polled:	queues for polled commands
 * @zones:	NULL on a conventional drive
 * @nr_zones:	number of them
 * @zone_sectors: size and capacity of each
 * @keep:	sectors below it keep their data
 * @pages:	those data, by page number
 * @lock:	see there
 * @busy_until:	when the bandwidth is free again (ns)
 */
struct fd_drive {
	struct list_head node;
	struct gendisk *disk;
	struct blk_mq_tag_set tag_set;
	unsigned int nr_polled;
	struct fd_zone *zones;
	unsigned int nr_zones;
	sector_t zone_sectors;
	sector_t keep;
	struct xarray pages;
	spinlock_t lock;	/* protects what follows */
	u64 busy_until;
};

/**
 * struct fd_cmd - one command, behind its request
 * @timer:	its completion, if that is not at once
 * @done:	when a polled command is complete (ns)
 * @status:	the answer
 */
struct fd_cmd {
	struct hrtimer timer;
	u64 done;
	blk_status_t status;
};

/**
 * struct fd_queue - a queue for polled commands
 * @lock:	see there
 * @commands:	requests that nobody has polled for yet, oldest first
 */
struct fd_queue {
	spinlock_t lock;	/* protects what follows */
	struct list_head commands;
};

static DEFINE_MUTEX(drives_mutex);
static LIST_HEAD(drives);

/* ---- data that is kept -------------------------------------------------- */

/* @whole: all of it will be written, so that there is nothing to clear. */
static struct page *page_to_write(struct fd_drive *drive, pgoff_t index, bool whole)
{
	struct page *page = xa_load(&drive->pages, index);
	struct page *other;

	if (page)
		return page;
	page = alloc_page(GFP_ATOMIC | (whole ? 0 : __GFP_ZERO));
	if (!page)
		return NULL;
	other = xa_cmpxchg(&drive->pages, index, NULL, page, GFP_ATOMIC);
	if (other) {
		__free_page(page);
		return xa_is_err(other) ? NULL : other;
	}
	return page;
}

static bool keep_bytes(struct fd_drive *drive, u64 byte, struct bio_vec *bv)
{
	unsigned int done = 0;

	while (done < bv->bv_len) {
		unsigned int n = min_t(unsigned int, bv->bv_len - done,
				       PAGE_SIZE - offset_in_page(byte));
		struct page *page = page_to_write(drive, byte >> PAGE_SHIFT,
						  n == PAGE_SIZE);

		if (!page)
			return false;
		memcpy_page(page, offset_in_page(byte), bv->bv_page,
			    bv->bv_offset + done, n);
		done += n;
		byte += n;
	}
	return true;
}

static void recall_bytes(struct fd_drive *drive, u64 byte, struct bio_vec *bv)
{
	unsigned int done = 0;

	while (done < bv->bv_len) {
		unsigned int n = min_t(unsigned int, bv->bv_len - done,
				       PAGE_SIZE - offset_in_page(byte));
		struct page *page = xa_load(&drive->pages, byte >> PAGE_SHIFT);

		if (page)
			memcpy_page(bv->bv_page, bv->bv_offset + done, page,
				    offset_in_page(byte), n);
		else
			memzero_page(bv->bv_page, bv->bv_offset + done, n);
		done += n;
		byte += n;
	}
}

/* Data at and behind drive->keep is neither stored nor read. */
static blk_status_t transfer(struct fd_drive *drive, struct request *rq,
			     sector_t sector)
{
	struct req_iterator iter;
	struct bio_vec bv;
	u64 byte = (u64)sector << SECTOR_SHIFT;

	if (likely(sector >= drive->keep))
		return BLK_STS_OK;
	rq_for_each_segment(bv, rq, iter) {
		if (req_op(rq) == REQ_OP_READ)
			recall_bytes(drive, byte, &bv);
		else if (!keep_bytes(drive, byte, &bv))
			return BLK_STS_RESOURCE;
		byte += bv.bv_len;
	}
	return BLK_STS_OK;
}

static void forget(struct fd_drive *drive, sector_t sector, sector_t nr)
{
	unsigned long index, last = ((sector + nr) >> PAGE_SECTORS_SHIFT) - 1;
	struct page *page;

	if (sector >= drive->keep)
		return;
	xa_for_each_range(&drive->pages, index, page,
			  sector >> PAGE_SECTORS_SHIFT, last) {
		xa_erase(&drive->pages, index);
		__free_page(page);
	}
}

/* ---- zones -------------------------------------------------------------- */

static struct fd_zone *zone_of(struct fd_drive *drive, sector_t sector)
{
	return &drive->zones[sector >> ilog2(drive->zone_sectors)];
}

static sector_t zone_start(struct fd_drive *drive, struct fd_zone *zone)
{
	return (zone - drive->zones) * drive->zone_sectors;
}

/* Checks a write or append and moves the write pointer; an append gets its place. */
static blk_status_t zone_write(struct fd_drive *drive, struct request *rq)
{
	struct fd_zone *zone = zone_of(drive, blk_rq_pos(rq));
	sector_t start = zone_start(drive, zone);
	blk_status_t status = BLK_STS_IOERR;

	spin_lock(&zone->lock);
	if (req_op(rq) == REQ_OP_ZONE_APPEND)
		rq->__sector = start + zone->wp;
	if (zone->cond != BLK_ZONE_COND_FULL &&
	    blk_rq_pos(rq) == start + zone->wp &&
	    zone->wp + blk_rq_sectors(rq) <= drive->zone_sectors) {
		zone->wp += blk_rq_sectors(rq);
		zone->cond = zone->wp == drive->zone_sectors ?
			     BLK_ZONE_COND_FULL : BLK_ZONE_COND_IMP_OPEN;
		status = BLK_STS_OK;
	}
	spin_unlock(&zone->lock);
	return status;
}

/* There is no limit of open zones, so to open and close them changes little. */
static void zone_op(struct fd_drive *drive, struct fd_zone *zone,
		    enum req_op op)
{
	spin_lock(&zone->lock);
	switch (op) {
	case REQ_OP_ZONE_FINISH:
		zone->wp = drive->zone_sectors;
		zone->cond = BLK_ZONE_COND_FULL;
		break;
	case REQ_OP_ZONE_RESET:
		zone->wp = 0;
		zone->cond = BLK_ZONE_COND_EMPTY;
		break;
	case REQ_OP_ZONE_OPEN:
		if (zone->cond != BLK_ZONE_COND_FULL)
			zone->cond = BLK_ZONE_COND_EXP_OPEN;
		break;
	default:
		if (zone->cond != BLK_ZONE_COND_FULL)
			zone->cond = zone->wp ? BLK_ZONE_COND_CLOSED :
						BLK_ZONE_COND_EMPTY;
	}
	spin_unlock(&zone->lock);
	if (op == REQ_OP_ZONE_RESET)
		forget(drive, zone_start(drive, zone), drive->zone_sectors);
}

static int fd_report_zones(struct gendisk *disk, sector_t sector,
			   unsigned int nr_zones, FD_REPORT_PARAMETERS)
{
	struct fd_drive *drive = disk->private_data;
	unsigned int first = sector >> ilog2(drive->zone_sectors);
	unsigned int i;
	int ret;

	nr_zones = min(nr_zones, drive->nr_zones - first);
	for (i = 0; i < nr_zones; i++) {
		struct fd_zone *zone = &drive->zones[first + i];
		struct blk_zone report = {
			.start = zone_start(drive, zone),
			.len = drive->zone_sectors,
			.capacity = drive->zone_sectors,
			.type = BLK_ZONE_TYPE_SEQWRITE_REQ,
		};

		spin_lock(&zone->lock);
		report.wp = report.start + zone->wp;
		report.cond = zone->cond;
		spin_unlock(&zone->lock);
		ret = fd_report_one(disk, &report, i);
		if (ret)
			return ret;
	}
	return nr_zones;
}

/* ---- commands ----------------------------------------------------------- */

static blk_status_t execute(struct fd_drive *drive, struct request *rq)
{
	blk_status_t status = BLK_STS_OK;
	unsigned int i;

	switch (req_op(rq)) {
	case REQ_OP_WRITE:
	case REQ_OP_ZONE_APPEND:
		if (drive->zones)
			status = zone_write(drive, rq);
		if (status)
			return status;
		fallthrough;
	case REQ_OP_READ:
		return transfer(drive, rq, blk_rq_pos(rq));
	case REQ_OP_FLUSH:
		return BLK_STS_OK;
	case REQ_OP_ZONE_RESET_ALL:
		for (i = 0; i < drive->nr_zones; i++)
			zone_op(drive, &drive->zones[i], REQ_OP_ZONE_RESET);
		return BLK_STS_OK;
	case REQ_OP_ZONE_RESET:
	case REQ_OP_ZONE_FINISH:
	case REQ_OP_ZONE_OPEN:
	case REQ_OP_ZONE_CLOSE:
		zone_op(drive, zone_of(drive, blk_rq_pos(rq)), req_op(rq));
		return BLK_STS_OK;
	default:
		return BLK_STS_NOTSUPP;
	}
}

/*
 * When the command is done: its bytes queue up behind those of the commands before
 * it.  What an idle drive could have transferred counts, up to burst_us.
 */
static u64 due(struct fd_drive *drive, unsigned int bytes, u64 now)
{
	unsigned int rate = READ_ONCE(mib_per_s);
	u64 saved = (u64)READ_ONCE(burst_us) * NSEC_PER_USEC;
	u64 done = now;

	if (rate && bytes) {
		spin_lock(&drive->lock);
		drive->busy_until = max(drive->busy_until, now - saved) +
				    div_u64((u64)bytes * NSEC_PER_SEC,
					    rate * (u32)SZ_1M);
		done = max(drive->busy_until, now);
		spin_unlock(&drive->lock);
	}
	return done + (u64)READ_ONCE(latency_us) * NSEC_PER_USEC;
}

static void fd_complete_rq(struct request *rq)
{
	struct fd_cmd *cmd = blk_mq_rq_to_pdu(rq);

	blk_mq_end_request(rq, cmd->status);
}

static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct fd_cmd *cmd = container_of(timer, struct fd_cmd, timer);

	blk_mq_complete_request(blk_mq_rq_from_pdu(cmd));
	return HRTIMER_NORESTART;
}

static blk_status_t fd_queue_rq(struct blk_mq_hw_ctx *hctx,
				const struct blk_mq_queue_data *bd)
{
	struct fd_drive *drive = hctx->queue->queuedata;
	struct fd_cmd *cmd = blk_mq_rq_to_pdu(bd->rq);
	u64 now = 0, done = 0;

	blk_mq_start_request(bd->rq);
	cmd->status = execute(drive, bd->rq);
	if (READ_ONCE(mib_per_s) || READ_ONCE(latency_us)) {
		now = ktime_get_ns();
		done = due(drive, blk_rq_bytes(bd->rq), now);
	}
	if (hctx->type == HCTX_TYPE_POLL) {
		struct fd_queue *queue = hctx->driver_data;

		cmd->done = done;
		spin_lock(&queue->lock);
		list_add_tail(&bd->rq->queuelist, &queue->commands);
		spin_unlock(&queue->lock);
	} else if (done > now) {
		fd_timer_setup(&cmd->timer, timer_expired);
		hrtimer_start(&cmd->timer, ns_to_ktime(done), HRTIMER_MODE_ABS);
	} else {
		blk_mq_complete_request(bd->rq);
	}
	return BLK_STS_OK;
}

/* Takes the commands that are complete off their queue, to @done. */
static void take_done(struct fd_queue *queue, struct list_head *done)
{
	struct request *rq, *next;
	struct fd_cmd *cmd;

	spin_lock(&queue->lock);
	list_for_each_entry_safe(rq, next, &queue->commands, queuelist) {
		cmd = blk_mq_rq_to_pdu(rq);
		if (cmd->done && cmd->done > ktime_get_ns())
			break;
		list_move_tail(&rq->queuelist, done);
	}
	spin_unlock(&queue->lock);
}

static int fd_poll(struct blk_mq_hw_ctx *hctx, struct io_comp_batch *iob)
{
	struct request *rq, *next;
	LIST_HEAD(done);
	int nr = 0;

	take_done(hctx->driver_data, &done);
	list_for_each_entry_safe(rq, next, &done, queuelist) {
		list_del_init(&rq->queuelist);
		fd_complete_rq(rq);
		nr++;
	}
	return nr;
}

static int fd_init_hctx(struct blk_mq_hw_ctx *hctx, void *data, unsigned int index)
{
	struct fd_queue *queue = kzalloc_node(sizeof(*queue), GFP_KERNEL,
					      hctx->numa_node);

	if (!queue)
		return -ENOMEM;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->commands);
	hctx->driver_data = queue;
	return 0;
}

static void fd_exit_hctx(struct blk_mq_hw_ctx *hctx, unsigned int index)
{
	kfree(hctx->driver_data);
}

/* A queue for each CPU, and behind these the ones for polled commands. */
static void fd_map_queues(struct blk_mq_tag_set *set)
{
	struct fd_drive *drive = set->driver_data;
	struct blk_mq_queue_map *map = &set->map[HCTX_TYPE_DEFAULT];

	map->nr_queues = set->nr_hw_queues - drive->nr_polled;
	blk_mq_map_queues(map);
	if (!drive->nr_polled)
		return;
	set->map[HCTX_TYPE_READ].nr_queues = 0;
	map = &set->map[HCTX_TYPE_POLL];
	map->queue_offset = set->nr_hw_queues - drive->nr_polled;
	map->nr_queues = drive->nr_polled;
	blk_mq_map_queues(map);
}

static const struct blk_mq_ops fd_mq_ops = {
	.queue_rq	= fd_queue_rq,
	.complete	= fd_complete_rq,
	.poll		= fd_poll,
	.init_hctx	= fd_init_hctx,
	.exit_hctx	= fd_exit_hctx,
	.map_queues	= fd_map_queues,
};

/* ---- drives ------------------------------------------------------------- */

static const struct block_device_operations fd_disk_ops = {
	.owner		= THIS_MODULE,
	.report_zones	= fd_report_zones,
};

static void drive_free(struct fd_drive *drive)
{
	struct page *page;
	unsigned long index;

	if (drive->disk)
		put_disk(drive->disk);
	if (drive->tag_set.tags)
		blk_mq_free_tag_set(&drive->tag_set);
	xa_for_each(&drive->pages, index, page)
		__free_page(page);
	xa_destroy(&drive->pages);
	kvfree(drive->zones);
	kfree(drive);
}

static int make_zones(struct fd_drive *drive)
{
	unsigned int i;

	drive->zones = kvcalloc(drive->nr_zones, sizeof(*drive->zones),
				GFP_KERNEL);
	if (!drive->zones)
		return -ENOMEM;
	for (i = 0; i < drive->nr_zones; i++) {
		spin_lock_init(&drive->zones[i].lock);
		drive->zones[i].cond = BLK_ZONE_COND_EMPTY;
	}
	return 0;
}

static int make_disk(struct fd_drive *drive, const char *name)
{
	struct queue_limits lim = {
		.features = BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA,
		.logical_block_size = logical_block,
		.physical_block_size = logical_block,
		.max_hw_sectors = MAX_IO_SECTORS,
	};
	struct gendisk *disk;
	int ret;

	if (drive->zones) {
		lim.features |= BLK_FEAT_ZONED;
		lim.chunk_sectors = drive->zone_sectors;
		lim.max_open_zones = max_active;
		lim.max_active_zones = max_active;
		fd_limit_appends(&lim, MAX_IO_SECTORS);
	}
	drive->tag_set.ops = &fd_mq_ops;
	drive->tag_set.flags = FD_TAG_SET_FLAGS;
	drive->tag_set.driver_data = drive;
	drive->nr_polled = poll_queues;
	drive->tag_set.nr_hw_queues = num_online_cpus() + drive->nr_polled;
	if (drive->nr_polled)
		drive->tag_set.nr_maps = HCTX_MAX_TYPES;
	drive->tag_set.queue_depth = QUEUE_DEPTH;
	drive->tag_set.numa_node = NUMA_NO_NODE;
	drive->tag_set.cmd_size = sizeof(struct fd_cmd);
	ret = blk_mq_alloc_tag_set(&drive->tag_set);
	if (ret)
		return ret;
	disk = blk_mq_alloc_disk(&drive->tag_set, &lim, drive);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	drive->disk = disk;
	disk->flags |= GENHD_FL_NO_PART;
	disk->fops = &fd_disk_ops;
	disk->private_data = drive;
	strscpy(disk->disk_name, name, sizeof(disk->disk_name));
	set_capacity(disk, drive->nr_zones * drive->zone_sectors);
	return drive->zones ? blk_revalidate_disk_zones(disk) : 0;
}

static int make_drive(const char *text, bool zoned)
{
	unsigned int zone_mib, keep_mib;
	struct fd_drive *drive = kzalloc(sizeof(*drive), GFP_KERNEL);
	char name[32];
	int ret;

	if (!drive)
		return -ENOMEM;
	spin_lock_init(&drive->lock);
	xa_init(&drive->pages);
	ret = -EINVAL;
	if (sscanf(text, "%31s %u %u %u", name, &drive->nr_zones, &zone_mib,
		   &keep_mib) != 4 || !is_power_of_2(zone_mib) ||
	    !drive->nr_zones)
		goto fail;
	drive->zone_sectors = (sector_t)zone_mib * (SZ_1M >> SECTOR_SHIFT);
	drive->keep = (sector_t)keep_mib * (SZ_1M >> SECTOR_SHIFT);
	ret = zoned ? make_zones(drive) : 0;
	if (!ret)
		ret = make_disk(drive, name);
	if (!ret)
		ret = add_disk(drive->disk);
	if (ret)
		goto fail;
	mutex_lock(&drives_mutex);
	list_add(&drive->node, &drives);
	mutex_unlock(&drives_mutex);
	return 0;
fail:
	drive_free(drive);
	return ret;
}

static int set_zoned(const char *text, const struct kernel_param *param)
{
	return make_drive(text, true);
}

static int set_conventional(const char *text, const struct kernel_param *param)
{
	return make_drive(text, false);
}

static const struct kernel_param_ops zoned_ops = { .set = set_zoned };
static const struct kernel_param_ops conventional_ops = {
	.set = set_conventional,
};
module_param_cb(zoned, &zoned_ops, NULL, 0200);
MODULE_PARM_DESC(zoned, "written: makes a zoned drive");
module_param_cb(conventional, &conventional_ops, NULL, 0200);
MODULE_PARM_DESC(conventional, "written: makes a conventional drive");

static int __init fd_init(void)
{
	return 0;
}

static void __exit fd_exit(void)
{
	struct fd_drive *drive, *next;

	list_for_each_entry_safe(drive, next, &drives, node) {
		del_gendisk(drive->disk);
		drive_free(drive);
	}
}

module_init(fd_init);
module_exit(fd_exit);

MODULE_DESCRIPTION("drives for the benchmark, as fast as memory that is never touched");
MODULE_LICENSE("GPL");
