/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Permutations of columns over slots, zone by zone: those of ../permute/.
 */
#ifndef LIB_PERMUTE_H
#define LIB_PERMUTE_H

#include "common.h"

/* Slot of each of the @nr columns of a zone. */
static inline void permute_slots(u64 seed, u32 zone, u32 nr, u32 *slots)
{
	u64 rng = mix(seed + 1) + zone;
	u32 c, i;

	for (c = 0; c < nr; c++) {
		rng = mix(rng + 0x9e3779b97f4a7c15ULL);
		i = (u32)(rng % (c + 1));
		slots[c] = slots[i];
		slots[i] = c;
	}
}

#endif /* LIB_PERMUTE_H */
