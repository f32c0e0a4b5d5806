/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sizes as people write and read them.
 */
#ifndef SIZE_H
#define SIZE_H

#include <stdbool.h>

#include "../raizn/core/portable.h"

/* Returned by value, so that it can stand in an argument list:
 * printf("%s", size_text(n).s).
 */
struct size_text {
	char s[24];
};

/* @bytes in the largest unit that fits: exact ("64 KiB") if it can be said
 * with two decimals, else rounded ("1.97 TiB").
 */
struct size_text size_text(u64 bytes);

/* The same for a number of 512-byte sectors. */
struct size_text sectors_text(u64 sectors);

/**
 * struct size_pair - two sizes in one message
 * @a, @b:	texts that differ if the sizes do
 */
struct size_pair {
	struct size_text a;
	struct size_text b;
};

/* Sizes in sectors; exact if they differ by so little that rounding may hide it. */
struct size_pair sectors_apart(u64 a, u64 b);

/**
 * parse_size() - read a size such as 64K, 64KiB, 1M or 65536
 * @text:	what the user wrote; units are powers of 1024
 * @bytes:	result
 *
 * Return: whether @text is a size that fits 64 bits.
 */
bool parse_size(const char *text, u64 *bytes);

#endif /* SIZE_H */
