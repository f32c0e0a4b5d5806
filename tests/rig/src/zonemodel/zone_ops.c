// SPDX-License-Identifier: GPL-2.0
/*
 * Reset, finish, open and close.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "zonemodel.h"

int zone_ioctl(unsigned long request, u64 sector, u64 nr)
{
	struct blk_zone_range range = { .sector = sector, .nr_sectors = nr };
	unsigned int tries = SUSPEND_TRIES;

	/* Older kernels report the zones to reset all of them. */
	while (ioctl(dev.fd, request, &range)) {
		if (errno != EAGAIN || !tries--)
			return errno;
		usleep(1000);
	}
	return 0;
}

/* A zone without data that was opened and closed: closed or empty? */
static void adopt_closed(struct zone *z)
{
	struct blk_zone r;

	report_zone(z, &r);
	set_state(z, r.cond == BLK_ZONE_COND_EMPTY ? EMPTY : CLOSED);
	check_report(z, &r, "after close of a zone without data");
}

static void begin_reset(struct zone *z)
{
	record(z, "reset");
	atomic_store(&z->seen_wp, 0);
	atomic_fetch_add(&z->seen_gen, 1);
}

static void end_reset(struct zone *z)
{
	atomic_fetch_sub(&data_sectors, z->wp);
	z->gen++;
	z->wp = 0;
	set_state(z, EMPTY);
}

void op_reset(struct thread *t, struct zone *z)
{
	int error;

	begin_reset(z);
	error = zone_ioctl(BLKRESETZONE, z->start, dev.zone_size);
	if (error)
		fail(z, "reset of zone %u: %s", z->number, strerror(error));
	end_reset(z);
	if (percent(t, 50))
		check_zone(z, "after reset");
	t->count[C_RESET]++;
}

void op_reset_range(struct thread *t)
{
	u32 first = below(t, t->nr), nr = 2 + below(t, 4), i;
	struct zone *z = &zones[t->first + first];
	int error;

	if (first + nr > t->nr)
		nr = t->nr - first;
	for (i = 0; i < nr; i++)
		begin_reset(&z[i]);
	error = zone_ioctl(BLKRESETZONE, z->start, nr * dev.zone_size);
	if (error)
		fail(z, "reset of zones %u..%u: %s", z->number,
		     z->number + nr - 1, strerror(error));
	for (i = 0; i < nr; i++) {
		end_reset(&z[i]);
		check_zone(&z[i], "after range reset");
	}
	t->count[C_RESET_RANGE]++;
}

void op_finish(struct thread *t, struct zone *z)
{
	bool taken = false;
	int error;

	if (z->state == EMPTY) {
		taken = take_active();
		if (!taken)
			return;
	}
	record(z, "finish at %" PRIu64, z->wp);
	error = zone_ioctl(BLKFINISHZONE, z->start, dev.zone_size);
	if (error)
		fail(z, "finish of zone %u: %s", z->number, strerror(error));
	set_state(z, FULL);
	if (taken)
		put_active();
	if (percent(t, 50))
		check_zone(z, "after finish");
	t->count[C_FINISH]++;
}

void op_open(struct thread *t, struct zone *z)
{
	bool taken = false;
	int error;

	if (z->state == FULL || z->state == EXPLICIT) {
		record(z, "open (%s)", state_name[z->state]);
		error = zone_ioctl(BLKOPENZONE, z->start, dev.zone_size);
		if (z->state == FULL ? !error : error)
			fail(z, "open of %s zone %u: %s", state_name[z->state],
			     z->number, error ? strerror(error) : "no error");
		check_zone(z, "after open");
		return;
	}
	if (!take_explicit())
		return;
	if (z->state == EMPTY) {
		taken = take_active();
		if (!taken) {
			put_explicit();
			return;
		}
	}
	record(z, "open");
	error = zone_ioctl(BLKOPENZONE, z->start, dev.zone_size);
	if (error)
		fail(z, "open of zone %u: %s", z->number, strerror(error));
	z->state = EXPLICIT;
	if (percent(t, 50))
		check_zone(z, "after open");
	t->count[C_OPEN]++;
}

void op_close(struct thread *t, struct zone *z)
{
	bool must_fail = z->state == EMPTY || z->state == FULL;
	int error;

	record(z, "close (%s)", state_name[z->state]);
	error = zone_ioctl(BLKCLOSEZONE, z->start, dev.zone_size);
	if (must_fail ? !error : error)
		fail(z, "close of %s zone %u: %s", state_name[z->state],
		     z->number, error ? strerror(error) : "no error");
	if (!must_fail) {
		if (!z->wp)
			adopt_closed(z);
		else
			set_state(z, CLOSED);
	}
	check_zone(z, "after close");
	t->count[C_CLOSE]++;
}

void op_reset_all(struct thread *t)
{
	u32 i;
	int error;

	/* Only when the model knows all zones. */
	if (nr_zones != dev.nr_zones)
		return;
	for (i = 0; i < nr_zones; i++)
		begin_reset(&zones[i]);
	error = zone_ioctl(BLKRESETZONE, 0, dev.size);
	if (error)
		fail(NULL, "reset of all zones: %s", strerror(error));
	for (i = 0; i < nr_zones; i++)
		end_reset(&zones[i]);
	for (i = 0; i < nr_zones; i++)
		check_zone(&zones[i], "after reset of all zones");
	t->count[C_RESET_ALL]++;
}
