// SPDX-License-Identifier: GPL-2.0
/*
 * Where data and parity lie, from the description of the format.
 */
#define _GNU_SOURCE
#include "parity_check.h"

/* Column of the first parity of a stripe. */
u32 parity_at(u32 zone, u64 s)
{
	return array.nr_members - 1 - (zone + s) % array.nr_members;
}

/* Column of data position @pos. */
u32 data_at(u32 zone, u64 s, u32 pos)
{
	return (parity_at(zone, s) + array.nr_parity + pos) % array.nr_members;
}

const struct blk_zone *data_zone(u32 col, u32 zone)
{
	u32 physical = member_zone(col, zone);

	return &column[col]->zones[array.first_zone + physical];
}

bool is_lost(u32 col)
{
	return (int)col == array.lost;
}

/* Sectors of its usable capacity that a column holds. */
u64 extent(u32 col, u32 zone)
{
	u64 n = written(data_zone(col, zone));

	return end_of_column(col, zone, n < array.member_cap ? n : array.member_cap);
}

/*
 * A column that was rebuilt and holds nothing of a finished zone may be empty; the
 * next start finishes it.
 */
bool is_finished(u32 zone)
{
	bool full = false;
	u32 c;

	for (c = 0; c < array.nr_members; c++) {
		if (is_lost(c))
			continue;
		if (data_zone(c, zone)->cond == BLK_ZONE_COND_FULL)
			full = true;
		else if (data_zone(c, zone)->cond != BLK_ZONE_COND_EMPTY)
			return false;
	}
	return full;
}

/* Sectors a column holds when the zone is written up to @wp. */
u64 extent_at(u32 col, u32 zone, u64 wp)
{
	u64 n = wp / array.stripe * array.su, inside = wp % array.stripe;
	u32 nth = (col + array.nr_members - parity_at(zone, wp / array.stripe)) % array.nr_members;
	u64 before = (u64)(nth - array.nr_parity) * array.su;

	/* Copies are written with the data. */
	if (array.nr_data == 1)
		return wp;
	if (nth >= array.nr_parity && inside > before)
		n += inside - before < array.su ? inside - before : array.su;
	return n;
}

/* Reads a column; what is not written there counts as zeros. */
void read_column(u32 col, u32 zone, void *buf, u64 sector, u64 nr)
{
	u64 have = is_lost(col) ? 0 : extent(col, zone);

	have = have > sector ? have - sector : 0;
	if (have > nr)
		have = nr;
	if (have)
		read_sectors(column[col]->fd, column[col]->path, buf,
			     data_zone(col, zone)->start + sector, have);
	memset((u8 *)buf + have * SECTOR, 0, (nr - have) * SECTOR);
	if (!is_lost(col))
		read_relocated(col, zone, buf, sector, nr);
}
