// SPDX-License-Identifier: GPL-2.0
/*
 * What somebody does about a member that failed: nothing for a while, give its
 * place to a blank drive, or take the same one back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failures.h"

#define WAIT_MSEC	20000
#define IDLE_MSEC	1500
#define SETTLE_USEC	500000

static void set_speed(struct rng *r)
{
	char text[32];

	/* Slow enough for something to happen meanwhile, or not limited. */
	snprintf(text, sizeof(text), "set speed_max %u",
		 percent(r, 30) ? 200 + (u32)below(r, 2000) : 0);
	volume_message(text);
}

static bool nothing_is_missing(const struct volume_state *s)
{
	return strspn(s->letters, "A") == shape.members && !s->degraded_zones &&
	       !strcmp(s->action, "idle");
}

/* Who takes part? */
void look_at_members(void)
{
	struct volume_state s;
	u32 i, tries = 0;

	/* The parts of a status are not all of one moment. */
	do {
		usleep(tries ? 2000 : 0);
		volume_state(&s);
	} while (!strcmp(s.state, "degraded") && !s.degraded_zones &&
		 strspn(s.letters, "A") == shape.members && tries++ < 1000);
	array.out = 0;
	for (i = 0; i < shape.members; i++) {
		if (s.letters[i] == 'A' || s.letters[i] == 'R')
			continue;
		array.out |= 1U << i;
		if (!(array.suspects >> i & 1) && !trouble_excuses())
			fail("member %u is '%c', and nothing was wrong with it",
			     i, s.letters[i]);
	}
	if (too_many(array.out) && strcmp(s.state, "failed"))
		fail("members %x are out and the array is %s", array.out, s.state);
	array.out_known = array.out;
	if (nothing_is_missing(&s)) {
		if (strcmp(s.state, "active") && !trouble_excuses())
			fail("nothing is missing and the array is %s", s.state);
		/* What failed in the background is heard of a moment later. */
		if (!array.busy && array.suspects & ~array.latent) {
			usleep(SETTLE_USEC);
			volume_state(&s);
		}
		/* A failed array, at level 0, does not say which member it was. */
		if (!array.busy && nothing_is_missing(&s) && strcmp(s.state, "failed"))
			array.suspects &= array.latent;
	}
}

/*
 * Does it have to be emptied, as it failed before it had complete logs, or cannot have any?  Of its
 * log zones @bad were bad.
 */
static bool is_of_no_use(u32 slot, int err, u32 bad)
{
	/* The only superblock may have been in a bad log zone. */
	return err == -EUCLEAN || (err == -EINVAL && (array.blank >> slot & 1 || bad)) ||
	       (err == -EROFS && bad > LOG_ZONES - NEEDED_LOG_ZONES);
}

/*
 * Members that are out, and that no table names but to rebuild them: their drives are gone, may be
 * blank, or were not in the table before.
 */
static u32 gone_members(void)
{
	u32 gone = (array.blank | volume_left_out()) & array.out, i;

	for (i = 0; i < shape.members; i++)
		if (array.out >> i & 1 && !drives_are_on(i))
			gone |= 1U << i;
	return gone;
}

/* Call members failed whose drives were unplugged: the array may not have noticed that. */
static void fail_unplugged(void)
{
	char text[32];
	u32 i;

	for (i = 0; i < shape.members; i++) {
		if (array.out >> i & 1 || drives_are_on(i))
			continue;
		snprintf(text, sizeof(text), "fail %u lose", i);
		volume_message(text);
	}
}

/*
 * Let the member go, or have its drive take part.  A table cannot name a drive that was
 * unplugged a moment ago, and must name it as long as its member has not failed for the array.
 */
static int exchange(u32 slot, bool let_go)
{
	u32 tries = 0, others;
	int err;

	do {
		usleep(tries ? 20000 : 0);
		if (tries > 10)
			fail_unplugged();
		if (tries)
			look_at_members();
		others = gone_members() & ~(1U << slot);
		err = let_go ? volume_leave_out(1U << slot | others) :
			       volume_rebuild(slot, others);
	} while ((err == -ENODEV || err == -ENOENT) && array.suspects & ~(1U << slot) && ++tries < 100);
	return err;
}

static void replace(struct rng *r, bool blank)
{
	u32 slot = any_of(r, array.out), bad;
	bool zones;
	int err = 0;

	/* A drive that was gone comes back as another device of the same name. */
	if (!drives_are_on(slot) || percent(r, 30))
		err = exchange(slot, true);
	bad = drives_bad_zones(slot, first_data_zone());
	if (blank)
		drives_swap(slot);
	if (blank) {
		array.bad_zones[slot] = 0;
		array.blank |= 1U << slot;
	} else {
		zones = percent(r, 50);
		drives_mend(slot, zones);
		/* The only superblock may have been in a read-only zone, which is empty now. */
		if (zones && bad)
			array.blank |= 1U << slot;
	}
	set_speed(r);
	if (!err)
		err = exchange(slot, false);
	if (!blank && is_of_no_use(slot, err, bad)) {
		counts.refused++;
		array.blank |= 1U << slot;
		drives_empty(slot);
		err = exchange(slot, false);
	}
	if (err && !trouble_excuses())
		fail("member %u cannot be %s: %s", slot,
		     blank ? "replaced" : "added again", strerror(-err));
	if (err) {
		volume_wipe();
		return;
	}
	array.latent &= ~(1U << slot);
	array.rebuilt = true;
	array.rounds_out = 0;
	if (blank)
		counts.replaced++;
	else
		counts.readded++;
	look_at_members();
}

/* In the middle of the work, now and then. */
void repair_under_load(struct rng *r)
{
	if (!array.out || !percent(r, 50))
		return;
	usleep(below(r, 5000));
	replace(r, percent(r, 50));
	counts.under_load++;
}

static bool is_whole(const struct volume_state *s)
{
	return !strcmp(s->action, "idle") && !s->degraded_zones &&
	       !strchr(s->letters, 'R');
}

/* Wait until the array is whole, or nothing goes on for a while. */
static void wait_until_idle(struct volume_state *s)
{
	struct volume_state last = { 0 };
	u32 msec, idle = 0;

	for (msec = 0; msec < WAIT_MSEC; msec += 5) {
		volume_state(s);
		if (is_whole(s))
			return;
		idle = strcmp(s->action, "idle") || s->done != last.done ||
		       s->degraded_zones != last.degraded_zones ? 0 : idle + 5;
		if (idle > IDLE_MSEC)
			return;
		last = *s;
		usleep(5000);
	}
}

/*
 * All columns are there again, as far as there is something to make them from,
 * and a drive and a zone for them. Zones that columns left are free again when
 * the array was suspended.
 */
void wait_until_whole(void)
{
	struct volume_state s;

	volume_message("set speed_max 0");
	wait_until_idle(&s);
	if (s.degraded_zones && strspn(s.letters, "A") == shape.members &&
	    !trouble_excuses()) {
		if (volume_cycle(false))
			fail("the array cannot be suspended and resumed");
		wait_until_idle(&s);
	}
	if (strcmp(s.action, "idle"))
		fail("the array does not become idle");
	if (strchr(s.letters, 'R') && !trouble_excuses())
		fail("a member is being rebuilt and nothing happens");
	/* Without the member, all zones are degraded. */
	if (s.degraded_zones && strspn(s.letters, "A") == shape.members &&
	    !trouble_excuses())
		fail("columns are missing and nothing happens");
}

/* Between two rounds. */
void repair(struct rng *r)
{
	if (!array.out)
		return;
	if (++array.rounds_out < 4 && percent(r, 40))
		return;
	phase("replacement");
	replace(r, percent(r, 50));
	if (!volume_is_wiped() && percent(r, 60)) {
		phase("rebuild");
		wait_until_whole();
		counts.rebuilds++;
	} else {
		counts.interrupted++;
	}
}
