/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, nothing else.  Kernels are told apart by macros
 * that came with them: BLK_ZONE_COND_ACTIVE with 6.19, BLK_FEAT_ATOMIC_WRITES
 * with 6.13, BLK_FEAT_ZONED with 6.11.  Kernels 6.9 and 6.10 are left out: their
 * interface to queue limits was on its way from one form to the other.
 */
#ifndef ZONESIM_COMPAT_H
#define ZONESIM_COMPAT_H

#include "zonesim.h"

/**
 * struct zs_report_to - where a report of zones goes
 */
struct zs_report_to {
#ifdef BLK_ZONE_COND_ACTIVE
	struct blk_report_zones_args *args;
#else
	report_zones_cb cb;
	void *data;
#endif
};

/* Reports one zone. */
static inline int zs_report_one(struct gendisk *disk, struct blk_zone *zone,
				unsigned int i, const struct zs_report_to *to)
{
#ifdef BLK_ZONE_COND_ACTIVE
	return disk_report_zone(disk, zone, i, to->args);
#else
	return to->cb(zone, i, to->data);
#endif
}

/* The operation of the disk. */
#ifdef BLK_ZONE_COND_ACTIVE
static inline int zs_report_zones(struct gendisk *disk, sector_t sector,
				  unsigned int nr_zones,
				  struct blk_report_zones_args *args)
{
	struct zs_report_to to = { .args = args };

	return zs_report(disk, sector, nr_zones, &to);
}
#else
static inline int zs_report_zones(struct gendisk *disk, sector_t sector,
				  unsigned int nr_zones, report_zones_cb cb,
				  void *data)
{
	struct zs_report_to to = { .cb = cb, .data = data };

	return zs_report(disk, sector, nr_zones, &to);
}
#endif

/* Writes had no hints in 5.18 to 6.8. */
static inline u8 zs_write_hint(const struct bio *bio)
{
#if defined(BLK_FEAT_ZONED)
	return bio->bi_write_hint;
#else
	return 0;
#endif
}

static inline void zs_timer_setup(struct hrtimer *timer,
				  enum hrtimer_restart (*expired)(struct hrtimer *))
{
#ifdef BLK_FEAT_ATOMIC_WRITES
	hrtimer_setup(timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	timer->function = expired;
#endif
}

/* A reset of all zones, as a user of the disk would submit it. */
static inline int zs_reset_all_zones(struct gendisk *disk)
{
#ifdef BLK_FEAT_ZONED
	return blkdev_zone_mgmt(disk->part0, REQ_OP_ZONE_RESET, 0,
				get_capacity(disk));
#else
	return blkdev_zone_mgmt(disk->part0, REQ_OP_ZONE_RESET, 0,
				get_capacity(disk), GFP_KERNEL);
#endif
}

/* Older kernels merge requests only when told to. */
#ifdef BLK_MQ_F_SHOULD_MERGE
#define ZS_TAG_SET_FLAGS	(BLK_MQ_F_BLOCKING | BLK_MQ_F_SHOULD_MERGE)
#else
#define ZS_TAG_SET_FLAGS	BLK_MQ_F_BLOCKING
#endif

/* NVMe drives take memory at any multiple of four bytes. */
#define ZS_DMA_ALIGNMENT	3

#ifdef BLK_FEAT_ZONED

/* A disk with the limits of the drive, or an error pointer. */
static inline struct gendisk *zs_disk_alloc(struct zs_drive *drive)
{
	struct queue_limits lim = {
		.features = BLK_FEAT_ZONED,
		.logical_block_size = drive->block_size,
		.physical_block_size = drive->physical_block_size,
		.zone_write_granularity = drive->write_granularity,
		.max_hw_sectors = drive->max_io_kib * 2,
		.dma_alignment = ZS_DMA_ALIGNMENT,
		.chunk_sectors = drive->zone_size_kib * 2,
		.max_open_zones = drive->max_open,
		.max_active_zones = drive->max_active,
	};

#ifdef BLK_FEAT_ATOMIC_WRITES
	lim.max_hw_zone_append_sectors = drive->max_append_kib * 2;
#else
	lim.max_zone_append_sectors = drive->max_append_kib * 2;
#endif
	if (drive->write_cache) {
		lim.features |= BLK_FEAT_WRITE_CACHE;
		if (drive->fua)
			lim.features |= BLK_FEAT_FUA;
	}
	return blk_mq_alloc_disk(&drive->tag_set, &lim, drive);
}

/* What is left to do when the disk has its capacity. */
static inline int zs_disk_set_zoned(struct zs_drive *drive,
				    struct gendisk *disk)
{
	return blk_revalidate_disk_zones(disk);
}

#else

static inline struct gendisk *zs_disk_alloc(struct zs_drive *drive)
{
	struct gendisk *disk = blk_mq_alloc_disk(&drive->tag_set, drive);
	struct request_queue *q;

	if (IS_ERR(disk))
		return disk;
	q = disk->queue;
	blk_queue_logical_block_size(q, drive->block_size);
	blk_queue_physical_block_size(q, drive->physical_block_size);
	blk_queue_max_hw_sectors(q, drive->max_io_kib * 2);
	blk_queue_dma_alignment(q, ZS_DMA_ALIGNMENT);
	blk_queue_chunk_sectors(q, drive->zone_size_kib * 2);
	blk_queue_write_cache(q, drive->write_cache,
			      drive->write_cache && drive->fua);
	disk_set_zoned(disk, BLK_ZONED_HM);
	if (drive->write_granularity)
		blk_queue_zone_write_granularity(q, drive->write_granularity);
	blk_queue_flag_set(QUEUE_FLAG_ZONE_RESETALL, q);
	blk_queue_required_elevator_features(q, ELEVATOR_F_ZBD_SEQ_WRITE);
	blk_queue_max_zone_append_sectors(q, drive->max_append_kib * 2);
	disk_set_max_open_zones(disk, drive->max_open);
	disk_set_max_active_zones(disk, drive->max_active);
	return disk;
}

static inline int zs_disk_set_zoned(struct zs_drive *drive,
				    struct gendisk *disk)
{
	disk->nr_zones = drive->nr_zones;
	return blk_revalidate_disk_zones(disk, NULL);
}

#endif

#endif /* ZONESIM_COMPAT_H */
