// SPDX-License-Identifier: GPL-2.0
/*
 * All that is known of an array, from its drives and from the kernel.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "overview.h"

[[gnu::format(printf, 3, 4)]]
static void diagnose(struct overview *overview, const char *condition,
		     const char *format, ...)
{
	va_list args;

	overview->condition = condition;
	va_start(args, format);
	vsnprintf(overview->happened, sizeof(overview->happened), format, args);
	va_end(args);
}

[[gnu::format(printf, 2, 3)]]
static void advise(struct overview *overview, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(overview->action, sizeof(overview->action), format, args);
	va_end(args);
}

static void diagnose_running(struct overview *overview)
{
	const struct volume_state *state = &overview->state;
	size_t active = strspn(state->letters, "A");

	if (state->volume.suspended) {
		diagnose(overview, "suspended",
			 "the volume is suspended, I/O to it waits");
		advise(overview, "if nobody is at work on it: dmsetup resume %s",
		       overview->name);
	} else if (!strcmp(state->state, "failed")) {
		diagnose(overview, "failed",
			 "more failed than the parity can replace; I/O that can not be served gets errors");
		advise(overview, "see the kernel log, check the drives, then 'raizn stop %s'",
		       overview->name);
	} else if (!strcmp(state->state, "read-only")) {
		diagnose(overview, "read-only",
			 "the array takes no writes; the kernel log says why");
		advise(overview, "see the kernel log");
	} else if (active < state->nr_members) {
		diagnose(overview, "degraded",
			 "the member in slot %zu is %s; the array works without it",
			 active, overview_member_state(overview, active));
		advise(overview, "see the kernel log, check the drive");
	} else {
		diagnose(overview, "active", "all %u members work",
			 state->nr_members);
		advise(overview, "none needed");
	}
}

static void diagnose_stopped(struct overview *overview)
{
	enum tool_exit code;
	const char *obstacle;
	char buffer[600];

	obstacle = array_obstacle(overview->array, &code, buffer,
				  sizeof(buffer));
	if (obstacle) {
		diagnose(overview, code == TOOL_NOT_FOUND ? "incomplete" :
			 "unusable", "%s", obstacle);
		advise(overview, "as above; it can not start before");
	} else if (!array_is_clean(overview->array)) {
		diagnose(overview, "unclean",
			 "the array was not stopped cleanly");
		advise(overview,
		       "it needs recovery, which this version does not have; leave its drives as they are");
	} else {
		diagnose(overview, "stopped", "the array was stopped cleanly");
		advise(overview, "'raizn start %s' starts it", overview->name);
	}
}

const char *overview_member_state(const struct overview *overview, u32 slot)
{
	if (!overview->running)
		return overview->array->slots[slot] ? "found" : "missing";
	switch (overview->state.letters[slot]) {
	case 'A':
		return "active";
	case 'F':
		return "failed";
	case 'R':
		return "rebuilding";
	case '-':
		return "missing";
	default:
		return "unknown";
	}
}

u32 overview_nr_members(const struct overview *overview)
{
	if (overview->running)
		return overview->state.nr_members;
	return overview->array->newest->geo.nr_members;
}

static int add_running(struct overviews *overviews,
		       const struct volume *volume)
{
	struct overview *overview = NULL;
	u32 i;
	int ret;

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
	overview->running = true;
	ret = volume_state_read(volume, &overview->state);
	if (!ret)
		diagnose_running(overview);
	return ret;
}

static int combine(struct overviews *overviews, u32 nr_arrays,
		   const struct volume *volumes, u32 nr_volumes)
{
	int ret = TOOL_OK;
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
	for (i = 0; i < nr_volumes && !ret; i++)
		ret = add_running(overviews, &volumes[i]);
	for (i = 0; i < nr_arrays; i++)
		if (!overviews->list[i].running)
			diagnose_stopped(&overviews->list[i]);
	return ret;
}

int overviews_read(struct overviews *overviews)
{
	struct volume *volumes;
	u32 nr_arrays, nr_volumes;
	int ret;

	memset(overviews, 0, sizeof(*overviews));
	ret = scan_system(&overviews->scan);
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

void overviews_free(struct overviews *overviews)
{
	free(overviews->list);
	free(overviews->arrays);
	scan_free(&overviews->scan);
}
