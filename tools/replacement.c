// SPDX-License-Identifier: GPL-2.0
/*
 * Giving a slot of a running array a drive.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "erase.h"
#include "confirm.h"
#include "replacement.h"
#include "trial.h"
#include "same_drive.h"
#include "scheduler.h"
#include "service.h"

/* The array's writes are multiples of this many bytes on each of its drives. */
static u32 write_granularity(const struct array *array)
{
	u32 largest = 0, i;

	for (i = 0; i < RAIZN_MAX_MEMBERS; i++)
		if (array->slots[i] &&
		    array->slots[i]->drive.write_granularity > largest)
			largest = array->slots[i]->drive.write_granularity;
	return largest;
}

int replacement_vacancy(const struct running *running, u32 slot,
			struct vacancy *vacancy)
{
	const struct array *array = running->array;

	if (!array || array->newest->verdict != MEMBER_SOUND)
		return fail(TOOL_FAILED,
			    "%s: none of its drives can be read, so no other can be compared with them; see the kernel log",
			    running_name(running));
	*vacancy = (struct vacancy) {
		.like = array->newest,
		.slot = slot,
		.write_granularity = write_granularity(array),
		.max_open = running->state.max_open,
		.max_active = running->state.max_active,
	};
	return TOOL_OK;
}

int replacement_check_alone(const struct running *running, u32 slot, dev_t dev,
			    const char *path)
{
	char node[64];
	u32 i;

	for (i = 0; i < running->roster.nr; i++)
		if (i != slot && running->roster.slots[i].dev &&
		    drive_shared(dev, running->roster.slots[i].dev, node,
				 sizeof(node)))
			return fail(TOOL_REFUSED,
				    "%s: on the drive %s, as is slot %u of %s; give another drive",
				    path, node, i, running_name(running));
	return TOOL_OK;
}

static int erase_drive(const struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	struct progress progress;
	int fd, ret;

	fd = drive_open_zones(drive, O_RDWR);
	if (fd < 0)
		return fail(TOOL_FAILED, "%s: cannot be opened for writing: %m",
			    drive->path);
	progress_begin(&progress, (struct amount) {
			       .unit = AMOUNT_ZONES,
			       .total = candidate_written_zones(candidate) },
		       "erasing %s", drive->path);
	progress_on_signal("interrupted: a part of the contents of %s is destroyed; it belongs to no array",
			   drive->path);
	ret = candidate_erase(candidate, fd, &progress);
	progress_end(&progress);
	zbd_close(fd);
	return ret;
}

int replacement_prepare(const struct candidate *candidate, bool erase)
{
	int ret = TOOL_OK;

	if (scheduler_needed())
		ret = scheduler_set(&candidate->member.drive);
	if (!ret && erase && *candidate->destroys)
		printf("destroys on %s: %s\n", candidate->member.drive.path,
		       candidate->destroys);
	if (!ret && erase)
		ret = erase_drive(candidate);
	return ret;
}

int replacement_take(const struct running *running, u32 slot,
		     struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	const char *name = running_name(running);
	int ret;

	/* The array wants the drive for itself. */
	candidate_release(candidate);
	ret = running_rebuild(running, slot, drive->dev);
	if (!ret) {
		drive_tell_udev(drive);
		printf("%s: %s is in slot %u now and is being rebuilt; 'raizn rebuild %s --wait' waits for the end\n",
		       name, drive->path, slot, name);
	}
	return ret;
}

/* Is or was the member of a slot on this device? */
static bool is_drive_of(const struct running *running, u32 slot, dev_t dev)
{
	const struct member *member = running->array ? running->array->slots[slot] : NULL;

	return running->roster.slots[slot].dev == dev ||
	       (member && member->drive.dev == dev);
}

/* A slot that lacks a member: that of the device, if it has one, or else the first. */
static int find_slot(const struct running *running, dev_t dev, u32 *slot)
{
	const struct volume_state *state = &running->state;
	u32 gone = slots_with_letter(state, 'F') | slots_with_letter(state, '-');
	const char *name = running_name(running);
	u32 i;

	if (!gone && slots_with_letter(state, 'R'))
		return fail(TOOL_REFUSED,
			    "%s: no slot lacks a drive, one is being rebuilt; see 'raizn status %s'",
			    name, name);
	if (!gone)
		return fail(TOOL_REFUSED,
			    "%s: all %u members are there; to exchange one use 'raizn replace %s SLOT DEVICE'",
			    name, state->nr_members, name);
	*slot = __builtin_ctz(gone);
	for (i = 0; i < state->nr_members && dev; i++)
		if (gone & (1U << i) && is_drive_of(running, i, dev))
			*slot = i;
	return service_check_spared(running, *slot);
}

/* A member that failed, but whose drive was never let go of. */
static int take_back(const struct running *running, u32 slot)
{
	const struct roster_slot *entry = &running->roster.slots[slot];
	const char *name = running_name(running);
	int ret;

	if (!entry->member || entry->member->verdict != MEMBER_SOUND || entry->member->partial)
		return fail(TOOL_REFUSED,
			    "%s: the drive cannot read all of its metadata; if it works otherwise, 'raizn remove %s %u' and add it with --force",
			    entry->path, name, slot);
	ret = running_rebuild(running, slot, entry->dev);
	if (!ret)
		printf("%s: %s is back in slot %u; the data that it missed is being rebuilt\n",
		       name, entry->path, slot);
	return ret;
}

int replacement_confirm(const struct running *running, u32 slot, bool force)
{
	const struct volume_state *state = &running->state;

	if (!state->damaged_zones ||
	    !((slots_with_letter(state, 'F') | slots_with_letter(state, '-')) & (1U << slot)))
		return TOOL_OK;
	return confirm(force,
		       "%s: %llu zones lack data that may be on the former drive of slot %u; with another drive there it cannot be taken back, and that data is lost",
		       running_name(running), (unsigned long long)state->damaged_zones, slot);
}

int replacement_add(struct running *running, const char *path, bool force)
{
	struct candidate *candidate;
	struct vacancy vacancy;
	struct stat st = { };
	bool former;
	u32 slot = 0;
	int ret;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		st.st_rdev = 0;
	ret = running_fail_gone(running, NULL);
	if (!ret)
		ret = find_slot(running, st.st_rdev, &slot);
	if (ret)
		return ret;
	if (st.st_rdev && running->roster.slots[slot].dev == st.st_rdev)
		return take_back(running, slot);
	ret = replacement_vacancy(running, slot, &vacancy);
	if (!ret && st.st_rdev)
		ret = replacement_check_alone(running, slot, st.st_rdev, path);
	if (!ret)
		ret = candidate_open_for(path, &vacancy, true,
					 force ? CONTENT_DESTROY : CONTENT_ASK,
					 &candidate);
	if (ret)
		return ret;
	former = vacancy_is_former(&vacancy, &candidate->member);
	if (!former)
		ret = replacement_confirm(running, slot, force);
	if (!ret && !former)
		ret = drives_try(candidate, 1);
	if (!ret)
		ret = replacement_prepare(candidate, !former);
	if (!ret)
		ret = replacement_take(running, slot, candidate);
	candidates_close(candidate, 1);
	return ret;
}
