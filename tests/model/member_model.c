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
 * At each start, one more member may be unable to read its newest superblock, and shows it or
 * the one before: raizn_join_partial() must not trust it, or because of it another one, that
 * is stale.  And the logs that count must have each record that was acted upon.
 *
 *	member_model [--long]
 */
#include "../../raizn/core/claims.h"
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
 * @old:	by member: the superblock that it had before
 * @good:	members that have all data; the others are stale
 * @blamed:	members that an interrupted superblock calls failed
 * @unreadable:	a start with a member that could not read all of its log has written superblocks;
 *		only one does
 */
struct state {
	struct superblock sb[MAX_W];
	struct superblock old[MAX_W];
	u8 good;
	u8 blamed;
	bool unreadable;
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
static u64 states, starts, refused, unread, proven;
static const char *wrong;

static u32 bits(u32 mask)
{
	return (u32)__builtin_popcount(mask);
}

static void set_claim(struct raizn_member_claim *claim, const struct superblock *sb)
{
	claim->there = true;
	claim->event = sb->event;
	claim->base = sb->base;
	claim->failed = sb->failed;
	claim->base_failed = sb->base_failed;
}

static void set_claims(struct raizn_member_claim *claims, const struct state *s, u32 lost)
{
	u32 i;

	memset(claims, 0, MAX_W * sizeof(*claims));
	for (i = 0; i < W; i++)
		if (!(lost & (1U << i)))
			set_claim(&claims[i], &s->sb[i]);
}

/* What is found without the members @lost; false: nobody can tell. */
static bool join(const struct state *s, u32 lost, struct raizn_trust *trust)
{
	struct raizn_member_claim claims[MAX_W];

	set_claims(claims, s, lost);
	return !raizn_join_claims(claims, W, trust);
}

static void keep(const struct state *s, u32 to)
{
	u64 h = mix(s->good, s->blamed | s->unreadable << 8);
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
			if (some & (1U << i)) {
				s.old[i] = from->sb[i];
				s.sb[i] = *sb;
			}
		keep(&s, to);
	}
	return s;
}

/*
 * A member that shows what it had before the start must not be trusted, nor if it has more than
 * it shows.
 */
static void check_replay(const struct state *before, const struct state *now,
			 u32 live)
{
	struct raizn_member_claim claims[MAX_W];
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
		set_claims(claims, &s, ALL & ~live);
		claims[i].partial = true;
		claims[i].hidden = true;
		if (!raizn_join_partial(claims, W, P, &trust) &&
		    !((trust.failed | trust.unproven) & (1U << i)))
			wrong = "a replayed member with an unreadable log is trusted";
	}
}

/*
 * May this start be refused?  If more is gone than there is parity for.  And if
 * somebody is needed whom a start that was cut off had called failed.  And after a
 * start with a member that could not read its log: if the member had not got the
 * superblock that counts, it looks like a past when it can be read again.
 */
static void refuse(const struct state *s, u32 bad)
{
	if (W > 2 * P && bits(bad | s->blamed) <= P && !s->unreadable)
		wrong = "the array is refused";
	refused += bits(bad) <= P;
}

/* All that a start without the members @lost can leave that trusts as @trust says. */
static void write_superblocks(const struct state *from, u32 lost,
			      const struct raizn_trust *trust, u32 to)
{
	u32 live = ALL & ~(trust->failed | trust->unproven | lost);
	struct state first, second;
	struct superblock sb;

	sb.failed = (u8)(ALL & ~live);
	sb.event = (u8)trust->event;
	sb.base = (u8)trust->base;
	sb.base_failed = (u8)trust->base_failed;
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

static bool is_same_trust(const struct raizn_trust *a, const struct raizn_trust *b)
{
	return a->failed == b->failed && !a->unproven && a->base == b->base &&
	       a->base_failed == b->base_failed && a->event == b->event;
}

/*
 * Starts with a member that cannot read all of its log.  Such a member must not have a stale one
 * trusted, and a start with it may leave other superblocks than one in which it can read all.
 */
static void start_unreadable(const struct state *from, u32 lost, u32 slot,
			     const struct raizn_trust *usual, u32 to)
{
	struct raizn_member_claim claims[MAX_W];
	struct state begun = *from;
	struct raizn_trust trust;
	u32 shown, live;

	begun.unreadable = true;
	/* All of its superblocks; it may have a newer one; it has. */
	for (shown = 0; shown < 3; shown++) {
		set_claims(claims, from, lost);
		set_claim(&claims[slot], shown == 2 ? &from->old[slot] : &from->sb[slot]);
		claims[slot].partial = true;
		claims[slot].hidden = shown;
		unread++;
		if (raizn_join_partial(claims, W, P, &trust))
			continue;
		live = ALL & ~(trust.failed | trust.unproven | lost);
		if (W - bits(live) > P)
			continue;
		/* As if the member was lost: see start(). */
		if (shown && W <= 2 * P && !(live & (1U << slot)) &&
		    bits(lost | (ALL & ~from->good) | 1U << slot) > P)
			continue;
		proven += !!(live & (1U << slot));
		if (live & ~from->good)
			wrong = "a stale member is trusted because of one with an unreadable log";
		/* Of more members, there are too many states. */
		else if (live & (1U << slot) && W == 3 && !from->unreadable &&
			 !is_same_trust(&trust, usual))
			write_superblocks(&begun, lost, &trust, to);
	}
}

static void start_by_base(const struct state *from, u32 lost, u32 to)
{
	u32 bad = lost | (ALL & ~from->good);
	struct raizn_trust trust;
	u32 i, live;

	if (!join(from, lost, &trust))
		trust.failed = ALL;
	for (i = 0; i < W && !wrong; i++)
		if (!(lost & (1U << i)))
			start_unreadable(from, lost, i, &trust, to);
	if (wrong)
		return;
	if (bits(trust.failed | lost) > P) {
		refuse(from, bad);
		return;
	}
	live = ALL & ~(trust.failed | lost);
	if (live & ~from->good)
		wrong = "a stale member is trusted";
	else
		write_superblocks(from, lost, &trust, to);
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

/* All members but @lost show the same superblock, which calls @dead failed. */
static void set_alike(struct raizn_member_claim *claims, u32 dead, u32 lost, bool clean)
{
	const struct superblock sb = {
		.event = 8, .base = 7, .failed = (u8)dead, .base_failed = (u8)dead,
	};
	u32 i;

	memset(claims, 0, MAX_W * sizeof(*claims));
	for (i = 0; i < W; i++) {
		if (lost & (1U << i))
			continue;
		set_claim(&claims[i], &sb);
		claims[i].clean = clean;
	}
}

/*
 * A start without the members @lost, and with @partial, which cannot read all of their logs.  The
 * last record that was acted upon is in the logs of all but @dead and @unseen, of which the latter
 * had failed, too, though no superblock says so.
 */
static void check_records(u32 dead, u32 unseen, u32 lost, u32 partial, bool clean)
{
	struct raizn_member_claim claims[MAX_W];
	u32 whole = ALL & ~(lost | partial);
	struct raizn_trust trust;
	u32 live, i;

	set_alike(claims, dead, lost, clean);
	for (i = 0; i < W; i++)
		claims[i].partial = partial & (1U << i);
	if (raizn_join_partial(claims, W, P, &trust)) {
		wrong = "members that show the same are refused";
		return;
	}
	live = ALL & ~(trust.failed | trust.unproven | lost);
	if (bits(live) + P < W)
		return;
	if (live & partial && !(whole & ~unseen))
		wrong = "a record that was acted upon is in no log that counts";
	else if (bits(whole) >= (clean ? 1 : P + 1) && live != (ALL & ~lost))
		wrong = "a member is not trusted though the others have enough logs";
}

/* All sets of members, one of which at least cannot read all of its log. */
static void check_logs(u32 dead, u32 unseen)
{
	u32 lost, partial;

	for (lost = dead; lost < ALL; lost++)
		for (partial = 1; partial <= ALL && !wrong; partial++) {
			if ((lost & dead) != dead || lost & partial)
				continue;
			check_records(dead, unseen, lost, partial, false);
			/* A stop is not clean if a member has failed unseen. */
			if (!unseen && !wrong)
				check_records(dead, unseen, lost, partial, true);
		}
}

static bool explore_logs(void)
{
	u32 dead, unseen;

	wrong = NULL;
	for (dead = 0; dead <= ALL; dead++)
		for (unseen = 0; unseen <= ALL && !wrong; unseen++)
			if (!(dead & unseen) && bits(dead | unseen) <= P)
				check_logs(dead, unseen);
	return !wrong;
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
	unread = 0;
	proven = 0;
	if (!explore_logs())
		return false;
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
	if (!by_count)
		printf("# %llu times a member could not read all of its log, %llu times it was trusted\n",
		       (unsigned long long)unread, (unsigned long long)proven);
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
