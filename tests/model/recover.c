// SPDX-License-Identifier: GPL-2.0
/*
 * Recovery, step by step as docs/recovery.md has it, with the real planner.
 * The steps have the numbers they have there.
 */
#include "model.h"

static u32 live;

/* Step 1: the joined state, and who is missing, durable on all who are there. */
static void persist_joined(struct media *m, struct general *joined, u32 missing)
{
	joined->dead = (u8)missing;
#ifdef MUTANT_NO_PERSIST
	(void)m;
	return;
#endif
	general_write(m, live, joined);
	crash_point(m, "1 general logs");
	general_complete(m);
}

/* Step 2: log zones that do not count any more, or never did. */
static void drop_void_logs(struct media *m, u8 start)
{
	u32 i, k, used;

	for (i = 0; i < W; i++) {
		used = 0;
		for (k = 0; k < PP_ZONES; k++) {
			struct log_zone *l = &m->pp[i][k];

			used += l->used && l->start == start;
#ifndef MUTANT_KEEP_UNFINISHED_LOGS
			if (live & (1U << i) && l->used && l->start != start)
				l->pending = PEND_RESET;
#endif
		}
		if (live & (1U << i) && used > PP_ZONES - 1)
			violation("%u partial-parity log zones on member %u",
				  used, i);
	}
	crash_point(m, "2 void log zones");
	media_complete(m, live);
}

/* Step 3: zones that are in no map hold copies that were not completed. */
static void clean_spares(struct media *m, u8 map)
{
	u32 i;

	for (i = 0; i < W; i++) {
		struct zone *z = &m->zone[i][!((map >> i) & 1)];

		if (live & (1U << i) && z->len)
			z->pending = PEND_RESET;
	}
	crash_point(m, "3 spare zones");
	media_complete(m, live);
}

/* A block of a column, data or parity, as the zone should have it. */
static u64 column_block(const struct media *m,
			const struct raizn_zone_facts *facts, u32 map,
			u32 column, u32 block, u32 wp)
{
	u32 stripe = block / SU;
	u32 first = raizn_parity_column(&geo, facts->zone, stripe);
	u32 nth = (column + W - first) % W;
	u32 o = stripe * STRIPE + block % SU;
	u64 v = 0, d;
	u32 pos;

	for (pos = 0; pos < D && o < wp; pos++, o += SU) {
		if (nth >= P && pos != nth - P)
			continue;
		if (!read_data(m, facts, map, o, &d))
			violation("offset %u below the write pointer %u cannot be read",
				  o, wp);
		v ^= nth == 1 && P == 2 ? gf_power(d, pos) : d;
	}
	return v;
}

/* Padding behind debris, up to the end of its stripe unit, if that is all before @block. */
static void pad(struct media *m, const struct general *g, u32 c, u32 block)
{
	struct zone *z = &m->zone[c][(g->map >> c) & 1];

	while (!z->full && z->len < block && spoilt_end(g, c, z->len) != z->len)
		z->v[z->len++] = 0x9add1e;
}

/*
 * Step 4: what is missing below the write pointer.  Sources are as found.  Spoilt blocks
 * follow in step 5.
 */
static void fill(struct media *m, const struct raizn_zone_facts *facts,
		 const struct general *joined, const struct raizn_zone_plan *plan)
{
	struct media as_found = *m;
	u32 map = joined->map;
	u32 c, block;

	for (c = 0; c < W; c++) {
		if (!(live & (1U << c)))
			continue;
		for (block = plan->keep[c] / BLOCK;
		     block < plan->want[c] / BLOCK; block++) {
#ifdef MUTANT_FILL_SKIPS_PARITY
			if (c == raizn_parity_column(&geo, facts->zone,
						     block / SU))
				break;
#endif
			if (spoilt_end(joined, c, block) != block ||
			    raizn_row_is_there(facts, c, block * BLOCK))
				continue;
			pad(m, joined, c, block);
			if (!m->zone[c][(map >> c) & 1].full &&
			    !zone_append(m, c, block,
					 column_block(&as_found, facts, map, c,
						      block, plan->wp / BLOCK)))
				violation("member %u cannot be filled at block %u",
					  c, block);
		}
	}
	crash_point(m, "4 fill");
	media_complete(m, live);
}

static void reset_columns(struct media *m, struct general *joined)
{
	u32 c;

	for (c = 0; c < W; c++)
		if (live & (1U << c))
			m->zone[c][(joined->map >> c) & 1].pending = PEND_RESET;
	crash_point(m, "4 reset of the members' zones");
	media_complete(m, live);
	joined->generation++;
	joined->flags = 0;
	joined->wp = 0;
	if (cfg.relocate) {
		memset(joined->spoilt, 0, sizeof(joined->spoilt));
		joined->spoilt_version++;
	}
	general_write(m, live, joined);
	crash_point(m, "4 reset done");
	general_complete(m);
}

static void finish_columns(struct media *m, u32 map)
{
	u32 c;

	for (c = 0; c < W; c++)
		if (live & (1U << c))
			m->zone[c][(map >> c) & 1].pending = PEND_FINISH;
	crash_point(m, "4 finish of the members' zones");
	media_complete(m, live);
}

/* The spoilt blocks below the write pointer, in fresh logs. */
static void relocate_again(struct media *m, const struct raizn_zone_facts *facts,
			   const struct general *joined, const struct raizn_zone_plan *plan)
{
	u32 c, block;

#ifdef MUTANT_RELOCATED_NOT_FRESH
	return;
#endif
	for (c = 0; c < W; c++)
		for (block = 0; live & (1U << c) && block < plan->want[c] / BLOCK; block++)
			if (spoilt_end(joined, c, block) != block)
				relocate(m, c, block, joined->generation,
					 column_block(m, facts, joined->map, c, block,
						      plan->wp / BLOCK));
}

/* Step 5: fresh partial-parity logs with spoilt blocks and the whole tail, durable. */
static void open_fresh_logs(struct media *m, const struct outcome *out,
			    const u64 *val, u8 start, const struct raizn_zone_facts *facts,
			    const struct general *joined, const struct raizn_zone_plan *plan)
{
	static struct run r;
	u32 i, k, used, o;

	for (i = 0; i < W; i++) {
		if (!(live & (1U << i)))
			continue;
		used = 0;
		for (k = 0; k < PP_ZONES; k++)
			used += m->pp[i][k].used;
		if (used > PP_ZONES - 1)
			violation("no empty log zone left on member %u", i);
		log_open(m, i, start);
	}
	crash_point(m, "5 fresh log zones");
	relocate_again(m, facts, joined, plan);
	if (out->finished || !(out->wp % STRIPE)) {
		if (facts->nr_spoilt)
			crash_point(m, "5 spoilt blocks in the fresh logs");
		media_complete(m, live);
		return;
	}

	memset(&r, 0, sizeof(r));
	r.m = *m;
	r.missing = out->missing;
	r.pr.generation = out->generation;
	r.pr.issued = out->wp;
	memcpy(r.pr.val, val, sizeof(r.pr.val));
	run_resume(&r);
	o = out->wp - out->wp % STRIPE;
	append_tail(&r, ALL, o);
	*m = r.m;
	crash_point(m, "5 tail in the fresh logs");
	media_complete(m, live);
}

/* Step 7: nobody needs the old logs any more. */
static void drop_old_logs(struct media *m, u8 start)
{
#ifdef MUTANT_KEEP_OLD_PP
	/* void or not, they stay, and who starts next believes in them */
	for (u32 i = 0; i < W; i++)
		for (u32 k = 0; k < PP_ZONES; k++)
			if (m->pp[i][k].used)
				m->pp[i][k].start = start;
	return;
#endif
	drop_void_logs(m, start);
}

/*
 * Step 8: debris stays where it is.  Returns false if there are too many runs of spoilt
 * blocks: @joined is as it was then.
 */
static bool add_spoilt(struct general *joined, u32 c, u32 want, u32 debris)
{
	u32 from = spoilt_end(joined, c, want);
	struct spoilt *s, *place = NULL;
	u32 end = (debris + SU - 1) / SU * SU;

	for (s = joined->spoilt[c]; s < joined->spoilt[c] + MAX_SPOILT; s++) {
		if (s->end == from || s->end > want)
			place = s;
		else if (!s->end && !place)
			place = s;
	}
	if (!place)
		return false;
	for (s = joined->spoilt[c]; s < joined->spoilt[c] + MAX_SPOILT; s++) {
		if (s->end && s->end >= from && s->from < from)
			from = s->from;
	}
	for (s = joined->spoilt[c]; s < joined->spoilt[c] + MAX_SPOILT; s++)
		if (s->end && s->from >= from)
			*s = (struct spoilt){ 0 };
	*place = (struct spoilt){ (u8)from, (u8)end };
	return true;
}

/*
 * Step 8: a column with debris.  With nothing valid in it its zone is reset,
 * else the valid part moves to the spare zone.
 */
static void remove_debris(struct media *m, u32 c, u32 want,
			  struct general *joined, const u64 *column)
{
	struct zone *old = &m->zone[c][(joined->map >> c) & 1];
	struct zone *spare = &m->zone[c][!((joined->map >> c) & 1)];

	if (!want) {
		old->pending = PEND_RESET;
		crash_point(m, "8 debris reset");
		media_complete(m, live);
		return;
	}
	memcpy(spare->v, column, sizeof(spare->v));
	spare->len = (u8)want;
	crash_point(m, "8 copy");
#ifndef MUTANT_MAP_BEFORE_FLUSH
	media_complete(m, live);
#endif
#ifdef MUTANT_RESET_BEFORE_MAP
	old->pending = PEND_RESET;
	crash_point(m, "8 old zone reset");
	media_complete(m, live);
#endif
	joined->map ^= (u8)(1U << c);
	joined->map_version++;
	if (cfg.relocate) {
		memset(joined->spoilt[c], 0, sizeof(joined->spoilt[c]));
		joined->spoilt_version++;
	}
	general_write(m, live, joined);
	crash_point(m, "8 zone map");
	general_complete(m);
	old->pending = PEND_RESET;
	crash_point(m, "8 old zone reset");
	media_complete(m, live);
}

static void pad_all(struct media *m, const struct general *joined)
{
	u32 c;

	for (c = 0; c < W; c++)
		if (live & (1U << c))
			pad(m, joined, c, MAX_COL);
	crash_point(m, "8 padding");
	media_complete(m, live);
}

/* Step 8: debris, and padding that a power cut took away. */
static void see_to_debris(struct media *m, const struct raizn_zone_facts *facts,
			  const struct raizn_zone_plan *plan, struct general *joined)
{
	u64 column[MAX_COL];
	bool spoils = false;
	u32 c, block, want;

	for (c = 0; c < W; c++) {
		want = plan->want[c] / BLOCK;
		if (!(live & (1U << c)) || !plan->debris[c])
			continue;
		if (cfg.relocate && want &&
		    add_spoilt(joined, c, want, plan->debris[c] / BLOCK)) {
			spoils = true;
			continue;
		}
		for (block = 0; block < want; block++)
			column[block] = column_block(m, facts, joined->map, c, block,
						     plan->wp / BLOCK);
		remove_debris(m, c, want, joined, column);
	}
	if (!cfg.relocate)
		return;
#ifdef MUTANT_PAD_BEFORE_RECORD
	pad_all(m, joined);
#endif
	if (spoils) {
		joined->spoilt_version++;
		general_write(m, live, joined);
		crash_point(m, "8 spoilt blocks");
		general_complete(m);
	}
	pad_all(m, joined);
}

static u8 highest_start(const struct media *m)
{
	u8 start = 0;
	u32 i, k;

	for (i = 0; i < W; i++) {
		if (!(live & (1U << i)))
			continue;
		if (m->general[i].start > start)
			start = m->general[i].start;
		for (k = 0; k < PP_ZONES; k++)
			if (m->pp[i][k].used && m->pp[i][k].start > start)
				start = m->pp[i][k].start;
	}
	return start;
}

/*
 * Recover the array without the members @lost.  Returns false when more members
 * are gone than the array has parity for.
 */
bool recover(struct media *m, u32 lost, struct outcome *out)
{
	struct evidence evidence;
	struct general joined = general_join(m, lost);
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u32 missing = lost | joined.dead;	/* lost, or not to be trusted */
	u64 val[MAX_CAP] = { 0 };
	u8 old_start = joined.start;
	u8 map, start;
	u32 outer;
	u32 o;

	if (bits(missing) > P)
		return false;
	/* a power cut in here recovers, too */
	outer = live;
	live = ALL & ~missing;

	start = highest_start(m) + 1;
	persist_joined(m, &joined, missing);
	drop_void_logs(m, old_start);
	clean_spares(m, joined.map);

	gather_facts(m, &joined, missing, &facts, &evidence);
	raizn_plan_zone(&geo, &facts, &plan);
	map = joined.map;
	out->missing = (u8)missing;
	out->wp = (u8)(plan.wp / BLOCK);
	out->finished = plan.action != RAIZN_ZONE_RESET &&
			joined.flags & RAIZN_ZONE_FINISHED;
	for (o = 0; o < out->wp; o++)
		if (!read_data(m, &facts, map, o, &val[o]))
			violation("offset %u below the write pointer %u cannot be read",
				  o, out->wp);

	switch (plan.action) {
	case RAIZN_ZONE_LEAVE:
		break;
	case RAIZN_ZONE_RESET:
		reset_columns(m, &joined);
		break;
	case RAIZN_ZONE_FINISH:
		fill(m, &facts, &joined, &plan);
		finish_columns(m, map);
		break;
	case RAIZN_ZONE_REPAIR:
#ifdef MUTANT_DEBRIS_FIRST
		see_to_debris(m, &facts, &plan, &joined);
#endif
		fill(m, &facts, &joined, &plan);
		break;
	case RAIZN_ZONE_DAMAGED:
		violation("the zone is damaged");
	}
	out->generation = joined.generation;

	/* Step 6 is the commit of step 5: from there on only those logs count. */
#ifndef MUTANT_DROP_PP_FIRST
	open_fresh_logs(m, out, val, start, &facts, &joined, &plan);
#endif
	joined.start = start;
	joined.base = joined.event++;
	joined.base_dead = joined.dead;
	general_write(m, live, &joined);
	crash_point(m, "6 fresh logs count");
	general_complete(m);
#ifdef MUTANT_DROP_PP_FIRST
	drop_old_logs(m, start);
	open_fresh_logs(m, out, val, start, &facts, &joined, &plan);
#else
	drop_old_logs(m, start);
#endif

#ifndef MUTANT_DEBRIS_FIRST
	if (plan.action == RAIZN_ZONE_REPAIR)
		see_to_debris(m, &facts, &plan, &joined);
#endif
	live = outer;
	return true;
}
