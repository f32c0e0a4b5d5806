// SPDX-License-Identifier: GPL-2.0
/*
 * Chains of crashes, and the rounds of a chain.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/options.h"
#include "powercut.h"

#define MAX_ARRAY_ROUNDS 40

static u64 nr_cuts;

/* What one chain needs to know from round to round. */
struct chain {
	u32 lost;		/* members that are not trusted any more */
	u32 lost_there;		/* ... that have power and can be named all the same */
	u32 called_failed;	/* ... by the superblocks of the others */
	u32 were_away;		/* members not named since the last start */
	bool ends;		/* after the next verification */
	bool complete;		/* an enumerated one: it was cut everywhere */
	u64 start_commands;	/* of the last start that was complete */
	u64 next_cut;		/* of an enumerated chain */
};

/* Can another member be lost? */
static bool may_lose(const struct chain *c)
{
	return !set.lossless && __builtin_popcount(c->lost) < (int)shape.parity;
}

static void lose_member(struct chain *c, struct rng *r)
{
	u32 how = below(r, 3), member;

	do {
		member = below(r, shape.members);
	} while (c->lost >> member & 1);
	c->lost |= 1U << member;
	if (how)
		drives_lose(member, how == 1);
	else
		c->lost_there |= 1U << member;
	stats.losses++;
}

/* After a power cut: power again, perhaps not for all. */
static void power_on(struct chain *c, struct rng *r, u32 lose_percent)
{
	if (shape.enumerated)
		lose_percent = shape.renewed ? 100 : 0;
	/* One that was away may be lost already; that one has to be it. */
	while (may_lose(c) && !c->were_away && percent(r, lose_percent))
		lose_member(c, r);
	drives_power_on(c->lost & ~c->lost_there);
}

/* The array runs: whom does it trust? */
static void take_letters(struct chain *c)
{
	char status[STATUS_SIZE], letters[MAX_MEMBERS + 1] = "";
	u32 i;

	volume_status(status, sizeof(status));
	if (sscanf(status, "%*s %*s %8s", letters) != 1 ||
	    strlen(letters) != shape.members)
		fail("strange status");
	for (i = 0; i < shape.members; i++) {
		bool trusted = letters[i] == 'A';

		if (c->lost >> i & 1 ? trusted :
		    !trusted && (!may_lose(c) || !(c->were_away >> i & 1)))
			fail("member %u is '%c'", i, letters[i]);
		if (trusted || c->lost >> i & 1)
			continue;
		c->lost |= 1U << i;
		c->lost_there |= 1U << i;
		stats.stale++;
	}
	c->called_failed = c->lost;
	if (c->called_failed)
		stats.degraded_starts++;
}

/*
 * A start that writes nothing, as all commands to the drives tell.  Return: a number for what it
 * serves, which another start must serve, too.
 */
static u64 serve_read_only(u32 absent, bool degraded)
{
	char status[STATUS_SIZE];
	u64 digest, sectors;
	int err;

	phase("read-only start");
	drives_arm(0);
	err = volume_start_read_only(absent, degraded);
	if (err)
		fail("the array does not start read-only%s: %s",
		     absent ? " degraded" : "", strerror(-err));
	volume_status(status, sizeof(status));
	sectors = strtoull(strrchr(status, ' '), NULL, 10);
	digest = model_digest();
	if (model_digest() != digest)
		fail("a read-only array reads as something else the second time");
	volume_stop();
	if (drives_commands())
		fail("a read-only array sent %" PRIu64 " commands to its drives",
		     drives_commands());
	stats.read_only++;
	stats.stood_in += !!sectors;
	if (sectors > stats.stood_in_most)
		stats.stood_in_most = sectors;
	phase("start");
	return digest;
}

/*
 * One start, which a power cut may interrupt.  Did it come to its end?  One
 * member may be away this time, and there again the next time; where another
 * one was away before, so that two cannot be trusted, the start may fail.
 * A member that is not trusted any more is named, too, except where half of
 * the members is enough and another one is not there: those that are left
 * cannot know which of them went on, and the array is refused.
 */
static bool try_start(struct chain *c, struct rng *r, u64 cut_at, int away)
{
	u32 named = percent(r, 50) ? c->lost_there & c->called_failed : 0;
	bool maintain = percent(r, 4), look = !cut_at && percent(r, 20), degraded;
	u64 digest = 0;
	u32 absent;
	int err;

	/* See docs/recovery.md, an array that needs only half of its members. */
	if (shape.members <= 2 * shape.parity && (away >= 0 || c->lost & ~named))
		named = 0;
	absent = c->lost & ~named;
	if (away >= 0) {
		absent |= 1U << away;
		stats.away++;
	}
	degraded = absent & ~c->called_failed || c->were_away ||
		   percent(r, 20);
	if (away >= 0)
		c->were_away |= 1U << away;
	if (look)
		digest = serve_read_only(absent, degraded);
	drives_arm(cut_at);
	err = volume_start(absent, degraded, maintain);
	drives_disarm();
	if (drives_were_cut()) {
		if (!err)
			volume_stop();
		nr_cuts++;
		stats.cuts_at_start++;
		power_on(c, r, 5);
		return false;
	}
	if (err && away >= 0 && c->were_away != 1U << away) {
		stats.refused++;
		return false;
	}
	if (err)
		fail("the array does not start%s: %s",
		     absent ? " degraded" : "", strerror(-err));
	stats.maintained += maintain;
	c->start_commands = drives_commands();
	if (look && model_digest() != digest)
		fail("the read-only start before served something else");
	take_letters(c);
	return true;
}

/*
 * Would a start without @away, beside an earlier one without another member, leave two
 * groups without a common member?  See docs/recovery.md, an array that needs no more than
 * half of its members: both groups together are refused.
 */
static bool would_split(const struct chain *c, int away)
{
	u32 left = shape.members - __builtin_popcount(c->lost);

	return left == 2 && c->were_away & ~(1U << away);
}

/*
 * Starts the array: at once, or after some starts that were interrupted, or
 * after one that was interrupted at its first command, at its second one ...
 */
static void start(struct chain *c, struct rng *r)
{
	u64 most = c->start_commands ? c->start_commands : 30, k;
	bool members_go = may_lose(c) && percent(r, 30);
	u64 step = 1 + below(r, 3);
	bool done = false;
	int tries = 0;

	c->were_away = 0;
	if (!set.cutless && percent(r, 20))
		tries = 1 + below(r, 3);
	if (!set.cutless && percent(r, 1)) {
		for (k = 1; !done; k += step) {
			phase("start, staircase");
			done = try_start(c, r, k, -1);
		}
	}
	while (!done && tries--) {
		int away = members_go && may_lose(c) && percent(r, 70) ?
			   (int)below(r, shape.members) : -1;

		if (away >= 0 && (c->lost >> away & 1 || would_split(c, away)))
			away = -1;
		phase("start, to be interrupted");
		done = try_start(c, r, 1 + below(r, most + most / 4), away);
	}
	phase("start");
	if (!done && !try_start(c, r, 0, -1))
		fail("the array was cut off without a power cut");
}

static void check_parity(void)
{
	char *argv[MAX_MEMBERS + 8] = {
		"parity_check", "--min-stripes", "0", "--volume", volume_path,
	};
	u32 n = 5, tries = 10, i;

	phase("parity check");
	work_flush();
	for (i = 0; i < shape.members; i++)
		argv[n++] = (char *)drive_path(i);
	/* A column may be rewritten elsewhere while it looks: what is wrong stays wrong. */
	while (run_program("parity_check", argv)) {
		if (!tries--)
			fail("the members' parity is wrong");
		usleep(200000);
	}
	stats.parity_checks++;
}

/* Suspends, reloads and resumes while the threads are at work. */
static void cycle_volume(struct rng *r)
{
	int n = 1 + below(r, 3), err = 0;

	while (n-- && !err) {
		usleep(below(r, 5000));
		err = volume_cycle(percent(r, 50));
		stats.reloads++;
	}
	if (!err)
		return;
	if (!drives_were_cut())
		fail("suspend, reload or resume under load: %s",
		     strerror(-err));
	volume_wipe();
}

/* How often did logs move to another zone, beside those of the start? */
static void count_switches(void)
{
	char status[STATUS_SIZE];
	u64 n = 0;

	volume_status(status, sizeof(status));
	/* The 14th word. */
	if (sscanf(status, "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %"
		   SCNu64, &n) == 1 && n > 2 * shape.members)
		stats.log_switches += n - 2 * shape.members;
}

/* With all members, and with their spare zones, a start leaves nothing to be rebuilt. */
static void look_at_zones(const struct chain *c)
{
	struct volume_state s;

	relocated_count();
	volume_state(&s);
	stats.spoilt_starts += !!s.spoilt;
	if (s.spoilt > stats.spoilt_sectors)
		stats.spoilt_sectors = s.spoilt;
	if (!c->lost && s.degraded_zones)
		fail("%u zones lack a column after the start", s.degraded_zones);
}

/* The threads at work, until the power is cut or they are done. */
static void work(struct chain *c, struct rng *r)
{
	/* Long enough for logs to move, now and then. */
	u32 nr_ops = percent(r, 10) ? 200 : 5 + below(r, 60);
	u64 cut_at, seed;
	bool timed = !shape.serial && percent(r, 20);
	bool cycle = !shape.serial && percent(r, 20);

	seed = rnd(r);
	cut_at = 1 + below(r, 8ULL << below(r, nr_ops > 100 ? 10 : 8));
	if (shape.enumerated) {
		work_reset_all();
		seed = chain_now;
		nr_ops = 16;
		cut_at = ++c->next_cut;
		timed = false;
	}
	if (timed || set.cutless || (!shape.enumerated && percent(r, 15)))
		cut_at = 0;
	drives_arm(cut_at);
	phase("work");
	work_begin(seed, nr_ops, shape.serial ? ONE_COMMAND :
		   cycle ? WRITES_ONLY : ALL_COMMANDS);
	if (cycle)
		cycle_volume(r);
	if (timed && !set.cutless) {
		usleep(below(r, 20000));
		drives_cut();
	}
	work_wait();
	drives_disarm();
	count_switches();
	if (drives_were_cut())
		stats.cuts_at_work++;
	else if (shape.enumerated && !set.cutless)
		c->complete = true;
}

/* The work is done and there is power: an end of another kind. */
static void end_round(struct rng *r)
{
	u32 dice = below(r, 4);

	if (set.cutless)
		dice = 0;
	if (dice == 1)
		work_flush();
	if (dice == 1 || dice == 2) {
		drives_cut();
		stats.cuts_at_work++;
	} else if (dice == 3) {
		drives_arm(1 + below(r, 30));
	}
	phase("stop");
	volume_stop();
	if (dice == 3) {
		drives_disarm();
		stats.cuts_at_stop += drives_were_cut();
	}
	if (!drives_were_cut())
		stats.clean_stops++;
}

/* Without cuts, rounds are what is counted. */
static bool enough(void)
{
	return (set.cutless ? stats.rounds : nr_cuts) >= set.cuts;
}

static void one_round(struct chain *c, u64 nr_rounds)
{
	static const char * const keeps[] = {
		"random", "random", "random", "random", "none", "all"
	};
	struct rng r = rng_for(set.seed, chain_now, 1000 + round_now);
	u64 begin = now_usec(), t;
	bool whole = !c->lost;

	if (!round_now)
		drives_seed(rnd(&r), keeps[below(&r, 6)]);
	start(c, &r);
	t = now_usec();
	stats.usec_start += t - begin;
	look_at_zones(c);

	phase("verification");
	model_verify(&r, c->ends || c->lost || percent(&r, 10),
		     whole && !c->lost && !c->were_away && !shape.cached,
		     "after start");
	c->were_away = 0;
	stats.usec_verify += now_usec() - t;
	/* It takes what drives read in finished zones for data. */
	if (!c->lost && !shape.fill && percent(&r, 20))
		check_parity();
	if (c->ends || round_now + 1 >= nr_rounds || enough()) {
		phase("last stop");
		volume_stop();
		c->ends = true;
		return;
	}

	t = now_usec();
	work(c, &r);
	stats.usec_work += now_usec() - t;
	t = now_usec();
	if (drives_were_cut()) {
		phase("stop without power");
		volume_stop();
	} else {
		end_round(&r);
	}
	if (drives_were_cut())
		nr_cuts++;
	if ((c->lost && percent(&r, may_lose(c) ? 20 : 50)) || c->complete)
		c->ends = true;
	/* The last round but one is when a member goes, at the latest. */
	power_on(c, &r, round_now + 3 == nr_rounds ? 100 : 5);
	stats.usec_stop += now_usec() - t;
	stats.rounds++;
}

/* From its creation to its end. */
static void one_array(struct chain *c, u64 rounds)
{
	u64 begin = now_usec();

	*c = (struct chain){ .next_cut = c->next_cut };
	phase("creation");
	drives_make();
	volume_create();
	drives_wear();
	model_new();
	stats.usec_make += now_usec() - begin;
	for (round_now = 0; !c->ends; round_now++) {
		one_round(c, rounds);
		if (set.verbose)
			printf("  round %" PRIu64 ": %" PRIu64 " cuts, lost %x\n",
			       round_now, nr_cuts, c->lost);
	}
	phase("the end of an array");
	drives_gone();
}

static void one_chain(void)
{
	struct rng r = rng_for(set.seed, chain_now, 0);
	struct chain c = { .next_cut = 0 };
	u64 rounds;

	choose_shape(&r);
	rounds = 6 + below(&r, MAX_ARRAY_ROUNDS - 6);
	if (set.rounds)
		rounds = set.rounds;
	else if (shape.enumerated)
		rounds = 1000;
	set_rerun("powercut --seed %" PRIu64 "%s --chain %" PRIu64 " --chains 1 --cuts 100000",
		  set.seed, options_repeat(), chain_now);
	if (set.verbose) {
		printf("chain %" PRIu64 ": ", chain_now);
		print_shape(stdout);
		printf("; %" PRIu64 " rounds\n", rounds);
		fflush(stdout);
	}
	do {
		one_array(&c, shape.renewed ? 2 : rounds);
	} while (shape.renewed && !c.complete && !enough());
	stats.chains++;
}

static void print_stats(u64 usec)
{
	u64 n = stats.rounds ? stats.rounds : 1;

	printf("# seed %" PRIu64 "%s: %" PRIu64 " chains, %" PRIu64 " rounds in %.1f s (ms each: start %.1f, verify %.1f, work %.1f, stop %.1f; make %.1f)\n",
	       set.seed, options_repeat(), stats.chains, stats.rounds, usec / 1e6,
	       stats.usec_start / 1e3 / n, stats.usec_verify / 1e3 / n,
	       stats.usec_work / 1e3 / n, stats.usec_stop / 1e3 / n,
	       stats.usec_make / 1e3 / (stats.chains ? stats.chains : 1));
	printf("# cuts at work %" PRIu64 ", at start %" PRIu64 ", at stop %" PRIu64 "; clean stops %" PRIu64 "; lost members %" PRIu64 ", degraded starts %" PRIu64 "; starts without one that came back %" PRIu64 ", refused %" PRIu64 ", it was stale %" PRIu64 "; maintenance %" PRIu64 "\n",
	       stats.cuts_at_work, stats.cuts_at_start, stats.cuts_at_stop,
	       stats.clean_stops, stats.losses, stats.degraded_starts,
	       stats.away, stats.refused, stats.stale, stats.maintained);
	printf("# writes %" PRIu64 " (%" PRIu64 " MiB), flushes %" PRIu64 ", resets %" PRIu64 ", of all %" PRIu64 ", finishes %" PRIu64 ", reloads %" PRIu64 "\n",
	       stats.writes, stats.sectors_written >> 11, stats.flushes,
	       stats.resets, stats.reset_alls, stats.finishes, stats.reloads);
	printf("# verified %" PRIu64 " MiB; zones that lost an unflushed end %" PRIu64 "; resets and finishes in flight: %" PRIu64 " done, %" PRIu64 " not; log switches %" PRIu64 "; starts with spoilt rows %" PRIu64 ", %" PRIu64 " sectors at most; parity checks %" PRIu64 "\n",
	       stats.sectors_verified >> 11, stats.zones_shorter,
	       stats.in_flight_done, stats.in_flight_undone,
	       stats.log_switches, stats.spoilt_starts, stats.spoilt_sectors,
	       stats.parity_checks);
	relocated_count();
	relocated_print();
	printf("# read-only starts %" PRIu64 ", with data in memory %" PRIu64 ", %" PRIu64 " sectors at most\n",
	       stats.read_only, stats.stood_in, stats.stood_in_most);
	printf("power cuts: %" PRIu64 "\n", nr_cuts);
}

/* Chains until there were enough cuts. Return: exit status of the program. */
int chains_run(void)
{
	u64 begin = now_usec();

	volume_clear();
	relocated_begin();
	for (chain_now = set.first_chain;
	     chain_now - set.first_chain < set.chains && !enough();
	     chain_now++)
		one_chain();
	print_stats(now_usec() - begin);
	return 0;
}
