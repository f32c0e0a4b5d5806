// SPDX-License-Identifier: GPL-2.0
/*
 * CRC32C (Castagnoli) for user space, with the kernel's semantics: the caller
 * passes the seed and nothing is inverted.
 */
#include "../raizn/core/portable.h"

#define POLYNOMIAL 0x82f63b78U	/* bits reflected */

/* table[k][b]: what byte b does to the checksum with k more bytes behind it */
static u32 table[8][256];

__attribute__((constructor)) static void fill_table(void)
{
	u32 b, crc;
	int k;

	for (b = 0; b < 256; b++) {
		crc = b;
		for (k = 0; k < 8; k++)
			crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
		table[0][b] = crc;
	}
	for (k = 1; k < 8; k++) {
		for (b = 0; b < 256; b++) {
			crc = table[k - 1][b];
			table[k][b] = (crc >> 8) ^ table[0][crc & 0xff];
		}
	}
}

u32 crc32c(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;

	for (; len >= 8; len -= 8, p += 8) {
		crc = table[7][p[0] ^ (crc & 0xff)] ^
		      table[6][p[1] ^ (crc >> 8 & 0xff)] ^
		      table[5][p[2] ^ (crc >> 16 & 0xff)] ^
		      table[4][p[3] ^ crc >> 24] ^
		      table[3][p[4]] ^ table[2][p[5]] ^
		      table[1][p[6]] ^ table[0][p[7]];
	}
	for (; len; len--, p++)
		crc = (crc >> 8) ^ table[0][*p ^ (crc & 0xff)];
	return crc;
}
