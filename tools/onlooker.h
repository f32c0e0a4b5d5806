/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A process that shows how far the kernel is while the one that began it waits for the kernel:
 * a system call tells nothing before it returns.
 */
#ifndef ONLOOKER_H
#define ONLOOKER_H

#include "dm.h"

/* Show that an array is started, and how far its recovery is; nothing that is done soon. */
void onlooker_of_start(const char *name, const u8 *uuid);

/* Show that an array is stopped. */
void onlooker_of_stop(const char *name);

/* What was shown is over, if anything was; @whole: nothing of it is left to do.  A message
 * before ends it, too.
 */
void onlooker_end(bool whole);

#endif /* ONLOOKER_H */
