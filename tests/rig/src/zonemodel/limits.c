// SPDX-License-Identifier: GPL-2.0
/*
 * As many zones open and active as may be. The world is held exclusively.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <string.h>
#include <unistd.h>

#include "zonemodel.h"

static struct zone *find_zone(struct thread *t, enum state state)
{
	u32 first = below(t, nr_zones), i;

	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[(first + i) % nr_zones];

		if (z->state == state)
			return z;
	}
	return NULL;
}

static struct zone *need_zone(struct thread *t, enum state state)
{
	struct zone *z = find_zone(t, state);

	if (!z && state == EMPTY) {
		z = find_zone(t, FULL);
		if (z)
			op_reset(t, z);
	}
	return z;
}

/* Either is right; but what it says is what it does, and nobody waits for it later. */
static void finish_at_limit(struct thread *t, struct zone *z)
{
	int error;

	record(z, "finish at the limit");
	error = zone_ioctl(BLKFINISHZONE, z->start, dev.zone_size);
	if (error && error != EOVERFLOW && error != ETOOMANYREFS)
		fail(z, "finish of zone %u at the limit: %s", z->number,
		     strerror(error));
	if (!error)
		set_state(z, FULL);
	check_zone(z, "after finish at the limit");
	op_flush(t);
}

/* An empty zone when no more zones may be active. */
static void check_too_many_active(struct thread *t)
{
	struct zone *z = need_zone(t, EMPTY);
	bool also_open = dev.max_open && nr_explicit >= dev.max_open;
	int error;

	if (!z)
		return;
	record(z, "must fail: too many active");
	make_data(t->wbuf, z, 0, dev.unit);
	error = pwrite(dev.fd, t->wbuf, dev.unit * SECTOR, z->start * SECTOR) < 0 ?
		errno : 0;
	if (error != EOVERFLOW && !(also_open && error == ETOOMANYREFS))
		fail(z, "write of zone %u while %" PRIu64 " zones are active: '%s', not '%s'",
		     z->number, nr_active, strerror(error),
		     strerror(EOVERFLOW));
	check_zone(z, "after a write that would make too many active");
	error = zone_ioctl(BLKOPENZONE, z->start, dev.zone_size);
	if (error != EOVERFLOW && !(also_open && error == ETOOMANYREFS))
		fail(z, "open of zone %u while %" PRIu64 " zones are active: '%s', not '%s'",
		     z->number, nr_active, strerror(error),
		     strerror(EOVERFLOW));
	verify_zone(t, z);
	if (percent(t, 30))
		finish_at_limit(t, z);
}

/* A zone that is not open when all that may be are open explicitly. */
static void check_too_many_open(struct thread *t, enum state state)
{
	struct zone *z = find_zone(t, state);
	int error;

	if (!z)
		return;
	record(z, "must fail: too many open");
	make_data(t->wbuf, z, z->wp, dev.unit);
	error = pwrite(dev.fd, t->wbuf, dev.unit * SECTOR,
		       (z->start + z->wp) * SECTOR) < 0 ? errno : 0;
	if (error != ETOOMANYREFS)
		fail(z, "write of zone %u while %" PRIu64 " zones are open: '%s', not '%s'",
		     z->number, nr_explicit, strerror(error),
		     strerror(ETOOMANYREFS));
	check_zone(z, "after a write that would make too many open");
	error = zone_ioctl(BLKOPENZONE, z->start, dev.zone_size);
	if (error != ETOOMANYREFS)
		fail(z, "open of zone %u while %" PRIu64 " zones are open: '%s', not '%s'",
		     z->number, nr_explicit, strerror(error),
		     strerror(ETOOMANYREFS));
	verify_zone(t, z);
	if (percent(t, 50))
		finish_at_limit(t, z);
}

void op_limits(struct thread *t)
{
	struct zone *z;
	u32 i;

	/* As many explicitly open as can be; closed ones stay if any. */
	while (percent(t, 90) && dev.max_open && nr_explicit < dev.max_open) {
		z = find_zone(t, IMPLICIT);
		if (!z && (nr_explicit < 2 || percent(t, 50)))
			z = find_zone(t, CLOSED);
		if (!z) {
			z = need_zone(t, EMPTY);
			if (!z || !take_active())
				break;
		}
		record(z, "open (limits)");
		if (zone_ioctl(BLKOPENZONE, z->start, dev.zone_size))
			fail(z, "open of zone %u, %" PRIu64 " explicitly open before: %s",
			     z->number, nr_explicit, strerror(errno));
		z->state = EXPLICIT;
		nr_explicit++;
		check_zone(z, "open at the limits");
	}
	/* Zones the drive may or may not have closed become closed. */
	for (i = 0; i < nr_zones; i++)
		if (zones[i].state == IMPLICIT)
			op_close(t, &zones[i]);
	check_limits("explicitly open");
	if (dev.max_open && nr_explicit == dev.max_open) {
		check_too_many_open(t, CLOSED);
		if (!dev.max_active || nr_active < dev.max_active)
			check_too_many_open(t, EMPTY);
	}

	/* As many active as can be. Without the place of an open zone none
	 * becomes active by a write.
	 */
	while (dev.max_active && nr_active < dev.max_active &&
	       (!dev.max_open || nr_explicit < dev.max_open)) {
		z = need_zone(t, EMPTY);
		if (!z)
			break;
		nr_active++;
		z->state = CLOSED;
		write_sectors(t, z, dev.unit, percent(t, 10));
		check_zone(z, "write at the limits");
	}
	check_limits("active");
	if (dev.max_active && nr_active == dev.max_active)
		check_too_many_active(t);
	check_limits("after the limits");

	/* Back to where everyone can work. */
	while (dev.max_active && nr_active >= dev.max_active) {
		z = find_zone(t, IMPLICIT);
		if (!z)
			z = find_zone(t, CLOSED);
		if (!z)
			z = find_zone(t, EXPLICIT);
		if (!z)
			break;
		op_reset(t, z);
	}
	while (dev.max_open && nr_explicit + 1 >= dev.max_open) {
		z = find_zone(t, EXPLICIT);
		if (!z)
			break;
		op_reset(t, z);
	}
	for (i = 0; i < nr_zones; i++) {
		if (!is_active(&zones[i]))
			continue;
		if (zones[i].state == EXPLICIT && percent(t, 70))
			op_close(t, &zones[i]);
		switch (below(t, 4)) {
		case 0 ... 1:
			op_reset(t, &zones[i]);
			break;
		case 2:
			if (zones[i].state != EMPTY)
				op_finish(t, &zones[i]);
			break;
		}
	}
	check_limits("back from the limits");
	t->count[C_LIMIT]++;
}
