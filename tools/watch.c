// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of arrays that run or should run, from one look to the next.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dm_event.h"
#include "history.h"
#include "roster.h"
#include "text.h"
#include "tool.h"
#include "uevent.h"
#include "watch.h"

const char *const change_names[NR_CHANGES] = {
	[CHANGE_STATE] = "state",
	[CHANGE_MEMBER] = "member",
	[CHANGE_ACTION] = "action",
	[CHANGE_ZONES] = "zones",
	[CHANGE_DAMAGED] = "damaged",
	[CHANGE_UNWRITABLE] = "unwritable",
	[CHANGE_LOST] = "lost",
	[CHANGE_MISMATCHES] = "mismatches",
	[CHANGE_ERRORS] = "errors",
};

/* "2026-11-21T17:05:09+0100" */
static void time_text(char *text, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) ||
	    !strftime(text, size, "%Y-%m-%dT%H:%M:%S%z", &tm))
		*text = '\0';
}

static void tell(const struct watch *watch, const struct watched *array,
		 enum change_what what, u32 slot, const char *old,
		 const char *new)
{
	struct change change = {
		.array = array,
		.what = what,
		.slot = slot,
	};

	if (!strcmp(old, new))
		return;
	time_text(change.time, sizeof(change.time));
	text_copy(change.old, sizeof(change.old), old);
	text_copy(change.new, sizeof(change.new), new);
	watch->tell(&change, watch->data);
}

static void tell_number(const struct watch *watch, const struct watched *array,
			enum change_what what, u32 slot, u64 old, u64 new)
{
	char old_text[24], new_text[24];

	snprintf(old_text, sizeof(old_text), "%llu", (unsigned long long)old);
	snprintf(new_text, sizeof(new_text), "%llu", (unsigned long long)new);
	tell(watch, array, what, slot, old_text, new_text);
}

static const char *action_text(const struct volume_state *state)
{
	return state->paused ? "paused" : action_names[state->action];
}

/* What an array is compared with that did not run before: nothing was wrong with
 * it.  What it was before the first look is not known.
 */
static void begin_state(const struct watch *watch, struct volume_state *state,
			const struct volume_state *now)
{
	u32 i;

	memset(state, 0, sizeof(*state));
	memset(state->letters, 'A', now->nr_members);
	text_copy(state->state, sizeof(state->state), "stopped");
	if (watch->looked)
		return;
	text_copy(state->state, sizeof(state->state),
		  strcmp(now->state, "active") ? "unknown" : "active");
	for (i = 0; i < now->nr_members; i++)
		if (now->letters[i] != 'A')
			state->letters[i] = '?';
}

static u64 nr_errors(const struct member_errors *errors)
{
	return errors->read + errors->write;
}

/* Errors are counted from 0 again when the array is started. */
static void tell_member(const struct watch *watch, const struct watched *array,
			u32 slot, const struct volume_state *old)
{
	u64 before = nr_errors(&old->errors[slot]);
	u64 after = nr_errors(&array->state.errors[slot]);

	tell(watch, array, CHANGE_MEMBER, slot, letter_name(old->letters[slot]),
	     letter_name(array->state.letters[slot]));
	if (after < before)
		before = 0;
	if (after)
		tell_number(watch, array, CHANGE_ERRORS, slot, before, after);
}

static void compare(const struct watch *watch, const struct watched *array,
		    const struct volume_state *old)
{
	const struct volume_state *new = &array->state;
	u32 i;

	for (i = 0; i < new->nr_members; i++)
		tell_member(watch, array, i, old);
	tell(watch, array, CHANGE_STATE, 0, old->state, new->state);
	tell(watch, array, CHANGE_ACTION, 0, action_text(old),
	     action_text(new));
	tell_number(watch, array, CHANGE_ZONES, 0, old->degraded_zones,
		    new->degraded_zones);
	tell_number(watch, array, CHANGE_DAMAGED, 0, old->damaged_zones,
		    new->damaged_zones);
	tell_number(watch, array, CHANGE_UNWRITABLE, 0, old->unwritable_zones,
		    new->unwritable_zones);
	tell_number(watch, array, CHANGE_LOST, 0, old->lost_sectors, new->lost_sectors);
	tell_number(watch, array, CHANGE_MISMATCHES, 0, old->mismatches,
		    new->mismatches);
}

/* Drives are looked at only when there are others: one that fails may not answer,
 * and its name is wanted after it has gone.
 */
static int learn_nodes(struct watched *array)
{
	const struct member *members[RAIZN_MAX_MEMBERS];
	struct roster *roster;
	struct scan scan;
	bool before;
	int ret;
	u32 i;

	before = complaints_hold_back(true);
	ret = scan_system(&scan, SCAN_BRIEFLY);
	complaints_hold_back(before);
	if (ret)
		return ret;
	roster = calloc(1, sizeof(*roster));
	if (roster) {
		roster_make(roster, &array->state, &scan);
		for (i = 0; i < roster->nr; i++)
			members[i] = roster->slots[i].member;
		history_note(array->state.volume.uuid, members, roster->nr);
		for (i = 0; i < roster->nr; i++)
			snprintf(array->nodes[i], sizeof(array->nodes[i]), "%s",
				 roster->slots[i].dev ? roster->slots[i].node :
				 "");
	} else {
		ret = fail_memory();
	}
	free(roster);
	scan_free(&scan);
	return ret;
}

static bool is_wanted(const struct watch *watch, const struct volume *volume)
{
	u8 uuid[RAIZN_UUID_SIZE];
	u32 i;

	for (i = 0; i < watch->nr_names; i++)
		if (!strcmp(volume->name, watch->names[i]) ||
		    (parse_uuid(watch->names[i], uuid) &&
		     !memcmp(uuid, volume->uuid, sizeof(uuid))))
			return true;
	return !watch->nr_names;
}

static struct watched *find_watched(struct watch *watch, const u8 *uuid)
{
	struct watched **grown, *array;
	u32 i;

	for (i = 0; i < watch->nr; i++)
		if (!memcmp(watch->arrays[i]->state.volume.uuid, uuid,
			    RAIZN_UUID_SIZE))
			return watch->arrays[i];
	grown = realloc(watch->arrays, (watch->nr + 1) * sizeof(*grown));
	if (grown)
		watch->arrays = grown;
	array = grown ? calloc(1, sizeof(*array)) : NULL;
	if (array)
		grown[watch->nr++] = array;
	return array;
}

/* An array may come and go at any time; then it is not looked at.  @odd: it is there, and
 * nothing can be told of it.
 */
static bool read_state(const struct volume *volume, struct volume_state *state,
		       bool *odd)
{
	struct volume again;
	bool before;
	int ret;

	*odd = false;
	if (!volume->has_table)
		return false;
	before = complaints_hold_back(true);
	ret = volume_state_read_lines(volume, state);
	complaints_hold_back(before);
	*odd = ret && volume_by_uuid(volume->uuid, &again) && again.has_table;
	return !ret;
}

/* It must not hide the others, nor fill the log. */
static int tell_odd(struct watch *watch, const struct volume *volume)
{
	struct watched *array = find_watched(watch, volume->uuid);
	char target[32];

	if (!array)
		return fail_memory();
	array->state.volume = *volume;
	if (array->odd)
		return TOOL_OK;
	array->odd = true;
	if (volume_is_foreign(volume, target, sizeof(target)))
		complain("%s: is none of an array any more, its target is %s; 'raizn stop %s' removes it",
			 volume->name, target, volume->name);
	else
		complain("%s: the kernel tells nothing of it that can be understood; see 'raizn status %s'",
			 volume->name, volume->name);
	return TOOL_OK;
}

static const char incomplete[] = "incomplete", refused[] = "refused";

/* The state that was told of an array that did not come up; NULL if none was. */
static const char *told_word(const struct watched *array)
{
	if (!strcmp(array->state.state, incomplete))
		return incomplete;
	return strcmp(array->state.state, refused) ? NULL : refused;
}

static int look_at(struct watch *watch, const struct volume *volume)
{
	struct volume_state old, now;
	bool odd, other_drives;
	struct watched *array;
	int ret = TOOL_OK;

	if (!read_state(volume, &now, &odd))
		return odd ? tell_odd(watch, volume) : TOOL_OK;
	array = find_watched(watch, volume->uuid);
	if (!array)
		return fail_memory();
	old = array->state;
	other_drives = !strcmp(old.state, "stopped") || told_word(array) || array->odd ||
		       memcmp(old.devices, now.devices, sizeof(now.devices));
	if (!*old.state)
		begin_state(watch, &old, &now);
	array->state = now;
	array->seen = true;
	array->odd = false;
	if (other_drives)
		ret = learn_nodes(array);
	if (!ret)
		compare(watch, array, &old);
	return ret;
}

static const char *absent_word(const struct watched *array)
{
	if (array->odd)
		return "unknown";
	return array->hindered ? array->hindered : "stopped";
}

static void tell_absent(const struct watch *watch, struct watched *array)
{
	const char *now = absent_word(array);
	char old[sizeof(array->state.state)];

	memcpy(old, array->state.state, sizeof(old));
	text_copy(array->state.state, sizeof(array->state.state), now);
	memset(array->state.errors, 0, sizeof(array->state.errors));
	tell(watch, array, CHANGE_STATE, 0, old, now);
}

static bool has_table(const struct volume *volumes, u32 nr, const u8 *uuid)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!memcmp(volumes[i].uuid, uuid, RAIZN_UUID_SIZE))
			return volumes[i].has_table;
	return false;
}

static bool has_drives(const u8 *uuid)
{
	bool found = false, before = complaints_hold_back(true);
	struct scan scan;
	u32 i;
	int ret;

	ret = scan_system(&scan, SCAN_BRIEFLY);
	complaints_hold_back(before);
	if (ret)
		return true;
	for (i = 0; i < scan.nr; i++)
		found |= member_is_of(scan.members[i], uuid);
	scan_free(&scan);
	return found;
}

/* The word for one that does not run, going by its record; NULL while its owner need not know. */
static const char *hindered_word(struct watch *watch, const struct waiting *record,
				 const char *told)
{
	int64_t left = WATCH_PATIENCE - waiting_age(record);

	if (record->kind == WAITING_OWNER)
		return refused;
	/* It is being started. */
	if (record->kind == WAITING_LATE)
		return told;
	if (told || left <= 0)
		return incomplete;
	if (left > WATCH_PATIENCE)
		left = WATCH_PATIENCE;
	if (watch->due < 0 || left * 1000 < watch->due)
		watch->due = left * 1000;
	return NULL;
}

/* The first word of an array that was not seen running. */
static void begin_hindered(const struct watch *watch, struct watched *array)
{
	memset(array->state.letters, 'A', RAIZN_MAX_MEMBERS);
	text_copy(array->state.state, sizeof(array->state.state),
		  watch->looked ? "stopped" : "unknown");
}

/*
 * The record of an array that does not run.  If no process holds it, nobody but this one notices
 * that the array's drives are gone.
 */
static int look_at_record(struct watch *watch, const struct waiting *record, bool devices_changed)
{
	struct watched *array = find_watched(watch, record->uuid);
	const char *told, *word;

	if (!array)
		return fail_memory();
	memcpy(array->state.volume.uuid, record->uuid, RAIZN_UUID_SIZE);
	told = told_word(array);
	word = hindered_word(watch, record, told);
	if (!word)
		return TOOL_OK;
	if (!record->held && (devices_changed || !told) && !has_drives(record->uuid)) {
		waiting_void(record->uuid);
		return TOOL_OK;
	}
	array->hindered = word;
	if (!*array->state.state)
		begin_hindered(watch, array);
	text_copy(array->state.volume.name, sizeof(array->state.volume.name), record->name);
	text_copy(array->reason, sizeof(array->reason), record->reason);
	return TOOL_OK;
}

static bool is_wanted_record(const struct watch *watch, const struct waiting *record)
{
	struct volume volume = { };

	text_copy(volume.name, sizeof(volume.name), record->name);
	memcpy(volume.uuid, record->uuid, RAIZN_UUID_SIZE);
	return is_wanted(watch, &volume);
}

int watch_open(struct watch *watch)
{
	watch->arrays = NULL;
	watch->nr = 0;
	watch->looked = false;
	watch->due = -1;
	watch->uevents = uevent_open();
	watch->records = waiting_listen();
	watch->fd = dm_event_open();
	return watch->fd < 0 ? TOOL_FAILED : TOOL_OK;
}

void watch_close(struct watch *watch)
{
	u32 i;

	for (i = 0; i < watch->nr; i++)
		free(watch->arrays[i]);
	free(watch->arrays);
	uevent_close(watch->uevents);
	if (watch->records >= 0)
		close(watch->records);
	dm_event_close(watch->fd);
}

/* It may be a mistake, or be started later. */
static void tell_unknown_names(const struct watch *watch, const struct volume *volumes, u32 nr)
{
	struct watch one = { .nr_names = 1 };
	bool there;
	u32 i, j;

	for (i = 0; i < watch->nr_names; i++) {
		one.names = &watch->names[i];
		there = false;
		for (j = 0; j < nr; j++)
			there |= is_wanted(&one, &volumes[j]);
		if (!there)
			complain("%s: no array of this name or UUID runs; it is watched from when it is started",
				 watch->names[i]);
	}
}

/**
 * struct view - what there is to look at
 * @records, @nr_records: of waiting_list()
 * @volumes, @nr: of volume_list(), read later: an array is started before its record goes
 */
struct view {
	struct waiting *records;
	u32 nr_records;
	struct volume *volumes;
	u32 nr;
};

static int read_view(struct view *view)
{
	int ret = waiting_list(&view->records, &view->nr_records);

	return ret ? ret : volume_list(&view->volumes, &view->nr);
}

static int look_at_all(struct watch *watch, const struct view *view, bool devices_changed)
{
	const struct waiting *record;
	int ret = TOOL_OK;
	u32 i;

	for (i = 0; i < watch->nr; i++) {
		watch->arrays[i]->seen = false;
		watch->arrays[i]->hindered = NULL;
	}
	for (i = 0; i < view->nr && !ret; i++)
		if (is_wanted(watch, &view->volumes[i]))
			ret = look_at(watch, &view->volumes[i]);
	for (i = 0; i < view->nr_records && !ret; i++) {
		record = &view->records[i];
		if (!has_table(view->volumes, view->nr, record->uuid) &&
		    is_wanted_record(watch, record))
			ret = look_at_record(watch, record, devices_changed);
	}
	return ret;
}

int watch_look(struct watch *watch)
{
	bool devices_changed = uevent_drain(watch->uevents) || watch->uevents < 0;
	struct view view = { };
	int ret;
	u32 i;

	waiting_heard(watch->records);
	watch->due = -1;
	ret = dm_event_arm(watch->fd);
	if (!ret)
		ret = read_view(&view);
	if (!ret && !watch->looked)
		tell_unknown_names(watch, view.volumes, view.nr);
	if (!ret)
		ret = look_at_all(watch, &view, devices_changed);
	free(view.records);
	free(view.volumes);
	for (i = 0; i < watch->nr && !ret; i++)
		if (!watch->arrays[i]->seen && *watch->arrays[i]->state.state)
			tell_absent(watch, watch->arrays[i]);
	watch->looked = true;
	return ret;
}

int watch_wait(struct watch *watch)
{
	struct pollfd news[] = {
		{ .fd = watch->fd, .events = POLLIN },
		{ .fd = watch->uevents, .events = POLLIN },
		{ .fd = watch->records, .events = POLLIN },
	};
	int nr;

	do {
		nr = poll(news, ARRAY_SIZE(news), watch->due);
		if (nr < 0 && errno != EINTR)
			return fail(TOOL_FAILED, "cannot wait for events: %m");
	} while (nr == 1 && news[2].revents && !waiting_heard(watch->records));
	return TOOL_OK;
}
