// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery planner: see recovery_plan.h.
 */
#include "recovery_plan.h"

u32 raizn_spoilt_end(const struct raizn_zone_facts *facts, u32 column, u32 row)
{
	const struct raizn_spoilt_rows *rows;

	for (rows = facts->spoilt; rows < facts->spoilt + facts->nr_spoilt; rows++)
		if (rows->column == column && row >= rows->from && row < rows->end)
			return rows->end;
	return row;
}

const struct raizn_relocated_rows *raizn_relocated(const struct raizn_zone_facts *facts,
						   u32 column, u32 row)
{
	const struct raizn_relocated_rows *rows;

	for (rows = facts->relocated; rows < facts->relocated + facts->nr_relocated; rows++)
		if (rows->column == column && row - rows->row < rows->nr_rows)
			return rows;
	return NULL;
}

bool raizn_row_is_there(const struct raizn_zone_facts *facts, u32 column, u32 row)
{
	if (facts->missing & (1U << column))
		return false;
	if (raizn_spoilt_end(facts, column, row) != row)
		return raizn_relocated(facts, column, row);
	return facts->extents[column] > row;
}

/* First row of a column that is not there. */
static u32 first_gap(const struct raizn_geometry *geo, const struct raizn_zone_facts *facts,
		     u32 column)
{
	u32 gap = raizn_spoilt_end(facts, column, facts->extents[column]);
	const struct raizn_spoilt_rows *rows;
	u32 row;

	for (rows = facts->spoilt; rows < facts->spoilt + facts->nr_spoilt; rows++) {
		if (rows->column != column)
			continue;
		row = rows->from;
		while (row < rows->end && row < gap && raizn_relocated(facts, column, row))
			row += geo->block;
		if (row < rows->end && row < gap)
			gap = row;
	}
	return gap;
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
		if (!raizn_row_is_there(facts, raizn_data_column(geo, pc, pos),
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
		if (!raizn_row_is_there(facts, raizn_parity_column_nth(geo, pc, parity),
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
	u32 need = raizn_count_bits(source->unknown);
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
	source->direct = raizn_row_is_there(facts, place.column, place.sector);
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
		if (raizn_row_is_there(facts, i, 0))
			return false;
	if (!(facts->missing & (1U << raizn_data_column(geo, pc, 0))))
		return true;
	/* Any copy that is there tells. */
	if (raizn_is_mirror(geo))
		return raizn_count_bits(facts->missing) < geo->nr_members;
	if (facts->state.flags & RAIZN_ZONE_UNLOGGED)
		return false;
	return !logged && parity_columns(geo, pc) & ~absent;
}

u32 raizn_whole_stripes(const struct raizn_geometry *geo,
			const struct raizn_zone_facts *facts)
{
	u32 stripes = geo->nr_stripes;
	u32 c, gap;

	for (c = 0; c < geo->nr_members; c++) {
		if (facts->missing & (1U << c))
			continue;
		gap = first_gap(geo, facts, c);
		if (gap >> geo->su_shift < stripes)
			stripes = gap >> geo->su_shift;
	}
	return stripes;
}

u32 raizn_readable_end(const struct raizn_geometry *geo,
		       const struct raizn_zone_facts *facts, u32 wp)
{
	bool decodes = raizn_count_bits(facts->missing) <= geo->nr_parity;
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
		    !raizn_row_is_there(facts, place.column, place.sector))
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

	if (raizn_count_bits(facts->missing) <= geo->nr_parity)
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
	u32 want, extent, gap;
	u32 c;

	for (c = 0; c < geo->nr_members; c++) {
		want = wanted_extent(geo, facts, c, plan->wp);
		plan->want[c] = want;
		plan->keep[c] = want;
		if (facts->missing & (1U << c))
			continue;
		extent = facts->extents[c];
		gap = first_gap(geo, facts, c);
		if (gap < want)
			plan->keep[c] = gap;
		if (extent > raizn_spoilt_end(facts, c, want))
			plan->debris[c] = extent;
		if (gap < want || plan->debris[c] || raizn_spoilt_end(facts, c, extent) != extent)
			plan->action = RAIZN_ZONE_REPAIR;
	}
}

/* Has a column to be filled? */
static bool lacks_rows(const struct raizn_geometry *geo, const struct raizn_zone_plan *plan)
{
	u32 c;

	for (c = 0; c < geo->nr_members; c++)
		if (plan->keep[c] < plan->want[c])
			return true;
	return false;
}

/* A full column of a finished zone counts as far as the write pointer needs it. */
static void clip_full(const struct raizn_geometry *geo, struct raizn_zone_facts *facts)
{
	u32 c;

	if (!(facts->state.flags & RAIZN_ZONE_FINISHED))
		return;
	for (c = 0; c < geo->nr_members; c++)
		if (facts->full & (1U << c))
			facts->extents[c] = wanted_extent(geo, facts, c, facts->state.wp);
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

	clip_full(geo, &now);
	plan->wp = find_wp(geo, &now);
	plan_columns(geo, &now, plan);
	if (plan->wp < facts->state.wp)
		plan->action = RAIZN_ZONE_DAMAGED;
	else if ((facts->full | facts->missing) == all && !lacks_rows(geo, plan))
		plan->action = RAIZN_ZONE_LEAVE;
	else
		plan->action = RAIZN_ZONE_FINISH;
}

/* Mark the sources of all data below @wp that is not in place. */
static void need_sources(const struct raizn_geometry *geo, const struct raizn_zone_facts *facts,
			 u32 wp, struct raizn_pp_entry *pp)
{
	struct raizn_source source;
	u32 offset = 0, parity;

	if (raizn_count_bits(facts->missing) <= geo->nr_parity)
		offset = raizn_whole_stripes(geo, facts) * geo->stripe;
	for (; offset < wp && raizn_find_source(geo, facts, offset, &source); offset += geo->block)
		for (parity = 0; !source.direct && parity < geo->nr_parity; parity++)
			if (source.parity[parity] >= 0)
				pp[source.parity[parity]].needed = true;
}

/* Mark the newest parity of the row that begins with @offset. */
static void need_row(const struct raizn_geometry *geo, const struct raizn_zone_facts *facts,
		     u32 offset, u32 wp, struct raizn_pp_entry *pp)
{
	u32 record, limit, parity;

	for (parity = 0; parity < geo->nr_parity; parity++)
		if (raizn_find_row_parity(geo, facts, offset, wp, parity, &record, &limit))
			pp[record].needed = true;
}

u32 raizn_keep_needed(const struct raizn_geometry *geo, const struct raizn_zone_facts *facts,
		      struct raizn_pp_entry *pp)
{
	struct raizn_zone_facts now = *facts;
	u32 wp, row, i, nr = 0;

	clip_full(geo, &now);
	wp = find_wp(geo, &now);
	for (i = 0; i < facts->nr_pp; i++)
		pp[i].needed = pp[i].end > wp;
	need_sources(geo, &now, wp, pp);
	for (row = 0; wp % geo->stripe && row < geo->su; row += geo->block)
		need_row(geo, &now, wp - wp % geo->stripe + row, wp, pp);
	for (i = 0; i < facts->nr_pp; i++)
		if (pp[i].needed)
			pp[nr++] = pp[i];
	return nr;
}

void raizn_distrust_full(const struct raizn_geometry *geo,
			 struct raizn_zone_facts *facts)
{
	u32 longest = 0, full = 0;
	u32 c;

	if (facts->state.flags & RAIZN_ZONE_FINISHED || !facts->full ||
	    raizn_count_bits(facts->missing | facts->full) > geo->nr_parity)
		return;
	for (c = 0; c < geo->nr_members; c++) {
		if (!(facts->full & (1U << c)) && facts->extents[c] > longest)
			longest = facts->extents[c];
		/* Debris up to the end proves that the column was written to its end. */
		if (raizn_spoilt_end(facts, c, geo->member_zone_cap - 1) < geo->member_zone_cap)
			full |= facts->full & (1U << c);
	}
	if (longest + 2 * geo->su < geo->member_zone_cap)
		facts->missing |= full;
}

bool raizn_needs_missing(const struct raizn_geometry *geo,
			 const struct raizn_zone_facts *facts,
			 u32 ends[RAIZN_MAX_MEMBERS])
{
	bool finished = facts->state.flags & RAIZN_ZONE_FINISHED;
	u32 wp = finished ? facts->state.wp : geo->zone_cap;
	u32 c;

	if (facts->state.flags & RAIZN_ZONE_RESETTING ||
	    raizn_count_bits(facts->missing) <= geo->nr_parity)
		return false;
	for (c = 0; c < geo->nr_members; c++) {
		ends[c] = wanted_extent(geo, facts, c, wp);
		if (facts->missing & (1U << c))
			continue;
		if (finished ? !(facts->full & (1U << c)) :
			       first_gap(geo, facts, c) != ends[c])
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

/*
 * Does @wp lie in a stripe with a spoilt row that was in the lost log of its member?  Without
 * another column, or without the partial parity that a start before has dropped, data behind it may
 * have been promised, as much as there is.
 */
static bool is_cut_by_lost_log(const struct raizn_geometry *geo,
			       const struct raizn_zone_facts *facts, u32 wp)
{
	u32 first = wp / geo->stripe << geo->su_shift, row, c;
	bool dropped = facts->state.flags & RAIZN_ZONE_UNLOGGED;
	u32 lost = (dropped ? ~0U : facts->unlogged) & ~facts->missing;

	if (!(facts->missing || dropped) || !facts->nr_spoilt || wp == geo->zone_cap)
		return false;
	for (c = 0; c < geo->nr_members; c++) {
		if (!(lost & (1U << c)))
			continue;
		for (row = first; row < first + geo->su; row += geo->block)
			if (raizn_spoilt_end(facts, c, row) != row &&
			    !raizn_relocated(facts, c, row))
				return true;
	}
	return false;
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
	if (raizn_count_bits(facts->missing) > geo->nr_parity ||
	    is_end_unknown(geo, facts, plan->wp) ||
	    is_cut_by_lost_log(geo, facts, plan->wp))
		plan->action = RAIZN_ZONE_DAMAGED;
}
