// SPDX-License-Identifier: GPL-2.0
/*
 * Exploration: all operations in every situation, all outcomes of a power cut
 * at every moment, recovery from each.
 */
#include "model.h"

#define MAX_OPS		40
#define MAX_SLOTS	64

const struct promise *promise;
u32 current_life;
struct set situations;

static struct set crash_states;
static int cuts_left;		/* power cuts that may still happen */
static u32 moment;		/* number within the operation or recovery */

/* Something of which more or less may survive a power cut. */
struct slot {
	enum { SLOT_ZONE, SLOT_LOG, SLOT_RECORD, SLOT_GENERAL } kind;
	struct zone *zone;
	struct log_zone *log;
	u32 record;
	u32 nr;
	u8 option[2 * MAX_RECORDS];
};

#define RESET_DONE	0xff
#define FINISH_DONE	0xfe
#define NO_MEMBER	0xff
#define EVERY_MEMBER	0xfe

static void add_range(struct slot *s, u32 from, u32 to)
{
	for (; from <= to; from++)
		s->option[s->nr++] = (u8)from;
}

/*
 * What is under way.  The zones in @m take their first option; their contents
 * stay, so that another option is another length.
 */
static u32 find_slots(struct media *m, struct slot *slots)
{
	struct slot *s = slots;
	u32 i, k, n;

	for (i = 0; i < W; i++) {
		for (k = 0; k < 2; k++) {
			struct zone *z = &m->zone[i][k];

			if (z->durable == z->len && !z->pending)
				continue;
			*s = (struct slot){ .kind = SLOT_ZONE, .zone = z };
			add_range(s, z->durable, z->len);
			if (z->pending & PEND_RESET)
				s->option[s->nr++] = RESET_DONE;
			if (z->pending & PEND_FINISH)
				s->option[s->nr++] = FINISH_DONE;
			z->pending = 0;
			s++;
		}
		for (k = 0; k < PP_ZONES; k++) {
			struct log_zone *l = &m->pp[i][k];

			for (n = 0; n < l->nr; n++) {
				if (l->durable & (1U << n))
					continue;
				*s = (struct slot){ .kind = SLOT_RECORD,
						    .log = l, .record = n };
				add_range(s, 0, 1);
				s++;
			}
			if (!l->pending)
				continue;
			*s = (struct slot){ .kind = SLOT_LOG, .log = l };
			s->option[s->nr++] = 0;
			s->option[s->nr++] = RESET_DONE;
			l->pending = 0;
			s++;
		}
	}
	/*
	 * Of the members that have a record, recovery joins those that are not
	 * lost: one member or all of them show all that can be seen.
	 */
	if (m->pending) {
		*s = (struct slot){ .kind = SLOT_GENERAL };
		s->option[s->nr++] = NO_MEMBER;
		for (i = 0; i < W; i++)
			if (m->pending & (1U << i))
				s->option[s->nr++] = (u8)i;
		if (bits(m->pending) > 1)
			s->option[s->nr++] = EVERY_MEMBER;
		s++;
	}
	return (u32)(s - slots);
}

static u64 nr_outcomes(const struct slot *s, u32 nr)
{
	u64 product = 1;

	while (nr--)
		product *= s[nr].nr;
	return product;
}

/* Leave out the middle of what has most options, until they are few enough. */
static bool thin_out(struct slot *slots, u32 nr)
{
	bool thinned = false;
	u32 keep, i;

	while (nr_outcomes(slots, nr) > limit) {
		struct slot *most = slots;

		for (i = 1; i < nr; i++)
			if (slots[i].kind != SLOT_GENERAL &&
			    slots[i].nr > most->nr)
				most = &slots[i];
		if (most->kind == SLOT_GENERAL || most->nr <= 2)
			break;
		keep = most->nr > 4 ? 4 : 2;
		for (i = 0; i < keep / 2; i++)
			most->option[keep - 1 - i] =
				most->option[most->nr - 1 - i];
		most->nr = keep;
		thinned = true;
	}
	return thinned;
}

static void choose(struct media *m, const struct slot *s, u32 option)
{
	u8 o = s->option[option];
	u32 i;

	switch (s->kind) {
	case SLOT_ZONE:
		s->zone->full = 0;
		s->zone->len = s->zone->durable;
		if (o == RESET_DONE)
			s->zone->len = 0;
		else if (o == FINISH_DONE)
			s->zone->full = 1;
		else
			s->zone->len = o;
		break;
	case SLOT_LOG:
		s->log->used = o != RESET_DONE;
		break;
	case SLOT_RECORD:
		s->log->lost &= ~(1U << s->record);
		if (!o)
			s->log->lost |= 1U << s->record;
		break;
	case SLOT_GENERAL:
		for (i = 0; i < W; i++)
			if (o == EVERY_MEMBER ? m->pending & (1U << i) : i == o)
				m->general[i] = m->next;
	}
}

static void remove_lost(struct log_zone *l)
{
	u32 n, nr = 0;

	for (n = 0; n < l->nr; n++)
		if (!(l->lost & (1U << n)))
			l->rec[nr++] = l->rec[n];
	l->nr = (u8)nr;
	l->lost = 0;
	l->durable = all_records(l);
}

/* After a cut everything that is there is durable. */
static void settle(struct media *m)
{
	u32 i, k;

	for (i = 0; i < W; i++) {
		for (k = 0; k < 2; k++)
			m->zone[i][k].durable = m->zone[i][k].len;
		for (k = 0; k < PP_ZONES; k++) {
			if (m->pp[i][k].used)
				remove_lost(&m->pp[i][k]);
			else
				memset(&m->pp[i][k], 0, sizeof(m->pp[i][k]));
		}
	}
	m->pending = 0;
	memset(&m->next, 0, sizeof(m->next));
}

/*
 * Which members are gone, if the array can be started without @lost?  It can
 * unless more than P are, or a start that was interrupted had called others
 * failed and who knows better is lost.
 */
static bool can_start(const struct media *m, u32 lost, u32 *gone)
{
	struct raizn_trust all, there;
	bool same = true;
	u32 i;

	if (!join_members(m, 0, &all))
		violation("nobody can tell who is right");
	*gone = lost | all.failed;
	if (bits(*gone) > P)
		return false;
	if (join_members(m, lost, &there)) {
		*gone = lost | there.failed;
		if (bits(*gone) <= P)
			return true;
	}
	for (i = 0; i < W; i++)
		if (!(all.failed & (1U << i)) &&
		    m->general[i].event != all.event - 1)
			same = false;
	if (same)
		violation("the array is refused without members %#x", lost);
	return false;
}

/* Power failed and left @m; @lost do not come back.  Recover. */
static void check_crash(const struct media *m, u32 lost, const u64 *hashes)
{
	u32 old_nr = pool_nr, old_moment = moment;
	struct outcome out;
	struct media copy;
	u64 h = promise_hash(promise);
	u32 gone, i;
	int new;

	if (!can_start(m, lost, &gone))
		return;
	for (i = 0; i < W; i++)
		if (!(gone & (1U << i)))
			h = mix(h, hashes[i]);
	h = mix(h, lost | gone << 8);
	new = set_add(&crash_states, h, cuts_left > 0);
	if (!new && !replaying)
		return;
	if (new == 2) {
		result->states++;
		if (!cuts_left)
			result->nested++;
	}

	copy = *m;
	moment = 0;
	if (!recover(&copy, lost, &out))
		violation("cannot be recovered without members %#x", lost);
	/* nothing may be under way at its end */
	cuts_left = -cuts_left - 1;
	check_outcome(&copy, &out);
	cuts_left = -cuts_left - 1;
	moment = old_moment;
	pool_nr = old_nr;
}

static void explore_moment(struct media *m)
{
	struct slot slots[MAX_SLOTS];
	u32 pick[MAX_SLOTS] = { 0 };
	u64 hashes[MAX_W];
	struct media after;
	u32 nr = find_slots(m, slots);
	struct op none = { 0 };
	u32 lost, i, n = 0;

	result->moments++;
	result->thinned += thin_out(slots, nr);
	for (;;) {
		struct general logs[MAX_W];

		memcpy(logs, m->general, sizeof(logs));
		for (i = 0; i < nr; i++)
			choose(m, &slots[i], pick[i]);
		after = *m;
		memcpy(m->general, logs, sizeof(logs));
		settle(&after);
		if (push('#', n, none)) {
			for (i = 0; i < W; i++)
				hashes[i] = media_hash_member(&after, i);
			for (lost = 0; lost <= ALL; lost++) {
				if (bits(lost) > P || !push('L', lost, none))
					continue;
				check_crash(&after, lost, hashes);
				path_nr--;
			}
			path_nr--;
		}
		n++;
		for (i = 0; i < nr && ++pick[i] == slots[i].nr; i++)
			pick[i] = 0;
		if (i == nr)
			break;
	}
}

void crash_point(struct media *m, const char *what)
{
	static const struct op none;
	struct media copy;

	moment++;
	if (cuts_left <= 0)
		return;
	if (!push('@', moment, none))
		return;
	if (replaying)
		printf("power cut: %s\n", what);
	copy = *m;
	cuts_left--;
	explore_moment(&copy);
	cuts_left++;
	path_nr--;
}

static u64 run_hash(const struct run *r)
{
	u64 h = promise_hash(&r->pr);
	u32 i;

	for (i = 0; i < W; i++)
		h = mix(h, media_hash_member(&r->m, i));
	h = mix(h, r->wp | r->logged << 8 | r->durable << 16 |
		(u32)r->missing << 24);
	return mix(h, r->life | r->finished << 8 | r->switching << 16 |
		   (u32)r->relogged << 24);
}

static u32 all_ops(struct op *ops)
{
	const u32 sizes[] = { 1, SU, STRIPE - SU, STRIPE, STRIPE + SU + 1 };
	struct op *o = ops;
	u32 i, k;

	for (i = 0; i < 5; i++) {
		for (k = 0; k < i && sizes[k] != sizes[i]; k++)
			;
		if (k < i || !sizes[i] || sizes[i] > CAP)
			continue;
		*o++ = (struct op){ OP_WRITE, (u8)sizes[i] };
		if (!cfg.through && i < 4)
			*o++ = (struct op){ OP_FUA, (u8)sizes[i] };
	}
	*o++ = (struct op){ OP_FLUSH, 0 };
	if (!cfg.through) {
		*o++ = (struct op){ OP_FLUSH_CUT, 0 };
		*o++ = (struct op){ OP_FLUSH_WRITE, (u8)SU };
		if (STRIPE > 2 * SU)
			*o++ = (struct op){ OP_FLUSH_WRITE, (u8)(STRIPE - SU) };
	}
	*o++ = (struct op){ OP_RESET, 0 };
	*o++ = (struct op){ OP_FINISH, 0 };
	for (i = 0; i < W; i++) {
		*o++ = (struct op){ OP_SWITCH, (u8)i };
		*o++ = (struct op){ OP_SWITCH_BEGIN, (u8)i };
	}
	*o++ = (struct op){ OP_SWITCH_RELOG, 0 };
	*o++ = (struct op){ OP_SWITCH_END, 0 };
	return (u32)(o - ops);
}

void explore(const struct run *r, u32 depth)
{
	struct op ops[MAX_OPS];
	u32 nr = all_ops(ops);
	u32 old_nr = pool_nr;
	struct run next;
	u32 i, d;
	u64 h;

	if (!depth)
		return;
	for (i = 0; i < nr; i++) {
		if (!push('o', 0, ops[i]))
			continue;
		next = *r;
		promise = &next.pr;
		current_life = next.life;
		moment = 0;
		cuts_left = 2;
		if (run_op(&next, ops[i])) {
			result->operations++;
			/* known, with as many operations to go or more? */
			h = run_hash(&next);
			for (d = depth; d <= 4; d++)
				if (set_has(&situations, mix(h, d)) && !replaying)
					break;
			if (d > 4) {
				set_add(&situations, mix(h, depth), false);
				explore(&next, depth - 1);
			}
		}
		path_nr--;
		pool_nr = old_nr;
	}
}

