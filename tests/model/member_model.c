// SPDX-License-Identifier: GPL-2.0
/*
 * Which members are to be trusted: all sequences of starts of an array, each
 * without some of its members, each cut off after its superblock was written to
 * some of those that it wanted to write to, judged by raizn_join_claims().
 *
 * A start writes a superblock to all members that are there and trusted.  When
 * all have it, data changes, and who was not there is stale from then on.  Then
 * it writes a second one, as a start's commit and every change of member states
 * do.
 *
 *	member_model [--long]
 */
#include "../../raizn/recovery_plan.h"
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
 * Write a superblock to all @live members, cut off at any moment.  Returns what
 * is there when all have it.
 */
static struct state write_all(const struct state *from, u32 live,
			      const struct raizn_trust *trust, u32 to)
{
	struct superblock sb = { (u8)trust->event, (u8)trust->base,
				 (u8)(ALL & ~live), (u8)trust->base_failed };
	struct state s = *from;
	u32 i, some;

	for (some = 1; some <= live; some++) {
		if (some & ~live)
			continue;
		s = *from;
		for (i = 0; i < W; i++)
			if (some & (1U << i))
				s.sb[i] = sb;
		if (some == live)
			break;
		s.blamed |= sb.failed;
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

static void start(const struct state *from, u32 lost, u32 to)
{
	u32 bad = lost | (ALL & ~from->good);
	struct state first, second;
	struct raizn_trust trust;
	bool known = join(from, lost, &trust);
	u32 live;

	/*
	 * More is gone than there is parity for.  Where half of the members are
	 * enough for a start, those who are there can not know, and if they do
	 * not know which half is right, they may refuse.
	 */
	if (bits(bad) > P && W <= 2 * P)
		return;
	starts++;
	if (!known || bits(trust.failed | lost) > P) {
		/* only who had been called failed before may be missed */
		if (W > 2 * P && bits(bad | from->blamed) <= P)
			wrong = "the array is refused";
		refused += bits(bad) <= P;
		return;
	}
	live = ALL & ~(trust.failed | lost);
	if (live & ~from->good) {
		wrong = "a stale member is trusted";
		return;
	}

	first = write_all(from, live, &trust, to);
	first.good = (u8)live;
	first.blamed = 0;
	keep(&first, to);
	trust.base = trust.event++;
	trust.base_failed = ALL & ~live;
	second = write_all(&first, live, &trust, to);
	keep(&second, to);
	check_replay(from, &second, live);
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

int main(int argc, char **argv)
{
	static const struct size normal[] = {
		{ 2, 1, 5 }, { 3, 1, 6 }, { 3, 2, 5 }, { 4, 1, 4 }, { 4, 2, 4 },
		{ 5, 1, 3 }, { 5, 2, 3 },
	};
	bool more = argc > 1 && !strcmp(argv[1], "--long");
	struct size size;
	int failed = 0;
	bool ok;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(normal); i++) {
		size = normal[i];
		size.starts += more;
		ok = explore(&size);
		printf("# %llu starts from %llu states, %llu refused for want of members that an interrupted start had called failed\n",
		       (unsigned long long)starts, (unsigned long long)states,
		       (unsigned long long)refused);
		if (ok) {
			printf("ok - model: trust, %u members, %u parity, %u starts\n",
			       W, P, size.starts);
			continue;
		}
		printf("not ok - model: trust, %u members, %u parity, %u starts (%s)\n",
		       W, P, size.starts, wrong);
		failed = 1;
	}
	return failed;
}
