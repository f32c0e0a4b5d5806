/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who uses a block device.
 */
#ifndef HOLDERS_H
#define HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is @node (in /sys/block) a mapped device that has no table, or only an inactive one?  It does
 * nothing, and cannot be opened.
 */
bool map_without_table(const char *node);

/* Is the drive @node (in /sys/block) part of a mapped device that is not an
 * array of ours, and has a table?
 */
bool held_by_other_map(const char *node);

/* Is it a drive of a running array of ours? */
bool held_by_array(const char *node);

/**
 * find_owner() - name who uses a block device for good
 * @dev:	device number
 * @text:	result: "mounted on /mnt", "part of md0",
 *		"mounted on /mnt in the mount namespace of process 1 (init)"
 * @size:	bytes at @text
 *
 * Return: whether it is mounted, mapped or swap space.
 */
bool find_owner(dev_t dev, char *text, size_t size);

/* The same for a process that has it open: "opened by process 1 (init)". */
bool find_process(dev_t dev, char *text, size_t size);

#endif /* HOLDERS_H */
