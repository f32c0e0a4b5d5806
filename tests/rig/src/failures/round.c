// SPDX-License-Identifier: GPL-2.0
/*
 * One round: the array is started if it does not run, threads are at work while
 * something goes wrong, and then everything must be there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failures.h"

/* All drives have power again, but for those that are to stay away. */
static void power_on(struct rng *r)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		if (!(array.out >> i & 1) || percent(r, 30))
			drives_mend(i, false);
}

/* One more than is missing already does not have power again with the others. */
static void cut_one_off(struct rng *r)
{
	u32 member = below(r, shape.members);

	if (array.suspects >> member & 1 || too_many(array.suspects | 1U << member) ||
	    !percent(r, 60))
		return;
	array.out |= 1U << member;
	array.suspects |= 1U << member;
	drives_lose(member, false);
	counts.cut_off++;
}

/* More is lost than parity makes up for, or power: the next start tells. */
static void give_up(struct rng *r)
{
	bool cut = trouble_power_was_cut();

	u64 served = 0, refused = 0;

	phase("stop without power");
	if (!cut) {
		model_verify_rest("with too many members lost", 0, &served,
				  &refused);
		counts.failed_arrays++;
	} else {
		counts.cuts++;
	}
	volume_stop();
	array.runs = false;
	power_on(r);
	if (cut)
		cut_one_off(r);
}

/*
 * What was wrong with the drives is not any more, but for bad zones, which the
 * start has found.
 */
static void forget_troubles(void)
{
	struct volume_state s;

	look_at_members();
	volume_state(&s);
	if (!s.degraded_zones && !strchr(s.letters, 'R'))
		array.suspects = 0;
	/* The start has left a column to be rebuilt: nobody else may fail before. */
	if (s.degraded_zones && strspn(s.letters, "A") == shape.members) {
		phase("rebuild after start");
		wait_until_whole();
		phase("start");
	}
	array.suspects |= array.out;
	/* Those that did not become members before the power cut are still blank. */
	array.blank &= array.out;
	array.latent = 0;
}

/*
 * Is no member left but those that the array went on without?  A start with one of them would go
 * back to what it knew when it failed.
 */
static bool only_left_behind(u32 absent)
{
	return !(((1U << shape.members) - 1) & ~absent & ~array.out);
}

/* A start that the power does not survive.  Return: it did. */
static bool start_once(struct rng *r, u64 cut_at)
{
	u32 absent = 0, i;
	bool degraded;
	int err;

	for (i = 0; i < shape.members; i++)
		if (array.out >> i & 1 && (!drives_are_on(i) || percent(r, 30)))
			absent |= 1U << i;
	degraded = absent & ~array.out_known;
	if (cut_at)
		drives_arm(cut_at);
	err = volume_start(absent, degraded, false);
	/* What works in the background may still meet the cut. */
	drives_disarm();
	if (cut_at && drives_were_cut()) {
		if (!err)
			volume_stop();
		counts.cuts++;
		power_on(r);
		return false;
	}
	if (err == -EINVAL && array.blank & array.out & ~absent) {
		absent |= array.blank & array.out;
		err = volume_start(absent, degraded, false);
	}
	if (err == -EINVAL && array.blank & ~absent) {
		absent |= array.blank;
		err = volume_start(absent, degraded, false);
	}
	/* The only superblock of a drive may have been in a log zone that turned offline. */
	for (i = 0; i < shape.members && err == -EINVAL; i++) {
		if (!(array.suspects & ~absent & 1U << i) ||
		    !drives_bad_zones(i, first_data_zone()))
			continue;
		absent |= 1U << i;
		if (only_left_behind(absent)) {
			array.ends = true;
			return true;
		}
		degraded = absent & ~array.out_known;
		err = volume_start(absent, degraded, false);
	}
	array.suspects |= absent;
	/*
	 * The letters may have told before the superblocks did; and who lost a log
	 * zone with its checkpoint is not trusted, which they do not tell.
	 */
	if (err == -ENODEV && array.suspects && !degraded)
		err = volume_start(absent, true, false);
	/* Members without complete logs count as missing. */
	if (err == -ENODEV && too_many(array.suspects))
		array.ends = true;
	else if (err)
		fail("the array does not start: %s", strerror(-err));
	return true;
}

/* One that was under way goes on; a repair that power cut short waits for that. */
static void scrub_of_before(struct rng *r)
{
	struct volume_state s;

	volume_state(&s);
	if (strcmp(s.action, "check") && strcmp(s.action, "repair"))
		return;
	counts.scrubs_resumed++;
	/* It may be over by now. */
	volume_message(percent(r, 50) ? "scrub stop" : "scrub resume");
}

static void start(struct rng *r)
{
	u64 cut_at = 0;

	phase("start");
	trouble_past();
	if (percent(r, 15))
		cut_at = 1 + below(r, 60);
	if (!start_once(r, cut_at))
		start_once(r, 0);
	if (array.ends) {
		counts.damaged++;
		return;
	}
	counts.starts++;
	array.runs = true;
	scrub_of_before(r);
	if (too_many(array.suspects) && model_is_damaged()) {
		/* Columns of too many members: what is left of the zones is right. */
		array.ends = true;
		counts.damaged++;
		model_forget_rest();
		give_up(r);
		return;
	}
	forget_troubles();
	model_verify(r, percent(r, 20) || array.out, array.exact,
		     "after start");
	array.exact = false;
}

/* Everything is there: does parity say so, too? */
static void check_parity(void)
{
	char *argv[MAX_MEMBERS + 8] = {
		"parity_check", "--min-stripes", "0", "--degraded", "--volume",
		volume_path,
	};
	u32 n = 6, tries = 10, i;

	phase("parity check");
	work_flush();
	for (i = 0; i < shape.members; i++)
		if (!(array.out >> i & 1))
			argv[n++] = (char *)drive_path(i);
	/* A log may move while it looks: what is wrong stays wrong. */
	while (run_program("parity_check", argv)) {
		if (!tries--)
			fail("the members' parity is wrong");
		usleep(200000);
	}
	counts.parity_checks++;
	array.rebuilt = false;
}

static void scrub(void)
{
	struct volume_state s;

	phase("scrub");
	if (volume_message("scrub check"))
		return;
	wait_until_whole();
	volume_state(&s);
	if (s.mismatches)
		fail("a scrub finds mismatches");
	counts.scrubs++;
}

/* Whatever goes on beside it, nothing is wrong with parity. */
static void scrub_under_load(struct rng *r)
{
	const char *how = percent(r, 50) ? "scrub check" : "scrub repair";

	if (!percent(r, 15))
		return;
	volume_message("set speed_min 1000000");
	/* It may say that something is missing. */
	if (!volume_message(how))
		counts.scrubs_under_load++;
}

static void scrub_is_over(struct rng *r)
{
	struct volume_state s;

	if (percent(r, 50))
		volume_message("scrub stop");
	volume_state(&s);
	if (s.mismatches)
		fail("a scrub under load finds mismatches");
}

static void stop(struct rng *r)
{
	bool cut = false;

	phase("stop");
	if (percent(r, 60)) {
		work_flush();
		array.exact = true;
		volume_stop();
		counts.clean_stops++;
	} else {
		drives_cut();
		volume_stop();
		counts.cuts++;
		cut = true;
	}
	array.runs = false;
	power_on(r);
	if (cut)
		cut_one_off(r);
}

static void did_not_resume(void)
{
	if (!trouble_excuses())
		fail("suspend, reload or resume under load");
	volume_wipe();
}

static void work(struct rng *r)
{
	u32 nr_ops = percent(r, 5) ? 120 : 5 + below(r, 35);
	bool reload = array.out && percent(r, 30);
	bool cycle = reload || (!shape.serial && percent(r, 15));

	phase("work");
	trouble_prepare(r);
	array.busy = true;
	work_begin(rnd(r), nr_ops, shape.serial ? ONE_COMMAND :
		   cycle ? WRITES_ONLY : ALL_COMMANDS);
	scrub_under_load(r);
	trouble_meanwhile(r);
	if (reload)
		trouble_stall_ends();
	if (reload)
		repair_under_load(r);
	else if (cycle && volume_cycle(!array.suspects && percent(r, 50)))
		did_not_resume();
	work_wait();
	array.busy = false;
	trouble_over();
	if (!volume_is_wiped())
		scrub_is_over(r);
}

/*
 * Return: all could be read. With too many members in trouble, there may be something that
 * nobody has asked for until now, and nobody can make up for.
 */
static bool verify_round(struct rng *r)
{
	bool all = array.out || percent(r, 30);
	u64 served = 0, refused = 0;

	if (trouble_excuses())
		model_verify_rest("in the round", 0, &served, &refused);
	else
		model_verify_running(r, all, "in the round");
	return !refused;
}

/* Without redundancy, any error may end the array, also one that no user hears of. */
static bool array_has_failed(void)
{
	struct volume_state s;

	volume_state(&s);
	if (strcmp(s.state, "failed"))
		return false;
	if (!trouble_excuses())
		fail("the array has failed, and enough is there");
	return true;
}

void one_round(struct rng *r, bool last)
{
	if (!array.runs)
		start(r);
	if (array.ends)
		return;
	work(r);
	counts.rounds++;
	if (work_was_stopped() || volume_is_wiped() || trouble_power_was_cut()) {
		give_up(r);
		return;
	}
	phase("verification");
	look_at_members();
	counts.members_failed += __builtin_popcount(array.out);
	if (!verify_round(r) || array_has_failed()) {
		give_up(r);
		return;
	}
	repair(r);
	if (volume_is_wiped()) {
		give_up(r);
		return;
	}
	if (percent(r, 50)) {
		phase("rebuild");
		wait_until_whole();
		look_at_members();
		if (array.rebuilt && !array.suspects)
			check_parity();
		if (!array.suspects && percent(r, 15))
			scrub();
		if (shape.parity && !array.suspects && percent(r, 30))
			corrupt(r);
	}
	if (last || percent(r, 20))
		stop(r);
}
