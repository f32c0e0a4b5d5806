// SPDX-License-Identifier: GPL-2.0
/*
 * Which members are to be trusted: all sequences of starts of an array, each
 * without some of its members, each cut off after any write of a superblock.
 * When a start has written all its superblocks data changes, and who was not
 * there is stale from then on.  Two rules:
 *
 *   by base	raizn_join_claims() judges; a start writes one superblock, and a
 *		second one when it commits
 *   by count	the highest event count wins; who is two or more behind is not
 *		trusted; a start first brings those to the highest count that are
 *		one behind, then raises it twice.  Only for arrays that need more
 *		than half of their members
 *
 *	member_model [--long]
 */
#include "../../raizn/core/recovery_plan.h"
#include "set.h"

#define MAX_W	5

/**
 * struct superblock - the newest one of a member
 * @event:	event count
 * @base:	event count of what it took the place of
 * @failed:	members it calls failed
 * @base_failed: members that one calls failed
 */
struct superblock {
	u8 event;
	u8 base;
	u8 failed;
	u8 base_failed;
};

/**
 * struct state - an array that is switched off
 * @sb:		by member
 * @good:	members that have all data; the others are stale
 * @blamed:	members that an interrupted superblock calls failed
 */
struct state {
	struct superblock sb[MAX_W];
	u8 good;
	u8 blamed;
};

struct size {
	u32 members;
	u32 parity;
	u32 starts;
};

static u32 W, P, ALL;
static bool by_count;
static bool last_of_equals;	/* by count: which one wins */
static struct set seen;
static struct state *list[2];
static u64 nr_list[2], room[2];
static u64 states, starts, refused;
static const char *wrong;

static u32 bits(u32 mask)
{
	return (u32)__builtin_popcount(mask);
}

/* What is found without the members @lost; false: nobody can tell. */
static bool join(const struct state *s, u32 lost, struct raizn_trust *trust)
{
	struct raizn_member_claim claims[MAX_W];
	u32 i;

	for (i = 0; i < W; i++) {
		claims[i].there = !(lost & (1U << i));
		claims[i].event = s->sb[i].event;
		claims[i].base = s->sb[i].base;
		claims[i].failed = s->sb[i].failed;
		claims[i].base_failed = s->sb[i].base_failed;
	}
	return !raizn_join_claims(claims, W, trust);
}

static void keep(const struct state *s, u32 to)
{
	u64 h = mix(s->good, s->blamed);
	u32 i;

	for (i = 0; i < W; i++)
		h = mix(h, s->sb[i].event | s->sb[i].base << 8 |
			s->sb[i].failed << 16 | s->sb[i].base_failed << 24);
	if (set_add(&seen, h, false) != 2)
		return;
	states++;
	if (nr_list[to] == room[to]) {
		room[to] = room[to] * 2 + 1024;
		list[to] = realloc(list[to], room[to] * sizeof(*s));
		if (!list[to])
			abort();
	}
	list[to][nr_list[to]++] = *s;
}

/*
 * Write a superblock to all of @live, cut off at any moment.  Returns what is
 * there when all have it.
 */
static struct state write_all(const struct state *from, u32 live,
			      const struct superblock *sb, u32 to)
{
	struct state s = *from;
	u32 i, some;

	for (some = 1; some <= live; some++) {
		if (some & ~live)
			continue;
		s = *from;
		s.blamed |= sb->failed;
		for (i = 0; i < W; i++)
			if (some & (1U << i))
				s.sb[i] = *sb;
		keep(&s, to);
	}
	return s;
}

/* A member that shows what it had before the start must not be trusted. */
static void check_replay(const struct state *before, const struct state *now,
			 u32 live)
{
	struct raizn_trust trust;
	struct state s;
	u32 i;

	for (i = 0; i < W; i++) {
		if (!(live & (1U << i)) || live == 1U << i)
			continue;
		s = *now;
		s.sb[i] = before->sb[i];
		if (join(&s, ALL & ~live, &trust) &&
		    !(trust.failed & (1U << i)))
			wrong = "a replayed member is trusted";
	}
}

/*
 * May this start be refused?  If more is gone than there is parity for.  And if
 * somebody is needed whom a start that was cut off had called failed.
 */
static void refuse(const struct state *s, u32 bad)
{
	if (W > 2 * P && bits(bad | s->blamed) <= P)
		wrong = "the array is refused";
	refused += bits(bad) <= P;
}

static void start_by_base(const struct state *from, u32 lost, u32 to)
{
	u32 bad = lost | (ALL & ~from->good);
	struct state first, second;
	struct superblock sb;
	struct raizn_trust trust;
	u32 live;

	if (!join(from, lost, &trust) || bits(trust.failed | lost) > P) {
		refuse(from, bad);
		return;
	}
	live = ALL & ~(trust.failed | lost);
	if (live & ~from->good) {
		wrong = "a stale member is trusted";
		return;
	}

	sb.failed = (u8)(ALL & ~live);
	sb.event = (u8)trust.event;
	sb.base = (u8)trust.base;
	sb.base_failed = (u8)trust.base_failed;
	first = write_all(from, live, &sb, to);
	first.good = (u8)live;
	first.blamed = 0;
	keep(&first, to);
	sb.base = sb.event++;
	sb.base_failed = sb.failed;
	second = write_all(&first, live, &sb, to);
	second.blamed = 0;
	keep(&second, to);
	check_replay(from, &second, live);
}

static u32 newest(const struct state *s, u32 lost)
{
	u32 i, best = W;

	for (i = 0; i < W; i++)
		if (!(lost & (1U << i)) &&
		    (best == W || s->sb[i].event > s->sb[best].event ||
		     (last_of_equals && s->sb[i].event == s->sb[best].event)))
			best = i;
	return best;
}

static void start_by_count(const struct state *from, u32 lost, u32 to)
{
	u32 bad = lost | (ALL & ~from->good);
	struct superblock sb = from->sb[newest(from, lost)];
	struct state s = *from;
	u32 failed = sb.failed | lost;
	u32 live, behind = 0;
	u32 i;

	for (i = 0; i < W; i++) {
		if (from->sb[i].event + 1 < sb.event)
			failed |= 1U << i;
		else if (from->sb[i].event < sb.event)
			behind |= 1U << i;
	}
	live = ALL & ~failed;
	if (!live || bits(failed) > P) {
		refuse(from, bad);
		return;
	}
	if (live & ~from->good) {
		wrong = "a stale member is trusted";
		return;
	}

	if (behind & live)
		s = write_all(&s, behind & live, &sb, to);
	sb.failed = (u8)failed;
	sb.event++;
	s = write_all(&s, live, &sb, to);
#ifndef MUTANT_TRUST_ONE_EVENT
	sb.event++;
	s = write_all(&s, live, &sb, to);
#endif
	s.good = (u8)live;
	s.blamed = 0;
	keep(&s, to);
}

static void start(const struct state *from, u32 lost, u32 to)
{
	u32 bad = lost | (ALL & ~from->good);

	/*
	 * Where half of the members are enough for a start, those who are there
	 * cannot know that more is gone than there is parity for, and if they
	 * do not know which half is right, they may refuse.
	 */
	if (bits(bad) > P && W <= 2 * P)
		return;
	starts++;
	if (by_count)
		start_by_count(from, lost, to);
	else
		start_by_base(from, lost, to);
}

static void print_state(const struct state *s)
{
	u32 i;

	for (i = 0; i < W; i++)
		printf("#   member %u: event %u based on %u, failed %#x%s\n", i,
		       s->sb[i].event, s->sb[i].base, s->sb[i].failed,
		       s->good & (1U << i) ? "" : ", stale");
}

static bool explore(const struct size *size)
{
	struct state s = { 0 };
	u32 depth, lost, i;
	u64 n;

	W = size->members;
	P = size->parity;
	ALL = (1U << W) - 1;
	states = 0;
	starts = 0;
	refused = 0;
	wrong = NULL;
	nr_list[0] = 0;
	nr_list[1] = 0;
	free(seen.slot);
	memset(&seen, 0, sizeof(seen));
	for (i = 0; i < W; i++)
		s.sb[i].event = 1;
	s.good = (u8)ALL;
	keep(&s, 0);
	for (depth = 0; depth < size->starts; depth++) {
		u32 a = depth & 1;

		for (n = 0; n < nr_list[a]; n++)
			for (lost = 0; lost < ALL; lost++) {
				if (bits(lost) > P)
					continue;
				start(&list[a][n], lost, !a);
				if (wrong) {
					printf("# %s without members %#x:\n",
					       wrong, lost);
					print_state(&list[a][n]);
					return false;
				}
			}
		nr_list[a] = 0;
	}
	return true;
}

static bool explore_and_tell(const struct size *size)
{
	const char *rule = !by_count ? "by base" : last_of_equals ?
			   "by count, last of equals" : "by count";
	bool ok = explore(size);

	printf("# %llu starts from %llu states, %llu refused for want of members that an interrupted start had called failed\n",
	       (unsigned long long)starts, (unsigned long long)states,
	       (unsigned long long)refused);
	if (ok)
		printf("ok - model: trust %s, %u members, %u parity, %u starts\n",
		       rule, W, P, size->starts);
	else
		printf("not ok - model: trust %s, %u members, %u parity, %u starts (%s)\n",
		       rule, W, P, size->starts, wrong);
	return ok;
}

int main(int argc, char **argv)
{
	static const struct size normal[] = {
		{ 2, 1, 5 }, { 3, 1, 6 }, { 3, 2, 5 }, { 4, 1, 4 }, { 4, 2, 4 },
		{ 5, 1, 3 }, { 5, 2, 3 },
	};
	bool more = argc > 1 && !strcmp(argv[1], "--long");
	struct size size;
	int failed = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(normal); i++) {
		size = normal[i];
		size.starts += more;
		by_count = false;
		failed |= !explore_and_tell(&size);
		by_count = true;
		if (size.members <= 2 * size.parity)
			continue;
		last_of_equals = false;
		failed |= !explore_and_tell(&size);
		last_of_equals = true;
		failed |= !explore_and_tell(&size);
	}
	return failed;
}
