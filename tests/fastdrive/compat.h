/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels from 6.12 on, nothing else.  Kernels are told apart by
 * macros that came with them: BLK_ZONE_COND_ACTIVE with 6.19, BLK_FEAT_ATOMIC_WRITES
 * with 6.13.
 */
#ifndef FASTDRIVE_COMPAT_H
#define FASTDRIVE_COMPAT_H

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>

/* What a report of zones is handed on with. */
#ifdef BLK_ZONE_COND_ACTIVE
#define FD_REPORT_PARAMETERS	struct blk_report_zones_args *args
#define fd_report_one(disk, zone, i)	disk_report_zone(disk, zone, i, args)
#else
#define FD_REPORT_PARAMETERS	report_zones_cb cb, void *data
#define fd_report_one(disk, zone, i)	((void)(disk), cb(zone, i, data))
#endif

static inline void fd_timer_setup(struct hrtimer *timer,
				  enum hrtimer_restart (*expired)(struct hrtimer *))
{
#ifdef BLK_FEAT_ATOMIC_WRITES
	hrtimer_setup(timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = expired;
#endif
}

static inline void fd_limit_appends(struct queue_limits *lim,
				    unsigned int sectors)
{
#ifdef BLK_FEAT_ATOMIC_WRITES
	lim->max_hw_zone_append_sectors = sectors;
#else
	lim->max_zone_append_sectors = sectors;
#endif
}

/* Older kernels merge requests only when told to. */
#ifdef BLK_MQ_F_SHOULD_MERGE
#define FD_TAG_SET_FLAGS	BLK_MQ_F_SHOULD_MERGE
#else
#define FD_TAG_SET_FLAGS	0
#endif

#endif /* FASTDRIVE_COMPAT_H */
