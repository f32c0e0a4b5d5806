/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names that all the programs use.
 */
#ifndef LIB_COMMON_H
#define LIB_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SECTOR		512U

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

/* A permutation of 64-bit words without a pattern. */
static inline u64 mix(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

/* What a device is to hold from byte @at on, both in whole words. */
static inline void content(u64 *buffer, size_t bytes, u64 at)
{
	size_t i;

	for (i = 0; i < bytes / sizeof(*buffer); i++)
		buffer[i] = mix(at + i * sizeof(*buffer));
}

#endif /* LIB_COMMON_H */
