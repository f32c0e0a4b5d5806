// SPDX-License-Identifier: GPL-2.0
/*
 * raizn rebuild
 */
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>

#include "tool.h"
#include "assembly.h"
#include "background.h"
#include "progress.h"
#include "running.h"
#include "text.h"

static const char help[] =
"usage: raizn rebuild NAME|UUID [--wait [--[no-]progress]]\n"
"\n"
"Tells how far the rebuild of a member, or of single zones, is. It begins by itself\n"
"as soon as something is missing and there is a drive for it. What was tried and could\n"
"not be done is tried again by this command.\n"
"\n"
"  --wait         until it is done; fails if the array is not whole then\n"
"  --progress     show how far it is also without a terminal\n"
"  --no-progress  never show that\n";

/* How long a rebuild may take to begin: tries and milliseconds between. */
#define BEGIN_TRIES	20
#define BEGIN_WAIT	100

/* Is all that is missing in zones that nothing can bring back? */
static bool only_damage_is_left(const struct volume_state *state)
{
	struct volume_state whole;

	return !volume_state_read(&state->volume, &whole) &&
	       whole.zones[ZONES_READ_ONLY] &&
	       whole.degraded_zones <= whole.zones[ZONES_READ_ONLY];
}

static bool can_rebuild(const struct volume_state *state)
{
	return slots_with_letter(state, 'R') &&
	       (!strcmp(state->state, "degraded") ||
		!strcmp(state->state, "active"));
}

/* It may be about to begin. */
static bool is_rebuilding(const struct volume_state *state)
{
	struct volume_state now = *state;
	u32 try;

	for (try = 0; try < BEGIN_TRIES; try++) {
		if (now.action == ACTION_REBUILD)
			return true;
		if (!can_rebuild(&now) || only_damage_is_left(&now))
			return false;
		usleep(BEGIN_WAIT * 1000);
		if (volume_state_read(&state->volume, &now))
			return false;
	}
	return now.action == ACTION_REBUILD;
}

/* Is something missing that could be there? */
static bool is_stuck(const struct volume_state *state)
{
	return !strcmp(state->state, "degraded") &&
	       state->action == ACTION_IDLE && !state->volume.suspended &&
	       !(slots_with_letter(state, 'F') | slots_with_letter(state, '-')) &&
	       state->degraded_zones && !only_damage_is_left(state);
}

/*
 * When the kernel goes on after it was suspended, zones that members gave up are free
 * again, and it takes no failure for granted.
 */
static int try_again(struct volume_state *state)
{
	struct volume volume = state->volume;
	struct running running;
	u32 try;
	int ret;

	ret = running_open(&running, volume.name);
	if (ret)
		return ret;
	printf("%s: tries again to rebuild the columns that could not be rebuilt\n",
	       running_name(&running));
	ret = volume_cycle(&volume);
	running_close(&running);
	/* It begins a moment later, and may have ended by then. */
	for (try = 0; !ret && try < BEGIN_TRIES; try++) {
		ret = volume_state_read_lines(&volume, state);
		if (!ret && !is_stuck(state))
			break;
		usleep(BEGIN_WAIT * 1000);
	}
	return ret;
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
		printf("%s: nothing is rebuilt, but %llu zone%s lack%s a column; see 'raizn status %s'\n",
		       name, (unsigned long long)state->degraded_zones,
		       plural(state->degraded_zones),
		       state->degraded_zones == 1 ? "s" : "", name);
	else
		printf("%s: all members are whole\n", name);
	return gone || state->degraded_zones ? code : TOOL_OK;
}

static int rebuild(const char *wanted, bool wait)
{
	struct volume_state state;
	struct volume volume;
	bool goes_on;
	int ret;

	ret = volume_wanted(wanted, &volume);
	if (!ret)
		ret = volume_state_read_lines(&volume, &state);
	if (!ret && !is_rebuilding(&state) && is_stuck(&state))
		ret = try_again(&state);
	if (!ret && wait)
		ret = background_wait(&state, is_rebuilding);
	if (ret)
		return ret;
	goes_on = is_rebuilding(&state);
	/* That may have taken a while. */
	ret = volume_state_read_lines(&volume, &state);
	if (ret)
		return ret;
	if (!goes_on || (state.action != ACTION_REBUILD &&
			 !slots_with_letter(&state, 'R')))
		return tell_end(&state, wait);
	if (state.action == ACTION_REBUILD)
		printf("%s: rebuild %s\n", volume.name, background_text(&state).s);
	else
		printf("%s: the rebuild of %s waits\n", volume.name,
		       slots_text(slots_with_letter(&state, 'R')).s);
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "wait", no_argument, NULL, 'w' },
		PROGRESS_OPTIONS,
		{ }
	};
	bool wait = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 'w')
			wait = true;
		else if (!progress_option(option))
			return fail_option(self, argv, option);
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
