/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Drives that are gone while nobody asks them for anything.
 */
#ifndef VANISHED_H
#define VANISHED_H

#include "watch.h"

/* Have an array go on without a member whose drive is gone.  It would find that out by
 * itself with the next I/O to the drive.  Return whether somebody else is at work on the
 * array, and it has to be tried again.
 */
bool vanished_fail(struct watched *array);

#endif /* VANISHED_H */
