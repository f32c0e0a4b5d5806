// SPDX-License-Identifier: GPL-2.0
/*
 * What a member that is rebuilt holds already.
 *
 * Invariant, from the moment the superblocks call a member rebuilding: what its data
 * zones hold, up to their write pointers, is what belongs there.  A reset reaches
 * them like all others.  A power cut can leave a zone with a lower write pointer than
 * the member's has: such a zone begins anew.
 */
#include "raizn.h"

/**
 * struct found - what the drive says of its zones
 * @m:		member
 * @written:	sectors, by member zone from the first reserved one on
 * @conds:	BLK_ZONE_COND_*
 * @nr_idle:	zones that are written in part and that no user has active
 */
struct found {
	struct raizn_member *m;
	u32 *written;
	u8 *conds;
	u32 nr_idle;
};

static int note_zone(struct blk_zone *zone, unsigned int idx, void *data)
{
	struct found *found = data;

	found->conds[idx] = zone->cond;
	/* The write pointer of a full zone means nothing. */
	if (zone->cond == BLK_ZONE_COND_FULL)
		found->written[idx] = found->m->arr->geo.member_zone_cap;
	else if (zone->cond != BLK_ZONE_COND_EMPTY)
		found->written[idx] = min_t(u64, zone->wp - zone->start,
					    found->m->arr->geo.member_zone_cap);
	return 0;
}

static int report(struct raizn_member *m, struct found *found)
{
	u32 nr = m->arr->geo.nr_reserved + m->arr->geo.nr_zones;
	int ret;

	found->m = m;
	found->written = kvcalloc(nr, sizeof(u32), GFP_KERNEL);
	found->conds = kvcalloc(nr, sizeof(u8), GFP_KERNEL);
	if (!found->written || !found->conds)
		return -ENOMEM;
	ret = blkdev_report_zones(m->bdev,
				  raizn_reserved_zone_start(&m->arr->geo, 0), nr,
				  note_zone, found);
	if (ret >= 0 && ret < nr)
		ret = -EIO;
	return ret < 0 ? ret : 0;
}

static int empty_zone(struct raizn_member *m, struct found *found, u32 physical)
{
	u64 start = raizn_reserved_zone_start(&m->arr->geo, physical);

	if (found->conds[physical] == BLK_ZONE_COND_EMPTY)
		return 0;
	found->written[physical] = 0;
	found->conds[physical] = BLK_ZONE_COND_EMPTY;
	return raizn_member_zone_op(m, REQ_OP_ZONE_RESET, start);
}

static bool unusable(u8 cond)
{
	return cond == BLK_ZONE_COND_READONLY || cond == BLK_ZONE_COND_OFFLINE;
}

/* Is what the member holds of a zone of the zone's present life? */
static bool is_current(struct raizn_zone *z,
		       const struct raizn_zone_state *known, bool former)
{
	const struct raizn_zone_state *zs =
		&z->arr->zone_state[raizn_zone_number(z)];

	if (zs->flags & RAIZN_ZONE_TRUNCATED)
		return false;
	if (!former || raizn_is_mutant(RAIZN_MUTANT_BACK_ANY_GENERATION))
		return true;
	known += known ? raizn_zone_number(z) : 0;
	return known && known->generation == zs->generation &&
	       !(known->flags & RAIZN_ZONE_RESETTING);
}

/*
 * A zone that is written in part is active on the member.  With the zones that users
 * have active, and one that a job may have, the drive's limit is reached.
 */
static bool may_stay_active(struct raizn_zone *z, struct found *found,
			    u32 written, u32 end)
{
	if (z->oz || !written || written == end ||
	    !(found->m->max_active | found->m->max_open))
		return true;
	return !found->nr_idle++;
}

static int load_zone(struct raizn_zone *z, struct found *found,
		     const struct raizn_zone_state *known, bool former)
{
	struct raizn_member *m = found->m;
	const struct raizn_zone_state *zs =
		&z->arr->zone_state[raizn_zone_number(z)];
	u32 end = raizn_column_end(z, m->slot);
	u32 physical = raizn_zone_map_physical(&z->arr->geo, &z->arr->map,
					       raizn_zone_number(z), m->slot);
	bool full;
	int err = 0;

	/* Of a damaged zone nobody knows where it ends; this may be the way back. */
	if (physical == RAIZN_NOWHERE || z->cond == BLK_ZONE_COND_READONLY)
		return 0;
	if (unusable(found->conds[physical])) {
		raizn_spare_set(m, physical, RAIZN_PHYSICAL_BAD);
		return 0;
	}
	/* Finishing comes last, when all is in place. */
	full = found->conds[physical] == BLK_ZONE_COND_FULL &&
	       zs->flags & RAIZN_ZONE_FINISHED;
	if (former && known &&
	    !(known[raizn_zone_number(z)].flags & RAIZN_ZONE_FINISHED))
		full = false;
	if (full)
		found->written[physical] = end;
	else if (found->conds[physical] == BLK_ZONE_COND_FULL &&
		 end < z->arr->geo.member_zone_cap)
		found->written[physical] = U32_MAX;
	if (!is_current(z, known, former) || found->written[physical] > end ||
	    !may_stay_active(z, found, found->written[physical], end)) {
		err = empty_zone(m, found, physical);
		full = false;
	}
	if (!err && found->written[physical] == end &&
	    (full || !(zs->flags & RAIZN_ZONE_FINISHED)))
		raizn_column_is_back(z, m->slot);
	return err;
}

/* Zones in no map are spare. */
static int load_spares(struct found *found)
{
	struct raizn_member *m = found->m;
	u32 nr = m->arr->geo.nr_reserved + m->arr->geo.nr_zones;
	u32 i;
	int err = 0;

	for (i = RAIZN_NR_LOG_ZONES; !err && i < nr; i++) {
		if (m->use[i] != RAIZN_PHYSICAL_FREE)
			continue;
		if (unusable(found->conds[i]))
			m->use[i] = RAIZN_PHYSICAL_BAD;
		else
			err = empty_zone(m, found, i);
	}
	return err;
}

/**
 * raizn_rebuild_load() - find out what of a member is right, and empty the rest
 * @m:		member in state rebuilding; all its columns count as missing
 * @known:	what its own log says of the zones, by zone, or NULL
 * @former:	it was away, so only zones count that @known says the right thing of
 *
 * Context: process; the array takes no I/O.  Return: 0 or -errno.
 */
int raizn_rebuild_load(struct raizn_member *m,
		       const struct raizn_zone_state *known, bool former)
{
	struct raizn_array *arr = m->arr;
	struct found found = { 0 };
	u32 i;
	int err;

	err = report(m, &found);
	for (i = 0; !err && i < arr->geo.nr_zones; i++) {
		err = load_zone(&arr->zones[i], &found, known, former);
		cond_resched();
	}
	if (!err)
		err = load_spares(&found);
	kvfree(found.conds);
	kvfree(found.written);
	return err;
}
