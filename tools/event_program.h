/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that an owner wants to be run on each change.
 */
#ifndef EVENT_PROGRAM_H
#define EVENT_PROGRAM_H

#include "watch.h"

/* Run it for one change, and wait for its end: no longer than a minute, then it is killed. */
void event_program_run(const char *program, const struct change *change);

#endif /* EVENT_PROGRAM_H */
