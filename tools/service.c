// SPDX-License-Identifier: GPL-2.0
/*
 * What the commands share that change the members of a running array.
 */
#include <getopt.h>

#include "progress.h"
#include "service.h"

int service_parse_force(const struct command *self, int argc, char **argv,
			bool *force)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, 'f' },
		PROGRESS_OPTIONS,
		{ }
	};
	int option;

	*force = false;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 'f')
			*force = true;
		else if (!progress_option(option))
			return fail_option(self, argv, option);
	}
	return TOOL_OK;
}

bool service_slot_gone(const struct running *running, u32 slot)
{
	char letter = running->state.letters[slot];

	return letter == 'F' || letter == '-';
}

/* Members that parity makes up for; 1 if no drive tells of the array. */
static u32 most_gone(const struct running *running)
{
	const struct array *array = running->array;

	return array && array->newest->verdict == MEMBER_SOUND ?
	       array->newest->geo.nr_parity : 1;
}

int service_check_spared(const struct running *running, u32 slot)
{
	const struct volume_state *state = &running->state;
	const char *name = running_name(running);
	u32 most = most_gone(running), others = 0, i;

	if (strcmp(state->state, "active") && strcmp(state->state, "degraded"))
		return fail(TOOL_REFUSED,
			    "%s: it is %s, its members cannot be changed now; see 'raizn status %s'",
			    name, state->state, name);

	if (!most)
		return fail(TOOL_REFUSED,
			    "%s: it is of level 0 and cannot do without any member",
			    name);
	/* A member that is gone is not given up again. */
	if (service_slot_gone(running, slot))
		return TOOL_OK;
	for (i = 0; i < state->nr_members; i++) {
		if (i == slot || state->letters[i] == 'A' || ++others < most)
			continue;
		return fail(TOOL_REFUSED,
			    "%s: it works without %s already and cannot do without %s as well; see 'raizn status %s'",
			    name, roster_text(&running->roster, i).s,
			    roster_text(&running->roster, slot).s, name);
	}
	/* With nothing to rebuild them, the array knows whose columns they lack. */
	if (most == 1 && state->letters[slot] == 'A' && state->degraded_zones &&
	    state->action == ACTION_REBUILD)
		return fail(TOOL_REFUSED,
			    "%s: %llu of its zones are being rebuilt and need all members; wait for that ('raizn rebuild %s --wait')",
			    name, (unsigned long long)state->degraded_zones,
			    name);
	return TOOL_OK;
}
