// SPDX-License-Identifier: GPL-2.0
/*
 * The drives: what they hold, how it reads back, and what of it is found by
 * recovery.  Decoding is here, too, on its own arithmetic.
 */
#include "model.h"

struct config cfg;
struct raizn_geometry geo;
u32 W, D, P, SU, STRIPE, CAP, ALL;
struct placement place[MAX_CAP];
struct record pool[MAX_POOL];
u32 pool_nr;

#define ZONE	1	/* logical zone number: parity does not begin at the last */

void geometry_setup(void)
{
	struct raizn_place p;
	const char *why;
	u32 o;

	if (raizn_geometry_init(&geo, cfg.level, cfg.members, cfg.su * BLOCK,
				4096, 4096, cfg.su * BLOCK * cfg.stripes, 0,
				RAIZN_NR_LOG_ZONES + RAIZN_MIN_SPARE_ZONES,
				2, &why)) {
		fprintf(stderr, "geometry refused: %s\n", why);
		exit(2);
	}
	W = geo.nr_members;
	D = geo.nr_data;
	P = geo.nr_parity;
	SU = cfg.su;
	STRIPE = geo.stripe / BLOCK;
	CAP = geo.zone_cap / BLOCK;
	ALL = (1U << W) - 1;
	if (W > MAX_W || SU > MAX_SU || CAP > MAX_CAP ||
	    SU * cfg.stripes > MAX_COL) {
		fprintf(stderr, "geometry too large for the model\n");
		exit(2);
	}
	for (o = 0; o < CAP; o++) {
		raizn_place(&geo, ZONE, o * BLOCK, &p);
		place[o].column = (u8)p.column;
		place[o].block = (u8)(p.sector / BLOCK);
		place[o].stripe = (u8)p.stripe;
		place[o].pos = (u8)p.pos;
		place[o].row = (u8)(p.row / BLOCK);
	}
}

u32 bits(u32 mask)
{
	return (u32)__builtin_popcount(mask);
}

/* GF(2^8) of raid6: eight bytes times 2^n. */
u64 gf_power(u64 v, u32 n)
{
	while (n--) {
		u64 top = v & 0x8080808080808080ULL;

		v = ((v ^ top) << 1) ^ (top >> 7) * 0x1d;
	}
	return v;
}

static u32 gf_mul8(u32 a, u32 b)
{
	u32 out = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			out ^= a;
		a = (u32)gf_power(a, 1) & 0xff;
	}
	return out;
}

/* v / f, byte by byte */
static u64 gf_divide(u64 v, u32 f)
{
	static u8 inverse[256];
	u64 out = 0;
	u32 i;

	while (gf_mul8(f, inverse[f]) != 1)
		inverse[f]++;
	for (i = 0; i < 8; i++)
		out |= (u64)gf_mul8((v >> (8 * i)) & 0xff, inverse[f]) <<
		       (8 * i);
	return out;
}

/*
 * Parity of the row that @offset is in, of data below @limit, as it should be.
 */
u64 parity_of(u32 parity, const u64 *val, u32 offset, u32 limit)
{
	u32 o = place[offset].stripe * STRIPE + place[offset].row;
	u64 v = 0;
	u32 pos;

	for (pos = 0; pos < D && o < limit; pos++, o += SU)
		v ^= parity ? gf_power(val[o], pos) : val[o];
	return v;
}

u32 all_records(const struct log_zone *l)
{
	return (1U << l->nr) - 1;
}

/* All that was written completes and becomes durable. */
void media_complete(struct media *m, u32 members)
{
	u32 i, k;

	for (i = 0; i < W; i++) {
		if (!(members & (1U << i)))
			continue;
		for (k = 0; k < 2; k++) {
			struct zone *z = &m->zone[i][k];

			if (z->pending & PEND_RESET) {
				z->len = 0;
				z->full = 0;
			}
			if (z->pending & PEND_FINISH)
				z->full = 1;
			z->pending = 0;
			z->durable = z->len;
		}
		for (k = 0; k < PP_ZONES; k++) {
			struct log_zone *l = &m->pp[i][k];

			if (l->pending)
				memset(l, 0, sizeof(*l));
			l->durable = all_records(l);
		}
	}
}

u32 current_zone(const struct media *m, u32 column)
{
	return (m->general[column].map >> column) & 1;
}

/* A write that is not at the write pointer of the member zone fails. */
bool zone_append(struct media *m, u32 column, u32 block, u64 v)
{
	struct zone *z = &m->zone[column][current_zone(m, column)];

	if (z->len != block || z->full || z->pending)
		return false;
	z->v[z->len++] = v;
	return true;
}

struct log_zone *current_log(struct media *m, u32 member)
{
	struct log_zone *l = NULL;
	u32 k;

	for (k = 0; k < PP_ZONES; k++)
		if (m->pp[member][k].used && !m->pp[member][k].pending &&
		    (!l || m->pp[member][k].epoch > l->epoch))
			l = &m->pp[member][k];
	return l;
}

struct log_zone *log_open(struct media *m, u32 member, u8 start)
{
	struct log_zone *old = current_log(m, member);
	u32 k;

	for (k = 0; k < PP_ZONES; k++) {
		struct log_zone *l = &m->pp[member][k];

		if (l->used)
			continue;
		memset(l, 0, sizeof(*l));
		l->used = 1;
		l->epoch = old ? old->epoch + 1 : 1;
		l->start = start;
		return l;
	}
	violation("no empty log zone left on member %u", member);
}

void log_append(struct media *m, u32 member, const struct record *rec)
{
	struct log_zone *l = current_log(m, member);
	struct record *r;

	if (l->nr == MAX_RECORDS || pool_nr == MAX_POOL) {
		fprintf(stderr, "the model's logs are too small\n");
		exit(2);
	}
	r = &pool[pool_nr];
	*r = *rec;
	r->seq = ++m->seq;
	r->hash = mix(rec->parity | rec->generation << 8 | rec->relocated << 16, rec->start |
		      rec->end << 8 | rec->row << 16 | rec->nr_rows << 24);
	for (u32 i = 0; i < rec->nr_rows; i++)
		r->hash = mix(r->hash, rec->v[i]);
	l->rec[l->nr++] = (u16)pool_nr++;
}

/* Log a block of a column that is spoilt in place. */
void relocate(struct media *m, u32 column, u32 block, u8 generation, u64 v)
{
	struct record rec = {
		.relocated = 1, .generation = generation, .row = (u8)block,
		.nr_rows = 1, .v = { v },
	};

	log_append(m, column, &rec);
}

/* Block behind the spoilt ones that @block is one of, or @block. */
u32 spoilt_end(const struct general *g, u32 column, u32 block)
{
	const struct spoilt *s;

	for (s = g->spoilt[column]; s < g->spoilt[column] + MAX_SPOILT; s++)
		if (block >= s->from && block < s->end)
			return s->end;
	return block;
}

/* Send a record to the general logs of @members; general_complete() ends it. */
void general_write(struct media *m, u32 members, const struct general *next)
{
	m->next = *next;
	m->pending = (u8)members;
}

void general_complete(struct media *m)
{
	u32 i;

	for (i = 0; i < W; i++)
		if (m->pending & (1U << i))
			m->general[i] = m->next;
	m->pending = 0;
}

/* A zone outside of the map is told from one in it by its place. */
u64 media_hash_member(const struct media *m, u32 member)
{
	const struct general *g = &m->general[member];
	u64 h = mix(member + 1, g->event | g->dead << 8 | g->base << 16 |
		    (u32)g->base_dead << 24);
	u64 word;
	u32 i, k;

	h = mix(h, g->start | g->map << 8 | g->map_version << 16);
	h = mix(h, g->generation | g->flags << 8 | g->wp << 16 |
		(u32)g->spoilt_version << 24);
	for (i = 0; i < W; i++)
		for (k = 0; k < MAX_SPOILT; k++)
			h = mix(h, g->spoilt[i][k].from | g->spoilt[i][k].end << 8);
	for (k = 0; k < 2; k++) {
		const struct zone *z = &m->zone[member][k];

		h = mix(h, z->len | z->full << 8 | z->durable << 16 |
			z->pending << 24);
		for (i = 0; i < z->len; i++)
			h = mix(h, z->v[i]);
	}
	for (k = 0; k < PP_ZONES; k++) {
		const struct log_zone *l = &m->pp[member][k];

		if (!l->used)
			continue;
		/* the place of a log zone means nothing, its epoch does */
		word = mix(l->start | l->nr << 8 | l->pending << 16,
			   l->durable);
		for (i = 0; i < l->nr; i++)
			word = mix(word, pool[l->rec[i]].hash);
		h += mix(word, current_log((struct media *)m, member) == l);
	}
	return h;
}

/**
 * struct answer - of raizn_join_claims(), which is a function of its arguments
 * @there:	members that are there (bit by slot)
 * @claims:	their superblocks, 0 of the others
 * @joined:	the claims fit together
 * @trust:	members to trust, if so
 */
struct answer {
	u32 there;
	u32 claims[MAX_W];
	bool joined;
	struct raizn_trust trust;
};

static bool ask(const struct media *m, u32 lost, struct raizn_trust *trust)
{
	struct raizn_member_claim claims[MAX_W];
	u32 i;

	for (i = 0; i < W; i++) {
		claims[i].there = !(lost & (1U << i));
		claims[i].event = m->general[i].event;
		claims[i].failed = m->general[i].dead;
		claims[i].base = m->general[i].base;
		claims[i].base_failed = m->general[i].base_dead;
	}
	return !raizn_join_claims(claims, W, trust);
}

/*
 * Which of the members that are not @lost are to be trusted?  Crashes ask this far more
 * often than superblocks differ, so answers are kept.
 */
bool join_members(const struct media *m, u32 lost, struct raizn_trust *trust)
{
	static struct answer answers[1 << 14];
	struct answer now = { 0 }, *kept;
	u64 h = 0;
	u32 i;

	for (i = 0; i < W; i++) {
		const struct general *g = &m->general[i];

		if (lost & (1U << i))
			continue;
		now.there |= 1U << i;
		now.claims[i] = g->event | g->dead << 8 | g->base << 16 |
				(u32)g->base_dead << 24;
		h = mix(h, now.claims[i]);
	}
	kept = &answers[mix(h, now.there) % ARRAY_SIZE(answers)];
	if (kept->there != now.there ||
	    memcmp(kept->claims, now.claims, sizeof(now.claims))) {
		now.joined = ask(m, lost, &now.trust);
		*kept = now;
	}
	*trust = kept->trust;
	return kept->joined;
}

/*
 * What the general logs of the members that are not @lost say together; with
 * event count and bases of the next superblock.
 */
struct general general_join(const struct media *m, u32 lost)
{
	struct raizn_zone_state state = { 0 }, other;
	struct raizn_trust trust;
	struct general j = { 0 };
	u32 i;

	if (!join_members(m, lost, &trust))
		violation("nobody can tell who is right without members %#x",
			  lost);
	j.event = (u8)trust.event;
	j.dead = (u8)trust.failed;
	j.base = (u8)trust.base;
	j.base_dead = (u8)trust.base_failed;
	for (i = 0; i < W; i++) {
		const struct general *g = &m->general[i];

		if ((lost | j.dead) & (1U << i))
			continue;
		other.generation = g->generation;
		other.flags = g->flags;
		other.wp = g->wp * BLOCK;
		raizn_zone_state_join(&state, &other);
		if (g->start > j.start)
			j.start = g->start;
		if (g->map_version >= j.map_version) {
			j.map_version = g->map_version;
			j.map = g->map;
		}
		if (g->spoilt_version >= j.spoilt_version) {
			j.spoilt_version = g->spoilt_version;
			memcpy(j.spoilt, g->spoilt, sizeof(j.spoilt));
		}
	}
	j.generation = (u8)state.generation;
	j.flags = (u8)state.flags;
	j.wp = (u8)(state.wp / BLOCK);
	return j;
}

static void add_entry(struct raizn_zone_facts *facts,
		      struct raizn_pp_entry *entries, u32 number)
{
	const struct record *r = &pool[number];
	u32 i = facts->nr_pp++;

	for (; i && entries[i - 1].seq < r->seq; i--)
		entries[i] = entries[i - 1];
	entries[i].seq = r->seq;
	entries[i].location = number;
	entries[i].start = r->start * BLOCK;
	entries[i].end = r->end * BLOCK;
	entries[i].row = r->row * BLOCK;
	entries[i].nr_rows = r->nr_rows * BLOCK;
	entries[i].parity = r->parity;
}

static void add_relocated(struct raizn_zone_facts *facts, struct evidence *evidence,
			  u32 column, u32 number)
{
	evidence->relocated[facts->nr_relocated++] = (struct raizn_relocated_rows) {
		.location = number, .column = column,
		.row = pool[number].row * BLOCK, .nr_rows = BLOCK,
	};
}

static void gather_spoilt(const struct general *joined, struct raizn_zone_facts *facts,
			  struct evidence *evidence)
{
	const struct spoilt *s;
	u32 c, k;

	facts->spoilt = evidence->spoilt;
	facts->nr_spoilt = 0;
	for (c = 0; c < W; c++)
		for (k = 0; k < MAX_SPOILT; k++) {
			s = &joined->spoilt[c][k];
			if (s->end)
				evidence->spoilt[facts->nr_spoilt++] =
					(struct raizn_spoilt_rows) {
						.column = c, .from = s->from * BLOCK,
						.end = s->end * BLOCK,
					};
		}
}

/*
 * Records in the log zones of a member.  A reader may drop superseded ones at any
 * time, when it has seen relocated blocks.
 */
static void add_entries(const struct media *m, u32 member, const struct general *joined,
			struct raizn_zone_facts *facts, struct evidence *evidence, bool relocated)
{
	u32 k, n;

	for (k = 0; k < PP_ZONES; k++) {
		const struct log_zone *l = &m->pp[member][k];

		if (!l->used || l->start != joined->start)
			continue;
		for (n = 0; n < l->nr; n++) {
#ifndef MUTANT_OLD_GENERATION
			if (pool[l->rec[n]].generation != joined->generation)
				continue;
#endif
			if (pool[l->rec[n]].relocated != relocated)
				continue;
			if (relocated) {
				add_relocated(facts, evidence, member, l->rec[n]);
				continue;
			}
			add_entry(facts, evidence->pp, l->rec[n]);
			facts->nr_pp = raizn_keep_needed(&geo, facts, evidence->pp);
		}
	}
}

/* What the planner is told. */
void gather_facts(const struct media *m, const struct general *joined,
		  u32 missing, struct raizn_zone_facts *facts,
		  struct evidence *evidence)
{
	u32 i;

	facts->zone = ZONE;
	facts->state.generation = joined->generation;
	facts->state.flags = joined->flags;
	facts->state.wp = joined->wp * BLOCK;
	facts->missing = missing;
	facts->unlogged = missing;
	facts->full = 0;
	facts->pp = evidence->pp;
	facts->nr_pp = 0;
	facts->relocated = evidence->relocated;
	facts->nr_relocated = 0;
	gather_spoilt(joined, facts, evidence);
	for (i = 0; i < W; i++) {
		const struct zone *z = &m->zone[i][(joined->map >> i) & 1];

		facts->extents[i] = z->len * BLOCK;
		if (missing & (1U << i))
			continue;
		if (z->full || z->len == SU * cfg.stripes) {
			facts->full |= 1U << i;
			facts->extents[i] = geo.member_zone_cap;
		}
	}
	for (i = 0; i < 2 * W; i++)
		if (!(missing & (1U << i % W)))
			add_entries(m, i % W, joined, facts, evidence, i < W);
}

static u64 read_block(const struct media *m, const struct raizn_zone_facts *facts, u32 map,
		      u32 column, u32 block)
{
	const struct zone *z = &m->zone[column][(map >> column) & 1];
	const struct raizn_relocated_rows *rows;

	if (raizn_spoilt_end(facts, column, block * BLOCK) != block * BLOCK) {
		rows = raizn_relocated(facts, column, block * BLOCK);
		if (!rows)
			violation("member %u is read at block %u, which is spoilt", column, block);
		return pool[rows->location].v[0];
	}
	if (block >= z->len)
		violation("member %u is read at block %u, behind its write pointer",
			  column, block);
	return z->v[block];
}

/* One parity minus all known data it is made of. */
static u64 syndrome(const struct media *m, const struct raizn_zone_facts *facts,
		    u32 map, u32 offset, u32 parity,
		    const struct raizn_source *src)
{
	const struct placement *pl = &place[offset];
	u32 o = pl->stripe * STRIPE + pl->row;
	u32 pc, c, pos;
	u64 v;

	if (src->parity[parity] == RAIZN_FINAL_PARITY) {
		pc = raizn_parity_column(&geo, ZONE, pl->stripe);
		c = raizn_parity_column_nth(&geo, pc, parity);
		v = read_block(m, facts, map, c, pl->block);
	} else {
		const struct record *r =
			&pool[facts->pp[src->parity[parity]].location];

		v = r->v[(pl->row - r->row) & (SU - 1)];
	}
	for (pos = 0; pos < D && o * BLOCK < src->limit[parity];
	     pos++, o += SU) {
		u64 d;

		if (src->unknown & (1U << pos))
			continue;
		d = read_block(m, facts, map, place[o].column, place[o].block);
		v ^= parity ? gf_power(d, pos) : d;
	}
	return v;
}

/* Read a block as recovery or a reader of a degraded array would. */
bool read_data(const struct media *m, const struct raizn_zone_facts *facts,
	       u32 map, u32 offset, u64 *v)
{
	const struct placement *pl = &place[offset];
	struct raizn_source src;
	u64 s[MAX_P] = { 0 };
	u32 a, b, i;

	if (!raizn_find_source(&geo, facts, offset * BLOCK, &src))
		return false;
	if (src.direct) {
		*v = read_block(m, facts, map, pl->column, pl->block);
		return true;
	}
	for (i = 0; i < P; i++)
		if (src.parity[i] != RAIZN_NO_PARITY)
			s[i] = syndrome(m, facts, map, offset, i, &src);
	if (bits(src.unknown) == 2) {
		a = (u32)__builtin_ctz(src.unknown);
		b = (u32)__builtin_ctz(src.unknown & (src.unknown - 1));
		s[1] = gf_divide(s[1] ^ gf_power(s[0], b),
				 (u32)(gf_power(1, a) ^ gf_power(1, b)));
		*v = pl->pos == a ? s[1] : s[0] ^ s[1];
		return true;
	}
	/* a single unknown: both parities, if they are there, must agree */
	if (P > 1 && src.parity[1] != RAIZN_NO_PARITY) {
		s[1] = gf_divide(s[1], (u32)gf_power(1, pl->pos));
		if (src.parity[0] != RAIZN_NO_PARITY && s[0] != s[1])
			violation("P and Q disagree at offset %u", offset);
		*v = s[1];
	} else {
		*v = s[0];
	}
	return true;
}
