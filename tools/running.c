// SPDX-License-Identifier: GPL-2.0
/*
 * A running array that a command works on.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "history.h"
#include "running.h"
#include "text.h"
#include "tool.h"

/* Of a tenth of a second: how long to wait for another command. */
#define LOCK_TRIES	300

/*
 * Keep other commands from changing the array.  Without /run there is no lock.  The file holds the
 * number of the process that has the lock.  Returns false if another one has it.
 */
static bool take_lock(const struct volume *volume, int *fd)
{
	char text[64];

	snprintf(text, sizeof(text), "/run/raizn-%s.lock",
		 uuid_text(volume->uuid).s);
	*fd = open(text, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (*fd < 0)
		return true;
	if (flock(*fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return false;
	/* Only for the message of those that wait. */
	if (!ftruncate(*fd, 0))
		dprintf(*fd, "%d\n", (int)getpid());
	return true;
}

static int lock_holder(int fd)
{
	char text[16] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 ? atoi(text) : 0;
}

/* Another command may wait for an answer of its user, or for a drive. */
static int wait_for_lock(struct running *running, const struct volume *volume)
{
	u32 tries;

	for (tries = 0; !take_lock(volume, &running->lock); tries++) {
		if (tries == LOCK_TRIES) {
			fail(TOOL_FAILED,
			     "%s: process %d, which changes it, has not ended for %u seconds: end it, or wait and try again",
			     volume->name, lock_holder(running->lock), LOCK_TRIES / 10);
			close(running->lock);
			running->lock = -1;
			return TOOL_FAILED;
		}
		close(running->lock);
		usleep(100000);
	}
	return TOOL_OK;
}

/* Drives of others, or of nobody, that cannot be read do not matter here. */
static int look(struct running *running)
{
	bool before;
	u32 nr, i;
	int ret;

	before = complaints_hold_back(true);
	ret = scan_system(&running->scan, SCAN_LOGS);
	complaints_hold_back(before);
	if (ret)
		return ret;
	running->arrays = scan_arrays(&running->scan, &nr);
	if (!running->arrays)
		return TOOL_FAILED;
	for (i = 0; i < nr; i++)
		if (!memcmp(running->arrays[i].uuid, running->state.volume.uuid,
			    RAIZN_UUID_SIZE))
			running->array = &running->arrays[i];
	roster_make(&running->roster, &running->state, &running->scan);
	return TOOL_OK;
}

static int open_volume(struct running *running, const struct volume *volume)
{
	int ret = volume_state_read_lines(volume, &running->state);

	if (!ret && !strcmp(running->state.state, "read-only"))
		ret = fail(TOOL_REFUSED,
			   "%s: read-only, so that its drives stay as they are; see 'raizn status %s'",
			   volume->name, volume->name);
	if (!ret)
		ret = look(running);
	if (ret)
		running_close(running);
	return ret;
}

int running_open(struct running *running, const char *wanted)
{
	struct volume volume;
	int ret;

	memset(running, 0, sizeof(*running));
	running->lock = -1;
	ret = volume_wanted(wanted, &volume);
	if (ret)
		return ret;
	ret = wait_for_lock(running, &volume);
	return ret ? ret : open_volume(running, &volume);
}

bool running_try(struct running *running, const struct volume *volume)
{
	memset(running, 0, sizeof(*running));
	/* A command may wait for its user: the monitor does not wait for that. */
	if (take_lock(volume, &running->lock))
		return !open_volume(running, volume);
	close(running->lock);
	return false;
}

void running_close(struct running *running)
{
	free(running->arrays);
	scan_free(&running->scan);
	if (running->lock >= 0)
		close(running->lock);
	memset(running, 0, sizeof(*running));
	running->lock = -1;
}

int running_slot(const struct running *running, const char *word, u32 *slot)
{
	const struct roster *roster = &running->roster;
	const char *name = running_name(running);
	struct stat st;
	u64 number;
	u32 i;

	if (parse_number(word, UINT32_MAX, &number)) {
		if (number >= roster->nr)
			return fail(TOOL_NOT_FOUND,
				    "%s: has no slot %s, its slots are 0 to %u",
				    name, word, roster->nr - 1);
		*slot = number;
		return TOOL_OK;
	}
	/* The node of a drive that was pulled out is gone, its name is known. */
	for (i = 0; i < roster->nr; i++) {
		const struct roster_slot *entry = &roster->slots[i];

		if (!entry->dev || (strcmp(word, entry->path) &&
				    strcmp(word, entry->node)))
			continue;
		*slot = i;
		return TOOL_OK;
	}
	if (stat(word, &st) || !S_ISBLK(st.st_mode))
		return fail(TOOL_NOT_FOUND,
			    "%s: neither a slot of %s nor a device; see 'raizn status %s'",
			    word, name, name);
	for (i = 0; i < roster->nr; i++) {
		if (roster->slots[i].dev != st.st_rdev)
			continue;
		*slot = i;
		return TOOL_OK;
	}
	return fail(TOOL_NOT_FOUND, "%s: not a drive of %s; see 'raizn status %s'",
		    word, name, name);
}

static bool takes_part(const struct volume_state *state, u32 slot)
{
	char letter = state->letters[slot];

	return letter == 'A' || letter == 'R';
}

/*
 * Which of the drives that say nothing of themselves is in which slot is not known.  But if all of
 * these are gone, so are those of all slots in which no other drive is.
 */
static u32 gone_members(const struct running *running)
{
	const struct roster_slot *slots = running->roster.slots;
	u32 mask = 0, i;

	for (i = 0; i < running->roster.nr; i++) {
		if (slots[i].member)
			continue;
		if (slots[i].dev && !slots[i].gone)
			return 0;
		if (takes_part(&running->state, i))
			mask |= 1U << i;
	}
	return mask;
}

int running_fail_gone(struct running *running, const char nodes[][NODE_SIZE])
{
	struct volume volume = running->state.volume;
	u32 mask = gone_members(running), i;
	int ret;

	if (!mask)
		return TOOL_OK;
	for (i = 0; i < running->roster.nr; i++) {
		if (!(mask & (1U << i)))
			continue;
		ret = running_fail(running, i, true);
		if (ret)
			return ret;
		printf("%s: member %u (%s) is called failed now, its drive is gone\n",
		       running_name(running), i,
		       nodes ? nodes[i] : running->roster.slots[i].node);
	}
	return volume_state_read_lines(&volume, &running->state);
}

/* The kernel cannot open drives that are gone: a table names them only while they take part. */
static int reload(const struct running *running, u32 slot, dev_t dev,
		  int rebuild)
{
	const struct roster_slot *slots = running->roster.slots;
	const struct volume_state *state = &running->state;
	dev_t devices[RAIZN_MAX_MEMBERS];
	struct volume_state now;
	int ret;
	u32 i;

	ret = volume_state_read_lines(&state->volume, &now);
	if (ret)
		return ret;
	memcpy(devices, state->devices, sizeof(devices));
	for (i = 0; i < running->roster.nr; i++)
		if (slots[i].dev && !device_exists(slots[i].dev) && !takes_part(&now, i))
			devices[slots[i].place] = 0;
	devices[slots[slot].place] = dev;
	return volume_reload(&state->volume,
			     volume_table(state, devices, rebuild).s);
}

int running_remove(const struct running *running, u32 slot)
{
	return reload(running, slot, 0, -1);
}

/* A table can be right, and the drive may fail when the array begins to use it. */
static int check_taken(const struct running *running, u32 slot)
{
	const char *name = running_name(running);
	struct volume_state now;
	int ret;

	ret = volume_state_read(&running->state.volume, &now);
	if (ret || now.letters[slot] == 'R' || now.letters[slot] == 'A')
		return ret;
	running_remove(running, slot);
	return fail(TOOL_FAILED,
		    "%s: did not take the drive into slot %u; see the kernel log and 'raizn status %s'",
		    name, slot, name);
}

/* From here on the slot lacks a drive for another reason than a start that left it out. */
static void forget_left_out(const struct running *running, u32 slot)
{
	const struct array *array = running->array;

	if (array)
		history_leave_out(array->uuid, member_sb(array->newest)->members[slot].uuid, 0);
}

int running_rebuild(const struct running *running, u32 slot, dev_t dev)
{
	int ret = TOOL_OK;

	/* Held on to, it keeps its name in the kernel from a drive that has come back by it. */
	if (running->roster.slots[slot].gone)
		ret = running_remove(running, slot);
	if (!ret)
		ret = reload(running, slot, dev, slot);
	if (ret)
		return ret;
	forget_left_out(running, slot);
	return check_taken(running, slot);
}

int running_fail(const struct running *running, u32 slot, bool lose)
{
	char text[32];

	snprintf(text, sizeof(text), "fail %u%s", slot, lose ? " lose" : "");
	return volume_message(&running->state.volume, text);
}
