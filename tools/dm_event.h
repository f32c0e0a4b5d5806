/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waiting until something changes about mapped devices.  The kernel tells that
 * something did, not what.
 */
#ifndef DM_EVENT_H
#define DM_EVENT_H

#include <stdbool.h>

/* Begin to listen; return a descriptor, or -1 after a message. */
int dm_event_open(void);

void dm_event_close(int fd);

/* What happens from now on ends the next dm_event_wait(); so look at what is of
 * interest after this.  Return TOOL_OK, or TOOL_FAILED after a message.
 */
int dm_event_arm(int fd);

/* Wait for an event, or for so many milliseconds if that is not negative; return TOOL_OK,
 * or TOOL_FAILED after a message.
 */
int dm_event_wait(int fd, int timeout);

#endif /* DM_EVENT_H */
