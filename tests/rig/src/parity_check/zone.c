// SPDX-License-Identifier: GPL-2.0
/*
 * One zone.
 */
#define _GNU_SOURCE
#include <inttypes.h>

#include "parity_check.h"

static void check_volume_report(u32 zone, const struct blk_zone *v, u64 wp,
				bool finished)
{
	bool right;

	if (v->start != zone * array.zone_size || v->len != array.zone_size ||
	    v->capacity != array.zone_cap)
		wrong("zone %u: the volume reports start %llu, length %llu, capacity %llu",
		      zone, v->start, v->len, v->capacity);
	if (finished || wp == array.zone_cap)
		right = v->cond == BLK_ZONE_COND_FULL;
	else if (v->cond == BLK_ZONE_COND_EMPTY || !wp)
		right = !wp && (v->cond == BLK_ZONE_COND_EMPTY ||
				v->wp == v->start);
	else
		right = v->cond != BLK_ZONE_COND_FULL &&
			v->wp == v->start + wp;
	if (!right)
		wrong("zone %u: the volume reports condition %u, write pointer +%llu; the members hold %" PRIu64 "%s",
		      zone, v->cond, v->wp - v->start, wp,
		      finished ? " and are finished" : "");
}

/*
 * The volume's write pointer: without one member, the others may not tell.  What
 * they hold must be what that makes.
 */
static u64 volume_end(u32 zone, const struct blk_zone *v)
{
	u64 wp = v->cond == BLK_ZONE_COND_FULL ? array.zone_cap :
		 v->cond == BLK_ZONE_COND_EMPTY ? 0 : v->wp - v->start;
	u32 c;

	for (c = 0; c < array.nr_members; c++)
		if (!is_lost(c) && extent(c, zone) != extent_at(c, zone, wp))
			wrong("zone %u: column %u holds %" PRIu64 " sectors, write pointer %" PRIu64 " makes %" PRIu64,
			      zone, c, extent(c, zone), wp,
			      extent_at(c, zone, wp));
	return wp;
}

/* The write pointer, from what all members hold. */
static u64 members_end(u32 zone)
{
	u64 complete = array.member_cap / array.su;
	u32 c;

	for (c = 0; c < array.nr_members; c++)
		if (extent(c, zone) / array.su < complete)
			complete = extent(c, zone) / array.su;
	if (is_finished(zone))
		return array.zone_cap;
	if (complete < array.member_cap / array.su)
		return tail_end(zone, complete);
	return complete * array.stripe;
}

void check_zone(u32 zone, const struct blk_zone *v)
{
	u64 complete, chunk, s, n, wp, limit;
	bool finished;
	u32 c, i;

	enter_zone(zone);
	array.lost = lost_in_zone(zone);
	finished = is_finished(zone);
	wp = array.lost < 0 ? members_end(zone) : volume_end(zone, v);
	complete = wp / array.stripe;
	if (v)
		check_volume_report(zone, v, wp, finished);
	if (!wp)
		return;
	tally.zones++;
	/* A finished zone is compared up to its end: zeros there. */
	limit = wp;
	chunk = CHUNK_BYTES / SECTOR / array.su;
	for (s = 0; s < complete; s += n) {
		n = complete - s < chunk ? complete - s : chunk;
		for (c = 0; c < array.nr_members; c++)
			read_column(c, zone, column[c]->buf, s * array.su, n * array.su);
		for (i = 0; i < n; i++) {
			decode_unit((u64)i * array.su * SECTOR);
			if (array.nr_data == 1)
				check_copies(zone, s + i, (u64)i * array.su * SECTOR,
					     array.su);
			else
				check_stripe(zone, s + i, (u64)i * array.su * SECTOR);
		}
		compare_volume(zone, s, n, limit, wp);
	}
	if (wp > complete * array.stripe) {
		for (c = 0; c < array.nr_members; c++)
			read_column(c, zone, column[c]->buf, complete * array.su, array.su);
		if (array.nr_data == 1)
			check_copies(zone, complete, 0, wp - complete * array.stripe);
		else if (!set.no_tails && array.nr_parity)
			check_tail(zone, complete, wp);
		compare_volume(zone, complete, 1, limit, wp);
	}
}
