/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between supported kernels, nothing else.  features.c finds those that no macro
 * shows.
 */
#ifndef RAIZN_COMPAT_H
#define RAIZN_COMPAT_H

#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/raid/pq.h>
#include <linux/raid/xor.h>
#include <linux/version.h>

#include "raizn-features.h"

/* Features that newer kernels have for certain: the probe would not find them renamed. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0) && \
	(!defined(RAIZN_HAS_ZONE_WRITE_PLUGS) || !defined(RAIZN_HAS_WRITE_HINT))
#error "features.c does not find zone write plugs or write hints"
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && \
	!defined(RAIZN_HAS_HW_ZONE_APPEND_LIMIT)
#error "features.c does not find the limit of zone appends"
#endif

/*
 * dst ^= up to four sources.  All are 64-byte aligned, len is a multiple of 512 and not 0;
 * in task context with softirqs on.  MAX_XOR_BLOCKS and xor_blocks() were removed when
 * xor_gen() was added.
 */
static inline void raizn_xor(void *dst, const void * const *srcs, unsigned int nr,
			     unsigned int len)
{
#ifdef MAX_XOR_BLOCKS
	xor_blocks(nr, len, dst, (void **)srcs);
#else
	xor_gen(dst, (void **)srcs, nr, len);
#endif
}

/*
 * P and Q of data units.  @ptrs has @disks pointers: the units, then P, then Q, all aligned as
 * for raizn_xor(), in the same context.  RAID6_MIN_DISKS is 4.
 */
static inline void raizn_raid6_generate(int disks, size_t len, void **ptrs)
{
#ifdef RAIZN_HAS_RAID6_CALL
	raid6_call.gen_syndrome(disks, len, ptrs);
#else
	raid6_gen_syndrome(disks, len, ptrs);
#endif
}

/* Has the CPU code to change P and Q by some of the data? */
static inline bool raizn_raid6_can_add(void)
{
#ifdef RAIZN_HAS_RAID6_CALL
	return raid6_call.xor_syndrome;
#else
	return raid6_can_xor_syndrome();
#endif
}

/* Add unit @pos to P and Q; of @ptrs only these three are used. */
static inline void raizn_raid6_add(int disks, int pos, size_t len, void **ptrs)
{
#ifdef RAIZN_HAS_RAID6_CALL
	raid6_call.xor_syndrome(disks, pos, pos, len, ptrs);
#else
	raid6_xor_syndrome(disks, pos, pos, len, ptrs);
#endif
}

/* Do users map a folio?  folio_mapped() was out of line, and not exported, at first. */
static inline bool raizn_folio_mapped(struct folio *folio)
{
	return folio_mapped(folio);
}

/*
 * Are a mapping's pages stable while they are written back?  File systems on the volume
 * take care of that.  The page cache of a block device is stable if its mapping says so,
 * which old kernels cannot.
 */
static inline bool raizn_write_back_is_stable(struct address_space *mapping)
{
	if (!S_ISBLK(mapping->host->i_mode))
		return true;
#ifdef RAIZN_HAS_MAPPING_STABLE_WRITES
	return mapping_stable_writes(mapping);
#else
	return false;
#endif
}

/* Host-aware drives were still a model of their own before 6.9. */
static inline bool raizn_bdev_is_host_managed(struct block_device *bdev)
{
#ifdef RAIZN_HAS_ZONED_MODEL
	return bdev_zoned_model(bdev) == BLK_ZONED_HM;
#else
	return bdev_is_zoned(bdev);
#endif
}

/* The mode of a table has a type of its own since 6.5. */
static inline bool raizn_table_is_read_only(struct dm_table *table)
{
#ifdef BLK_OPEN_WRITE
	return !(dm_table_get_mode(table) & BLK_OPEN_WRITE);
#else
	return !(dm_table_get_mode(table) & FMODE_WRITE);
#endif
}

/* New kernels stack this limit themselves: see raizn_disk_limits(). */
static inline bool raizn_bdev_is_rotational(struct block_device *bdev)
{
#ifdef BLK_FEAT_ROTATIONAL
	return false;
#else
	return !bdev_nonrot(bdev);
#endif
}

/*
 * Before zone write plugging (6.10) only an I/O scheduler, mq-deadline, keeps a
 * zone's writes in order.
 */
static inline bool raizn_bdev_lacks_scheduler(struct block_device *bdev)
{
#ifdef RAIZN_HAS_ZONE_WRITE_PLUGS
	return false;
#else
	struct request_queue *q = bdev_get_queue(bdev);

	return queue_is_mq(q) && !q->elevator;
#endif
}

/*
 * Before 6.5 a FUA write goes around the I/O scheduler, and so around the writes
 * of its zone that wait there.  Data is written without FUA on those kernels and
 * flushed.  Zone appends have no order to lose.  No header tells.
 */
static inline bool raizn_fua_keeps_order(void)
{
	return LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0);
}

/*
 * I/O priority and write hint that writes to members take from a user's write.  All have
 * @normal priority before 6.10, because the I/O scheduler takes urgent writes first, even
 * within a zone.  There were no hints in 5.18 to 6.8.
 */
static inline u16 raizn_write_ioprio(const struct bio *bio, u16 normal)
{
#ifdef RAIZN_HAS_ZONE_WRITE_PLUGS
	if (IOPRIO_PRIO_CLASS(bio->bi_ioprio) != IOPRIO_CLASS_NONE)
		return bio->bi_ioprio;
#endif
	return normal;
}

static inline u8 raizn_write_hint(const struct bio *bio)
{
#ifdef RAIZN_HAS_WRITE_HINT
	return bio->bi_write_hint;
#else
	return 0;
#endif
}

static inline void raizn_set_write_hint(struct bio *bio, u8 hint)
{
#ifdef RAIZN_HAS_WRITE_HINT
	bio->bi_write_hint = hint;
#endif
}

/* Set the limits that io_hints can set in queue_limits.  @append is in sectors. */
static inline void raizn_hint_limits(struct queue_limits *limits,
				     unsigned int append)
{
#ifdef RAIZN_HAS_HW_ZONE_APPEND_LIMIT
	limits->max_hw_zone_append_sectors = append;
#else
	limits->max_zone_append_sectors = append;
#endif
#ifdef BLK_FEAT_STABLE_WRITES
	limits->features |= BLK_FEAT_STABLE_WRITES;
#endif
}

/*
 * Set the limits that no hint sets: device mapper takes open and active zones from the
 * members after io_hints, or leaves them 0; stable writes, polling and rotation were queue
 * flags, for which device mapper asks questions that iterate_devices cannot answer with
 * "no".
 */
static inline void raizn_disk_limits(struct gendisk *disk, unsigned int open,
				     unsigned int active, bool rotational)
{
#ifdef BLK_FEAT_STABLE_WRITES
	struct queue_limits limits = queue_limits_start_update(disk->queue);

	limits.max_open_zones = open;
	limits.max_active_zones = active;
	if (queue_limits_commit_update(disk->queue, &limits))
		pr_warn("%s: cannot set the limits of open and active zones\n",
			disk->disk_name);
#else
	disk_set_max_open_zones(disk, open);
	disk_set_max_active_zones(disk, active);
	blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, disk->queue);
	blk_queue_flag_clear(QUEUE_FLAG_POLL, disk->queue);
	if (rotational)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, disk->queue);
#endif
}

/*
 * Exported to targets, but declared in drivers/md/dm.h, which the headers for building
 * modules do not include.
 */
void dm_internal_suspend_noflush(struct mapped_device *md);

/* Before 6.10 invalid requests end with one of the errors that drives also report. */
#ifdef BLK_STS_INVAL
#define RAIZN_HAS_STS_INVAL	true
#else
#define RAIZN_HAS_STS_INVAL	false
#define BLK_STS_INVAL		BLK_STS_NOTSUPP
#endif

/* Pass on one zone of a report; report callbacks moved in 6.19. */
static inline int raizn_report_zone(struct dm_report_zones_args *args,
				    struct blk_zone *zone)
{
	args->next_sector = zone->start + zone->len;
#ifdef RAIZN_HAS_REPORT_ARGS
	if (args->cb) {
		int ret = args->cb(zone, args->zone_idx, args->data);

		if (ret)
			return ret;
	}
	return disk_report_zone(args->disk, zone, args->zone_idx++,
				args->rep_args);
#else
	return args->orig_cb(zone, args->zone_idx++, args->orig_data);
#endif
}

#endif /* RAIZN_COMPAT_H */
