/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An array that waits for drives: since when, for its status; and which ones it was started
 * without, for the next process that waits if the first one ends before they come, as it does
 * at the end of an initramfs.
 */
#ifndef WAITING_H
#define WAITING_H

#include <time.h>

#include "../raizn/core/format.h"

/*
 * It begins to wait for its drives; until this process ends, or waiting_end().  Returns -1 if
 * another process waits for them: the file is that one's.
 */
int waiting_begin(const u8 *uuid);

/* It was started without the drives of these slots (bits), and waits for them. */
void waiting_for_late(int fd, u32 slots);

/*
 * Go on with that after another process: like waiting_begin(), and the slots; -1 if there is
 * nothing to go on with, or another process still waits.
 */
int waiting_adopt(const u8 *uuid, u32 *slots);

void waiting_end(int fd, const u8 *uuid);

/* Since when does it wait?  False if it does not. */
bool waiting_since(const u8 *uuid, time_t *since);

#endif /* WAITING_H */
