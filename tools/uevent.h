/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Waking up when devices come and go.  The kernel tells which; that something did is
 * enough here.
 */
#ifndef UEVENT_H
#define UEVENT_H

#include <stdbool.h>

/* Begin to listen; return a descriptor that can be polled, or -1 if there is none. */
int uevent_open(void);

void uevent_close(int fd);

/* Forget what was heard; return whether something was. */
bool uevent_drain(int fd);

#endif /* UEVENT_H */
