// SPDX-License-Identifier: GPL-2.0
/*
 * Joining the claims of members: see claims.h.
 */
#include "claims.h"

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
				 raizn_count_bits(whole) >= nr - nr_parity &&
				 took_part(claims, nr, i, whole, trust);
		else
			proven = raizn_count_bits(whole) >= need;
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
