// SPDX-License-Identifier: GPL-2.0
/*
 * A second member fails after the first: more is lost than parity makes up for.
 *
 * What can be read is right, the rest gives I/O errors, and nothing is written
 * any more. Once the drives are back, everything durable is there.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "faults.h"
#include "../powercut/model.h"

static u32 second;
static u64 second_times;

/* Errors are right from the second failure on, and not before. */
static bool second_struck(void)
{
	return drives_planned(second) != second_times;
}

/* Not one of the active zones takes another write. */
static void check_no_writes(void)
{
	u64 one = shape.block;
	u32 i;

	phase("writes with two members lost");
	for (i = 0; i < shape.nr_zones; i++) {
		const struct zone *z = &zones[i];
		u64 acked = z->acked;

		if (!z->active || z->issued == shape.cap || z->pending)
			continue;
		work_alone();
		work_write(i, &one, 1, true);
		if (z->acked != acked)
			fail("zone %u was written with two members lost", i);
	}
}

/*
 * A member that is known to have failed may stay away: the one that did so first,
 * which need not be the one that was struck first.
 */
static void start_without_failed(void)
{
	struct volume_state s;
	u32 absent = 0, i;
	int err;

	volume_state(&s);
	for (i = 0; i < shape.members; i++)
		absent |= (s.letters[i] != 'A') << i;
	volume_stop();
	err = volume_start(absent, false, false);
	if (err)
		fail("the array does not start without members %#x: %s", absent,
		     strerror(-err));
}

static void start_again(const struct plan *p)
{
	u32 i;
	int err;

	phase("second start");
	for (i = 0; i < shape.members; i++)
		drives_mend(i, false);
	err = volume_start(0, false, false);
	if (err)
		fail("the array does not start with all drives back: %s",
		     strerror(-err));
	io_excuse = no_excuse;
	if (p->nth % 2)
		start_without_failed();
}

static u32 members_with_power(void)
{
	u32 well = 0, i;

	for (i = 0; i < shape.members; i++)
		well |= drives_are_on(i) << i;
	return well;
}

/*
 * The member of the plan fails, then another one while the workload goes on.
 *
 * Return: both struck.
 */
bool experiment_double(const struct plan *p)
{
	struct rng r = rng_for(p->nth, p->member, p->second_nth);
	struct volume_state s;
	bool struck;
	int err;

	array_begin();
	phase("start");
	err = volume_start(0, false, false);
	if (err)
		fail("the array does not start: %s", strerror(-err));
	drives_plan(p->member, "write,append %u then=off", p->nth);
	drives_plan(p->second, "write,append %u %s", p->nth + p->second_nth,
		    p->variant->fault);
	second = p->second;
	second_times = drives_planned(second);
	io_excuse = second_struck;

	phase("workload");
	workload_run();
	struck = second_struck() && !drives_planned(p->member);
	if (struck && work_was_stopped()) {
		phase("reads with two members lost");
		model_verify_rest("with two members lost", members_with_power(),
				  &tally.served, &tally.refused);
		check_no_writes();
		volume_state(&s);
		if (strcmp(s.state, "failed"))
			fail("two members are lost and the array is %s",
			     s.state);
	}
	if (p->ends_by_cut)
		drives_cut();
	phase("stop");
	volume_stop();
	if (struck) {
		start_again(p);
		model_verify(&r, true, false, "with all drives back");
		phase("last stop");
		volume_stop();
		tally.faults += 2;
	}
	io_excuse = no_excuse;
	return struck;
}
