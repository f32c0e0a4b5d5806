/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two block devices that are one drive.
 */
#ifndef SAME_DRIVE_H
#define SAME_DRIVE_H

#include "drive.h"

/**
 * drive_shared() - do two block devices have a drive in common?
 * @a:		a device, maybe a mapped one
 * @b:		another
 * @node:	gets the kernel's name of the drive, if they do
 * @size:	bytes at @node
 *
 * Follows mapped devices down to what they are made of.  Drives are the same if they are one
 * device, or two paths to one: their world-wide identifiers tell.
 *
 * Return: whether they do.
 */
bool drive_shared(dev_t a, dev_t b, char *node, size_t size);

#endif /* SAME_DRIVE_H */
