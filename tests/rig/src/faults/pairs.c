// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs of faults, one after the other: all of them, or some by chance.
 *
 * A fault is the k-th command of a member, whatever its kind.  The first fault of a pair may
 * make the array send more commands, to rebuild what was lost: so the number of the other
 * one's command goes on until there is no such command any more.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"

#define ANY_KIND	"write,append,flush,reset,finish,read,report"

/* "error" and "gone". */
#define NR_WAYS		2

/* Was it to strike, by what the drives were sent without a fault? */
static bool is_planned(const struct plan *fault)
{
	return fault->nth <= pair_commands[fault->member];
}

static enum outcome run(struct pair *p)
{
	const struct plan *a = &p->fault[0], *b = &p->fault[1];
	bool planned = is_planned(a) && is_planned(b);
	static const char * const words[] = {
		[BOTH_STRUCK] = "struck", [ONE_STRUCK] = "did not",
		[IMPOSSIBLE] = "the member failed before",
	};
	enum outcome outcome;
	char text[200];

	p->ends_by_cut = only.end >= 0 ? only.end == 1 : (a->nth + b->nth) % 2;
	pair_describe(p, text, sizeof(text));
	set_rerun("%s --end %s", text, p->ends_by_cut ? "power-cut" : "stop");
	chain_now++;
	outcome = experiment_pair(p);
	tally.planned += planned && outcome != IMPOSSIBLE;
	tally.struck += planned && outcome == BOTH_STRUCK;
	tally.faults += outcome == BOTH_STRUCK;
	tally.impossible += outcome == IMPOSSIBLE;
	if (set.verbose || (planned && outcome == ONE_STRUCK))
		printf("# %s: %s\n", text, words[outcome]);
	return outcome;
}

/* A drive that is gone gets no other command. */
static bool is_absurd(const struct pair *p)
{
	return is_same_member(p) && p->fault[0].variant->gone;
}

/* All pairs with the first fault.  Return: one of them struck. */
static bool every_second(struct pair *p)
{
	struct plan *b = &p->fault[1];
	enum outcome outcome;
	bool struck = false;

	b->nth = is_same_member(p) ? p->fault[0].nth + 1 : 1;
	do {
		outcome = run(p);
		struck |= outcome == BOTH_STRUCK;
		b->nth++;
	} while (outcome == BOTH_STRUCK || (outcome == ONE_STRUCK && is_planned(b)));
	return struck;
}

static void every_first(struct pair *p)
{
	struct plan *a = &p->fault[0];
	bool struck;

	if (is_absurd(p))
		return;
	a->nth = 1;
	do {
		struck = every_second(p);
		a->nth++;
	} while (struck || is_planned(a));
}

static void every_members(struct pair *p)
{
	u32 *a = &p->fault[0].member, *b = &p->fault[1].member;

	for (*a = 0; *a < shape.members; ++*a)
		for (*b = *a; *b < shape.members; ++*b)
			every_first(p);
}

static bool is_chosen(const char *chosen, const struct variant *v)
{
	return !chosen || !strcmp(chosen, v->name);
}

static bool are_chosen(const struct pair *p)
{
	return is_chosen(only.variant, p->fault[0].variant) &&
	       is_chosen(only.second_variant, p->fault[1].variant);
}

static void all_pairs(struct pair *p)
{
	u32 v;

	for (v = 0; v < NR_WAYS * NR_WAYS; v++) {
		p->fault[0].variant = &variants[v / NR_WAYS];
		p->fault[1].variant = &variants[v % NR_WAYS];
		if (are_chosen(p))
			every_members(p);
	}
}

/* The second one's command may be one that only the first fault brings about. */
static void some_pair(struct pair *p, struct rng *r)
{
	struct plan *a = &p->fault[0], *b = &p->fault[1];

	do {
		a->variant = &variants[below(r, NR_WAYS)];
		b->variant = &variants[below(r, NR_WAYS)];
		a->member = below(r, shape.members);
		b->member = below(r, shape.members);
		a->nth = 1 + below(r, pair_commands[a->member]);
		b->nth = 1 + below(r, pair_commands[b->member] * 5 / 4);
	} while (!are_chosen(p) || is_absurd(p) || (is_same_member(p) && b->nth <= a->nth));
}

/* Pairs of chance, until so many struck. */
static void pairs_by_chance(struct pair *p)
{
	struct rng r = rng_for(only.seed, 1, 0);
	u32 n;

	for (n = 0; n < 2 * only.sample && tally.faults < only.sample; n++) {
		some_pair(p, &r);
		run(p);
	}
}

static const struct variant *way(const char *name)
{
	u32 v = 0;

	while (v < NR_WAYS - 1 && !is_chosen(name, &variants[v]))
		v++;
	return &variants[v];
}

static void this_pair(struct pair *p)
{
	struct plan *a = &p->fault[0], *b = &p->fault[1];

	a->variant = way(only.variant);
	a->member = only.member;
	a->nth = only.nth;
	b->variant = way(only.second_variant);
	b->member = only.second;
	b->nth = only.second_nth;
	run(p);
}

/* Carries out those that the options ask for. */
void pairs_run(void)
{
	struct pair p = { .fault = {
		{ .kind = ANY_KIND, .second = -1 }, { .kind = ANY_KIND, .second = -1 },
	} };
	u32 i;

	phase("commands without a fault");
	pair_count();
	for (i = 0; i < shape.members; i++)
		printf("# member %u gets %" PRIu64 " commands\n", i, pair_commands[i]);
	if (only.nth)
		this_pair(&p);
	else if (only.sample)
		pairs_by_chance(&p);
	else
		all_pairs(&p);
	printf("# pairs of which the first fault left no command for the second: %" PRIu64 "\n",
	       tally.impossible);
}
