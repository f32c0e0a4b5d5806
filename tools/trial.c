// SPDX-License-Identifier: GPL-2.0
/*
 * A trial of drives: the kernel's target "raizn-trial" appends to a zone when its table is
 * loaded.  A plain write would not do: it says nothing of zone appends, for which user space
 * has no interface that every drive has.
 */
#include <fcntl.h>
#include <libdevmapper.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "dm.h"
#include "tool.h"
#include "trial.h"

#define TARGET	"raizn-trial"

/**
 * struct trial_zone - the zone of a drive that is tried
 * @nr:		its number
 * @holds:	it is to be emptied before
 */
struct trial_zone {
	u32 nr;
	bool holds;
};

static bool is_active(const struct zbd_zone *zone)
{
	return zbd_zone_is_open(zone) || zbd_zone_closed(zone);
}

/* An empty one, unless that could not become active: then an active one, or any. */
static struct trial_zone choose_zone(const struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	u32 first = candidate->member.first_zone, active = 0, i;
	struct trial_zone chosen = { .nr = first, .holds = true };

	for (i = first; i < first + candidate->nr_usable; i++) {
		if (!is_active(&candidate->zones[i]))
			continue;
		if (!active)
			chosen.nr = i;
		active++;
	}
	if (drive->max_active && active >= drive->max_active)
		return chosen;
	for (i = first; i < first + candidate->nr_usable; i++)
		if (zbd_zone_empty(&candidate->zones[i]))
			return (struct trial_zone) { .nr = i };
	return chosen;
}

static int reset_zone(const struct candidate *candidate, u32 nr)
{
	const struct drive *drive = &candidate->member.drive;
	int fd = drive_open_zones(drive, O_RDWR);
	int ret = TOOL_OK;

	if (fd < 0)
		return fail(TOOL_FAILED, "%s: cannot be opened for writing: %m",
			    drive->path);
	if (zbd_reset_zones(fd, candidate->zones[nr].start, candidate->zones[nr].len))
		ret = fail(TOOL_FAILED, "%s: zone %u cannot be reset: %m; see the kernel log",
			   drive->path, nr);
	zbd_close(fd);
	return ret;
}

/*
 * Run one command on the mapped device @name; returns 0 or an error number.  The device never gets
 * a live table: udev has nothing to look at, and is not waited for.
 */
static int run(int command, const char *name, const char *table)
{
	struct dm_task *task = dm_task_create(command);
	int error = ENOMEM;

	if (!task)
		return error;
	if (dm_task_set_name(task, name) &&
	    (!table || dm_task_add_target(task, 0, 8, TARGET, table))) {
		error = 0;
		if (command == DM_DEVICE_REMOVE)
			dm_task_retry_remove(task);
		if (!dm_task_run(task))
			error = dm_task_get_errno(task) ? dm_task_get_errno(task) : EIO;
	}
	dm_task_destroy(task);
	return error;
}

static int append(const struct candidate *candidate, u32 nr)
{
	const struct drive *drive = &candidate->member.drive;
	char name[64], table[80];
	struct volume volume;
	int error;

	snprintf(name, sizeof(name), "raizn-trial-%u-%u", major(drive->dev),
		 minor(drive->dev));
	snprintf(table, sizeof(table), "%u:%u %llu", major(drive->dev),
		 minor(drive->dev), (unsigned long long)candidate->zones[nr].start >> 9);
	/* One that was interrupted may have left it. */
	if (volume_by_name(name, &volume) && !volume.has_table)
		run(DM_DEVICE_REMOVE, name, NULL);
	error = run(DM_DEVICE_CREATE, name, NULL);
	if (error)
		return fail(TOOL_FAILED, "%s: device mapper does not make %s: %s",
			    drive->path, name, strerror(error));
	error = run(DM_DEVICE_RELOAD, name, table);
	run(DM_DEVICE_REMOVE, name, NULL);
	dm_task_update_nodes();
	if (error)
		return fail(TOOL_REFUSED,
			    "%s: does not take a zone append of metadata: %s; see the kernel log, give another drive",
			    drive->path, strerror(error));
	return TOOL_OK;
}

static int try(struct candidate *candidate, const struct trial_zone *zone)
{
	int ret = zone->holds ? reset_zone(candidate, zone->nr) : TOOL_OK;
	int after;

	if (ret)
		return ret;
	/* The kernel wants the drive for itself. */
	candidate_release(candidate);
	ret = append(candidate, zone->nr);
	after = reset_zone(candidate, zone->nr);
	if (!ret)
		ret = after;
	return ret ? ret : candidate_hold(candidate);
}

int drives_try(struct candidate *candidates, u32 nr)
{
	struct trial_zone zone;
	int ret = TOOL_OK;
	u32 pass, i;

	if (!volume_has_target(TARGET)) {
		puts("note: the kernel's module is not there, or older: whether the drives take metadata was not tried");
		return TOOL_OK;
	}
	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < nr && !ret; i++) {
			zone = choose_zone(&candidates[i]);
			if (zone.holds == pass)
				ret = try(&candidates[i], &zone);
		}
	}
	return ret;
}
