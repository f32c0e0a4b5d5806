/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Environment of the pure files (all of core/) in the kernel and in user space.  Pure files
 * include this header and nothing else from the system.
 */
#ifndef RAIZN_PORTABLE_H
#define RAIZN_PORTABLE_H

#ifdef __KERNEL__

#include <linux/types.h>
#include <linux/bits.h>
#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/errno.h>
#include <linux/build_bug.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/crc32c.h>
#include <linux/stddef.h>
#include <linux/compiler.h>
#include <asm/byteorder.h>

#else /* user space */

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define le16_to_cpu(x) le16toh(x)
#define le32_to_cpu(x) le32toh(x)
#define le64_to_cpu(x) le64toh(x)
#define cpu_to_le16(x) htole16(x)
#define cpu_to_le32(x) htole32(x)
#define cpu_to_le64(x) htole64(x)

#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define static_assert _Static_assert
#define unlikely(x) __builtin_expect(!!(x), 0)
#define __packed __attribute__((packed))
#define BIT(nr) (1UL << (nr))

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

/* Tools and unit tests supply crc32c() (tools/crc32c.c), with the seed rules of the
 * kernel's: no inversion inside, the caller passes ~0.
 */
u32 crc32c(u32 crc, const void *data, size_t len);

#endif /* __KERNEL__ */

/* Bits that are set.  Headers of user space have a hweight32() of their own. */
static inline u32 raizn_count_bits(u32 mask)
{
#ifdef __KERNEL__
	return hweight32(mask);
#else
	return (u32)__builtin_popcount(mask);
#endif
}

#endif /* RAIZN_PORTABLE_H */
