// SPDX-License-Identifier: GPL-2.0
/*
 * What must be true after recovery.
 */
#include "model.h"

#define BASE_RECORDS	64

static struct set arrays;

u64 promise_hash(const struct promise *pr)
{
	u64 h = mix(pr->generation | pr->durable << 8 | pr->issued << 16,
		    pr->may_reset | pr->may_finish << 1 | pr->must_finish << 2);
	u32 o;

	for (o = 0; o < pr->issued; o++)
		h = mix(h, pr->val[o]);
	return h;
}

static void check_contents(const struct media *m, u32 missing, u32 wp,
			   const u64 *val)
{
	struct evidence evidence;
	struct general joined = general_join(m, missing);
	struct raizn_zone_facts facts;
	struct raizn_zone_plan plan;
	u64 v;
	u32 o;

	gather_facts(m, &joined, missing, &facts, &evidence);
	raizn_plan_zone(&geo, &facts, &plan);
	if (plan.action != RAIZN_ZONE_LEAVE || plan.wp != wp * BLOCK)
		violation("without members %#x the planner sees work or write pointer %u, not %u",
			  missing, plan.wp / BLOCK, wp);
	for (o = 0; o < wp; o++) {
		if (!read_data(m, &facts, joined.map, o, &v))
			violation("without members %#x offset %u cannot be read",
				  missing, o);
		if (v != val[o])
			violation("without members %#x offset %u reads other data",
				  missing, o);
	}
}

/* Length of a column in place: spoilt blocks at its end count. */
static u32 length_in_place(const struct general *g, u32 c, u32 want)
{
	u32 k;

	for (k = 0; k < MAX_SPOILT; k++)
		if (g->spoilt[c][k].end > want)
			want = g->spoilt[c][k].end;
	return want;
}

/* A block of a column, in place or in the log. */
static bool has_block(const struct media *m, u32 c, u32 map, u32 block, u64 v)
{
	const struct general *g = &m->general[c];
	const struct log_zone *l = current_log((struct media *)m, c);
	const struct record *rec;
	u32 n;

	if (spoilt_end(g, c, block) == block)
		return m->zone[c][(map >> c) & 1].v[block] == v;
	for (n = 0; n < l->nr; n++) {
		rec = &pool[l->rec[n]];
		if (rec->relocated && rec->row == block && rec->generation == g->generation)
			return rec->v[0] == v;
	}
	return false;
}

/* Column by column, that all is as if it had been written without a crash. */
static void check_columns(const struct media *m, const struct outcome *out,
			  const u64 *val)
{
	u32 first = (u32)__builtin_ctz(ALL & ~out->missing);
	u32 map = m->general[first].map;
	u32 tail = out->wp % STRIPE;
	u32 c, block, nth, o, want, length;
	u64 v;

	for (c = 0; c < W; c++) {
		const struct zone *z = &m->zone[c][(map >> c) & 1];

		if (out->missing & (1U << c))
			continue;
		if (memcmp(&m->general[c], &m->general[first],
			   sizeof(m->general[c])))
			violation("general logs disagree after recovery");
		if (m->zone[c][!((map >> c) & 1)].len)
			violation("spare zone of member %u is not empty", c);
		want = raizn_column_extent(&geo, 1, c, out->wp * BLOCK) / BLOCK;
		/* the tail's parity is in place when a zone is finished */
		nth = (c + W - raizn_parity_column(&geo, 1, out->wp / STRIPE)) % W;
		if (out->finished && nth < P && D > 1)
			want += tail < SU ? tail : SU;
		length = length_in_place(&m->general[c], c, want);
		/* A finish does not wait for padding. */
		if (out->finished && z->full && spoilt_end(&m->general[c], c, z->len) == length)
			length = z->len;
		if (z->len != length || (out->finished && !z->full && z->len != SU * cfg.stripes))
			violation("member %u holds %u blocks%s, expected %u", c,
				  z->len, z->full ? ", finished" : "", length);
		for (block = 0; block < want; block++) {
			nth = (c + W - raizn_parity_column(&geo, 1, block / SU)) % W;
			o = block / SU * STRIPE + block % SU;
			v = nth < P ? parity_of(nth, val, o, out->wp) :
				      val[o + (nth - P) * SU];
			if (!has_block(m, c, map, block, v))
				violation("member %u holds a wrong block %u", c,
					  block);
		}
	}
}

/**
 * struct base - an array after recovery, to go on from
 * @r:		the array
 * @level:	recoveries before it
 * @path:	how to come there
 * @path_nr:	same
 * @rec:	the records it holds
 * @nr:		number of them
 */
struct base {
	struct run r;
	u32 level;
	struct token path[MAX_PATH];
	u32 path_nr;
	struct record rec[BASE_RECORDS];
	u32 nr;
};

static struct base **bases;
static u64 nr_bases, done_bases;
static const struct base *current_base;

/* Counters say how often it was recovered: that makes no difference. */
static void forget_history(struct media *m, u32 missing)
{
	u32 first = (u32)__builtin_ctz(ALL & ~missing);
	u8 map = m->general[first].map;
	u8 start = m->general[first].start;
	u32 i, k;

	for (i = 0; i < W; i++) {
		struct general *g = &m->general[i];

		if (missing & (1U << i)) {
			/* whoever trusts a stale member gets nonsense */
			memset(g, 0, sizeof(*g));
			memset(m->zone[i], 0x5a, sizeof(m->zone[i]));
			memset(m->pp[i], 0, sizeof(m->pp[i]));
			for (k = 0; k < 2; k++) {
				m->zone[i][k].len = (u8)(SU * cfg.stripes);
				m->zone[i][k].durable = m->zone[i][k].len;
				m->zone[i][k].full = 0;
				m->zone[i][k].pending = 0;
			}
			continue;
		}
		g->event = 1;
		g->base = 0;
		g->base_dead = 0;
		g->start = 1;
		g->map = 0;
		g->map_version = 0;
		g->spoilt_version = 0;
		if (map & (1U << i)) {
			struct zone z = m->zone[i][0];

			m->zone[i][0] = m->zone[i][1];
			m->zone[i][1] = z;
		}
		for (k = 0; k < PP_ZONES; k++)
			if (m->pp[i][k].used && m->pp[i][k].start == start)
				m->pp[i][k].start = 1;
	}
	m->seq = 0;
}

static void keep_base(const struct media *m, const struct outcome *out,
		      const u64 *val)
{
	struct base *b = calloc(1, sizeof(*b));
	struct record *rec;
	u32 i, k, n;
	u64 h = 0;

	if (!b)
		abort();
	b->r.m = *m;
	b->r.missing = out->missing;
	b->r.finished = out->finished;
	b->r.life = (u8)(current_life + 1);
	b->r.pr.generation = out->generation;
	b->r.pr.durable = out->wp;
	b->r.pr.issued = out->wp;
	b->r.pr.may_finish = out->finished;
	b->r.pr.must_finish = out->finished;
	memcpy(b->r.pr.val, val, out->wp * sizeof(*val));
	forget_history(&b->r.m, out->missing);
	for (i = 0; i < W; i++)
		h = mix(h, media_hash_member(&b->r.m, i));
	h = mix(mix(h, out->missing), promise_hash(&b->r.pr));
	if (set_add(&situations, mix(h, 0xba5e), false) != 2 && !replaying) {
		free(b);
		return;
	}
	/* its records move into a pool of their own */
	for (i = 0; i < W; i++)
		for (k = 0; k < PP_ZONES; k++)
			for (n = 0; n < b->r.m.pp[i][k].nr; n++) {
				if (b->nr == BASE_RECORDS)
					abort();
				rec = &b->rec[b->nr];
				*rec = pool[b->r.m.pp[i][k].rec[n]];
				if (rec->seq > b->r.m.seq)
					b->r.m.seq = rec->seq;
				b->r.m.pp[i][k].rec[n] = (u16)b->nr++;
			}
	b->level = current_base ? current_base->level + 1 : 1;
	memcpy(b->path, path, sizeof(path));
	b->path_nr = path_nr;
	bases = realloc(bases, (nr_bases + 1) * sizeof(*bases));
	if (!bases)
		abort();
	bases[nr_bases++] = b;
}

/* Write what is left of the zone, then look at it with members lost. */
static void check_writable(const struct media *m, const struct outcome *out,
			   const u64 *val)
{
	static struct run r;
	u32 lost;

	memset(&r, 0, sizeof(r));
	r.m = *m;
	r.missing = out->missing;
	r.life = (u8)(current_life + 1);
	r.pr.generation = out->generation;
	r.pr.issued = out->wp;
	memcpy(r.pr.val, val, out->wp * sizeof(*val));
	run_resume(&r);
	if (out->wp < CAP)
		run_op(&r, (struct op){ OP_WRITE, (u8)(CAP - out->wp) });
	run_op(&r, (struct op){ OP_FLUSH, 0 });
	for (lost = 0; lost <= ALL; lost++)
		if (!(out->missing & ~lost) && bits(lost) <= P)
			check_contents(&r.m, lost, CAP, r.pr.val);
}

/*
 * What recovery came to.  Most crashes come to few results, so what looks at
 * everything is done once for each.
 */
void check_outcome(const struct media *m, const struct outcome *out)
{
	const struct promise *pr = promise;
	struct outcome again;
	struct media copy;
	u32 old_nr = pool_nr;
	u32 lost, i;
	u64 h = 0;

	if (out->generation == pr->generation + 1) {
		if (!pr->may_reset || out->wp || out->finished)
			violation("the zone was reset, and nobody asked for it");
	} else if (out->generation != pr->generation) {
		violation("generation %u, expected %u", out->generation,
			  pr->generation);
	} else {
		if (out->wp < pr->durable)
			violation("write pointer %u, but %u was durable",
				  out->wp, pr->durable);
		if (out->wp > pr->issued)
			violation("write pointer %u, but only %u was written",
				  out->wp, pr->issued);
		if (out->finished ? !pr->may_finish || out->wp != pr->issued :
				    pr->must_finish)
			violation("the zone is %sfinished, write pointer %u",
				  out->finished ? "" : "not ", out->wp);
	}
	check_columns(m, out, pr->val);

	for (i = 0; i < W; i++)
		if (!(out->missing & (1U << i)))
			h = mix(h, media_hash_member(m, i));
	h = mix(mix(h, promise_hash(pr)), out->missing);
	if (set_add(&arrays, h, false) != 2 && !replaying)
		return;

	/* again, with more members lost: to the same end */
	for (lost = 0; lost <= ALL; lost++) {
		if (out->missing & ~lost || bits(lost) > P)
			continue;
		if (out->finished || !out->wp)
			check_contents(m, lost, out->wp, pr->val);
		copy = *m;
		if (!recover(&copy, lost, &again))
			violation("cannot be recovered again without members %#x",
				  lost);
		if (again.wp != out->wp || again.finished != out->finished ||
		    again.generation != out->generation)
			violation("recovered again without members %#x: write pointer %u, was %u",
				  lost, again.wp, out->wp);
		check_columns(&copy, &again, pr->val);
		check_contents(&copy, lost, again.wp, pr->val);
		pool_nr = old_nr;
	}
	if (!out->finished)
		check_writable(m, out, pr->val);
	pool_nr = old_nr;
	if (!current_base || current_base->level < 2)
		keep_base(m, out, pr->val);
}

/* Go on from all recovered arrays, and from what those recover to. */
void explore_bases(void)
{
	struct op none = { 0 };
	struct base *b;

	for (; done_bases < nr_bases; done_bases++) {
		b = bases[done_bases];
		current_base = b;
		memcpy(path, b->path, sizeof(path));
		path_nr = b->path_nr;
		if (push('+', 0, none)) {
			memcpy(pool, b->rec, sizeof(b->rec));
			pool_nr = b->nr;
			run_resume(&b->r);
			explore(&b->r, replaying ? MAX_PATH :
				b->level == 1 ? cfg.redepth : 1);
		}
		free(b);
	}
	result->resumed = nr_bases;
}
