/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drives that are gone while nobody asks them for anything.
 */
#ifndef VANISHED_H
#define VANISHED_H

#include "watch.h"

/* Are there fewer drives than members, and is it not known why? */
bool vanished_is_due(struct watched *array);

/* Have an array go on without a member whose drive is gone, if that is due.  It would find
 * that out by itself with the next I/O to the drive.  Return whether somebody else is at work
 * on the array, and it has to be tried again.
 */
bool vanished_fail(struct watched *array);

#endif /* VANISHED_H */
