/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between supported kernels, nothing else.
 */
#ifndef RAIZN_COMPAT_H
#define RAIZN_COMPAT_H

#include <linux/raid/xor.h>

/*
 * dst ^= src.  Both 64-byte aligned, len a multiple of 512 and not 0; in task
 * context with softirqs on.  MAX_XOR_BLOCKS went away with xor_blocks() when
 * xor_gen() took its place.
 */
static inline void raizn_xor(void *dst, const void *src, unsigned int len)
{
	void *srcs[1] = { (void *)src };

#ifdef MAX_XOR_BLOCKS
	xor_blocks(1, len, dst, srcs);
#else
	xor_gen(dst, srcs, 1, len);
#endif
}

#endif /* RAIZN_COMPAT_H */
