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

int service_check_spared(const struct running *running, u32 slot)
{
	const struct volume_state *state = &running->state;
	const char *name = running_name(running);
	u32 others = ~(1U << slot), i;

	if (strcmp(state->state, "active") && strcmp(state->state, "degraded"))
		return fail(TOOL_REFUSED,
			    "%s: it is %s, its members cannot be changed now; see 'raizn status %s'",
			    name, state->state, name);

	for (i = 0; i < state->nr_members; i++)
		if (others & (1U << i) && state->letters[i] != 'A')
			return fail(TOOL_REFUSED,
				    "%s: it works without %s already and cannot do without %s as well; see 'raizn status %s'",
				    name, roster_text(&running->roster, i).s,
				    roster_text(&running->roster, slot).s, name);
	/* With nothing to rebuild them, the array knows whose columns they lack. */
	if (state->letters[slot] == 'A' && state->degraded_zones &&
	    state->action == ACTION_REBUILD)
		return fail(TOOL_REFUSED,
			    "%s: %llu of its zones are being rebuilt and need all members; wait for that ('raizn rebuild %s --wait')",
			    name, (unsigned long long)state->degraded_zones,
			    name);
	return TOOL_OK;
}
