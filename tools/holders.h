/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who uses a block device.
 */
#ifndef HOLDERS_H
#define HOLDERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Is the drive @node (in /sys/block) part of a mapped device that is not an
 * array of ours?
 */
bool held_by_other_map(const char *node);

/**
 * find_holder() - name one user of a block device
 * @dev:	device number
 * @text:	result, to follow "it is ": "mounted on /mnt", "part of md0"
 * @size:	bytes at @text
 *
 * Return: whether a user was found.
 */
bool find_holder(dev_t dev, char *text, size_t size);

#endif /* HOLDERS_H */
