// SPDX-License-Identifier: GPL-2.0
/*
 * Metrics of arrays that run or should, for Prometheus.
 */
#include <stdio.h>
#include <unistd.h>

#include "metrics.h"
#include "text.h"
#include "tool.h"

static const char *name_of(const struct watched *array)
{
	return array->state.volume.name;
}

/* A mapped device can be renamed to anything. */
static struct label_text name_label(const struct watched *array)
{
	return label_text(name_of(array));
}

static void metric(FILE *file, const char *name, const char *type,
		   const char *help)
{
	fprintf(file, "# HELP raizn_%s %s\n# TYPE raizn_%s %s\n", name, help,
		name, type);
}

static bool runs(const struct watched *array)
{
	return array->seen;
}

/* One that never ran here and does not wait any more is none of these. */
static bool is_known(const struct watched *array)
{
	return array->odd || array->hindered || array->state.nr_members;
}

/* An array that does not run may have left its name to another one. */
static bool has_name(const struct watch *watch, u32 nth)
{
	const struct watched *array = watch->arrays[nth];
	u32 i;

	for (i = 0; i < watch->nr && !runs(array); i++)
		if (i != nth && is_known(watch->arrays[i]) &&
		    !strcmp(name_of(watch->arrays[i]), name_of(array)) &&
		    (runs(watch->arrays[i]) || i > nth))
			return false;
	return true;
}

/*
 * Tells an array from others: its name, or its UUID if it does not come up because its name was
 * taken; empty for one that is no more.
 */
static struct label_text label_of(const struct watch *watch, u32 nth)
{
	const struct watched *array = watch->arrays[nth];

	if (is_known(array) && has_name(watch, nth))
		return name_label(array);
	return label_text(array->hindered ? uuid_text(array->state.volume.uuid).s : "");
}

static void write_states(FILE *file, const struct watch *watch)
{
	static const char *const states[] = {
		"active", "degraded", "read-only", "failed", "stopped", "incomplete", "refused",
	};
	struct label_text label;
	u32 i, j;

	metric(file, "array_state", "gauge", "1 for the state the array is in");
	for (i = 0; i < watch->nr; i++) {
		label = label_of(watch, i);
		for (j = 0; *label.s && j < ARRAY_SIZE(states); j++)
			fprintf(file, "raizn_array_state{array=\"%s\",state=\"%s\"} %d\n",
				label.s, states[j],
				!strcmp(watch->arrays[i]->state.state, states[j]));
	}
}

static void write_member_states(FILE *file, const struct watched *array)
{
	static const char letters[] = "ARF-";
	const struct volume_state *state = &array->state;
	const char *letter;
	u32 i;

	for (i = 0; i < state->nr_members; i++)
		for (letter = letters; *letter; letter++)
			fprintf(file, "raizn_member_state{array=\"%s\",slot=\"%u\",device=\"%s\",state=\"%s\"} %d\n",
				name_label(array).s, i, label_text(array->nodes[i]).s,
				letter_name(*letter),
				state->letters[i] == *letter);
}

static void write_members(FILE *file, const struct watch *watch)
{
	u32 i;

	metric(file, "member_state", "gauge", "1 for the state the member is in");
	for (i = 0; i < watch->nr; i++)
		if (runs(watch->arrays[i]))
			write_member_states(file, watch->arrays[i]);
}

static void write_errors(FILE *file, const struct watch *watch,
			 const char *name, const char *help,
			 u64 (*get)(const struct member_errors *errors))
{
	u32 i, slot;

	metric(file, name, "counter", help);
	for (i = 0; i < watch->nr; i++) {
		const struct watched *array = watch->arrays[i];

		if (!runs(array))
			continue;
		for (slot = 0; slot < array->state.nr_members; slot++)
			fprintf(file, "raizn_%s{array=\"%s\",slot=\"%u\",device=\"%s\"} %llu\n",
				name, name_label(array).s, slot,
				label_text(array->nodes[slot]).s,
				(unsigned long long)
				get(&array->state.errors[slot]));
	}
}

static u64 read_errors(const struct member_errors *errors)
{
	return errors->read;
}

static u64 write_errors_of(const struct member_errors *errors)
{
	return errors->write;
}

static u64 healed(const struct member_errors *errors)
{
	return errors->healed;
}

static void write_actions(FILE *file, const struct watch *watch)
{
	u32 i, j;

	metric(file, "action", "gauge", "1 for the action under way in the background");
	for (i = 0; i < watch->nr; i++)
		for (j = 0; runs(watch->arrays[i]) && j < NR_ACTIONS; j++)
			fprintf(file, "raizn_action{array=\"%s\",action=\"%s\"} %d\n",
				name_label(watch->arrays[i]).s, action_names[j],
				watch->arrays[i]->state.action == j);
}

/* One number of each array. */
static void write_number(FILE *file, const struct watch *watch,
			 const char *name, const char *type, const char *help,
			 u64 (*get)(const struct volume_state *state))
{
	u32 i;

	metric(file, name, type, help);
	for (i = 0; i < watch->nr; i++)
		if (runs(watch->arrays[i]))
			fprintf(file, "raizn_%s{array=\"%s\"} %llu\n", name,
				name_label(watch->arrays[i]).s,
				(unsigned long long)
				get(&watch->arrays[i]->state));
}

static u64 action_done(const struct volume_state *state)
{
	return state->done << 9;
}

static u64 action_total(const struct volume_state *state)
{
	return state->total << 9;
}

static u64 degraded_zones(const struct volume_state *state)
{
	return state->degraded_zones;
}

static u64 damaged_zones(const struct volume_state *state)
{
	return state->damaged_zones;
}

static u64 unwritable_zones(const struct volume_state *state)
{
	return state->unwritable_zones;
}

static u64 lost_bytes(const struct volume_state *state)
{
	return state->lost_sectors << 9;
}

static u64 mismatches(const struct volume_state *state)
{
	return state->mismatches;
}

static u64 repaired(const struct volume_state *state)
{
	return state->repaired;
}

static u64 user_read(const struct volume_state *state)
{
	return state->counters[USER_READ] << 9;
}

static u64 user_written(const struct volume_state *state)
{
	return state->counters[USER_WRITTEN] << 9;
}

static u64 members_read(const struct volume_state *state)
{
	return state->counters[MEMBER_READ] << 9;
}

static u64 members_written(const struct volume_state *state)
{
	return member_sectors_written(state) << 9;
}

static u64 rebuild_written(const struct volume_state *state)
{
	return state->counters[REBUILD_WRITTEN] << 9;
}

static void write_all(FILE *file, const struct watch *watch)
{
	write_states(file, watch);
	write_members(file, watch);
	write_errors(file, watch, "member_read_errors_total",
		     "Reads of the member that failed", read_errors);
	write_errors(file, watch, "member_write_errors_total",
		     "Writes to the member that failed", write_errors_of);
	write_errors(file, watch, "member_healed_total",
		     "Columns of zones rewritten because of errors", healed);
	write_number(file, watch, "degraded_zones", "gauge",
		     "Zones that lack a column", degraded_zones);
	write_number(file, watch, "damaged_zones", "gauge",
		     "Zones that lost more than parity makes up for", damaged_zones);
	write_number(file, watch, "unwritable_zones", "gauge",
		     "Zones that could not be written to their end", unwritable_zones);
	write_number(file, watch, "lost_bytes", "gauge",
		     "Data that too many drives could not read", lost_bytes);
	write_actions(file, watch);
	write_number(file, watch, "action_done_bytes", "gauge",
		     "How far the action is", action_done);
	write_number(file, watch, "action_total_bytes", "gauge",
		     "How much the action has to do", action_total);
	write_number(file, watch, "scrub_mismatches", "gauge",
		     "Stripes that the last scrub found wrong", mismatches);
	write_number(file, watch, "scrub_repaired", "gauge",
		     "Stripes that the last scrub made right", repaired);
	write_number(file, watch, "read_bytes_total", "counter",
		     "Read by users of the volume", user_read);
	write_number(file, watch, "written_bytes_total", "counter",
		     "Written by users of the volume", user_written);
	write_number(file, watch, "members_read_bytes_total", "counter",
		     "Read from members", members_read);
	write_number(file, watch, "members_written_bytes_total", "counter",
		     "Written to members for writes of users", members_written);
	write_number(file, watch, "rebuild_written_bytes_total", "counter",
		     "Written to members to rebuild columns", rebuild_written);
}

int metrics_write(const struct watch *watch, const char *path)
{
	char temporary[PATH_MAX];
	FILE *file;
	bool ok;

	/* Not *.prom, so that it is not picked up half. */
	if (snprintf(temporary, sizeof(temporary), "%s.new", path) >=
	    (int)sizeof(temporary))
		return fail(TOOL_USAGE, "%.64s...: the path is too long", path);
	file = fopen(temporary, "we");
	if (!file)
		return fail(TOOL_FAILED, "%s: cannot be written: %m", temporary);
	write_all(file, watch);
	ok = !ferror(file);
	if (fclose(file) || !ok || rename(temporary, path)) {
		fail(TOOL_FAILED, "%s: cannot be written: %m", path);
		unlink(temporary);
		return TOOL_FAILED;
	}
	return TOOL_OK;
}
