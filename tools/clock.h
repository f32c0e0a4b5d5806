/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A clock that nobody sets.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <time.h>

#include "../raizn/core/portable.h"

/* Milliseconds since some time. */
static inline u64 now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

#endif /* CLOCK_H */
