/* SPDX-License-Identifier: GPL-2.0 */
/*
 * File systems that have to rest while an array is suspended.
 */
#ifndef FREEZE_H
#define FREEZE_H

#include <sys/types.h>

/**
 * freeze_users() - freeze btrfs on a volume that is about to be suspended for a moment
 * @dev:	the volume's device number
 *
 * Device mapper has no zone reports of a suspended device.  Before Linux 6.15 btrfs asks for
 * one when it begins a block group, and is out of space, or read-only, without an answer.
 *
 * That is btrfs on the volume, or on what is mapped on it, where a mount point of it can be
 * opened.  In a balance or scrub, which would have to end for it, it is not frozen; nor is
 * it waited for more than five minutes until all is written, and one until nobody writes.
 *
 * Should this process be killed, another one thaws it when the volume goes on.
 */
void freeze_users(dev_t dev);

/* Have it go on, as soon as the volume does.  Nothing is done if nothing is frozen. */
void thaw_users(void);

#endif /* FREEZE_H */
