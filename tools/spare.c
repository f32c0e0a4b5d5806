// SPDX-License-Identifier: GPL-2.0
/*
 * Hot spares: blank drives that take the place of a member that fails.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "answer.h"
#include "replacement.h"
#include "spare.h"
#include "tool.h"
#include "trial.h"

/* Of a tenth of a second. */
#define LOCK_TRIES	20

static void look_at(const char *path)
{
	struct candidate *candidate;
	char *node = (char *)path;

	if (!candidates_open(&node, 1, false, &candidate))
		candidates_close(candidate, 1);
}

void spares_check(struct spare *spares, u32 nr)
{
	struct candidate *candidate;
	char *path;
	u32 i;

	for (i = 0; i < nr; i++) {
		path = (char *)spares[i].path;
		if (!drive_answers(path, look_at)) {
			complain("%s: does not answer; it is looked at again when a spare is needed",
				 path);
			continue;
		}
		if (!candidates_open(&path, 1, false, &candidate)) {
			candidates_close(candidate, 1);
			continue;
		}
		complain("%s: not used as a spare", spares[i].path);
		spares[i].gone = true;
	}
}

/*
 * Lock a spare, so that it is not given to another array at the same time; udev takes such a
 * lock for a moment.  False if another process has it.  A drive that cannot be opened has no
 * lock, @fd is -1: try_spare() tells of it.
 */
static bool lock(const struct spare *spare, int *fd)
{
	u32 tries;

	*fd = open(spare->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	for (tries = 0; *fd >= 0 && flock(*fd, LOCK_EX | LOCK_NB); tries++) {
		if (tries == LOCK_TRIES) {
			close(*fd);
			return false;
		}
		usleep(100000);
	}
	return true;
}

/* Who was given once and did not work is not given again. */
static int use(struct spare *spare, const struct running *running, u32 slot)
{
	struct candidate *candidate;
	struct vacancy vacancy;
	int ret;

	ret = replacement_vacancy(running, slot, &vacancy);
	if (!ret)
		ret = candidate_open_for(spare->path, &vacancy, false,
					 CONTENT_REFUSE, &candidate);
	if (ret)
		return ret;
	/* It is blank, or it would have been refused. */
	ret = drives_try(candidate, 1);
	if (ret == TOOL_REFUSED) {
		spare->gone = true;
		complain("%s: not used as a spare any more", spare->path);
	}
	if (!ret)
		ret = replacement_prepare(candidate, false);
	if (!ret) {
		complaints_hold_back(false);
		ret = replacement_take(running, slot, candidate);
		spare->gone = true;
		if (ret)
			complain("%s: not used as a spare any more",
				 spare->path);
	}
	candidates_close(candidate, 1);
	return ret;
}

/* Has somebody given the slot a drive that the array is about to take? */
static bool is_given(const struct running *running, u32 slot)
{
	return running->state.letters[slot] == '-' &&
	       running->roster.slots[slot].dev;
}

/*
 * The slot to fill; false if there is none, or nothing left to fill it from, or if zones lack data
 * that may be on the drive of a failed member: then its owner decides.
 */
static bool find_slot(const struct volume_state *state, u32 *slot)
{
	u32 gone = slots_with_letter(state, 'F') | slots_with_letter(state, '-');

	if (!gone || strcmp(state->state, "degraded") || state->damaged_zones)
		return false;
	*slot = __builtin_ctz(gone);
	return true;
}

/* Returns whether no other one is to be tried now. */
static bool try_spare(struct spare *spare, const struct watched *array)
{
	struct running running;
	bool wanted;
	u32 slot;

	if (!running_try(&running, &array->state.volume))
		return true;
	wanted = find_slot(&running.state, &slot) && !is_given(&running, slot);
	if (wanted)
		wanted = use(spare, &running, slot);
	running_close(&running);
	return !wanted;
}

bool spares_are_due(const struct spare *spares, u32 nr, struct watched *array)
{
	u32 slot, i;

	if (!array->seen || !find_slot(&array->state, &slot)) {
		array->refused = 0;
		return false;
	}
	for (i = 0; i < nr; i++)
		if (!spares[i].gone)
			return true;
	return false;
}

bool spares_use(struct spare *spares, u32 nr, struct watched *array)
{
	bool waits = false, done = false, before;
	int fd;
	u32 i;

	if (!spares_are_due(spares, nr, array))
		return false;
	for (i = 0; i < nr && !done; i++) {
		if (spares[i].gone)
			continue;
		waits = true;
		if (!lock(&spares[i], &fd))
			continue;
		before = complaints_hold_back(array->refused & (1ULL << i));
		done = try_spare(&spares[i], array);
		complaints_hold_back(before);
		if (!done)
			array->refused |= 1ULL << i;
		if (fd >= 0)
			close(fd);
	}
	return waits;
}
