// SPDX-License-Identifier: GPL-2.0
/*
 * All that is known of an array, from its drives and from the kernel.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "general_log.h"
#include "overview.h"
#include "text.h"

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

/* Is a counter of zone resets at its end?  Every member's log tells. */
static bool counters_exhausted(const struct array *array)
{
	struct general_log log;
	bool found = false;
	u32 i;

	if (!array || array->newest->verdict != MEMBER_SOUND)
		return false;
	if (!general_log_read(&log, array->newest))
		for (i = 0; i < array->newest->geo.nr_zones; i++)
			found |= log.zones[i].generation >= RAIZN_GENERATION_MAX;
	general_log_free(&log);
	return found;
}

static void diagnose_read_only(struct overview *overview)
{
	if (counters_exhausted(overview->array)) {
		diagnose(overview, "read-only",
			 "a zone was reset as often as its counter allows; the array takes no writes");
		advise(overview, "'raizn stop %s', then 'raizn maintain %s --start', which begins all counters anew",
		       overview->name, overview->name);
		return;
	}
	diagnose(overview, "read-only",
		 "the array takes no writes; the kernel log says why");
	advise(overview, "see the kernel log");
}

/* Members that do not work, by slot. */
static u32 slots_gone(const struct volume_state *state)
{
	u32 gone = 0, i;

	for (i = 0; i < state->nr_members; i++)
		if (state->letters[i] != 'A')
			gone |= 1U << i;
	return gone;
}

/* How many more members may fail; UINT32_MAX if that is not known. */
static u32 failures_left(const struct array *array, u32 gone)
{
	u32 nr = __builtin_popcount(gone);

	if (!array || array->newest->verdict != MEMBER_SOUND)
		return UINT32_MAX;
	return nr < array->newest->geo.nr_parity ?
	       array->newest->geo.nr_parity - nr : 0;
}

static void diagnose_degraded(struct overview *overview, u32 gone)
{
	u32 left = failures_left(overview->array, gone);

	diagnose(overview, "degraded",
		 "the array works without the member%s of %s",
		 plural(__builtin_popcount(gone)), slots_text(gone).s);
	if (left && left != UINT32_MAX)
		advise(overview,
		       "it survives %u more failure%s; back up what matters (this version can not put a new drive in the place of a failed one)",
		       left, plural(left));
	else
		advise(overview,
		       "it survives no further failure; back up what matters now (this version can not put a new drive in the place of a failed one)");
}

static void diagnose_running(struct overview *overview)
{
	const struct volume_state *state = &overview->state;
	u32 gone = slots_gone(state);

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
		diagnose_read_only(overview);
	} else if (gone) {
		diagnose_degraded(overview, gone);
	} else {
		diagnose(overview, "active", "all %u members work",
			 state->nr_members);
		advise(overview, "none needed");
	}
}

/* It could be started; what is to be said of that? */
static void diagnose_ready(struct overview *overview)
{
	const struct assembly *assembly = &overview->assembly;
	char without[300] = "";

	if (assembly->known)
		snprintf(without, sizeof(without), ", degraded: without the member%s of %s",
			 plural(__builtin_popcount(assembly->known)),
			 slots_text(assembly->known).s);
	if (assembly->clean) {
		diagnose(overview, "stopped", "the array was stopped cleanly%s",
			 without);
		advise(overview, "'raizn start %s' starts it", overview->name);
	} else {
		diagnose(overview, "unclean",
			 "the array was not stopped cleanly%s", without);
		advise(overview,
		       "'raizn start %s' recovers and starts it; 'raizn check %s' tells what that will do",
		       overview->name, overview->name);
	}
}

static void diagnose_stopped(struct overview *overview)
{
	struct assembly *assembly = &overview->assembly;

	if (array_assemble(overview->array, assembly)) {
		diagnose_ready(overview);
		return;
	}
	diagnose(overview, assembly->startable ||
		 assembly->code == TOOL_NOT_FOUND ? "incomplete" : "unusable",
		 "%s", assembly->why);
	if (assembly->startable)
		advise(overview, "as above");
	else
		advise(overview, "as above; it can not start before");
}

const char *overview_member_state(const struct overview *overview, u32 slot)
{
	if (!overview->running && overview->assembly.known & (1U << slot))
		return "failed";
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
