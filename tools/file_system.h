/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file system on a volume.
 */
#ifndef FILE_SYSTEM_H
#define FILE_SYSTEM_H

#include "drive.h"

/**
 * struct file_system - what libblkid says of it; empty where it says nothing
 * @type:	"btrfs", ...
 * @uuid:	of the file system
 * @uuid_sub:	of the device in it
 * @label:	its label
 */
struct file_system {
	char type[32];
	char uuid[64];
	char uuid_sub[64];
	char label[256];
};

/**
 * file_system_find() - the file system on a zoned volume
 * @volume:	the volume, open
 * @found:	filled
 *
 * Finds also those that libblkid does not find itself: it keeps the size of a zone in 32
 * bits, and so does not see the superblock of btrfs where zones have 4 GiB and more.
 *
 * Return: whether there is one.
 */
bool file_system_find(const struct drive *volume, struct file_system *found);

#endif /* FILE_SYSTEM_H */
