// SPDX-License-Identifier: GPL-2.0
/*
 * Starting an array without its owner, when its drives are there.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "autostart.h"
#include "assembly.h"
#include "history.h"
#include "replacement.h"
#include "start.h"
#include "text.h"
#include "uevent.h"
#include "waiting.h"

/* A drive that comes is told by the kernel; should that get lost, this finds it (ms). */
#define LOOK_INTERVAL	(10 * 60 * 1000)

/* The same for changes that come without an event (ms). */
#define LOOK_WITHOUT	(15 * 1000)

/* Drives come together; each event before the next look costs nothing then (ms). */
#define SETTLE		200

/**
 * struct autostart - an array that is to be started
 * @uuid:	which
 * @uevents:	of the kernel
 * @waiting:	of waiting_open(); -1 while it waits for nothing
 * @found:	a drive of it was there
 * @refused:	something but a missing drive keeps it from starting
 * @begun:	when the first of its drives was there, seconds of CLOCK_MONOTONIC; 0 if none is
 * @deadline:	when it starts without missing drives; 0 for never
 * @late:	slots (bits) that it was started without, this time or earlier, and that
 *		nothing was in since
 * @recorded:	@late as the record in /run has it
 * @unnoted:	slots of @late that the history does not have
 * @untaken:	slots whose drives the array has not taken
 * @undecided:	the history may tell of slots when its file system is mounted
 * @ran:	it has run; if it does not now, its owner has stopped it
 * @done:	nothing is waited for any more
 * @said:	why it waits, as was told last
 */
struct autostart {
	const u8 *uuid;
	int uevents;
	int waiting;
	bool found;
	bool refused;
	u64 begun;
	u64 deadline;
	u32 late;
	u32 recorded;
	u32 unnoted;
	u32 untaken;
	bool undecided;
	bool ran;
	bool done;
	char said[2200];
};

static u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

/* Take hold of the record in /run, if no other process has. */
static void take_record(struct autostart *autostart)
{
	if (autostart->waiting < 0)
		autostart->waiting = waiting_open(autostart->uuid);
}

static void note(struct autostart *autostart, const struct array *array,
		 enum waiting_kind kind, u32 slots, const char *reason)
{
	struct waiting record = {
		.kind = kind,
		.slots = slots,
	};

	memcpy(record.uuid, autostart->uuid, RAIZN_UUID_SIZE);
	snprintf(record.name, sizeof(record.name), "%s", array_name(array));
	snprintf(record.reason, sizeof(record.reason), "%s", reason);
	take_record(autostart);
	waiting_write(autostart->waiting, &record);
}

static void tell_waiting(struct autostart *autostart, const struct array *array,
			 const struct assembly *assembly)
{
	struct assembly_text why = assembly_text(assembly);
	char text[sizeof(autostart->said)];

	snprintf(text, sizeof(text), "%s: waits: %s", array_name(array), why.s);
	if (!strcmp(text, autostart->said))
		return;
	memcpy(autostart->said, text, sizeof(text));
	note(autostart, array, WAITING_DRIVES, assembly->missing, why.s);
	puts(text);
	fflush(stdout);
}

static u32 policy_of(const struct array *array)
{
	return le32_to_cpu(member_sb(array->newest)->autostart);
}

/* Does its owner let it start without drives? */
static bool goes_without(const struct array *array)
{
	return policy_of(array) != RAIZN_AUTOSTART_COMPLETE &&
	       policy_of(array) != RAIZN_AUTOSTART_NO;
}

static const u8 *member_uuid_of(const struct array *array, u32 slot)
{
	return member_sb(array->newest)->members[slot].uuid;
}

/*
 * Slots that a start by itself left out, of this machine, earlier.  Superblocks only call them
 * failed, as those that had errors, and those that the owner called failed.
 */
static u32 left_out_before(const struct array *array)
{
	u32 slots = 0, slot;

	for (slot = 0; slot < array->newest->geo.nr_members; slot++) {
		const struct member *member = array->slots[slot];
		u64 event = history_left_out(array->uuid, member_uuid_of(array, slot));

		if (event && (!member || member_event(member) <= event))
			slots |= 1U << slot;
	}
	return goes_without(array) ? slots : 0;
}

/* Slots that a start leaves out now. */
static u32 left_out_now(const struct array *array, const struct assembly *assembly)
{
	u32 slots = assembly->missing, slot;

	for (slot = 0; slot < array->newest->geo.nr_members; slot++)
		if (goes_without(array) && !array->slots[slot] &&
		    member_sb(array->newest)->members[slot].state == RAIZN_MEMBER_REBUILDING)
			slots |= 1U << slot;
	return slots;
}

static void note_late(struct autostart *autostart, const struct array *array)
{
	u64 event = member_event(array->newest);
	u32 slot;

	autostart->unnoted &= autostart->late;
	for (slot = 0; slot < array->newest->geo.nr_members; slot++)
		if (autostart->unnoted & (1U << slot) &&
		    history_leave_out(array->uuid, member_uuid_of(array, slot), event))
			autostart->unnoted &= ~(1U << slot);
}

/* Which of the drives that it was started without can be taken back? */
static void find_late(struct autostart *autostart, const struct running *running)
{
	const struct array *array = running->array;
	u32 empty = slots_with_letter(&running->state, '-'), slot;

	if (array)
		autostart->late |= left_out_before(array);
	autostart->late &= empty & ~autostart->untaken;
	autostart->undecided = false;
	if (!array)
		return;
	if (!autostart->begun)
		autostart->begun = now();
	note_late(autostart, array);
	if (!goes_without(array) || history_exists(array->uuid) ||
	    now() >= autostart->begun + LOOK_INTERVAL / 1000)
		return;
	for (slot = 0; slot < array->newest->geo.nr_members; slot++)
		if (empty & ~autostart->untaken & (1U << slot) && array->slots[slot])
			autostart->undecided = true;
}

/* As raizn add, but refuse a drive that may have data that the array does not have. */
static void take_back_late(struct running *running, const struct member *member)
{
	const char *name = running_name(running), *path = member->drive.path;

	if (array_is_torn(running->array))
		complain("%s: %s may have gone on without the others, so it is not added by itself; 'raizn add %s %s' gives up what only it has",
			 name, path, name, path);
	else
		replacement_add(running, path, false);
}

static void record_late(struct autostart *autostart, const struct array *array)
{
	if (array && autostart->late && autostart->late != autostart->recorded)
		note(autostart, array, WAITING_LATE, autostart->late, "");
	autostart->recorded = autostart->late;
}

/* Take back the drives that it was started without and that have come. */
static void add_late(struct autostart *autostart)
{
	struct running running;
	u32 slot;

	if (running_open(&running, uuid_text(autostart->uuid).s))
		return;
	find_late(autostart, &running);
	record_late(autostart, running.array);
	for (slot = 0; running.array && slot < running.state.nr_members; slot++) {
		const struct member *member = running.array->slots[slot];

		if (!(autostart->late & (1U << slot)) || !member ||
		    member->verdict != MEMBER_SOUND)
			continue;
		/* Once: what an array refuses it refuses the next time, too. */
		autostart->untaken |= 1U << slot;
		autostart->late &= ~autostart->untaken;
		record_late(autostart, running.array);
		take_back_late(&running, member);
		break;
	}
	running_close(&running);
	autostart->done = !autostart->late && !autostart->undecided;
}

/* Its owner has to do something, and the last message says what.  Return @ret. */
static int refuse(struct autostart *autostart, const struct array *array, int ret)
{
	const char *reason = complaint_last(), *name = array_name(array);
	size_t len = strlen(name);
	struct volume volume;

	autostart->done = true;
	/* Another process was faster. */
	if (volume_by_uuid(autostart->uuid, &volume))
		return ret;
	if (!strncmp(reason, name, len) && !strncmp(reason + len, ": ", 2))
		reason += len + 2;
	autostart->refused = true;
	note(autostart, array, WAITING_OWNER, 0, reason);
	return ret;
}

static int start_now(struct autostart *autostart, const struct array *array,
		     const struct assembly *assembly)
{
	const struct start_options options = {
		.unasked = true,
		.table.degraded = assembly->missing,
	};
	int ret;

	autostart->unnoted = left_out_now(array, assembly);
	autostart->late = autostart->unnoted | (assembly->known & left_out_before(array));
	note_late(autostart, array);
	/* Before the start: an initramfs ends this process as soon as the array is there. */
	take_record(autostart);
	record_late(autostart, array);
	ret = start_array(array, &options);
	if (ret)
		return refuse(autostart, array, ret);
	autostart->ran = true;
	autostart->done = !(autostart->late || (assembly->known && goes_without(array)));
	if (!autostart->done)
		add_late(autostart);
	return TOOL_OK;
}

/* Is the drive that is missing there, but written by newer code?  That may know better. */
static bool may_be_newer(const struct array *array)
{
	return array->suspect && array->suspect->verdict == MEMBER_UNSUPPORTED;
}

/* The array does not run. */
static int try(struct autostart *autostart, const struct array *array)
{
	u32 policy = policy_of(array);
	struct assembly assembly;
	bool complete, overdue;
	int ret;

	autostart->found = true;
	if (!autostart->begun)
		autostart->begun = now();
	if (policy == RAIZN_AUTOSTART_NO) {
		autostart->done = true;
		return TOOL_OK;
	}
	complete = array_assemble(array, &assembly);
	autostart->deadline = policy == RAIZN_AUTOSTART_COMPLETE ||
			      may_be_newer(array) ? 0 : autostart->begun + policy;
	overdue = autostart->deadline && now() >= autostart->deadline;
	if (complete || (assembly.startable && !assembly.lossy && overdue))
		return start_now(autostart, array, &assembly);
	/* Only a drive that comes can change that. */
	if (overdue)
		autostart->deadline = 0;
	if (!assembly.missing && assembly.code != TOOL_NOT_FOUND) {
		ret = fail(assembly.code, "%s: %s", array_name(array),
			   assembly_text(&assembly).s);
		return refuse(autostart, array, ret);
	}
	tell_waiting(autostart, array, &assembly);
	return TOOL_OK;
}

/* No drive of the array is there any more: begin anew when one comes. */
static void forget(struct autostart *autostart)
{
	waiting_end(autostart->waiting, autostart->uuid);
	autostart->waiting = -1;
	autostart->begun = 0;
	autostart->deadline = 0;
	*autostart->said = '\0';
}

static int look_at_drives(struct autostart *autostart)
{
	struct array *arrays;
	struct scan scan;
	int ret;
	u32 nr, i;

	ret = scan_system(&scan, SCAN_LOGS);
	if (ret)
		return ret;
	arrays = scan_arrays(&scan, &nr);
	if (!arrays)
		ret = TOOL_FAILED;
	for (i = 0; arrays && i < nr; i++)
		if (!memcmp(arrays[i].uuid, autostart->uuid, RAIZN_UUID_SIZE))
			break;
	if (arrays && i < nr)
		ret = try(autostart, &arrays[i]);
	else if (!ret && autostart->found)
		forget(autostart);
	else if (!ret)
		ret = fail(TOOL_NOT_FOUND, "%s: no drive of this array found",
			   uuid_text(autostart->uuid).s);
	free(arrays);
	scan_free(&scan);
	return ret;
}

static bool lacks_a_drive(const struct volume *volume)
{
	bool before = complaints_hold_back(true);
	struct volume_state state;
	bool lacks;

	lacks = !volume_state_read_lines(volume, &state) && slots_with_letter(&state, '-');
	complaints_hold_back(before);
	return lacks;
}

/* The array runs.  Is it for this process to wait for its drives, and no other does? */
static bool take_over(struct autostart *autostart, const struct volume *volume)
{
	if (autostart->waiting >= 0 || autostart->late)
		return true;
	/* Another process started it, and has ended. */
	autostart->waiting = waiting_adopt(autostart->uuid, &autostart->late);
	autostart->unnoted = autostart->late;
	autostart->recorded = autostart->late;
	if (lacks_a_drive(volume))
		take_record(autostart);
	return autostart->waiting >= 0;
}

static int look(struct autostart *autostart)
{
	struct volume volume;

	if (!volume_by_uuid(autostart->uuid, &volume)) {
		if (!autostart->ran)
			return look_at_drives(autostart);
		autostart->done = true;
		return TOOL_OK;
	}
	if (!volume.has_table)
		return TOOL_OK;
	autostart->ran = true;
	if (take_over(autostart, &volume))
		add_late(autostart);
	else
		autostart->done = true;
	/* Of a process that was ended after it had started the array. */
	if (autostart->waiting < 0)
		waiting_void(autostart->uuid);
	return TOOL_OK;
}

/* Until a device comes or goes, or the deadline. */
static void wait_for_news(const struct autostart *autostart)
{
	struct pollfd news = { .fd = autostart->uevents, .events = POLLIN };
	bool told = autostart->uevents >= 0 && !autostart->unnoted && !autostart->undecided;
	u64 wait = told ? LOOK_INTERVAL : LOOK_WITHOUT;
	u64 left;

	if (autostart->deadline && !autostart->ran) {
		left = autostart->deadline > now() ?
		       (autostart->deadline - now()) * 1000 : 0;
		if (left < wait)
			wait = left;
	}
	while (poll(&news, 1, wait) < 0 && errno == EINTR)
		;
	usleep(SETTLE * 1000);
	uevent_drain(autostart->uevents);
}

int autostart(const u8 *uuid)
{
	struct autostart autostart = {
		.uuid = uuid,
		.uevents = uevent_open(),
		.waiting = -1,
	};
	int ret;

	for (;;) {
		ret = look(&autostart);
		if (ret || autostart.done)
			break;
		wait_for_news(&autostart);
	}
	/* One that is refused goes on waiting, for its owner; that needs no process. */
	if (!autostart.refused)
		waiting_end(autostart.waiting, uuid);
	uevent_close(autostart.uevents);
	return ret;
}
