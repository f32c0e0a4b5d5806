/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block device as the system knows it, and its zones.
 */
#ifndef DRIVE_H
#define DRIVE_H

#include <limits.h>
#include <libzbd/zbd.h>
#include <sys/types.h>

#include "../raizn/core/format.h"

/**
 * struct drive - an open block device
 * @path:	how the user named it, or /dev/NAME
 * @opened:	the node to open: libzbd looks its name up in sysfs, so that of a
 *		mapped device is /dev/dm-N, whatever the user called it
 * @node:	name in /sys/block, e.g. "nvme0n1"
 * @sysfs:	its directory there
 * @dev:	device number
 * @fd:		open for reading, O_DIRECT, by libzbd; -1 if not host-managed
 * @nr_sectors:	size
 * @zone_size:	sectors; 0 if it is not host-managed
 * @nr_zones:	zones, a shorter last one included
 * @block_size:	logical block, bytes
 * @write_granularity: bytes of which writes are a multiple; 0 if it does not say
 * @max_open:	zones that may be open at once; 0 means no limit
 * @max_active:	zones that may be active at once; 0 means no limit
 * @max_append:	bytes of a zone append
 * @serial:	serial number, or empty
 * @model:	model, or empty
 * @wwid:	world-wide identifier, or empty
 */
struct drive {
	char path[PATH_MAX];
	char opened[PATH_MAX];
	char node[64];
	char sysfs[96];
	dev_t dev;
	int fd;
	u64 nr_sectors;
	u64 zone_size;
	u32 nr_zones;
	u32 block_size;
	u32 write_granularity;
	u32 max_open;
	u32 max_active;
	u64 max_append;
	char serial[64];
	char model[64];
	char wwid[128];
};

/* The kernel's name of the device @dev, as in /sys/block; false if there is none. */
bool drive_node(dev_t dev, char *node, size_t size);

/* The device node of @node of /sys/block. */
void drive_node_path(const char *node, char *path, size_t size);

/**
 * drive_open() - open a block device for reading and learn about it
 * @drive:	to fill
 * @path:	device node
 *
 * Return: TOOL_OK, or an exit code after a message.  A device that is not
 * host-managed is described, but not opened, and has zone_size 0.
 */
int drive_open(struct drive *drive, const char *path);

void drive_close(struct drive *drive);

/**
 * drive_tell_udev() - have udev look at what a drive holds now
 * @drive:	drive
 *
 * udev notices by itself only that somebody closes a drive that was open for writing, unless
 * it is at work on the drive in that moment; and nothing of what the kernel writes.
 */
void drive_tell_udev(const struct drive *drive);

/* A descriptor of the drive's own, as by zbd_open(3); zbd_close() it.  -1 with
 * errno set.
 */
int drive_open_zones(const struct drive *drive, int flags);

static inline bool drive_is_host_managed(const struct drive *drive)
{
	return drive->zone_size;
}

/* Report @nr zones from zone @first on into @zones (libzbd counts in bytes);
 * return TOOL_OK, or TOOL_FAILED after a message.
 */
int drive_report(const struct drive *drive, u32 first, u32 nr,
		 struct zbd_zone *zones);

/* All zones of the drive, allocated; NULL after a message. */
struct zbd_zone *drive_report_all(const struct drive *drive);

/* Bytes from the start of @zone that were written and can be read. */
u64 zone_written(const struct zbd_zone *zone);

/* Read one line of /sys/block/NODE/@attribute; false if there is none. */
bool drive_attribute(const struct drive *drive, const char *attribute,
		     char *value, size_t size);

/* Buffer for O_DIRECT; free() it.  NULL after a message. */
void *alloc_block_buffer(size_t size);

#endif /* DRIVE_H */
