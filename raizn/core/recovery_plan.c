// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery planner: see recovery_plan.h.
 */
#include "recovery_plan.h"

static u32 count_bits(u32 mask)
{
	u32 nr = 0;

	for (; mask; mask &= mask - 1)
		nr++;
	return nr;
}

/* Does @column hold its sector @sector? */
static bool column_has(const struct raizn_zone_facts *facts, u32 column,
		       u32 sector)
{
	return !(facts->missing & (1U << column)) &&
	       facts->extents[column] > sector;
}

/* Highest possible end of the zone's data. */
static u32 zone_end(const struct raizn_geometry *geo,
		    const struct raizn_zone_facts *facts)
{
	return facts->state.flags & RAIZN_ZONE_FINISHED ? facts->state.wp :
							  geo->zone_cap;
}

/* Data positions of a row that are missing below offset @limit. */
static u32 unknown_positions(const struct raizn_geometry *geo,
			     const struct raizn_zone_facts *facts,
			     const struct raizn_place *place, u32 limit)
{
	u32 pc = raizn_parity_column(geo, facts->zone, place->stripe);
	u32 offset = place->stripe * geo->stripe + place->row;
	u32 mask = 0;
	u32 pos;

	for (pos = 0; pos < geo->nr_data && offset < limit; pos++) {
		if (!column_has(facts, raizn_data_column(geo, pc, pos),
				place->sector))
			mask |= 1U << pos;
		offset += geo->su;
	}
	return mask;
}

/*
 * Offset below which data is part of a parity of the row at @place, or 0 if that parity is
 * not there.  @where is its source: the index of a record, or RAIZN_FINAL_PARITY.
 */
static u32 parity_limit(const struct raizn_geometry *geo,
			const struct raizn_zone_facts *facts,
			const struct raizn_place *place, u32 parity, int where)
{
	const struct raizn_pp_entry *e;
	u32 end, pc;

	if (where == RAIZN_FINAL_PARITY) {
		pc = raizn_parity_column(geo, facts->zone, place->stripe);
		if (!column_has(facts, raizn_parity_column_nth(geo, pc, parity),
				place->sector))
			return 0;
		/* finishing writes the tail's parity in place */
		end = zone_end(geo, facts);
		return end / geo->stripe == place->stripe ?
		       end : (place->stripe + 1) * geo->stripe;
	}

	e = &facts->pp[where];
	if (e->parity != parity || e->start / geo->stripe != place->stripe ||
	    ((place->row - e->row) & (geo->su - 1)) >= e->nr_rows)
		return 0;
	return e->end;
}

/* Find a parity of the row that lacks exactly the data of @source->unknown. */
static bool find_parity(const struct raizn_geometry *geo,
			const struct raizn_zone_facts *facts,
			const struct raizn_place *place, u32 parity,
			struct raizn_source *source)
{
	u32 limit;
	int i;

	for (i = RAIZN_FINAL_PARITY; i < (int)facts->nr_pp; i++) {
		limit = parity_limit(geo, facts, place, parity, i);
		if (!limit || unknown_positions(geo, facts, place, limit) !=
			      source->unknown)
			continue;
		source->parity[parity] = i;
		source->limit[parity] = limit;
		return true;
	}
	source->parity[parity] = RAIZN_NO_PARITY;
	return false;
}

/* Are there enough parities to solve for @source->unknown? */
static bool find_parities(const struct raizn_geometry *geo,
			  const struct raizn_zone_facts *facts,
			  const struct raizn_place *place,
			  struct raizn_source *source)
{
	u32 need = count_bits(source->unknown);
	u32 parity;

	if (need > geo->nr_parity)
		return false;
	for (parity = 0; parity < geo->nr_parity; parity++)
		if (find_parity(geo, facts, place, parity, source) && need)
			need--;
	return !need;
}

bool raizn_find_source(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 offset,
		       struct raizn_source *source)
{
	struct raizn_place place;
	u32 parity, limit;
	int i;

	raizn_place(geo, facts->zone, offset, &place);
	source->direct = column_has(facts, place.column, place.sector);
	if (source->direct)
		return true;

	for (i = RAIZN_FINAL_PARITY; i < (int)facts->nr_pp; i++) {
		for (parity = 0; parity < geo->nr_parity; parity++) {
			limit = parity_limit(geo, facts, &place, parity, i);
			if (limit <= offset)
				continue;
			source->unknown = unknown_positions(geo, facts, &place,
							    limit);
			if (find_parities(geo, facts, &place, source))
				return true;
		}
	}
	return false;
}

bool raizn_find_row_parity(const struct raizn_geometry *geo,
			   const struct raizn_zone_facts *facts, u32 offset,
			   u32 wp, u32 parity, u32 *record, u32 *limit)
{
	struct raizn_place place;
	u32 i, first_lost;

	raizn_place(geo, facts->zone, offset, &place);
	/* The first offset of the row at or behind @wp: data that did not survive. */
	for (first_lost = offset; first_lost < wp; first_lost += geo->su)
		;
	for (i = 0; i < facts->nr_pp; i++) {
		*limit = parity_limit(geo, facts, &place, parity, i);
		if (!*limit || (*limit > first_lost &&
				first_lost < (place.stripe + 1) * geo->stripe))
			continue;
		*record = i;
		return true;
	}
	return false;
}

static u32 parity_columns(const struct raizn_geometry *geo, u32 pc)
{
	u32 columns = 0;
	u32 i;

	for (i = 0; i < geo->nr_parity; i++)
		columns |= 1U << raizn_parity_column_nth(geo, pc, i);
	return columns;
}

bool raizn_zone_is_empty(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts, bool logged)
{
	u32 pc = raizn_parity_column(geo, facts->zone, 0);
	u32 absent = facts->unlogged;
	u32 i;

	if (facts->state.flags & (RAIZN_ZONE_RESETTING | RAIZN_ZONE_FINISHED))
		return false;
	for (i = 0; i < geo->nr_members; i++)
		if (column_has(facts, i, 0))
			return false;
	if (!(facts->missing & (1U << raizn_data_column(geo, pc, 0))))
		return true;
	/* Any copy that is there tells. */
	if (raizn_is_mirror(geo))
		return count_bits(facts->missing) < geo->nr_members;
	if (facts->state.flags & RAIZN_ZONE_UNLOGGED)
		return false;
	return !logged && parity_columns(geo, pc) & ~absent;
}

u32 raizn_whole_stripes(const struct raizn_geometry *geo,
			const struct raizn_zone_facts *facts)
{
	u32 stripes = geo->nr_stripes;
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (!(facts->missing & (1U << c)) &&
		    facts->extents[c] >> geo->su_shift < stripes)
			stripes = facts->extents[c] >> geo->su_shift;
	return stripes;
}

u32 raizn_readable_end(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 wp)
{
	bool decodes = count_bits(facts->missing) <= geo->nr_parity;
	bool finished = facts->state.flags & RAIZN_ZONE_FINISHED;
	u32 offset = raizn_whole_stripes(geo, facts) * geo->stripe;
	u32 end = decodes ? wp : zone_end(geo, facts);
	struct raizn_place place;

	if (finished && facts->state.wp < offset)
		offset = facts->state.wp;
	if (finished && decodes)
		return offset;
	for (; offset < end; offset += geo->block) {
		raizn_place(geo, facts->zone, offset, &place);
		if (facts->missing & (1U << place.column) ? decodes :
		    facts->extents[place.column] <= place.sector)
			break;
	}
	return offset;
}

/*
 * Whole stripes lack only missing columns, which the final parity makes up for if they are
 * not too many.  Behind whole stripes, look at every block.
 */
static u32 find_wp(const struct raizn_geometry *geo,
		   const struct raizn_zone_facts *facts)
{
	u32 end = zone_end(geo, facts);
	struct raizn_source source;
	u32 offset = 0;

	if (count_bits(facts->missing) <= geo->nr_parity)
		offset = raizn_whole_stripes(geo, facts) * geo->stripe;
	while (offset < end && raizn_find_source(geo, facts, offset, &source))
		offset += geo->block;
	return offset < end ? offset : end;
}

/* Sectors of a column when all of them are in place. */
static u32 wanted_extent(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts, u32 column,
			 u32 wp)
{
	u32 extent = raizn_column_extent(geo, facts->zone, column, wp);
	u32 tail = wp % geo->stripe;
	u32 pc, i;

	if (!(facts->state.flags & RAIZN_ZONE_FINISHED) || raizn_is_mirror(geo))
		return extent;
	pc = raizn_parity_column(geo, facts->zone, wp / geo->stripe);
	for (i = 0; i < geo->nr_parity; i++)
		if (raizn_parity_column_nth(geo, pc, i) == column)
			extent += tail < geo->su ? tail : geo->su;
	return extent;
}

static void plan_columns(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts,
			 struct raizn_zone_plan *plan)
{
	u32 want, extent;
	u32 c;

	for (c = 0; c < geo->nr_members; c++) {
		want = wanted_extent(geo, facts, c, plan->wp);
		extent = facts->missing & (1U << c) ? want : facts->extents[c];
		plan->want[c] = want;
		plan->keep[c] = extent < want ? extent : want;
		if (extent != want)
			plan->action = RAIZN_ZONE_REPAIR;
	}
}

/*
 * The FINISH record is younger than the data and parity below its write pointer,
 * and a column is finished only when all of the zone is in place and durable.
 */
static void plan_finished(const struct raizn_geometry *geo,
			  const struct raizn_zone_facts *facts,
			  struct raizn_zone_plan *plan)
{
	u32 all = (u32)((1ULL << geo->nr_members) - 1);
	struct raizn_zone_facts now = *facts;
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (facts->full & (1U << c))
			now.extents[c] = wanted_extent(geo, facts, c,
						       facts->state.wp);
	plan->wp = find_wp(geo, &now);
	plan_columns(geo, &now, plan);
	if (plan->wp < facts->state.wp)
		plan->action = RAIZN_ZONE_DAMAGED;
	else if ((facts->full | facts->missing) == all)
		plan->action = RAIZN_ZONE_LEAVE;
	else
		plan->action = RAIZN_ZONE_FINISH;
}

/* Members with an older superblock than the one that another member's replaced. */
static u32 replayed_members(const struct raizn_member_claim *claims, u32 nr)
{
	u32 replayed = 0;
	u32 a, b;

	for (a = 0; a < nr; a++)
		for (b = 0; b < nr; b++)
			if (claims[a].there && claims[b].there &&
			    !(claims[a].failed & (1U << b)) &&
			    claims[b].event < claims[a].base)
				replayed |= 1U << b;
	return replayed;
}

/* A superblock that may count. */
struct version {
	u64 event;
	u32 failed;
};

/* A member's superblock, or the one that it replaced. */
static struct version version_of(const struct raizn_member_claim *claim,
				 bool base)
{
	struct version v = {
		.event = base ? claim->base : claim->event,
		.failed = base ? claim->base_failed : claim->failed,
	};

	return v;
}

static bool is_same(const struct version *a, const struct version *b)
{
	return a->event == b->event && a->failed == b->failed;
}

/* Go from @v to the superblock that it replaced, if a member has @v. */
static bool find_base(const struct raizn_member_claim *claims, u32 nr,
		      struct version *v)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		if (!claims[i].there || claims[i].event != v->event ||
		    claims[i].failed != v->failed)
			continue;
		v->event = claims[i].base;
		v->failed = claims[i].base_failed;
		return true;
	}
	return false;
}

/*
 * Is a member there that @v was for and that never got it?  Its superblock must be @v, or
 * have replaced @v, directly or through other superblocks, as far back as the claims tell.
 */
static bool was_interrupted(const struct raizn_member_claim *claims, u32 nr,
			    u32 ignore, const struct version *v)
{
	struct version has;
	u32 i, steps;

	for (i = 0; i < nr; i++) {
		if (!claims[i].there || (ignore | v->failed) & (1U << i))
			continue;
		has.event = claims[i].event;
		has.failed = claims[i].failed;
		for (steps = 0; steps <= nr && has.event > v->event; steps++)
			if (!find_base(claims, nr, &has))
				break;
		if (has.event <= v->event && !is_same(&has, v))
			return true;
	}
	return false;
}

int raizn_join_claims(const struct raizn_member_claim *claims, u32 nr,
		      struct raizn_trust *trust)
{
	u32 replayed = replayed_members(claims, nr);
	const struct raizn_member_claim *c;
	struct version best = { 0 }, v;
	bool known = false, split = false;
	u32 there = 0;
	u32 i;

	memset(trust, 0, sizeof(*trust));
	for (i = 0; i < nr; i++) {
		c = &claims[i];
		if (!c->there)
			continue;
		if (c->event >= trust->event)
			trust->event = c->event + 1;
		if (!(replayed & (1U << i)))
			there |= 1U << i;
	}

	/* the best of each member's superblock and the one that it replaced */
	for (i = 0; i < 2 * nr; i++) {
		c = &claims[i / 2];
		if (!(there & (1U << (i / 2))))
			continue;
		v = version_of(c, i % 2);
		if ((known && v.event < best.event) ||
		    was_interrupted(claims, nr, replayed, &v))
			continue;
		split = known && v.event == best.event &&
			(split || v.failed != best.failed);
		best = v;
		known = true;
	}
	if (!known || split)
		return -EUCLEAN;
	trust->base = best.event;
	trust->base_failed = best.failed;
	trust->failed = best.failed | replayed;

	/* a member must have been there both times, or the order of the two is unknown */
	for (i = 0; i < 2 * nr; i++) {
		v = version_of(&claims[i / 2], i % 2);
		if (there & (1U << (i / 2)) &&
		    !(there & ~best.failed & ~v.failed) &&
		    !was_interrupted(claims, nr, replayed, &v))
			return -EUCLEAN;
	}
	return 0;
}

/* Does a superblock of a member show that it took part when the one that counts was written? */
static bool took_part(const struct raizn_member_claim *claims, u32 nr, u32 slot, u32 whole,
		      const struct raizn_trust *trust)
{
	const struct version best = { .event = trust->base, .failed = trust->base_failed };
	const struct version own = version_of(&claims[slot], false);
	const struct version base = version_of(&claims[slot], true);
	struct version has, before;
	u32 i;

	if (is_same(&own, &best) || is_same(&base, &best))
		return true;
	for (i = 0; i < nr; i++) {
		if (!(whole & (1U << i)))
			continue;
		has = version_of(&claims[i], false);
		before = version_of(&claims[i], true);
		if (is_same(&has, &best) && is_same(&before, &own))
			return true;
	}
	return false;
}

/* Members with a log that can be read completely, and that are trusted. */
static u32 members_with_log(const struct raizn_member_claim *claims, u32 nr, u32 failed)
{
	u32 whole = 0;
	u32 i;

	for (i = 0; i < nr; i++)
		if (claims[i].there && !claims[i].partial)
			whole |= 1U << i;
	return whole & ~failed;
}

/* Do all members that are trusted, as far as they are known, show the same clean stop? */
static bool all_stopped(const struct raizn_member_claim *claims, u32 nr,
			const struct raizn_trust *trust)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (claims[i].there && !claims[i].hidden && !(trust->failed & (1U << i)) &&
		    (!claims[i].clean || claims[i].event != trust->base))
			return false;
	return true;
}

/*
 * No other superblock may get the event count of a hidden one.  A log has at most two general
 * zones, and the newer one holds at most one superblock that other members lack.  So a hidden
 * superblock that no other member has is at most 2 or 3 ahead; 8 is ample.
 */
#define HIDDEN_EVENTS	8U

int raizn_join_partial(const struct raizn_member_claim *claims, u32 nr, u32 nr_parity,
		       struct raizn_trust *trust)
{
	struct raizn_member_claim known[RAIZN_MAX_MEMBERS] = { 0 };
	bool proven, only_hidden = false, none = true;
	u32 whole, need, i;
	int err;

	for (i = 0; i < nr; i++) {
		known[i] = claims[i];
		known[i].there = claims[i].there && !claims[i].hidden;
		none &= !known[i].there;
		only_hidden |= claims[i].there;
	}
	only_hidden &= none;
	err = raizn_join_claims(known, nr, trust);
	if (err && !only_hidden)
		return err;
	whole = members_with_log(claims, nr, trust->failed);
	need = all_stopped(claims, nr, trust) ? 1 : nr_parity + 1;
	for (i = 0; i < nr; i++) {
		if (!claims[i].there || !claims[i].partial)
			continue;
		if (claims[i].hidden && claims[i].event + HIDDEN_EVENTS >= trust->event)
			trust->event = claims[i].event + HIDDEN_EVENTS + 1;
		if (claims[i].hidden)
			proven = nr > 2 * nr_parity &&
				 count_bits(whole) >= nr - nr_parity &&
				 took_part(claims, nr, i, whole, trust);
		else
			proven = count_bits(whole) >= need;
		if (!proven)
			trust->unproven |= 1U << i;
	}
	return 0;
}

void raizn_superblock_claim(const struct raizn_superblock *sb,
			    struct raizn_member_claim *claim)
{
	u64 event;
	u32 i;

	memset(claim, 0, sizeof(*claim));
	claim->there = true;
	claim->clean = le32_to_cpu(sb->flags) & RAIZN_SB_CLEAN;
	claim->event = le64_to_cpu(sb->event);
	for (i = 0; i < sb->nr_members; i++) {
		event = le64_to_cpu(sb->members[i].event);
		if (sb->members[i].state == RAIZN_MEMBER_FAILED)
			claim->failed |= 1U << i;
		if (event > claim->base)
			claim->base = event;
	}
	for (i = 0; i < sb->nr_members; i++)
		if (le64_to_cpu(sb->members[i].event) < claim->base)
			claim->base_failed |= 1U << i;
}

bool raizn_zone_state_knows(const struct raizn_zone_state *own,
			    const struct raizn_zone_state *joined)
{
	return own->generation == joined->generation ||
	       (own->generation + 1 == joined->generation &&
		own->flags & RAIZN_ZONE_RESETTING);
}

void raizn_zone_state_join(struct raizn_zone_state *zone,
			   const struct raizn_zone_state *other)
{
	if (other->generation < zone->generation)
		return;
	if (other->generation > zone->generation) {
		*zone = *other;
		return;
	}
	if (other->flags & RAIZN_ZONE_FINISHED)
		zone->wp = other->wp;
	zone->flags |= other->flags;
}

void raizn_distrust_full(const struct raizn_geometry *geo,
			 struct raizn_zone_facts *facts)
{
	u32 longest = 0;
	u32 c;

	if (facts->state.flags & RAIZN_ZONE_FINISHED || !facts->full ||
	    count_bits(facts->missing | facts->full) > geo->nr_parity)
		return;
	for (c = 0; c < geo->nr_members; c++)
		if (!(facts->full & (1U << c)) && facts->extents[c] > longest)
			longest = facts->extents[c];
	if (longest + 2 * geo->su < geo->member_zone_cap)
		facts->missing |= facts->full;
}

bool raizn_needs_missing(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts,
			 u32 ends[RAIZN_MAX_MEMBERS])
{
	bool finished = facts->state.flags & RAIZN_ZONE_FINISHED;
	u32 wp = finished ? facts->state.wp : geo->zone_cap;
	u32 c;

	if (facts->state.flags & RAIZN_ZONE_RESETTING ||
	    count_bits(facts->missing) <= geo->nr_parity)
		return false;
	for (c = 0; c < geo->nr_members; c++) {
		ends[c] = wanted_extent(geo, facts, c, wp);
		if (facts->missing & (1U << c))
			continue;
		if (finished ? !(facts->full & (1U << c)) :
			       facts->extents[c] != ends[c])
			return false;
	}
	return true;
}

/*
 * May a missing column hold data behind @wp without a log that tells?  Partial parity would
 * tell, had a start not dropped it, or a drive lost it.  A column that is there and ends at
 * @wp proves that no data from there on was promised.
 */
static bool is_end_unknown(const struct raizn_geometry *geo,
			   const struct raizn_zone_facts *facts, u32 wp)
{
	struct raizn_place place;
	u32 logs;

	/* Nothing is logged of copies, each of which ends at the last data. */
	if (wp == geo->zone_cap || raizn_is_mirror(geo))
		return false;
	raizn_place(geo, facts->zone, wp, &place);
	if (!(facts->missing & (1U << place.column)))
		return false;
	logs = parity_columns(geo, raizn_parity_column(geo, facts->zone, place.stripe));
	return facts->state.flags & RAIZN_ZONE_UNLOGGED ||
	       (logs && !(logs & ~facts->unlogged));
}

void raizn_plan_zone(const struct raizn_geometry *geo,
		     const struct raizn_zone_facts *facts,
		     struct raizn_zone_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	if (facts->state.flags & RAIZN_ZONE_RESETTING) {
		plan->action = RAIZN_ZONE_RESET;
		return;
	}
	if (facts->state.flags & RAIZN_ZONE_FINISHED) {
		plan_finished(geo, facts, plan);
		return;
	}
	plan->wp = find_wp(geo, facts);
	plan_columns(geo, facts, plan);
	/* a write pointer that was found without so many columns may be too low */
	if (count_bits(facts->missing) > geo->nr_parity ||
	    is_end_unknown(geo, facts, plan->wp))
		plan->action = RAIZN_ZONE_DAMAGED;
}
