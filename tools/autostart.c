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
#include "replacement.h"
#include "start.h"
#include "text.h"
#include "uevent.h"
#include "waiting.h"

/* A drive that comes is told by the kernel; should that get lost, this finds it (ms). */
#define LOOK_INTERVAL	(10 * 60 * 1000)

/* The same on kernels that tell nothing. */
#define LOOK_WITHOUT	(15 * 1000)

/* Drives come together; each event before the next look costs nothing then (ms). */
#define SETTLE		200

/**
 * struct autostart - an array that is to be started
 * @uuid:	which
 * @uevents:	of the kernel
 * @waiting:	of waiting_begin(); -1 while it waits for nothing
 * @begun:	when the first of its drives was there, seconds of CLOCK_MONOTONIC
 * @deadline:	when it starts without missing drives; 0 for never
 * @late:	slots (bits) that it was started without
 * @done:	nothing is waited for any more
 * @said:	why it waits, as was told last
 */
struct autostart {
	const u8 *uuid;
	int uevents;
	int waiting;
	u64 begun;
	u64 deadline;
	u32 late;
	bool done;
	char said[2200];
};

static u64 now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec;
}

static void tell_waiting(struct autostart *autostart, const char *name,
			 const char *why)
{
	char text[sizeof(autostart->said)];

	snprintf(text, sizeof(text), "%s: waits: %s", name, why);
	if (!strcmp(text, autostart->said))
		return;
	memcpy(autostart->said, text, sizeof(text));
	if (autostart->waiting < 0)
		autostart->waiting = waiting_begin(autostart->uuid);
	puts(text);
	fflush(stdout);
}

static int start_now(struct autostart *autostart, const struct array *array,
		     const struct assembly *assembly)
{
	const struct start_options options = {
		.unasked = true,
		.table.degraded = assembly->missing,
	};
	int ret;

	autostart->late = assembly->missing;
	/*
	 * Before the start: an initramfs ends this process as soon as the array is there.  A
	 * note of a process that was ended before it could start the array is void.
	 */
	if (autostart->waiting < 0)
		autostart->waiting = waiting_begin(autostart->uuid);
	if (autostart->late)
		waiting_for_late(autostart->waiting, autostart->late);
	ret = start_array(array, &options);
	autostart->done = ret || !autostart->late;
	return ret;
}

/* Is the drive that is missing there, but written by newer code?  That may know better. */
static bool may_be_newer(const struct array *array)
{
	return array->suspect && array->suspect->verdict == MEMBER_UNSUPPORTED;
}

/* The array does not run. */
static int try(struct autostart *autostart, const struct array *array)
{
	u32 policy = le32_to_cpu(member_sb(array->newest)->autostart);
	struct assembly assembly;
	bool complete;

	if (policy == RAIZN_AUTOSTART_NO) {
		autostart->done = true;
		return TOOL_OK;
	}
	complete = array_assemble(array, &assembly);
	autostart->deadline = policy == RAIZN_AUTOSTART_COMPLETE ||
			      may_be_newer(array) ? 0 : autostart->begun + policy;
	if (complete || (assembly.startable && !assembly.lossy && autostart->deadline &&
			 now() >= autostart->deadline))
		return start_now(autostart, array, &assembly);
	if (!assembly.missing && assembly.code != TOOL_NOT_FOUND) {
		autostart->done = true;
		return fail(assembly.code, "%s: %s", array_name(array),
			    assembly_text(&assembly).s);
	}
	tell_waiting(autostart, array_name(array), assembly_text(&assembly).s);
	return TOOL_OK;
}

/* Take back the drives that it was started without and that have come. */
static void add_late(struct autostart *autostart)
{
	struct running running;
	u32 slot;

	if (running_open(&running, uuid_text(autostart->uuid).s))
		return;
	autostart->late &= slots_with_letter(&running.state, '-');
	for (slot = 0; running.array && slot < running.state.nr_members; slot++) {
		const struct member *member = running.array->slots[slot];

		if (!(autostart->late & (1U << slot)) || !member)
			continue;
		/* Once: what an array refuses it refuses the next time, too. */
		autostart->late &= ~(1U << slot);
		replacement_add(&running, member->drive.path, false);
		break;
	}
	running_close(&running);
	autostart->done = !autostart->late;
}

static int look_at_drives(struct autostart *autostart)
{
	struct array *arrays;
	struct scan scan;
	int ret;
	u32 nr, i;

	ret = scan_system(&scan);
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
	else if (!ret && !*autostart->said)
		ret = fail(TOOL_NOT_FOUND, "%s: no drive of this array found",
			   uuid_text(autostart->uuid).s);
	free(arrays);
	scan_free(&scan);
	return ret;
}

static int look(struct autostart *autostart)
{
	struct volume volume;

	if (!volume_by_uuid(autostart->uuid, &volume)) {
		/* Stopped, by its owner. */
		if (autostart->late) {
			autostart->done = true;
			return TOOL_OK;
		}
		return look_at_drives(autostart);
	}
	if (!volume.has_table)
		return TOOL_OK;
	/* Another process started it, and has ended. */
	if (autostart->waiting < 0)
		autostart->waiting = waiting_adopt(autostart->uuid, &autostart->late);
	if (autostart->late)
		add_late(autostart);
	else
		autostart->done = true;
	return TOOL_OK;
}

/* Until a device comes or goes, or the deadline. */
static void wait_for_news(const struct autostart *autostart)
{
	struct pollfd news = { .fd = autostart->uevents, .events = POLLIN };
	u64 wait = autostart->uevents < 0 ? LOOK_WITHOUT : LOOK_INTERVAL;
	u64 left;

	if (autostart->deadline && !autostart->late) {
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
		.begun = now(),
	};
	int ret;

	for (;;) {
		ret = look(&autostart);
		if (ret || autostart.done)
			break;
		wait_for_news(&autostart);
	}
	waiting_end(autostart.waiting, uuid);
	uevent_close(autostart.uevents);
	return ret;
}
