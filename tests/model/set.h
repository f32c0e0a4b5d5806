/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of hashes: what was seen already.
 */
#ifndef RAIZN_CRASH_SET_H
#define RAIZN_CRASH_SET_H

#include <stdio.h>
#include <stdlib.h>

#include "../../raizn/core/portable.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct set - hashes, each with a mark
 * @slot:	the hashes, the mark in the lowest bit; 0 is an empty slot
 * @size:	slots, a power of two
 * @nr:		hashes
 */
struct set {
	u64 *slot;
	u64 size;
	u64 nr;
};

/* Returns 2 when the hash is new, 1 when the mark is, 0 when nothing is new. */
int set_add(struct set *s, u64 hash, bool mark);
bool set_has(const struct set *s, u64 hash);

static inline u64 mix(u64 h, u64 v)
{
	h = (h ^ v) * 0x9fb21c651e98df25ULL;
	return h ^ (h >> 32);
}

#endif /* RAIZN_CRASH_SET_H */
