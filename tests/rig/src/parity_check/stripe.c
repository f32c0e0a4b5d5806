// SPDX-License-Identifier: GPL-2.0
/*
 * Complete stripes: parity, and the data of the volume.
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "parity_check.h"

void xor_into(u8 *to, const u8 *from, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] ^= from[i];
}

/* Multiplies by 2 in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
static void double_bytes(u8 *buf, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		buf[i] = (u8)(buf[i] << 1) ^ (buf[i] & 0x80 ? 0x1d : 0);
}

/* What the missing member holds of a complete stripe. */
void decode_unit(u64 offset)
{
	u32 c;

	if (array.lost < 0)
		return;
	memset(column[array.lost]->buf + offset, 0, array.su * SECTOR);
	for (c = 0; c < array.nr_members; c++)
		if (!is_lost(c))
			xor_into(column[array.lost]->buf + offset,
				 column[c]->buf + offset, array.su * SECTOR);
}

static u64 first_difference(const u8 *a, const u8 *b, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes && a[i] == b[i]; i++)
		;
	return i;
}

/* All of one stripe of a mirror, or its beginning; as check_stripe(). */
void check_copies(u32 zone, u64 s, u64 offset, u64 rows)
{
	const u8 *first = column[is_lost(0)]->buf + offset;
	u32 c;

	for (c = 1; c < array.nr_members; c++)
		if (!is_lost(c) && memcmp(first, column[c]->buf + offset, rows * SECTOR))
			wrong("zone %u stripe %" PRIu64 ": columns %u and %u differ from row %" PRIu64 " on",
			      zone, s, is_lost(0), c,
			      first_difference(first, column[c]->buf + offset,
					       rows * SECTOR) / SECTOR);
	tally.stripes++;
}

/* One complete stripe; every column's unit is at @offset of its buffer. */
void check_stripe(u32 zone, u64 s, u64 offset)
{
	static u8 p[RAIZN_MAX_SU * SECTOR], q[RAIZN_MAX_SU * SECTOR];
	size_t bytes = array.su * SECTOR;
	u32 pc = parity_at(zone, s);
	const u8 *stored;
	int pos;

	memset(p, 0, bytes);
	memset(q, 0, bytes);
	/* Horner: q = sum of 2^pos * data */
	for (pos = array.nr_data - 1; pos >= 0; pos--) {
		const u8 *data = column[data_at(zone, s, pos)]->buf + offset;

		xor_into(p, data, bytes);
		if (array.nr_parity > 1) {
			double_bytes(q, bytes);
			xor_into(q, data, bytes);
		}
	}
	stored = column[pc]->buf + offset;
	if (array.nr_parity && memcmp(p, stored, bytes))
		wrong("zone %u stripe %" PRIu64 ": parity in column %u is wrong from row %" PRIu64 " of %u on",
		      zone, s, pc, first_difference(p, stored, bytes) / SECTOR,
		      array.su);
	if (array.nr_parity > 1) {
		pc = (pc + 1) % array.nr_members;
		stored = column[pc]->buf + offset;
		if (memcmp(q, stored, bytes))
			wrong("zone %u stripe %" PRIu64 ": second parity in column %u is wrong",
			      zone, s, pc);
	}
	tally.stripes++;
}

/* Compares the logical data in the columns' buffers with the volume. */
void compare_volume(u32 zone, u64 first, u64 nr, u64 limit, u64 wp)
{
	static u8 *buf;
	u64 from = first * array.stripe, to = (first + nr) * array.stripe, s;
	u32 pos;

	if (set.volume_fd < 0)
		return;
	if (!buf)
		buf = pages(CHUNK_BYTES / (RAIZN_MIN_SU * SECTOR) *
			    RAIZN_MIN_SU * SECTOR * RAIZN_MAX_MEMBERS);
	if (to > limit)
		to = limit;
	if (from >= to)
		return;
	read_sectors(set.volume_fd, set.volume, buf, zone * array.zone_size + from,
		     to - from);
	for (s = first; s < first + nr; s++) {
		for (pos = 0; pos < array.nr_data; pos++) {
			u64 at = s * array.stripe + pos * array.su;
			u64 n = at < to ? to - at : 0;
			const u8 *got = buf + (at - from) * SECTOR;
			const u8 *want = column[data_at(zone, s, pos)]->buf +
					 (s - first) * array.su * SECTOR;

			if (n > array.su)
				n = array.su;
			if (!n || !memcmp(got, want, n * SECTOR))
				continue;
			wrong("zone %u stripe %" PRIu64 " position %u: the volume differs from column %u at row %" PRIu64 " (sector %" PRIu64 " of the zone, write pointer %" PRIu64 ")",
			      zone, s, pos, data_at(zone, s, pos),
			      first_difference(got, want, n * SECTOR) / SECTOR,
			      at + first_difference(got, want, n * SECTOR) /
			      SECTOR, wp);
		}
	}
	tally.volume_bytes += (to - from) * SECTOR;
}
