// SPDX-License-Identifier: GPL-2.0
/*
 * All that is known of an array, from its drives and from the kernel.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "diagnosis.h"
#include "text.h"

const char *overview_member_state(const struct overview *overview, u32 slot)
{
	if (!overview->running && overview->assembly.known & (1U << slot))
		return "failed";
	if (!overview->running && overview->assembly.rebuilding & (1U << slot))
		return "rebuilding";
	if (!overview->running)
		return overview->array->slots[slot] ? "found" : "missing";
	return letter_name(overview->state.letters[slot]);
}

const struct member *overview_member(const struct overview *overview, u32 slot)
{
	if (overview->running)
		return overview->roster.slots[slot].member;
	return overview->array->slots[slot];
}

const char *overview_path(const struct overview *overview, u32 slot)
{
	const struct member *member = overview_member(overview, slot);

	if (member)
		return member->drive.path;
	return overview->running ? overview->roster.slots[slot].path : "-";
}

u32 overview_nr_members(const struct overview *overview)
{
	if (overview->running)
		return overview->state.nr_members;
	return overview->array ? overview->array->newest->geo.nr_members : 0;
}

u32 overview_autostart(const struct overview *overview)
{
	if (overview->running && overview->state.knows_autostart)
		return overview->state.autostart;
	return le32_to_cpu(member_sb(overview->array->newest)->autostart);
}

/* One that is being started, or was stopped since it was listed, does not. */
static bool runs(const struct volume *volume)
{
	struct volume now;

	return volume->has_table && volume_by_uuid(volume->uuid, &now) &&
	       now.has_table;
}

/* One of which nothing can be told must not hide the others. */
static void add_running(struct overviews *overviews,
			const struct volume *volume)
{
	struct overview *overview = NULL;
	char target[32] = "";
	u32 i;

	for (i = 0; i < overviews->nr && !overview; i++)
		if (!memcmp(overviews->list[i].uuid, volume->uuid,
			    RAIZN_UUID_SIZE))
			overview = &overviews->list[i];
	if (!overview) {
		overview = &overviews->list[overviews->nr++];
		memcpy(overview->uuid, volume->uuid, RAIZN_UUID_SIZE);
	}
	/* The name it runs under counts. */
	memcpy(overview->name, volume->name, sizeof(overview->name));
	if (volume_is_foreign(volume, target, sizeof(target)) ||
	    volume_state_read_lines(volume, &overview->state)) {
		overview->array = NULL;
		diagnose_foreign(overview, target);
		return;
	}
	overview->running = true;
	/* What can be told of it does not depend on its zones. */
	volume_state_add_zones(&overview->state);
	roster_make(&overview->roster, &overview->state, &overviews->scan);
	diagnose_running(overview);
}

static int combine(struct overviews *overviews, u32 nr_arrays,
		   const struct volume *volumes, u32 nr_volumes)
{
	u32 i;

	overviews->list = calloc(nr_arrays + nr_volumes + 1,
				 sizeof(*overviews->list));
	if (!overviews->list)
		return fail_memory();
	for (i = 0; i < nr_arrays; i++) {
		struct overview *overview = &overviews->list[i];

		overview->array = &overviews->arrays[i];
		memcpy(overview->uuid, overview->array->uuid, RAIZN_UUID_SIZE);
		snprintf(overview->name, sizeof(overview->name), "%s",
			 array_name(overview->array));
	}
	overviews->nr = nr_arrays;
	for (i = 0; i < nr_volumes; i++)
		if (runs(&volumes[i]))
			add_running(overviews, &volumes[i]);
	for (i = 0; i < nr_arrays; i++)
		if (overviews->list[i].array && !overviews->list[i].running)
			diagnose_stopped(&overviews->list[i]);
	return TOOL_OK;
}

static int read_drives(struct overviews *overviews, enum scan_depth depth)
{
	struct volume *volumes;
	u32 nr_arrays, nr_volumes;
	int ret;

	memset(overviews, 0, sizeof(*overviews));
	ret = scan_system(&overviews->scan, depth);
	if (ret)
		return ret;
	overviews->arrays = scan_arrays(&overviews->scan, &nr_arrays);
	ret = overviews->arrays ? volume_list(&volumes, &nr_volumes) :
				  TOOL_FAILED;
	if (!ret) {
		ret = combine(overviews, nr_arrays, volumes, nr_volumes);
		free(volumes);
	}
	if (ret)
		overviews_free(overviews);
	return ret;
}

/*
 * Do logs tell more of an array?  Of one that runs they tell if it could be started again, when it
 * failed or drives are gone, and why it takes no writes.  One that does not run may hold its
 * drives: it is being started, or stopped.
 */
static bool needs_logs(const struct overview *overview)
{
	return overview->array && overview->array->newest->brief &&
	       (!overview->running || !strcmp(overview->state.state, "failed") ||
		!strcmp(overview->state.state, "read-only") ||
		roster_gone(&overview->roster));
}

int overviews_read(struct overviews *overviews)
{
	bool more = false, before;
	u32 i;
	int ret;

	ret = read_drives(overviews, SCAN_RUNNING_BRIEFLY);
	if (ret)
		return ret;
	for (i = 0; i < overviews->nr; i++)
		more |= needs_logs(&overviews->list[i]);
	if (!more)
		return TOOL_OK;
	overviews_free(overviews);
	/* The first look has printed the complaints about drives. */
	before = complaints_hold_back(true);
	ret = read_drives(overviews, SCAN_LOGS);
	complaints_hold_back(before);
	return ret;
}

void overviews_tell_unusable(const struct overviews *overviews)
{
	u32 i;

	for (i = 0; i < overviews->scan.nr; i++) {
		const struct member *member = overviews->scan.members[i];

		if (member_is_unusable(member))
			printf("%s: %s\n", member->drive.path, member->why);
	}
}

void overviews_free(struct overviews *overviews)
{
	free(overviews->list);
	free(overviews->arrays);
	scan_free(&overviews->scan);
}
