// SPDX-License-Identifier: GPL-2.0
/*
 * One experiment: the workload, one fault, and what must hold then.
 *
 * Errors of the volume are never right. Afterwards the array is whole again, or
 * goes on without the member; all data can be read; it can be stopped or lose
 * power, and started again, and holds all of it still.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "../powercut/model.h"

#define SETTLE_MSEC	10000
#define IDLE_MSEC	1000
#define SPARE_ZONES	2U

static struct rng no_chance;

bool no_excuse(void)
{
	return false;
}

void plan_describe(const struct plan *p, char *text, size_t size)
{
	int n;

	n = snprintf(text, size, "faults --members %u%s%s", shape.members,
		     shape.through ? " --through" : "",
		     p->replaces ? " --replace" : "");
	text += n;
	size -= n;
	if (!p->variant) {
		snprintf(text, size, " --no-fault");
		return;
	}
	n = snprintf(text, size, " --variant %s --kind %s --member %u --nth %u%s --end %s",
		     p->variant->name, p->kind, p->member,
		     p->nth, p->at_start ? " --at-start" : "",
		     p->ends_by_cut ? "power-cut" : "stop");

	if (p->second >= 0)
		snprintf(text + n, size - n, " --second %d --second-nth %u",
			 p->second, p->second_nth);
}

/* A new array, on the same drives as the last one. */
void array_begin(void)
{
	phase("new array");
	image_restore();
	model_new();
}

void array_start(u32 absent, bool degraded)
{
	int err = volume_start(absent, degraded, false);

	if (err)
		fail("the array does not start%s: %s",
		     absent ? " without a member" : "", strerror(-err));
}

/* The parts of a status are not all of one moment. */
static bool is_torn(const struct volume_state *s)
{
	bool whole = !s->degraded_zones &&
		     strspn(s->letters, "A") == shape.members;

	return s->complete &&
	       (whole ? !strcmp(s->state, "degraded") :
			!strcmp(s->state, "active"));
}

static bool is_settled(const struct volume_state *s)
{
	return !is_torn(s) && !strcmp(s->action, "idle") &&
	       (!s->degraded_zones || strspn(s->letters, "A") != shape.members);
}

/* A drive that goes on failing may take more of them than there are. */
static bool spares_are_used_up(const struct volume_state *s)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		if (s->healed[i] >= shape.spares)
			return s->degraded_zones && !strcmp(s->action, "idle");
	return false;
}

/* What is rebuilt by itself is, after a while. */
void settle_down(struct volume_state *s)
{
	u32 msec;

	for (msec = 0; ; msec += 2) {
		volume_state(s);
		if (is_settled(s) ||
		    (msec > IDLE_MSEC && spares_are_used_up(s)))
			return;
		if (msec > SETTLE_MSEC)
			fail("the array does not become idle");
		usleep(2000);
	}
}

/* A drive that is none of the members is not missed. */
bool takes_part(const struct volume_state *s, u32 member)
{
	return member >= shape.members || s->letters[member] == 'A';
}

/* Members other than @suspects (bit by slot) take part, and the array works. */
void check_letters(u32 suspects, const struct volume_state *s)
{
	bool whole = true;
	u32 i;

	for (i = 0; i < shape.members; i++) {
		if (takes_part(s, i))
			continue;
		if (!(suspects >> i & 1))
			fail("member %u is '%c', and nothing was wrong with it",
			     i, s->letters[i]);
		whole = false;
	}
	/* A target that does not tell rebuilds columns at its next start. */
	if (whole && (!s->complete || spares_are_used_up(s)) &&
	    !strcmp(s->state, "degraded"))
		return;
	if (strcmp(s->state, whole ? "active" : "degraded"))
		fail("members are '%s' and the array %s", s->letters, s->state);
}

static bool only_looks(const struct plan *p)
{
	return !strcmp(p->kind, "read") || !strcmp(p->kind, "report");
}

static bool may_look(const struct plan *p)
{
	return strstr(p->kind, "read") || strstr(p->kind, "report");
}

/* Does the status tell that a member failed a command, or is gone? */
static bool is_noticed(const struct plan *p, const struct volume_state *s)
{
	if (!takes_part(s, p->member))
		return true;
	return !p->variant->gone &&
	       (s->write_errors[p->member] ||
		(may_look(p) && s->read_errors[p->member]));
}

/*
 * The fault struck while the array ran: the status has to tell.  It may do so later, for
 * nobody waits for a command of the background.  Faults struck the @suspects (bit by slot).
 */
void check_struck(const struct plan *p, u32 suspects, struct volume_state *s)
{
	u32 msec;

	if (!s->complete && !p->variant->gone)
		return;
	for (msec = 0; !is_noticed(p, s); msec += 2) {
		if (msec > SETTLE_MSEC)
			fail(p->variant->gone ?
			     "member %u is gone and takes part" :
			     "member %u failed a command and no error is counted",
			     p->member);
		usleep(2000);
		volume_state(s);
	}
	settle_down(s);
	check_letters(suspects, s);
}

/* One error while it reads or starts is no reason to do without a member. */
static void check_absorbed(const struct plan *p, const struct volume_state *s)
{
	if (p->at_start && !strcmp(p->variant->name, "error") &&
	    !takes_part(s, p->member))
		fail("member %u failed as a whole after one error in a start",
		     p->member);
	if (!p->variant->gone && !strcmp(p->kind, "read") &&
	    !strstr(p->variant->fault, "times") &&
	    !takes_part(s, p->member))
		fail("member %u failed as a whole after one read error",
		     p->member);
}

static void verify(const char *when)
{
	phase(when);
	model_verify(&no_chance, true, true, when);
}

static void end(const struct plan *p)
{
	if (p->ends_by_cut) {
		/* What it had not flushed may go. */
		work_flush();
		drives_cut();
	}
	phase("stop");
	volume_stop();
}

/* With members that take part, as parity_check wants them.  Return: it is right. */
static bool parity_is_right(const struct volume_state *s)
{
	char *argv[MAX_MEMBERS + 8] = {
		"parity_check", "--min-stripes", "0", "--degraded", "--volume",
		volume_path,
	};
	u32 n = 6, i;

	for (i = 0; i < shape.members; i++)
		if (takes_part(s, i))
			argv[n++] = (char *)drive_path(i);
	return !run_program("parity_check", argv);
}

/* A log may move, or a column, while it looks: what is wrong stays wrong. */
void check_parity(struct volume_state *s)
{
	u32 msec = 0;

	phase("parity check");
	while (!parity_is_right(s)) {
		if (msec > SETTLE_MSEC)
			fail("the members' parity is wrong");
		msec += 200;
		usleep(200000);
		settle_down(s);
	}
}

/*
 * Starts it again. A drive that is gone stays away; a member that failed while
 * its drive did not is named every other time.
 */
static void start_again(const struct plan *p, bool known_failed)
{
	bool gone = p->member < shape.members && !drives_are_on(p->member) &&
		    p->variant && p->variant->gone;
	u32 absent = 0, i;

	phase("second start");
	for (i = 0; i < shape.members; i++)
		if (i != p->member || !gone)
			drives_mend(i, false);
	if (gone || (known_failed && p->nth % 2))
		absent = 1U << p->member;
	array_start(absent, absent && !known_failed);
}

/* Plans the fault.  Return: how often it is to strike. */
u64 plan_fault(const struct plan *p)
{
	drives_plan(p->member, "%s %u %s", p->kind, p->nth, p->variant->fault);
	return drives_planned(p->member);
}

/* The array was started again, without faults: is all as it was? */
static void check_again(const struct plan *p, bool known_failed)
{
	struct volume_state s;

	settle_down(&s);
	check_letters(1U << p->member, &s);
	if (known_failed && takes_part(&s, p->member))
		fail("member %u had failed and takes part", p->member);
	verify("after the second start");
	check_parity(&s);
	phase("last stop");
	volume_stop();
}

static void begin(const struct plan *p)
{
	if (p->replaces) {
		replace_begin();
		return;
	}
	array_begin();
	phase("start");
	array_start(0, false);
}

/* Without a fault. */
static void work(const struct plan *p)
{
	phase("workload");
	if (p->replaces)
		replace_run();
	else
		workload_run();
}

/* The same without a fault: is it the array that fails, or the experiment? */
void experiment_without(const struct plan *p)
{
	begin(p);
	work(p);
	if (set.verbose)
		drives_print_counters(stdout);
	verify("after the workload");
	end(p);
	start_again(p, false);
	check_again(p, false);
	replace_end();
}

u64 commands[NR_KINDS][MAX_DRIVES];
static u64 commands_before[NR_KINDS][MAX_DRIVES];

static void count_from_now(void)
{
	u32 k, i;

	for (k = 0; k < NR_KINDS; k++)
		for (i = 0; i < shape.members + shape.has_spare; i++)
			commands_before[k][i] = drives_count(i, kinds[k]);
}

/* Only reads, or all the others. */
static void count_until_now(bool reads)
{
	u32 k, i;

	for (k = 0; k < NR_KINDS; k++)
		for (i = 0; i < shape.members + shape.has_spare; i++)
			if (!strcmp(kinds[k], "read") == reads)
				commands[k][i] = drives_count(i, kinds[k]) -
						 commands_before[k][i];
}

/* What the drives are sent while a fault may strike, if none does: see experiment(). */
void experiment_count(const struct plan *p)
{
	if (p->at_start) {
		array_begin();
		count_from_now();
		phase("start");
		array_start(0, false);
	} else {
		begin(p);
		count_from_now();
		work(p);
		replace_end();
	}
	count_until_now(true);
	if (p->at_start)
		count_until_now(false);
	phase("stop");
	volume_stop();
	if (!p->at_start)
		count_until_now(false);
}

/*
 * A running array: one of an earlier experiment, which is whole again, or a new
 * one.
 */
static bool still_runs;
static u32 experiments_on_it;

/*
 * The fault strikes while the array starts, which does without the drive then, or
 * without what failed. The next start does without a drive that is gone.
 */
static void start_struck(const struct plan *p)
{
	bool gone;

	if (!volume_start(0, false, false))
		return;
	/* What it reads tells what is to be done: without that it cannot begin. */
	if (!only_looks(p))
		fail("the array does not start without a member that fails");
	tally.refused_starts++;
	gone = !drives_are_on(p->member);
	if (!gone)
		drives_mend(p->member, false);
	array_start(gone ? 1U << p->member : 0, gone);
}

static void get_running(const struct plan *p, u64 *times)
{
	if (p->at_start) {
		array_begin();
		phase("start");
		*times = plan_fault(p);
		start_struck(p);
	} else if (!still_runs) {
		array_begin();
		phase("start");
		array_start(0, false);
		experiments_on_it = 0;
	}
	still_runs = false;
	experiments_on_it++;
	if (!p->at_start)
		*times = plan_fault(p);
}

static void stop_early(const struct plan *p, bool whole)
{
	/* Each may cost a spare zone until the next start. */
	still_runs = whole && !p->at_start && !p->replaces &&
		     !strcmp(p->variant->name, "error") &&
		     experiments_on_it < SPARE_ZONES;
	if (still_runs)
		return;
	phase("stop");
	volume_stop();
}

/*
 * The workload is done: is all as it should be, and remains so?  The fault was to strike
 * so many @times.
 *
 * Return: it struck; otherwise there are not so many commands.
 */
bool conclude(const struct plan *p, u64 times)
{
	bool struck = drives_planned(p->member) != times, known_failed;
	struct volume_state s;

	settle_down(&s);
	check_letters(1U << p->member, &s);
	/* What failed in a start that was repeated is not counted in this one. */
	if (struck && !p->at_start && !p->replaces)
		check_struck(p, 1U << p->member, &s);
	if (struck)
		check_absorbed(p, &s);
	if (tally.switches < s.log_switches)
		tally.switches = s.log_switches;
	/* Reads of the verification are not counted. */
	if (!struck && !strcmp(p->kind, "read"))
		drives_plan(p->member, "clear");
	verify("after the workload");
	/* The verification reads, too. */
	volume_state(&s);
	known_failed = !takes_part(&s, p->member);
	/* So does this one, but reads and reports that are still to fail are meant for others. */
	if (struck && only_looks(p))
		drives_plan(p->member, "clear");
	if (struck || !only_looks(p))
		check_parity(&s);
	if (struck && p->ends_early) {
		stop_early(p, !strcmp(s.state, "active"));
	} else {
		end(p);
		if (!struck && (drives_planned(p->member) == times ||
				!strcmp(p->kind, "read")))
			return false;
		start_again(p, known_failed);
		check_again(p, known_failed);
	}
	tally.faults++;
	tally.absorbed += struck && !known_failed;
	tally.failed += known_failed;
	tally.at_stop += !struck;
	return true;
}

/*
 * Carries out a plan.
 *
 * Return: the fault struck; otherwise there are not so many commands.
 */
bool experiment(const struct plan *p)
{
	u64 times = 0;

	get_running(p, &times);
	if (p->at_start && drives_planned(p->member) == times) {
		volume_stop();
		return false;
	}
	phase("workload");
	workload_run();
	return conclude(p, times);
}
