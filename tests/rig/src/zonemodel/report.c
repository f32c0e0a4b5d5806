// SPDX-License-Identifier: GPL-2.0
/*
 * Reports of zones, compared with the model.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "zonemodel.h"

void check_report(struct zone *z, const struct blk_zone *r, const char *how)
{
	u64 want = z->start + z->wp;
	bool right;

	if (r->start != z->start || r->len != dev.zone_size ||
	    r->capacity != z->cap || r->type != BLK_ZONE_TYPE_SEQWRITE_REQ)
		fail(z, "%s: zone %u is reported as start %llu, length %llu, capacity %llu, type %u",
		     how, z->number, r->start, r->len, r->capacity, r->type);

	switch (z->state) {
	case EMPTY:
		right = r->cond == BLK_ZONE_COND_EMPTY;
		break;
	case IMPLICIT:
		right = r->cond == BLK_ZONE_COND_IMP_OPEN ||
			r->cond == BLK_ZONE_COND_CLOSED;
		break;
	case EXPLICIT:
		right = r->cond == BLK_ZONE_COND_EXP_OPEN;
		break;
	case CLOSED:
		right = r->cond == BLK_ZONE_COND_CLOSED;
		break;
	default:
		if (r->cond != BLK_ZONE_COND_FULL)
			fail(z, "%s: zone %u is reported with condition %u, wants full",
			     how, z->number, r->cond);
		if (r->wp != z->start + z->cap && r->wp != z->start + dev.zone_size)
			fail(z, "%s: full zone %u is reported with write pointer +%llu",
			     how, z->number, r->wp - z->start);
		return;
	}
	if (!right || r->wp != want)
		fail(z, "%s: zone %u is reported with condition %u, write pointer +%llu; want %s, +%" PRIu64,
		     how, z->number, r->cond, r->wp - z->start,
		     state_name[z->state], z->wp);
}

struct blk_zone_report *get_report(u64 sector, u32 nr)
{
	struct blk_zone_report *report =
		calloc(1, sizeof(*report) + nr * sizeof(struct blk_zone));
	unsigned int tries = SUSPEND_TRIES;

	if (!report)
		die("out of memory");
	/* A mapped device that is suspended may ask to come again. */
	for (;;) {
		report->sector = sector;
		report->nr_zones = nr;
		if (!ioctl(dev.fd, BLKREPORTZONE, report))
			return report;
		if (errno != EAGAIN || !tries--)
			fail(NULL, "report of %u zones at sector %" PRIu64 ": %s",
			     nr, sector, strerror(errno));
		usleep(1000);
	}
}

void report_zone(struct zone *z, struct blk_zone *r)
{
	struct blk_zone_report *report = get_report(z->start, 1);

	if (report->nr_zones != 1)
		fail(z, "report of zone %u gives %u zones", z->number,
		     report->nr_zones);
	*r = report->zones[0];
	free(report);
}

void check_zone(struct zone *z, const char *how)
{
	struct blk_zone r;

	report_zone(z, &r);
	check_report(z, &r, how);
}

void op_report(struct thread *t)
{
	u32 first = below(t, t->nr), nr = 1 + below(t, t->nr), i, want;
	u64 sector = zones[t->first + first].start;
	struct blk_zone_report *report;

	/* The zone that holds the sector comes first. */
	if (percent(t, 30))
		sector += below(t, dev.zone_size);
	report = get_report(sector, nr);
	want = dev.nr_zones - (set.first_zone + t->first + first);
	if (want > nr)
		want = nr;
	if (report->nr_zones != want)
		fail(NULL, "report of %u zones at sector %" PRIu64 " gives %u zones, not %u",
		     nr, sector, report->nr_zones, want);
	for (i = 0; i < want && first + i < t->nr; i++)
		check_report(&zones[t->first + first + i], &report->zones[i],
			     "report");
	free(report);
	t->count[C_REPORT]++;
}

/* The whole report: does it keep the limits? */
void check_limits(const char *how)
{
	struct blk_zone_report *report = get_report(0, dev.nr_zones);
	u64 open = 0, active = 0, i;

	if (report->nr_zones != dev.nr_zones)
		fail(NULL, "%s: report of all %u zones gives %u", how,
		     dev.nr_zones, report->nr_zones);
	for (i = 0; i < report->nr_zones; i++) {
		u8 cond = report->zones[i].cond;

		if (cond == BLK_ZONE_COND_IMP_OPEN ||
		    cond == BLK_ZONE_COND_EXP_OPEN)
			open++;
		if (cond == BLK_ZONE_COND_IMP_OPEN ||
		    cond == BLK_ZONE_COND_EXP_OPEN ||
		    cond == BLK_ZONE_COND_CLOSED)
			active++;
	}
	for (i = 0; i < nr_zones; i++)
		check_report(&zones[i], &report->zones[set.first_zone + i], how);
	if ((dev.max_open && open > dev.max_open) ||
	    (dev.max_active && active > dev.max_active))
		fail(NULL, "%s: %" PRIu64 " zones open, %" PRIu64 " active; limits are %" PRIu64 ", %" PRIu64,
		     how, open, active, dev.max_open, dev.max_active);
	free(report);
}
