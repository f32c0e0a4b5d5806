/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels, nothing else: how a block device is opened.
 */
#ifndef ZONE_APPEND_COMPAT_H
#define ZONE_APPEND_COMPAT_H

#include <linux/blkdev.h>
#include <linux/file.h>
#include <linux/version.h>

/**
 * struct opened - an open block device
 * @bdev:	the device
 * @file:	what holds it, in kernels that open devices as files
 */
struct opened {
	struct block_device *bdev;
	struct file *file;
};

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
static inline int open_device(struct opened *o, const char *path)
{
	o->bdev = blkdev_get_by_path(path, FMODE_READ | FMODE_WRITE, NULL);
	return PTR_ERR_OR_ZERO(o->bdev);
}

static inline void close_device(struct opened *o)
{
	blkdev_put(o->bdev, FMODE_READ | FMODE_WRITE);
}
#else
static inline int open_device(struct opened *o, const char *path)
{
	o->file = bdev_file_open_by_path(path, BLK_OPEN_READ | BLK_OPEN_WRITE,
					 NULL, NULL);
	if (IS_ERR(o->file))
		return PTR_ERR(o->file);
	o->bdev = file_bdev(o->file);
	return 0;
}

static inline void close_device(struct opened *o)
{
	fput(o->file);
}
#endif

#endif /* ZONE_APPEND_COMPAT_H */
