// SPDX-License-Identifier: GPL-2.0
/*
 * Parity that changes without a sign of it: a scrub finds it where it is, and
 * after its repair parity makes up for a member again.
 *
 * Which member has the parity of a stripe follows from the format; in which of its
 * zones it is, from what it must be. Copies of it in zones that columns left are
 * changed, too, and nobody may care.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "failures.h"
#include "../powercut/model.h"

#define REWRITE_USEC	20000
#define MAX_FLIPS	2U	/* there are spares for so many columns */
#define MAX_UNIT	(SECTOR * 128)

/* Whose parity is it? */
static u32 parity_member(u32 zone, u64 stripe)
{
	return slot_of(zone, shape.members - 1 - (zone + stripe) % shape.members);
}

static void make_parity(u8 *parity, u32 zone, u64 stripe)
{
	static u8 unit[MAX_UNIT];
	u32 pos, i;

	memset(parity, 0, shape.su * SECTOR);
	for (pos = 0; pos < shape.members - shape.parity; pos++) {
		make_data(unit, zone, stripe * shape.stripe + pos * shape.su,
			  shape.su);
		for (i = 0; i < shape.su * SECTOR; i++)
			parity[i] ^= unit[i];
	}
}

/* Changes some sectors of a stripe's parity.  Return: false if that is in a log. */
static bool flip(struct rng *r, u32 zone, u64 stripe)
{
	static u8 want[MAX_UNIT], is[MAX_UNIT] __attribute__((aligned(4096)));
	u32 member = parity_member(zone, stripe), found = 0, i;
	u32 row = below(r, shape.su), nr = 1 + below(r, shape.su - row);
	struct volume_state s;
	int fd = open(drive_path(member), O_RDONLY | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		die("%s: %s", drive_path(member), strerror(errno));
	make_parity(want, zone, stripe);
	for (i = first_data_zone(); i < shape.drive_zones; i++) {
		u64 sector = i * shape.zone_kib * 2ULL + stripe * shape.su;

		if (pread(fd, is, shape.su * SECTOR, sector * SECTOR) !=
		    (ssize_t)(shape.su * SECTOR) ||
		    memcmp(is, want, shape.su * SECTOR))
			continue;
		drives_spoil(member, "flip", "%" PRIu64 " %u", sector + row, nr);
		found++;
	}
	close(fd);
	if (found)
		return true;
	volume_state(&s);
	if (!s.spoilt)
		fail("the parity of zone %u, stripe %" PRIu64 " is not on member %u",
		     zone, stripe, member);
	return false;
}

/* Runs a scrub to its end and says what it found. */
static void scrub(const char *how, struct volume_state *s)
{
	int err = volume_message(how);

	if (err)
		fail("%s: %s", how, strerror(-err));
	wait_until_whole();
	volume_state(s);
}

/* A complete stripe of some zone, if there is any. */
static bool find_stripe(struct rng *r, u32 *zone, u64 *stripe)
{
	u32 first = below(r, shape.nr_zones), i;
	u64 nr;

	for (i = 0; i < shape.nr_zones; i++) {
		*zone = (first + i) % shape.nr_zones;
		nr = zones[*zone].issued / shape.stripe;
		*stripe = below(r, nr);
		if (nr)
			return true;
	}
	return false;
}

/* Makes some stripes' parity wrong, none of them twice.  Return: how many. */
static u32 flip_some(struct rng *r, u32 *members)
{
	u32 zone[MAX_FLIPS], n = 0, tries, i;
	u64 stripe[MAX_FLIPS];

	for (tries = 1 + below(r, MAX_FLIPS); tries; tries--) {
		if (!find_stripe(r, &zone[n], &stripe[n]))
			break;
		for (i = 0; i < n; i++)
			if (zone[i] == zone[n] && stripe[i] == stripe[n])
				break;
		if (i < n || !flip(r, zone[n], stripe[n]))
			continue;
		*members |= 1U << parity_member(zone[n], stripe[n]);
		n++;
	}
	return n;
}

/* Only columns that were wrong are written anew. */
static void check_healed(u32 members, const struct volume_state *before,
			 const struct volume_state *after)
{
	u32 i;

	for (i = 0; i < shape.members; i++) {
		bool healed = after->healed[i] != before->healed[i];

		if (healed != (members >> i & 1))
			fail("wrong parity was on members %x, and member %u was %srepaired",
			     members, i, healed ? "" : "not ");
	}
}

/* Without one of the members, what was repaired is needed. */
static void lose_any(struct rng *r)
{
	u32 member = below(r, shape.members);
	char text[32];

	array.suspects |= 1U << member;
	snprintf(text, sizeof(text), "fail %u", member);
	if (volume_message(text))
		fail("member %u cannot be failed", member);
	look_at_members();
	model_verify_running(r, true, "after a repair, without a member");
}

/**
 * corrupt() - parity turns wrong, and is repaired
 * @r:	chance
 *
 * The array is whole and idle, and everything was acknowledged.
 */
void corrupt(struct rng *r)
{
	struct volume_state before, repaired, s;
	u32 members = 0, n;

	phase("wrong parity");
	work_flush();
	/* Zones that columns left become spare again. */
	if (volume_cycle(false))
		fail("the array cannot be suspended and resumed");
	/* Columns that could not be read are rewritten then; that may begin a moment later. */
	usleep(REWRITE_USEC);
	wait_until_whole();
	n = flip_some(r, &members);
	if (!n)
		return;
	counts.flips += n;
	/* Any copy may be read. */
	if (shape.level != 1)
		model_verify_running(r, true, "with wrong parity");
	scrub("scrub check", &before);
	if (before.mismatches != n)
		fail("a scrub finds %" PRIu64 " stripes, and %u are wrong",
		     before.mismatches, n);
	scrub("scrub repair", &repaired);
	/* One that was written anew with another is right before it is looked at. */
	if (!repaired.mismatches || repaired.mismatches > n ||
	    repaired.repaired != repaired.mismatches)
		fail("a repair finds %" PRIu64 " stripes of %u and repairs %" PRIu64,
		     repaired.mismatches, n, repaired.repaired);
	check_healed(members, &before, &repaired);
	scrub("scrub check", &s);
	if (s.mismatches)
		fail("a scrub finds mismatches after a repair");
	counts.scrubs += 3;
	if (percent(r, 50))
		lose_any(r);
	else
		model_verify_running(r, true, "after a repair");
}
