// SPDX-License-Identifier: GPL-2.0
/*
 * Writes of the module, in their order: the model of issue.c, complete.c,
 * partial_parity.c, flush.c, pp_log.c and zone_ops.c for one zone.
 *
 * crash_point() is called at every moment at which power may fail with another
 * result than before: what is under way at that moment may be lost in part.
 */
#include "model.h"

/* Contents that are never the same twice, and random to the eye. */
static u64 fresh_value(const struct run *r, u32 offset)
{
	u64 z = (r->life * 256ULL + offset + 1) * 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static u32 parity_column(u32 stripe, u32 parity)
{
	u32 first = place[stripe * STRIPE].column + W - P;

	return (first + parity) % W;
}

static bool is_missing(const struct run *r, u32 member)
{
	return r->missing & (1U << member);
}

static u32 live(const struct run *r)
{
	return ALL & ~r->missing;
}

static void must_append(struct run *r, u32 column, u32 block, u64 v)
{
	const struct general *g = &r->m.general[column];

	if (is_missing(r, column))
		return;
	if (spoilt_end(g, column, block) != block) {
		relocate(&r->m, column, block, r->pr.generation, v);
		return;
	}
	if (!zone_append(&r->m, column, block, v))
		violation("write to member %u at block %u is not at its write pointer",
			  column, block);
}

/* Records of the rows that data in [@start, wp) touches, to @members. */
void append_tail(struct run *r, u32 members, u32 start)
{
	u32 stripe = r->wp / STRIPE;
	struct record rec = { 0 };
	u32 parity, member, n, i;
	u32 row, left;

	if (D == 1)
		return;
	rec.generation = r->pr.generation;
	rec.start = (u8)start;
	rec.end = r->wp;
	for (parity = 0; parity < P; parity++) {
		member = parity_column(stripe, parity);
		if (is_missing(r, member) || !(members & (1U << member)))
			continue;
		row = start % SU;
		left = r->wp - start < SU ? r->wp - start : SU;
		for (; left; left -= n, row = (row + n) % SU) {
			n = left < PP_ROWS_MAX ? left : PP_ROWS_MAX;
			rec.parity = (u8)parity;
			rec.row = (u8)row;
			rec.nr_rows = (u8)n;
			for (i = 0; i < n; i++)
				rec.v[i] = r->acc[parity][(row + i) % SU];
			log_append(&r->m, member, &rec);
		}
	}
}

/* raizn_pp_issue() */
static void log_tail(struct run *r)
{
	u32 base = r->wp - r->wp % STRIPE;
	u32 start = r->logged > base ? r->logged : base;

	if (r->finished || start == r->wp)
		return;
	append_tail(r, ALL, start);
	r->logged = r->wp;
}

static void add_to_parity(struct run *r, u32 offset)
{
	const struct placement *pl = &place[offset];
	u64 v = r->pr.val[offset];

	if (P > 0)
		r->acc[0][pl->row] = pl->pos ? r->acc[0][pl->row] ^ v : v;
	if (P > 1)
		r->acc[1][pl->row] = pl->pos ? r->acc[1][pl->row] ^
					       gf_power(v, pl->pos) : v;
}

static void write_parity(struct run *r, u32 stripe, u32 rows)
{
	u32 i, row;

	if (D == 1)
		return;
	for (i = 0; i < P; i++)
		for (row = 0; row < rows; row++)
			must_append(r, parity_column(stripe, i),
				    stripe * SU + row, r->acc[i][row]);
}

static void write_blocks(struct run *r, u32 nr)
{
	u32 o = r->wp, i;

	for (; nr; nr--, o++) {
		r->pr.val[o] = fresh_value(r, o);
		add_to_parity(r, o);
		must_append(r, place[o].column, place[o].block, r->pr.val[o]);
		/* Copies do not wait for the end of the stripe. */
		for (i = 0; i < P && D == 1; i++)
			must_append(r, parity_column(place[o].stripe, i),
				    place[o].block, r->pr.val[o]);
		if (!((o + 1) % STRIPE))
			write_parity(r, place[o].stripe, SU);
	}
	r->wp = (u8)o;
	r->pr.issued = r->wp;
}

/*
 * FUA: what this batch wrote, and what lies before it in the same data zones,
 * but not what others append to the same logs.
 */
static void complete_touched(struct run *r, const struct media *before)
{
	u32 i, k;

	for (i = 0; i < W; i++) {
		for (k = 0; k < 2; k++)
			if (r->m.zone[i][k].len != before->zone[i][k].len)
				r->m.zone[i][k].durable = r->m.zone[i][k].len;
		for (k = 0; k < PP_ZONES; k++)
			r->m.pp[i][k].durable |= all_records(&r->m.pp[i][k]) &
						 ~all_records(&before->pp[i][k]);
	}
}

static void promise_all(struct run *r)
{
	r->durable = r->wp;
	r->pr.durable = r->wp;
}

static void flush_members(struct run *r)
{
	crash_point(&r->m, "flush");
	media_complete(&r->m, live(r));
}

static void op_write(struct run *r, u32 nr, bool fua)
{
	u32 start = r->wp;
	struct media before;

	if (!fua) {
		write_blocks(r, nr);
		crash_point(&r->m, "write");
		return;
	}
	before = r->m;
	write_blocks(r, nr);
	log_tail(r);
	crash_point(&r->m, "FUA write");
	complete_touched(r, &before);
	/* raizn_batch: nothing unflushed before it, so it is durable now */
#ifndef MUTANT_FUA_WITHOUT_FLUSH
	if (r->durable != start)
#else
	if (0)
#endif
		flush_members(r);
	promise_all(r);
	(void)start;
}

static void op_flush(struct run *r)
{
	log_tail(r);
#ifdef MUTANT_ACK_BEFORE_FLUSH
	promise_all(r);
#endif
	flush_members(r);
	promise_all(r);
}

static void complete_data(struct run *r)
{
	u32 i, k;

	for (i = 0; i < W; i++)
		for (k = 0; k < 2 && !is_missing(r, i); k++)
			r->m.zone[i][k].durable = r->m.zone[i][k].len;
}

static void complete_records(struct run *r)
{
	u32 i, k;

	for (i = 0; i < W; i++)
		for (k = 0; k < PP_ZONES && !is_missing(r, i); k++)
			r->m.pp[i][k].durable |= all_records(&r->m.pp[i][k]);
}

/*
 * A flush that finds a write on its way when the tail is logged.  Its records, which are FUA
 * writes, are made of that, too, so the members are flushed when it is done.  It is not
 * promised.
 */
static void op_flush_write(struct run *r, u32 nr)
{
	u8 promised = r->wp;

#ifdef MUTANT_FLUSH_BEFORE_DATA
	complete_data(r);
#endif
	write_blocks(r, nr);
	log_tail(r);
	crash_point(&r->m, "flush beside a write");
#ifndef MUTANT_FLUSH_BEFORE_DATA
	complete_data(r);
#endif
	complete_records(r);
	r->durable = promised;
	r->pr.durable = promised;
	crash_point(&r->m, "flush beside a write done");
}

/*
 * Log a record of the array on all members.  It is waited for, so that nothing
 * that comes later can be there without it.
 */
static void log_general(struct run *r, const struct general *next,
			const char *what)
{
	general_write(&r->m, live(r), next);
	crash_point(&r->m, what);
	general_complete(&r->m);
}

static struct general current_general(const struct run *r)
{
	return r->m.general[__builtin_ctz(live(r))];
}

static void op_reset(struct run *r)
{
	struct general g = current_general(r);
	u32 i;

	/* raizn_wait_drained(): completed, that is, and not durable */
	r->pr.may_reset = 1;
#ifndef MUTANT_RESET_WITHOUT_INTENT
	g.flags |= RAIZN_ZONE_RESETTING;
	log_general(r, &g, "reset intent");
	/*
	 * From here on the planner does not look at what zones hold: leave
	 * out the cases that only differ in that.
	 */
	for (i = 0; i < W; i++)
		if (!is_missing(r, i))
			r->m.zone[i][current_zone(&r->m, i)].durable =
				r->m.zone[i][current_zone(&r->m, i)].len;
#endif
	for (i = 0; i < W; i++)
		if (!is_missing(r, i))
			r->m.zone[i][current_zone(&r->m, i)].pending = PEND_RESET;
	crash_point(&r->m, "reset of the members' zones");
	for (i = 0; i < W; i++) {
		struct zone *z = &r->m.zone[i][current_zone(&r->m, i)];

		if (is_missing(r, i))
			continue;
		z->pending = 0;
		z->len = 0;
		z->durable = 0;
		z->full = 0;
	}
	g.generation++;
	g.flags = 0;
	g.wp = 0;
	if (cfg.relocate) {
		memset(g.spoilt, 0, sizeof(g.spoilt));
		g.spoilt_version++;
	}
	log_general(r, &g, "reset done");

	r->life++;
	r->pr.generation++;
	r->pr.durable = 0;
	r->pr.issued = 0;
	r->pr.may_reset = 0;
	r->pr.may_finish = 0;
	r->pr.must_finish = 0;
	r->wp = 0;
	r->logged = 0;
	r->durable = 0;
	r->finished = 0;
}

static void op_finish(struct run *r)
{
	struct general g = current_general(r);
	u32 tail = r->wp % STRIPE;
	u32 i;

#ifndef MUTANT_FINISH_WITHOUT_TAIL
	log_tail(r);
#endif
#ifndef MUTANT_FINISH_WITHOUT_FLUSH
	flush_members(r);
#endif
	r->pr.may_finish = 1;
	g.flags |= RAIZN_ZONE_FINISHED;
	g.wp = r->wp;
	log_general(r, &g, "finish record");
	write_parity(r, r->wp / STRIPE, tail < SU ? tail : SU);
#ifndef MUTANT_FINISH_BEFORE_PARITY_FLUSH
	flush_members(r);
#endif
	for (i = 0; i < W; i++)
		if (!is_missing(r, i))
			r->m.zone[i][current_zone(&r->m, i)].pending = PEND_FINISH;
	crash_point(&r->m, "finish of the members' zones");
	for (i = 0; i < W; i++) {
		struct zone *z = &r->m.zone[i][current_zone(&r->m, i)];

		if (is_missing(r, i))
			continue;
		z->pending = 0;
		z->full = 1;
	}
	promise_all(r);
	r->finished = 1;
	r->pr.must_finish = 1;
}

/*
 * Moving a partial-parity log: an empty zone is opened, later the zone's worker
 * logs the whole tail again, later the flush is done and the old zone dropped.
 * Writes and flushes go on in between.
 */
static void switch_begin(struct run *r, u32 member)
{
	r->switching = (u8)member;
	r->relogged = 0;
	log_open(&r->m, member, current_general(r).start);
	crash_point(&r->m, "log zone opened");
}

/* Log again what is spoilt in place, from the zones that the log leaves. */
static void carry_relocated(struct run *r)
{
	struct log_zone *l, *current = current_log(&r->m, r->switching);
	const struct record *rec;
	u32 k, n;

	for (k = 0; k < PP_ZONES; k++) {
		l = &r->m.pp[r->switching][k];
		for (n = 0; l->used && l != current && n < l->nr; n++) {
			rec = &pool[l->rec[n]];
#ifndef MUTANT_RELOCATED_NOT_CARRIED
			if (rec->relocated && rec->generation == r->pr.generation)
#else
			if (0)
#endif
				log_append(&r->m, r->switching, rec);
		}
	}
}

static void switch_relog(struct run *r)
{
	u32 base = r->wp - r->wp % STRIPE;

	r->relogged = 1;
	carry_relocated(r);
#ifdef MUTANT_RELOG_CHANGES_ONLY
	if (r->logged > base)
		base = r->logged;
#endif
#ifdef MUTANT_NO_RELOG
	base = r->wp;
#endif
	if (!r->finished && base != r->wp)
		append_tail(r, 1U << r->switching, base);
	crash_point(&r->m, "tail logged again");
}

static void switch_end(struct run *r)
{
	struct log_zone *l, *current = current_log(&r->m, r->switching);
	u32 k;

	if (!r->relogged)
		switch_relog(r);
#ifndef MUTANT_DROP_PP_EARLY
	flush_members(r);
#endif
	for (k = 0; k < PP_ZONES; k++) {
		l = &r->m.pp[r->switching][k];
		if (!l->used || l == current)
			continue;
		l->pending = PEND_RESET;
		crash_point(&r->m, "old log zone reset");
		memset(l, 0, sizeof(*l));
	}
	r->switching = MAX_W;
}

/* Carry an operation out; false when it would not change anything. */
bool run_op(struct run *r, struct op op)
{
	bool can_write = !r->finished && r->wp < CAP;

	switch (op.kind) {
	case OP_WRITE:
	case OP_FUA:
		if (!can_write || op.arg > CAP - r->wp)
			return false;
		op_write(r, op.arg, op.kind == OP_FUA || cfg.through);
		return true;
	case OP_FLUSH:
		op_flush(r);
		return true;
	case OP_FLUSH_WRITE:
		if (!can_write || op.arg > CAP - r->wp)
			return false;
		op_flush_write(r, op.arg);
		return true;
	case OP_FLUSH_CUT:
		/* a flush whose tail is on its way when other things go on */
		log_tail(r);
		crash_point(&r->m, "flush begun");
		return true;
	case OP_RESET:
		if (!r->wp && !r->finished)
			return false;
		op_reset(r);
		return true;
	case OP_FINISH:
		if (!can_write)
			return false;
		op_finish(r);
		return true;
	case OP_SWITCH:
	case OP_SWITCH_BEGIN:
		if (!P || r->switching != MAX_W || op.arg >= W ||
		    is_missing(r, op.arg))
			return false;
		switch_begin(r, op.arg);
		if (op.kind == OP_SWITCH)
			switch_end(r);
		return true;
	case OP_SWITCH_RELOG:
		if (r->switching == MAX_W || r->relogged)
			return false;
		switch_relog(r);
		return true;
	case OP_SWITCH_END:
		if (r->switching == MAX_W)
			return false;
		switch_end(r);
		return true;
	}
	return false;
}

/* A new array after its first start. */
void run_init(struct run *r)
{
	u32 i;

	memset(r, 0, sizeof(*r));
	r->switching = MAX_W;
	for (i = 0; i < W; i++) {
		r->m.general[i].event = 1;
		r->m.general[i].start = 1;
		log_open(&r->m, i, 1);
	}
}

/* In operation again after recovery; @r->m, pr, missing, life, finished are set. */
void run_resume(struct run *r)
{
	u32 o;

	r->wp = r->pr.issued;
	r->logged = r->wp;
	r->durable = r->wp;
	r->switching = MAX_W;
	memset(r->acc, 0, sizeof(r->acc));
	for (o = r->wp - r->wp % STRIPE; o < r->wp; o++)
		add_to_parity(r, o);
}
