// SPDX-License-Identifier: GPL-2.0
/*
 * The block driver: a command arrives, is in flight for a while, has its
 * effect, and completes.
 *
 * zs_queue_rq() takes the command in.  Without a delay it has its effect right
 * there; otherwise a timer ends its delay and a worker carries it out.  Whoever
 * makes it ZS_OVER, with zs_group.lock held, decides the answer; the submitter
 * of a command that is over when it has arrived, or else the worker, gives it.
 */
#include <linux/module.h>

#include "compat.h"

static struct workqueue_struct *zs_workers;

static int zs_kind_of(const struct request *rq)
{
	switch (req_op(rq)) {
	case REQ_OP_READ:
		return ZS_READ;
	case REQ_OP_WRITE:
		return ZS_WRITE;
	case REQ_OP_ZONE_APPEND:
		return ZS_APPEND;
	case REQ_OP_FLUSH:
		return ZS_FLUSH;
	case REQ_OP_ZONE_RESET:
		return ZS_RESET;
	case REQ_OP_ZONE_RESET_ALL:
		return ZS_RESET_ALL;
	case REQ_OP_ZONE_FINISH:
		return ZS_FINISH;
	case REQ_OP_ZONE_OPEN:
		return ZS_OPEN;
	case REQ_OP_ZONE_CLOSE:
		return ZS_CLOSE;
	default:
		return -EOPNOTSUPP;
	}
}

/* ---- completion -------------------------------------------------------- */

/* Commands whose bios end, and that themselves are not quite over. */
static atomic_t zs_ending = ATOMIC_INIT(0);

static void zs_complete_rq(struct request *rq)
{
	struct zs_cmd *cmd = blk_mq_rq_to_pdu(rq);

	if (cmd->kind == ZS_APPEND && cmd->status == BLK_STS_OK)
		rq->__sector = cmd->sector;
	atomic_inc(&zs_ending);
	blk_mq_end_request(rq, cmd->status);
	if (atomic_dec_and_test(&zs_ending))
		wake_up_var(&zs_ending);
}

/*
 * With zone write plugs (block/blk-zoned.c), as of Linux 7.3, a write that follows a
 * reset fails if a write before the reset has ended its bios, but not yet its request.
 * A drive takes longer for a reset than that lasts.  Here whoever is to end the request
 * can be preempted.
 */
static void zs_no_command_ends(void)
{
	wait_var_event(&zs_ending, !atomic_read(&zs_ending));
}

static enum hrtimer_restart zs_complete_in_irq(struct hrtimer *timer)
{
	struct zs_cmd *cmd = container_of(timer, struct zs_cmd, timer);

	zs_complete_rq(blk_mq_rq_from_pdu(cmd));
	return HRTIMER_NORESTART;
}

/* The command is over and nobody else touches it any more. */
static void zs_complete(struct zs_cmd *cmd)
{
	struct request *rq = blk_mq_rq_from_pdu(cmd);

	if (cmd->kind == ZS_RESET || cmd->kind == ZS_RESET_ALL)
		zs_no_command_ends();
	switch (cmd->completion) {
	case ZS_SOFTIRQ:
		blk_mq_complete_request(rq);
		break;
	case ZS_IRQ:
		zs_timer_setup(&cmd->timer, zs_complete_in_irq);
		hrtimer_start(&cmd->timer, 0, HRTIMER_MODE_REL);
		break;
	default:
		zs_complete_rq(rq);
	}
}

/* ---- in flight --------------------------------------------------------- */

/* A zone of the command may go bad, as its fault says. */
static void zs_aftermath(struct zs_drive *drive, struct zs_cmd *cmd)
{
	struct zs_zone *zone = zs_zone_of(drive, cmd->sector);

	if (cmd->then == ZS_THEN_READONLY)
		zs_fault_zone(drive, zone, BLK_ZONE_COND_READONLY);
	else if (cmd->then == ZS_THEN_OFFLINE)
		zs_fault_zone(drive, zone, BLK_ZONE_COND_OFFLINE);
}

static void zs_over(struct zs_drive *drive, struct zs_cmd *cmd)
{
	cmd->stage = ZS_OVER;
	list_del(&cmd->node);
	drive->nr_in_flight--;
	if (cmd->status != BLK_STS_OK)
		drive->counters[cmd->kind].errors++;
}

static void zs_carry_out(struct zs_drive *drive, struct zs_cmd *cmd)
{
	cmd->status = zs_execute(drive, cmd, cmd->effect,
				 zs_chance(drive, cmd->sector, cmd->nonce));
	if (cmd->failing != BLK_STS_OK) {
		cmd->status = cmd->failing;
		zs_aftermath(drive, cmd);
	}
	zs_over(drive, cmd);
}

static void zs_work(struct work_struct *work)
{
	struct zs_cmd *cmd = container_of(work, struct zs_cmd, work);
	struct request *rq = blk_mq_rq_from_pdu(cmd);
	struct zs_drive *drive = rq->q->queuedata;

	mutex_lock(&drive->group->lock);
	if (cmd->stage == ZS_WAITING && drive->stalled)
		cmd->stage = ZS_HELD;
	if (cmd->stage == ZS_HELD) {
		mutex_unlock(&drive->group->lock);
		return;
	}
	if (cmd->stage != ZS_OVER)
		zs_carry_out(drive, cmd);
	mutex_unlock(&drive->group->lock);
	zs_complete(cmd);
}

static enum hrtimer_restart zs_delay_ends(struct hrtimer *timer)
{
	struct zs_cmd *cmd = container_of(timer, struct zs_cmd, timer);

	queue_work(zs_workers, &cmd->work);
	return HRTIMER_NORESTART;
}

/**
 * zs_cmd_give_up - a command in flight will have no effect any more
 * @drive:	its drive
 * @cmd:	command, with its answer; completes soon
 *
 * Called with zs_group.lock held.
 */
void zs_cmd_give_up(struct zs_drive *drive, struct zs_cmd *cmd)
{
	enum zs_stage stage = cmd->stage;

	zs_over(drive, cmd);
	/* A timer that has fired has sent the worker. */
	if (stage == ZS_HELD ||
	    (stage == ZS_WAITING && hrtimer_cancel(&cmd->timer)))
		queue_work(zs_workers, &cmd->work);
}

/**
 * zs_stall - hold the commands of a drive, or release them
 * @drive:	drive
 * @stalled:	hold them
 *
 * Called with zs_group.lock held.
 */
void zs_stall(struct zs_drive *drive, bool stalled)
{
	struct zs_cmd *cmd;

	drive->stalled = stalled;
	if (stalled)
		return;
	list_for_each_entry(cmd, &drive->in_flight, node) {
		if (cmd->stage == ZS_HELD) {
			cmd->stage = ZS_WAITING;
			queue_work(zs_workers, &cmd->work);
		}
	}
}

static ktime_t zs_delay(struct zs_drive *drive, u64 chance)
{
	return ns_to_ktime(NSEC_PER_USEC *
			   (drive->latency_us +
			    chance % (drive->jitter_us + 1ULL)));
}

/* A command that is not over yet waits for its time, or has its effect. */
static void zs_start(struct zs_drive *drive, struct zs_cmd *cmd)
{
	u64 chance = zs_chance(drive, cmd->nonce, cmd->sector + cmd->kind);
	ktime_t delay;

	cmd->completion = drive->completion;
	if (cmd->completion == ZS_MIXED)
		cmd->completion = chance % ZS_MIXED;
	if (cmd->stage == ZS_OVER)
		return;
	if (drive->stalled || cmd->then == ZS_THEN_HOLD) {
		cmd->stage = ZS_HELD;
		return;
	}
	delay = ktime_add(zs_delay(drive, chance >> 8),
			  zs_zone_time(drive, cmd));
	if (delay) {
		cmd->stage = ZS_WAITING;
		hrtimer_start(&cmd->timer, delay, HRTIMER_MODE_REL);
	} else {
		zs_carry_out(drive, cmd);
	}
}

/* ---- arrival ----------------------------------------------------------- */

static void zs_count(struct zs_drive *drive, struct zs_cmd *cmd)
{
	struct zs_counter *counter = &drive->counters[cmd->kind];

	counter->commands++;
	if (zs_kind_has_data(cmd->kind))
		counter->sectors += cmd->nr_sectors;
	if (cmd->fua)
		drive->fua_writes++;
	if (cmd->kind == ZS_WRITE) {
		drive->by_class[cmd->class] += cmd->nr_sectors;
		drive->by_hint[cmd->hint] += cmd->nr_sectors;
	}
	drive->nr_in_flight++;
	drive->max_in_flight = max(drive->max_in_flight, drive->nr_in_flight);

	if (zs_kind_has_zone(cmd->kind) && cmd->kind != ZS_READ)
		cmd->nonce = ++zs_zone_of(drive, cmd->sector)->arrivals;
	else
		cmd->nonce = counter->commands;
}

static void zs_note_flush(struct zs_drive *drive)
{
	struct zs_store *store;

	list_for_each_entry(store, &drive->dirty, dirty)
		store->flushing = store->zone->data;
}

static void zs_arrive(struct zs_drive *drive, struct zs_cmd *cmd)
{
	list_add_tail(&cmd->node, &drive->in_flight);
	zs_count(drive, cmd);
	zs_count_command(drive, cmd->kind);
	if (drive->power == ZS_ON)
		zs_strike(drive, cmd);
	if (drive->power == ZS_ON && cmd->kind == ZS_FLUSH)
		zs_note_flush(drive);
}

static blk_status_t zs_queue_rq(struct blk_mq_hw_ctx *hctx,
				const struct blk_mq_queue_data *bd)
{
	struct zs_cmd *cmd = blk_mq_rq_to_pdu(bd->rq);
	struct zs_drive *drive = bd->rq->q->queuedata;
	int kind = zs_kind_of(bd->rq);
	bool over;

	if (kind < 0)
		return BLK_STS_NOTSUPP;
	memset(cmd, 0, sizeof(*cmd));
	INIT_WORK(&cmd->work, zs_work);
	zs_timer_setup(&cmd->timer, zs_delay_ends);
	cmd->kind = kind;
	if (zs_kind_has_zone(kind))
		cmd->sector = blk_rq_pos(bd->rq);
	cmd->nr_sectors = blk_rq_sectors(bd->rq);
	cmd->fua = bd->rq->cmd_flags & REQ_FUA;
	cmd->class = IOPRIO_PRIO_CLASS(req_get_ioprio(bd->rq)) % ZS_CLASSES;
	cmd->hint = bd->rq->bio ? zs_write_hint(bd->rq->bio) % ZS_HINTS : 0;
	cmd->stage = ZS_ARRIVING;
	cmd->effect = ZS_ALL;
	blk_mq_start_request(bd->rq);

	mutex_lock(&drive->group->lock);
	if (drive->power == ZS_ON && drive->disk == bd->rq->q->disk) {
		zs_arrive(drive, cmd);
	} else if (drive->refreshing && kind == ZS_RESET_ALL) {
		cmd->stage = ZS_OVER;
	} else {
		cmd->stage = ZS_OVER;
		cmd->status = BLK_STS_IOERR;
		drive->counters[kind].errors++;
	}
	zs_start(drive, cmd);
	over = cmd->stage == ZS_OVER;
	mutex_unlock(&drive->group->lock);
	if (over)
		zs_complete(cmd);
	return BLK_STS_OK;
}

/* A stalled drive is meant to be slow. */
static enum blk_eh_timer_return zs_timeout(struct request *rq)
{
	return BLK_EH_RESET_TIMER;
}

static const struct blk_mq_ops zs_mq_ops = {
	.queue_rq	= zs_queue_rq,
	.complete	= zs_complete_rq,
	.timeout	= zs_timeout,
};

/* ---- reports ----------------------------------------------------------- */

static blk_status_t zs_report_arrives(struct zs_drive *drive)
{
	struct zs_cmd cmd = { .kind = ZS_REPORT, .effect = ZS_ALL };

	if (drive->power == ZS_ON) {
		drive->counters[ZS_REPORT].commands++;
		zs_count_command(drive, ZS_REPORT);
	}
	if (drive->power == ZS_ON)
		zs_strike(drive, &cmd);
	if (drive->power != ZS_ON)
		cmd.failing = BLK_STS_IOERR;
	if (cmd.failing != BLK_STS_OK)
		drive->counters[ZS_REPORT].errors++;
	return cmd.failing;
}

/**
 * zs_report - report zones
 * @disk:	disk, perhaps one whose drive has another one by now
 * @sector:	in the first zone
 * @nr_zones:	zones at most
 * @to:		where they go
 *
 * Return: number of zones reported, or an error.
 */
int zs_report(struct gendisk *disk, sector_t sector, unsigned int nr_zones,
	      const struct zs_report_to *to)
{
	struct zs_drive *drive = disk->private_data;
	unsigned int first, i;
	blk_status_t status;
	int ret;

	mutex_lock(&drive->group->lock);
	status = drive->disk == disk ? zs_report_arrives(drive) : BLK_STS_IOERR;
	mutex_unlock(&drive->group->lock);
	if (status != BLK_STS_OK)
		return blk_status_to_errno(status);

	first = zs_zone_of(drive, sector) - drive->zones;
	if (first >= drive->nr_zones)
		return 0;
	nr_zones = min(nr_zones, drive->nr_zones - first);
	for (i = 0; i < nr_zones; i++) {
		struct zs_zone *zone = &drive->zones[first + i];
		struct blk_zone report = {
			.start = zone->start,
			.len = zone->len,
			.capacity = zone->cap,
			.type = zone->type,
		};

		mutex_lock(&drive->group->lock);
		report.wp = zs_reported_wp(zone);
		report.cond = zone->cond;
		mutex_unlock(&drive->group->lock);
		ret = zs_report_one(disk, &report, i, to);
		if (ret)
			return ret;
	}
	return nr_zones;
}

/* ---- disks ------------------------------------------------------------- */

/* The last user of a disk has gone, perhaps long after the disk did. */
static void zs_free_disk(struct gendisk *disk)
{
	struct zs_drive *drive = disk->private_data;

	config_item_put(&drive->item);
}

static const struct block_device_operations zs_disk_ops = {
	.owner		= THIS_MODULE,
	.report_zones	= zs_report_zones,
	.free_disk	= zs_free_disk,
};

static int zs_tag_set_alloc(struct zs_drive *drive)
{
	struct blk_mq_tag_set *set = &drive->tag_set;

	if (set->tags)
		return 0;
	set->ops = &zs_mq_ops;
	set->nr_hw_queues = drive->queues;
	set->queue_depth = drive->queue_depth;
	set->numa_node = NUMA_NO_NODE;
	set->cmd_size = sizeof(struct zs_cmd);
	set->flags = ZS_TAG_SET_FLAGS;
	return blk_mq_alloc_tag_set(set);
}

static void zs_set_disk(struct zs_drive *drive, struct gendisk *disk)
{
	mutex_lock(&drive->group->lock);
	drive->disk = disk;
	mutex_unlock(&drive->group->lock);
}

/**
 * zs_plug - a drive that is on gets its disk
 * @drive:	drive without a disk
 *
 * Called with zs_config_lock held.
 *
 * Return: 0 or an error.
 */
int zs_plug(struct zs_drive *drive)
{
	struct gendisk *disk;
	int ret;

	ret = zs_tag_set_alloc(drive);
	if (ret)
		return ret;
	disk = zs_disk_alloc(drive);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	strscpy(disk->disk_name, drive->name, sizeof(disk->disk_name));
	disk->flags |= GENHD_FL_NO_PART;
	disk->fops = &zs_disk_ops;
	disk->private_data = drive;
	set_capacity(disk, (sector_t)drive->nr_zones * drive->zone_size_kib * 2);
	zs_set_disk(drive, disk);
	config_item_get(&drive->item);		/* until zs_free_disk() */

	ret = zs_disk_set_zoned(drive, disk);
	if (!ret)
		ret = add_disk(disk);
	if (ret) {
		zs_set_disk(drive, NULL);
		put_disk(disk);
		config_item_put(&drive->item);
	}
	return ret;
}

/**
 * zs_refresh - make the block layer forget what it knows of a drive's zones
 * @drive:	drive that is off, with a disk that nobody has open
 *
 * Kernels that plug zone writes keep write pointers of their own.  They drop
 * them at a reset of all zones, so give them one that has no effect.  Called
 * with zs_config_lock held.
 *
 * Return: 0 or an error.
 */
int zs_refresh(struct zs_drive *drive)
{
	int ret;

	mutex_lock(&drive->group->lock);
	drive->refreshing = true;
	mutex_unlock(&drive->group->lock);
	ret = zs_reset_all_zones(drive->disk);
	mutex_lock(&drive->group->lock);
	drive->refreshing = false;
	mutex_unlock(&drive->group->lock);
	invalidate_bdev(drive->disk->part0);
	return ret;
}

/**
 * zs_unplug - the disk of a drive that is off goes away
 * @drive:	drive, with a disk or without
 *
 * Called with zs_config_lock held.
 */
void zs_unplug(struct zs_drive *drive)
{
	struct gendisk *disk = drive->disk;

	if (!disk)
		return;
	blk_mark_disk_dead(disk);
	del_gendisk(disk);
	zs_set_disk(drive, NULL);
	put_disk(disk);
}

static int __init zs_init(void)
{
	int ret;

	zs_workers = alloc_workqueue("zonesim",
				     WQ_MEM_RECLAIM | WQ_UNBOUND | WQ_HIGHPRI,
				     0);
	if (!zs_workers)
		return -ENOMEM;
	ret = zs_config_init();
	if (ret)
		destroy_workqueue(zs_workers);
	return ret;
}

static void __exit zs_exit(void)
{
	zs_config_exit();
	destroy_workqueue(zs_workers);
}

module_init(zs_init);
module_exit(zs_exit);

MODULE_DESCRIPTION("simulated zoned drives that lose power and fail on demand");
MODULE_LICENSE("GPL");
