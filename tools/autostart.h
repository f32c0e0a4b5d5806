/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting an array without its owner, when its drives are there.
 */
#ifndef AUTOSTART_H
#define AUTOSTART_H

#include "../raizn/core/format.h"

/**
 * autostart() - start an array as its setting autostart says
 * @uuid:	the array; one of its drives is there
 *
 * Waits for drives that are missing, and says which; with degraded-after=SECONDS only so
 * long.  Then the array runs without them, and they are added when they come.  Ends when
 * there is nothing more to wait for: the array runs with all drives or was stopped, its
 * owner does not want this, or something but a missing drive keeps it from starting.  A record
 * of waiting.h says that it waits, or what keeps it from starting; that one stays.
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int autostart(const u8 *uuid);

#endif /* AUTOSTART_H */
