/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Since when an array waits for its drives, for who asks.
 */
#ifndef WAITING_H
#define WAITING_H

#include <time.h>

#include "../raizn/format.h"

/* It begins to wait for its drives; until this process ends, or waiting_end(). */
int waiting_begin(const u8 *uuid);

void waiting_end(int fd, const u8 *uuid);

/* Since when does it wait?  False if it does not. */
bool waiting_since(const u8 *uuid, time_t *since);

#endif /* WAITING_H */
