// SPDX-License-Identifier: GPL-2.0
/*
 * The incomplete stripe at the end of a zone.
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "parity_check.h"

/*
 * Where does the zone end?  In stripe @s, which is not complete, the data must
 * be its beginning.
 */
u64 tail_end(u32 zone, u64 s)
{
	u64 end = s * array.stripe;
	bool over = false;
	u32 pos, i;

	for (pos = 0; pos < array.nr_data; pos++) {
		u32 col = data_at(zone, s, pos);
		u64 have = extent(col, zone);

		have = have > s * array.su ? have - s * array.su : 0;
		if (have > array.su) {
			wrong("zone %u: column %u goes on behind the incomplete stripe %" PRIu64,
			      zone, col, s);
			have = array.su;
		}
		if (have && over)
			wrong("zone %u stripe %" PRIu64 ": position %u is written, those before it are not",
			      zone, s, pos);
		if (have < array.su)
			over = true;
		end += have;
	}
	for (i = 0; i < array.nr_parity && array.nr_data > 1; i++) {
		u32 col = (parity_at(zone, s) + i) % array.nr_members;

		if (extent(col, zone) > s * array.su)
			wrong("zone %u stripe %" PRIu64 ": parity in column %u is there before the data",
			      zone, s, col);
	}
	return end;
}

/* The newest record that holds parity @which of row @row of the stripe. */
static const struct raizn_record *find_partial(u32 zone, u64 s, u32 row,
					       u32 which, u64 generation)
{
	size_t i;

	for (i = 0; i < nr_partials; i++) {
		const struct raizn_record *rec = partials[i].rec;
		u64 end = le64_to_cpu(rec->end);

		if (partials[i].zone != zone || rec->parity != which ||
		    partials[i].generation != generation || !end ||
		    (end - 1) / array.stripe != s)
			continue;
		if ((row + array.su - le32_to_cpu(rec->row)) % array.su <
		    le32_to_cpu(rec->nr_rows))
			return rec;
	}
	return NULL;
}

void check_tail(u32 zone, u64 s, u64 wp)
{
	u64 inside = wp - s * array.stripe, generation = 0;
	const u8 *parity;
	u8 p[SECTOR];
	u32 row, pos;
	size_t i;

	for (i = 0; i < nr_partials; i++)
		if (partials[i].zone == zone &&
		    partials[i].generation > generation)
			generation = partials[i].generation;
	for (row = 0; row < array.su; row++) {
		const struct raizn_record *rec;
		u8 *decoded = NULL;
		u64 end;
		u32 at;

		if (row >= inside)
			break;		/* no data in this row */
		rec = find_partial(zone, s, row, 0, generation);
		if (!rec && is_lost(parity_at(zone, s)))
			continue;	/* nobody could hold it */
		if (!rec) {
			wrong("zone %u stripe %" PRIu64 ": no partial parity of row %u (generation %" PRIu64 ", write pointer %" PRIu64 ")",
			      zone, s, row, generation, wp);
			return;
		}
		if (le16_to_cpu(rec->member) != slot_of(parity_at(zone, s), zone))
			wrong("zone %u stripe %" PRIu64 ": a partial parity is on member %u, not %u",
			      zone, s, le16_to_cpu(rec->member),
			      slot_of(parity_at(zone, s), zone));
		end = le64_to_cpu(rec->end) - s * array.stripe;
		memset(p, 0, sizeof(p));
		for (pos = 0; pos < array.nr_data; pos++) {
			u64 offset = (u64)pos * array.su + row;

			if (offset >= inside)
				break;
			if (offset >= end) {
				wrong("zone %u stripe %" PRIu64 " row %u: the newest partial parity ends at %" PRIu64 ", the data at %" PRIu64,
				      zone, s, row, end, inside);
				return;
			}
			if (is_lost(data_at(zone, s, pos)))
				decoded = column[array.lost]->buf + row * SECTOR;
			else
				xor_into(p, column[data_at(zone, s, pos)]->buf +
					 row * SECTOR, SECTOR);
		}
		at = (row + array.su - le32_to_cpu(rec->row)) % array.su;
		parity = (const u8 *)rec + RAIZN_BLOCK_SIZE + at * SECTOR;
		if (decoded) {
			xor_into(p, parity, SECTOR);
			memcpy(decoded, p, SECTOR);
		} else if (memcmp(p, parity, SECTOR)) {
			wrong("zone %u stripe %" PRIu64 ": partial parity of row %u is wrong (record %" PRIu64 ", up to %" PRIu64 ", write pointer %" PRIu64 ")",
			      zone, s, row, le64_to_cpu(rec->seq),
			      le64_to_cpu(rec->end), wp);
			return;
		}
		tally.rows++;
	}
	tally.tails++;
}
