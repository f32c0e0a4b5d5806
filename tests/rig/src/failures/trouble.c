// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong: commands that fail, drives and zones that go away, sectors
 * that cannot be read, drives that do nothing for a while, power that is cut.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "failures.h"

enum trouble {
	NO_TROUBLE, COMMAND_FAILS, DRIVE_PULLED, ZONE_TURNS_BAD, SECTORS_TURN_BAD,
	USER_GIVES_UP, DRIVE_STALLS,
};

static enum trouble trouble;
static u32 member;		/* that has it */
static bool power_cut_armed, power_cut_by_hand;
static bool timed_cut;

/* A drive that does nothing for a while. Somebody else may have to wait for it. */
static struct {
	pthread_t thread;
	bool runs;
	u32 member;
	u32 before_us, usec;
	bool dies, unplugged;
} stall;

static const char * const faults[] = {
	"status=ioerr effect=none", "status=ioerr effect=none",
	"status=ioerr effect=none then=off", "status=ioerr effect=none then=off",
	"status=timeout effect=all", "status=medium effect=part",
	"status=transport effect=part then=off",
	"status=timeout effect=all then=off",
	"status=ioerr effect=none times=3", "status=ioerr effect=none times=100000",
};

/* These are for commands to a zone. */
static const char * const zone_faults[] = {
	"status=ioerr effect=none then=readonly",
	"status=ioerr effect=part then=readonly",
	"status=ioerr effect=none then=offline",
	"status=ioerr effect=all then=offline",
};

/* For the report of a failure. */
static void tell_of(u32 who, const char *what)
{
	if (set.verbose)
		printf("  round %" PRIu64 ": member %u: %s\n", round_now, who,
		       what);
}

static void tell(const char *what)
{
	tell_of(member, what);
}

static void plan_command(struct rng *r)
{
	char text[128];

	static const char * const kinds[] = {
		"write", "append", "flush", "reset", "finish", "read",
		"write,append", "write,append,flush,reset,finish,read",
	};
	u64 nth = 1 + below(r, 4ULL << below(r, 7));

	if (percent(r, 30) && array.bad_zones[member]++ < MAX_BAD_ZONES)
		snprintf(text, sizeof(text), "%s %" PRIu64 " %s",
			 percent(r, 70) ? "write,append" : "reset,finish",
			 nth, zone_faults[below(r, 4)]);
	else
		snprintf(text, sizeof(text), "%s %" PRIu64 " %s",
			 kinds[below(r, 8)], nth, faults[below(r, 10)]);
	drives_plan(member, "%s", text);
	tell(text);
	counts.faults++;
}

/* A zone of data, or of spares, by itself. */
static void spoil_zone(struct rng *r)
{
	u32 zone = first_data_zone() +
		   below(r, shape.drive_zones - first_data_zone());

	drives_spoil(member, "zone_cond", "%u %s", zone,
		     percent(r, 50) ? "readonly" : "offline");
	tell("a zone turns bad");
	counts.bad_zones++;
}

static void spoil_sectors(struct rng *r)
{
	u32 zone = first_data_zone() +
		   below(r, shape.drive_zones - first_data_zone());
	u64 end = shape.drive_zones * shape.zone_kib * 2ULL;
	u64 sector = zone * shape.zone_kib * 2ULL +
		     below(r, shape.cap_kib / 4) * 8;
	u64 nr_sectors = 8 << below(r, 5);

	if (nr_sectors > end - sector)
		nr_sectors = end - sector;
	drives_spoil(member, "bad_sectors", "%" PRIu64 " %" PRIu64, sector,
		     nr_sectors);
	tell("sectors turn bad");
	counts.bad_sectors++;
}

/* Who? While nothing more may be missing, it is another one only now and then. */
static bool choose_member(struct rng *r)
{
	if (!array.suspects) {
		member = below(r, shape.members);
	} else if (percent(r, too_many(array.suspects << 1 | 1) ? 8 : 40)) {
		member = below(r, shape.members);
		counts.doubles += !(array.suspects >> member & 1);
	} else if (!too_many(array.suspects) && percent(r, 30)) {
		/* One of them once more: in the middle of its rebuild, perhaps. */
		member = any_of(r, array.suspects);
	} else {
		return false;
	}
	return !(array.out >> member & 1) || drives_are_on(member);
}

/* One that goes on after it is no failure, whoever else has one. */
static void plan_stall(struct rng *r)
{
	u32 anybody = below(r, shape.members);

	stall.dies = trouble == DRIVE_STALLS;
	stall.member = stall.dies ? member : anybody;
	stall.before_us = below(r, 10000);
	stall.usec = below(r, 1000ULL << below(r, 6));
	stall.unplugged = percent(r, 30);
	stall.runs = percent(r, 10) || stall.dies;
}

static void *stall_drive(void *arg)
{
	usleep(stall.before_us);
	drives_spoil(stall.member, "stall", "1");
	usleep(stall.usec);
	if (stall.dies)
		drives_lose(stall.member, stall.unplugged);
	drives_spoil(stall.member, "stall", "0");
	return arg;
}

static void begin_stall(void)
{
	if (!stall.runs)
		return;
	if (pthread_create(&stall.thread, NULL, stall_drive, NULL))
		die("no thread");
	tell_of(stall.member, stall.dies ? "stalls and dies" : "stalls");
	counts.stalls++;
}

/* Before somebody else changes what is where. */
void trouble_stall_ends(void)
{
	if (stall.runs)
		pthread_join(stall.thread, NULL);
	stall.runs = false;
}

/* Before the work begins. */
void trouble_prepare(struct rng *r)
{
	u32 dice = below(r, 100);

	trouble = NO_TROUBLE;
	timed_cut = false;
	power_cut_by_hand = false;
	power_cut_armed = percent(r, 20);
	if (choose_member(r)) {
		trouble = dice < 45 ? COMMAND_FAILS : dice < 60 ? DRIVE_PULLED :
			  dice < 70 && array.bad_zones[member]++ <
			  MAX_BAD_ZONES ? ZONE_TURNS_BAD :
			  dice < 78 ? SECTORS_TURN_BAD :
			  dice < 85 ? USER_GIVES_UP :
			  dice < 91 ? DRIVE_STALLS : NO_TROUBLE;
		if (trouble)
			array.suspects |= 1U << member;
		if (trouble == DRIVE_PULLED || trouble == ZONE_TURNS_BAD ||
		    trouble == SECTORS_TURN_BAD || trouble == DRIVE_STALLS)
			array.latent |= 1U << member;
		if (trouble == COMMAND_FAILS)
			plan_command(r);
	}
	plan_stall(r);
	if (power_cut_armed)
		drives_arm(1 + below(r, 8ULL << below(r, 8)));
	else
		timed_cut = percent(r, 5);
}

/* While the threads are at work. */
void trouble_meanwhile(struct rng *r)
{
	char text[32];

	begin_stall();
	usleep(below(r, 10000));
	switch (trouble) {
	case DRIVE_PULLED:
		tell("pulled");
		drives_lose(member, percent(r, 30));
		counts.pulls++;
		break;
	case ZONE_TURNS_BAD:
		spoil_zone(r);
		break;
	case SECTORS_TURN_BAD:
		spoil_sectors(r);
		break;
	case USER_GIVES_UP:
		snprintf(text, sizeof(text), "fail %u", member);
		tell("failed by request");
		/* It may say that it cannot do without. */
		volume_message(text);
		counts.requests++;
		break;
	default:
		break;
	}
	if (timed_cut) {
		usleep(below(r, 20000));
		power_cut_by_hand = true;
		drives_cut();
	}
}

bool trouble_power_was_cut(void)
{
	return power_cut_by_hand || (power_cut_armed && drives_armed_cut());
}

/* Before a start: the power is back, and excuses nothing any more. */
void trouble_past(void)
{
	power_cut_by_hand = false;
	power_cut_armed = false;
}

/* Is an error of the volume no surprise? */
bool trouble_excuses(void)
{
	return too_many(array.suspects) || trouble_power_was_cut();
}

/* Nothing more is to come. */
void trouble_over(void)
{
	bool on = false;
	u32 i;

	trouble_stall_ends();
	if (power_cut_armed && !drives_armed_cut()) {
		drives_disarm();
		/* It may have come between the two. */
		for (i = 0; i < shape.members; i++)
			on |= drives_are_on(i);
		power_cut_armed = !on;
	}
	if (trouble == COMMAND_FAILS)
		drives_plan(member, "clear");
}
