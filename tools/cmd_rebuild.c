// SPDX-License-Identifier: GPL-2.0
/*
 * raizn rebuild
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "assembly.h"
#include "progress.h"

static const char help[] =
"usage: raizn rebuild NAME|UUID [--wait]\n"
"\n"
"Tells how far the rebuild of a member, or of single zones, is. It begins by itself\n"
"as soon as something is missing and there is a drive for it.\n"
"\n"
"  --wait  until it is done; fails if the array is not whole then\n";

static bool is_rebuilding(const struct volume_state *state)
{
	return state->action == ACTION_REBUILD ||
	       slots_with_letter(state, 'R');
}

static int tell_end(const struct volume_state *state, bool must_be_whole)
{
	u32 gone = slots_with_letter(state, 'F') | slots_with_letter(state, '-');
	const char *name = state->volume.name;
	int code = must_be_whole ? TOOL_FAILED : TOOL_OK;

	if (gone)
		printf("%s: nothing is rebuilt, no drive for the member of %s; see 'raizn status %s'\n",
		       name, slots_text(gone).s, name);
	else if (state->degraded_zones)
		printf("%s: nothing is rebuilt, but %llu zones lack a column; see 'raizn status %s'\n",
		       name, (unsigned long long)state->degraded_zones, name);
	else
		printf("%s: all members are whole\n", name);
	return gone || state->degraded_zones ? code : TOOL_OK;
}

static int rebuild(const char *wanted, bool wait)
{
	struct volume_state state;
	struct volume volume;
	int ret;

	ret = volume_wanted(wanted, &volume);
	if (!ret)
		ret = volume_state_read_lines(&volume, &state);
	if (!ret && wait)
		ret = progress_wait(&state, is_rebuilding);
	if (ret)
		return ret;
	if (!is_rebuilding(&state))
		return tell_end(&state, wait);
	if (state.action == ACTION_REBUILD)
		printf("%s: rebuild %s\n", volume.name, progress_text(&state).s);
	else
		printf("%s: the rebuild of %s waits\n", volume.name,
		       slots_text(slots_with_letter(&state, 'R')).s);
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "wait", no_argument, NULL, 'w' },
		{ }
	};
	bool wait = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'w')
			return fail_option(self, argv, option);
		wait = true;
	}
	if (argc - optind != 1)
		return fail_usage(self, "name one array");
	return rebuild(argv[optind], wait);
}

const struct command command_rebuild = {
	.name = "rebuild",
	.help = help,
	.needs_root = true,
	.run = run,
};
