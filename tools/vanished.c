// SPDX-License-Identifier: GPL-2.0
/*
 * Drives that are gone while nobody asks them for anything.
 */
#include <stdio.h>

#include "running.h"
#include "tool.h"
#include "vanished.h"

static bool takes_part(const struct volume_state *state, u32 slot)
{
	return state->letters[slot] == 'A' || state->letters[slot] == 'R';
}

/* Are there as many drives as members that take part? */
static bool all_there(const struct volume_state *state)
{
	u32 members = 0, drives = 0, i;

	for (i = 0; i < state->nr_members; i++)
		members += takes_part(state, i);
	for (i = 0; i < state->nr_devices; i++)
		drives += state->devices[i] && device_exists(state->devices[i]);
	return drives >= members;
}

bool vanished_is_due(struct watched *array)
{
	if (array->seen && !all_there(&array->state))
		return !array->vanished;
	array->vanished = false;
	return false;
}

bool vanished_fail(struct watched *array)
{
	struct running running;

	if (!vanished_is_due(array))
		return false;
	if (!running_try(&running, &array->state.volume))
		return true;
	running_fail_gone(&running, array->nodes);
	/*
	 * Once for each loss: what the kernel does not do now it will not do later, and a
	 * look at drives of which several are silent is not for every event.
	 */
	array->vanished = true;
	running_close(&running);
	return false;
}
