/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels before 6.10 keep writes of a zone in order only under mq-deadline.
 */
#ifndef SCHEDULER_H
#define SCHEDULER_H

#include "drive.h"

/* Does this kernel need mq-deadline on members? */
bool scheduler_needed(void);

/* Set it on @drive, or on the drives below it; return TOOL_OK, or TOOL_FAILED
 * after a message.
 */
int scheduler_set(const struct drive *drive);

#endif /* SCHEDULER_H */
