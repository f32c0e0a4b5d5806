// SPDX-License-Identifier: GPL-2.0
/*
 * The other workload: a member is given up, another drive takes its place and is
 * rebuilt, a scrub looks at all of it, and another member is away for a while.  There are
 * a few writes all the time.
 *
 * The fault may strike any of the drives, the new one too, at any moment.  While a member
 * is missing or not whole, one that strikes another drive is more than parity makes up
 * for: errors are right from then on and wrong data never, and once the drives are back,
 * everything durable is there.  All others must not be noticed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "faults.h"
#include "../powercut/model.h"

#define REPLACED	1U		/* by another drive */
#define READDED		2U
#define MAX_TRIES	4
#define IDLE_MSEC	1500

static struct rng no_chance;

/**
 * struct situation - of the experiment of now
 * @plan:	what is to happen
 * @slot:	of the drive with the fault by now; shape.members if it has none
 * @times:	that it is to strike
 * @told:	it struck, and the status has told of it, or need not
 * @out:	slot of the member that is missing, or not whole; or -1
 * @left:	times the fault was to strike when that one went
 * @too_much:	it struck another drive meanwhile
 * @exchanged:	another drive has the place of REPLACED
 */
static struct situation {
	const struct plan *plan;
	u32 slot;
	u64 times;
	bool told;
	int out;
	u64 left;
	bool too_much;
	bool exchanged;
} now;

static bool is_struck(void)
{
	return drives_planned(now.slot) != now.times;
}

/* Is an error of the volume no surprise? */
static bool too_much(void)
{
	if (now.out >= 0 && (int)now.slot != now.out &&
	    drives_planned(now.slot) != now.left)
		now.too_much = true;
	return now.too_much;
}

static void write_one(u32 zone, u64 nr, bool fua)
{
	work_write(zone, &nr, 1, fua);
}

/* Everybody gets writes: none is gone without being noticed. */
static void write_everywhere(void)
{
	write_one(1, 2 * shape.stripe, false);
	work_flush();
}

/* ---- what is done about members ---------------------------------------------- */

/* A fault that struck is known before more is done. */
static void look(struct volume_state *s)
{
	struct plan here = *now.plan;

	here.member = now.slot;
	settle_down(s);
	if (is_struck() && !now.told) {
		now.told = true;
		if (now.slot < shape.members)
			check_struck(&here, 1U << here.member, s);
	}
}

/* Return: the array goes on without the member. */
static bool give_up(u32 slot)
{
	struct volume_state s;
	char text[16];
	int err;

	write_everywhere();
	look(&s);
	now.left = drives_planned(now.slot);
	now.out = slot;
	snprintf(text, sizeof(text), "fail %u", slot);
	err = volume_message(text);
	if (!err || too_much())
		return !err;
	/* Another one has failed before. */
	if (err != -EBUSY || !is_struck() || now.slot == slot)
		fail("member %u cannot be given up: %s", slot, strerror(-err));
	now.out = -1;
	return false;
}

/* It did not resume.  Then nothing does. */
static void wipe(int err)
{
	if (!too_much())
		fail("the table cannot be exchanged: %s", strerror(-err));
	volume_wipe();
}

/* The drive that is in no slot takes the place of the member's. */
static void exchange(u32 slot)
{
	drives_exchange(slot);
	now.exchanged = !now.exchanged;
	if (now.slot == slot)
		now.slot = shape.members;
	else if (now.slot == shape.members)
		now.slot = slot;
}

/* The fault struck the drive that is to become a member: it is taken out and mended. */
static void take_out_again(u32 slot, char letter, u32 tries)
{
	char text[16];
	int err = 0;

	snprintf(text, sizeof(text), "fail %u", slot);
	if (letter == 'R')
		err = volume_message(text);
	if (!err)
		err = volume_leave_out(1U << slot);
	if (err)
		fail("the drive that failed cannot be taken out: %s",
		     strerror(-err));
	/* What it holds may be of no use. */
	if (tries)
		drives_empty(slot);
	else
		drives_mend(slot, false);
}

/* It is rebuilt, or nothing happens for a while. */
static void wait_for(u32 slot, struct volume_state *s)
{
	u32 msec;

	for (msec = 0; msec < IDLE_MSEC; msec += 2) {
		settle_down(s);
		if (s->letters[slot] != 'R' || too_much())
			return;
		usleep(2000);
	}
}

/* Return: the member is whole again. */
static bool take_in(u32 slot)
{
	struct volume_state s;
	u32 tries;
	int err;

	for (tries = 0; tries < MAX_TRIES; tries++) {
		err = volume_rebuild(slot, 0);
		if (!err) {
			write_one(2, shape.stripe, false);
			write_one(4, shape.su + 1, true);
		}
		wait_for(slot, &s);
		if (too_much()) {
			if (err)
				wipe(err);
			return false;
		}
		if (!err && s.letters[slot] == 'A' && !s.degraded_zones) {
			now.out = -1;
			/* A zone of a new drive that turned bad is no error of it. */
			now.told |= now.slot == slot && is_struck();
			return true;
		}
		if (now.slot != slot || !is_struck())
			fail("member %u does not come back: %s", slot,
			     strerror(-err));
		now.told = true;
		take_out_again(slot, s.letters[slot], tries);
	}
	fail("a drive that was mended does not become member %u: %s", slot,
	     strerror(-err));
}

/* Return: the array goes on, and work with it. */
static bool go_and_come_back(u32 slot, bool other, void (*meanwhile)(void))
{
	int err = 0;

	if (!give_up(slot))
		return !too_much();
	meanwhile();
	if (work_was_stopped())
		return false;
	/* A drive that was gone comes back as another device of the same name. */
	if (!other && !drives_are_on(slot))
		err = volume_leave_out(1U << slot);
	if (err) {
		wipe(err);
		return false;
	}
	if (other)
		exchange(slot);
	else if (now.slot == slot && is_struck())
		drives_mend(slot, false);
	return take_in(slot);
}

static void scrub(void)
{
	struct volume_state s;
	int err = volume_message("scrub check");

	write_one(4, 3, false);
	look(&s);
	if (err && !is_struck())
		fail("no scrub: %s", strerror(-err));
	if (s.mismatches)
		fail("a scrub finds mismatches");
}

/* ---- the workload -------------------------------------------------------------- */

static void first_writes(void)
{
	workload_fill(0);
	write_one(1, 3 * shape.stripe + 5, true);
	write_one(2, shape.su + 1, false);
	write_one(3, shape.stripe, false);
	work_finish(3);
	work_flush();
}

static void without_replaced(void)
{
	write_one(1, shape.stripe, false);
	write_one(2, shape.su, true);
	work_reset(3);
	write_one(3, 10, false);
	work_read(0, 0, shape.stripe);
	work_flush();
}

static void without_readded(void)
{
	write_one(1, shape.su, true);
	work_reset(0);
	write_one(0, 2 * shape.stripe, false);
	work_finish(3);
	work_read(1, 0, shape.stripe);
}

static void last_writes(void)
{
	write_one(2, 2 * shape.stripe, false);
	write_everywhere();
	workload_reads();
}

static void run(void)
{
	struct volume_state s;

	work_alone();
	first_writes();
	phase("replacement");
	if (!go_and_come_back(REPLACED, true, without_replaced))
		return;
	phase("scrub");
	scrub();
	phase("absence");
	if (!go_and_come_back(READDED, false, without_readded))
		return;
	phase("last writes");
	last_writes();
	look(&s);
}

/* ---- experiments --------------------------------------------------------------- */

/* Starts a new array. */
void replace_begin(void)
{
	array_begin();
	phase("start");
	array_start(0, false);
	/* As fast as it can. */
	if (volume_message("set speed_min 1000000"))
		fail("the speed cannot be set");
}

/* All of it without a fault. */
void replace_run(void)
{
	static const struct plan none = { .kind = "" };

	now = (struct situation){ .plan = &none, .out = -1 };
	run();
	if (!work_was_stopped() && now.exchanged)
		return;
	fail("the workload did not come to its end");
}

/* Drives are where they were. */
void replace_end(void)
{
	if (now.exchanged)
		exchange(REPLACED);
}

/* What the drive cannot give back is lost, with the member that was missing. */
static bool breaks_zones(const struct plan *p)
{
	return strstr(p->variant->fault, "then=readonly") ||
	       strstr(p->variant->fault, "then=offline");
}

/* Return: it starts. */
static bool start_with_all(const struct plan *p)
{
	u32 i;
	int err;

	phase("second start");
	for (i = 0; i < shape.members; i++)
		drives_mend(i, false);
	err = volume_start(0, false, false);
	/* The one that was missing may have become a member in part. */
	if (err)
		err = volume_start(1U << now.out, true, false);
	if (err && !breaks_zones(p))
		fail("the array does not start with all drives back: %s",
		     strerror(-err));
	tally.refused_starts += !!err;
	return !err;
}

/*
 * The array went on without a drive that was gone: only full zones need it.  They are whole again
 * at the start after it was taken back.
 */
static void take_back(void)
{
	struct volume_state s;
	u32 i;
	int err;

	phase("return of the drive");
	volume_state(&s);
	for (i = 0; i < shape.members; i++) {
		if (s.letters[i] != 'F')
			continue;
		err = volume_rebuild(i, 0);
		if (err)
			fail("member %u cannot be taken back: %s", i, strerror(-err));
	}
	volume_stop();
	err = volume_start(0, false, false);
	if (err)
		fail("the array does not start with the drive back: %s", strerror(-err));
}

static void check_with_all(const struct plan *p)
{
	struct volume_state s;

	io_excuse = no_excuse;
	if (p->variant->gone && model_is_damaged())
		take_back();
	if (model_is_damaged()) {
		if (!breaks_zones(p))
			fail("zones are damaged with all drives back");
		model_forget_rest();
		model_verify_rest("with too little left", 0, &tally.served,
				  &tally.refused);
		return;
	}
	settle_down(&s);
	model_verify(&no_chance, true, false, "with all drives back");
	/* It would read zones that cannot be. */
	if (!breaks_zones(p))
		check_parity(&s);
}

/* More was lost than parity makes up for. */
static void conclude_too_much(const struct plan *p)
{
	u32 well = (1U << shape.members) - 1;

	well &= ~(1U << now.out | 1U << now.slot);
	phase("reads with too little left");
	if (!volume_is_wiped())
		model_verify_rest("with too little left", well, &tally.served,
				  &tally.refused);
	if (p->ends_by_cut)
		drives_cut();
	phase("stop");
	volume_stop();
	if (start_with_all(p)) {
		check_with_all(p);
		phase("last stop");
		volume_stop();
	}
	tally.faults++;
	tally.beyond++;
}

/* The fault struck, see experiment(). */
bool experiment_replace(const struct plan *given)
{
	struct plan p = *given;
	bool struck = true;

	replace_begin();
	now = (struct situation){
		.plan = given, .slot = given->member, .out = -1,
		.times = plan_fault(given),
	};
	io_excuse = too_much;
	run();
	p.member = now.slot;
	if (too_much())
		conclude_too_much(&p);
	else
		struck = conclude(&p, now.times);
	io_excuse = no_excuse;
	replace_end();
	return struck;
}
