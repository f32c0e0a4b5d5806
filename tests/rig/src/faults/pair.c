// SPDX-License-Identifier: GPL-2.0
/*
 * One experiment with two faults in an array that makes up for two: a workload that is as
 * small as can be with something of everything, and what must hold then.
 *
 * Errors of the volume are never right.  The array can be stopped or lose power, and started
 * without the drives that are gone, and holds all data still.  When the drives do what they
 * are told again, what was lost is rebuilt, and a scrub and parity_check find nothing.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "../powercut/model.h"

#define SETTLE_MSEC	10000

static struct rng no_chance;

/* Commands of any kind that a drive gets without a fault. */
u64 pair_commands[MAX_MEMBERS];

/* ---- the workload ------------------------------------------------------------ */

static void write_one(u32 zone, u64 nr, bool fua)
{
	work_write(zone, &nr, 1, fua);
}

/* At the end all members get writes and a flush: none is gone without being noticed. */
static void pair_workload(void)
{
	phase("workload");
	work_alone();
	write_one(0, shape.su + 3, true);
	write_one(1, shape.stripe + 5, false);
	work_flush();
	write_one(0, shape.stripe, false);
	work_finish(1);
	work_reset(0);
	write_one(0, shape.stripe - 1, true);
	workload_reads();
	write_one(2, 2 * shape.stripe, false);
	work_flush();
}

static void check_all(const char *when)
{
	phase(when);
	model_verify(&no_chance, true, true, when);
}

/* After a start with faults. */
static void more_writes(void)
{
	check_all("after the start with faults");
	work_alone();
	write_one(0, shape.su + 1, true);
	write_one(2, 2 * shape.stripe, false);
	work_flush();
}

static u64 commands_so_far(u32 member)
{
	u64 sum = 0;
	u32 k;

	for (k = 0; k < NR_KINDS; k++)
		sum += drives_count(member, kinds[k]);
	return sum;
}

static void count_from_now(void)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		pair_commands[i] = commands_so_far(i);
}

static void count_until_now(void)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		pair_commands[i] = commands_so_far(i) - pair_commands[i];
}

/* An array that has lost power after the workload: its start has something to recover. */
static void lose_power(void)
{
	u32 i;

	phase("start");
	array_start(0, false);
	pair_workload();
	drives_cut();
	phase("stop");
	volume_stop();
	for (i = 0; i < shape.members; i++)
		drives_mend(i, false);
}

/* What the drives are sent while a fault may strike, if none does. */
void pair_count(void)
{
	struct volume_state s;

	array_begin();
	if (only.at_start) {
		lose_power();
		count_from_now();
	}
	phase("start");
	array_start(0, false);
	if (only.at_start) {
		count_until_now();
	} else {
		count_from_now();
		pair_workload();
		settle_down(&s);
	}
	phase("stop");
	volume_stop();
	if (!only.at_start)
		count_until_now();
}

/* ---- the faults -------------------------------------------------------------- */

void pair_describe(const struct pair *p, char *text, size_t size)
{
	const struct plan *a = &p->fault[0], *b = &p->fault[1];

	snprintf(text, size, "faults --pairs%s --members %u --variant %s --member %u --nth %u --second-variant %s --second %u --second-nth %u",
		 only.at_start ? " --at-start" : "", shape.members, a->variant->name, a->member, a->nth,
		 b->variant->name, b->member, b->nth);
}

static u32 suspects(const struct pair *p)
{
	return 1U << p->fault[0].member | 1U << p->fault[1].member;
}

static void plan_both(const struct pair *p)
{
	if (plan_fault(&p->fault[0]) != 1 ||
	    plan_fault(&p->fault[1]) != 1U + is_same_member(p))
		fail("the drives do not know of the faults");
}

/* Of two faults of the same member the first one is the one that strikes first. */
static bool has_struck(const struct pair *p, u32 i)
{
	u64 left = drives_planned(p->fault[i].member);

	return is_same_member(p) ? left <= 1 - i : !left;
}

static bool both_struck(const struct pair *p)
{
	return has_struck(p, 0) && has_struck(p, 1);
}

static u32 without_power(void)
{
	u32 off = 0, i;

	for (i = 0; i < shape.members; i++)
		off |= !drives_are_on(i) << i;
	return off;
}

static u64 failed_reads(const struct pair *p)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < 2; i++)
		sum += drives_errors(p->fault[i].member, "read") +
		       drives_errors(p->fault[i].member, "report");
	return sum;
}

/*
 * The faults strike while the array starts, which only the failure of a command that reads may
 * end.  The next start does without the drives that are gone.
 */
static void start_struck(const struct pair *p)
{
	u32 gone = 0;
	u64 failed;
	bool last;

	for (;;) {
		last = both_struck(p);
		failed = failed_reads(p);
		if (!volume_start(gone, gone, false))
			return;
		if (last || failed_reads(p) == failed)
			fail("the array does not start without members %#x", gone);
		tally.refused_starts++;
		gone = without_power();
	}
}

static void begin_with_faults(const struct pair *p)
{
	array_begin();
	if (only.at_start)
		lose_power();
	phase("start");
	if (!only.at_start)
		array_start(0, false);
	plan_both(p);
	if (only.at_start)
		start_struck(p);
}

static void check_noticed(const struct pair *p, struct volume_state *s)
{
	u32 i;

	settle_down(s);
	check_letters(suspects(p), s);
	/* What failed in a start that was repeated is not counted in this one. */
	for (i = 0; i < 2 && !only.at_start; i++)
		if (has_struck(p, i))
			check_struck(&p->fault[i], suspects(p), s);
}

/* ---- afterwards -------------------------------------------------------------- */

/* A fault that is still to come may strike a command of the stop. */
static void pair_end(const struct pair *p)
{
	bool cut = p->ends_by_cut && both_struck(p);

	if (both_struck(p))
		check_all("after the workload");
	if (cut) {
		/* What it had not flushed may go. */
		work_flush();
		drives_cut();
	}
	phase("stop");
	volume_stop();
}

/* Starts it without the drives that are gone.  Return: these (bit by slot). */
static u32 start_without(const struct pair *p)
{
	u32 absent = 0, i;

	for (i = 0; i < 2; i++)
		if (p->fault[i].variant->gone)
			absent |= 1U << p->fault[i].member;
	for (i = 0; i < shape.members; i++)
		drives_mend(i, false);
	phase("second start");
	array_start(absent, absent);
	return absent;
}

static void wait_until_whole(u32 slot, struct volume_state *s)
{
	u32 msec;

	for (msec = 0; msec < SETTLE_MSEC; msec += 2) {
		settle_down(s);
		if (takes_part(s, slot))
			return;
		usleep(2000);
	}
	fail("member %u is not rebuilt: '%s'", slot, s->letters);
}

/* Members that failed are taken back, one after the other. */
static void take_back(u32 absent, struct volume_state *s)
{
	u32 i;
	int err;

	phase("rebuild");
	/* As fast as it can. */
	if (volume_message("set speed_min 1000000"))
		fail("the speed cannot be set");
	for (i = 0; i < shape.members; i++) {
		settle_down(s);
		if (takes_part(s, i))
			continue;
		absent &= ~(1U << i);
		err = volume_rebuild(i, absent);
		if (err)
			fail("member %u cannot be taken back: %s", i, strerror(-err));
		wait_until_whole(i, s);
	}
	check_letters(0, s);
	if (s->degraded_zones)
		fail("%u zones still lack a column", s->degraded_zones);
}

static void scrub(struct volume_state *s)
{
	int err;

	phase("scrub");
	err = volume_message("scrub check");
	if (err)
		fail("no scrub: %s", strerror(-err));
	settle_down(s);
	if (!s->total || s->done != s->total)
		fail("the scrub came to %" PRIu64 " of %" PRIu64 " sectors", s->done,
		     s->total);
	if (s->mismatches)
		fail("a scrub finds %" PRIu64 " mismatches", s->mismatches);
}

static void check_again(const struct pair *p)
{
	struct volume_state s;
	u32 absent = start_without(p);

	settle_down(&s);
	check_letters(suspects(p), &s);
	check_all("after the second start");
	take_back(absent, &s);
	scrub(&s);
	check_all("after the rebuild");
	check_parity(&s);
	phase("last stop");
	volume_stop();
}

/* No command is sent to a member that has failed. */
static enum outcome outcome_so_far(const struct pair *p, const struct volume_state *s)
{
	if (both_struck(p))
		return BOTH_STRUCK;
	return is_same_member(p) && !takes_part(s, p->fault[0].member) ? IMPOSSIBLE : ONE_STRUCK;
}

/* Carries out both faults of a pair in one workload. */
enum outcome experiment_pair(const struct pair *p)
{
	struct volume_state s;
	enum outcome outcome;

	begin_with_faults(p);
	volume_state(&s);
	outcome = outcome_so_far(p, &s);
	if (!only.at_start || outcome == BOTH_STRUCK) {
		if (only.at_start)
			more_writes();
		else
			pair_workload();
		check_noticed(p, &s);
		outcome = outcome_so_far(p, &s);
	}
	pair_end(p);
	/* It may have struck the stop. */
	if (both_struck(p) && !only.at_start)
		outcome = BOTH_STRUCK;
	if (outcome == BOTH_STRUCK)
		check_again(p);
	return outcome;
}
