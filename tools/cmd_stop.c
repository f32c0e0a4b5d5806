// SPDX-License-Identifier: GPL-2.0
/*
 * raizn stop
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tool.h"
#include "assembly.h"
#include "holders.h"
#include "onlooker.h"
#include "progress.h"
#include "roster.h"
#include "text.h"
#include "volume_state.h"

static const char help[] =
"usage: raizn stop NAME|UUID [--[no-]progress]\n"
"       raizn stop --all [--[no-]progress]\n"
"\n"
"Stops a running array: everything is made durable and the array is marked as\n"
"cleanly stopped. A volume that is mounted, mapped or open is left running.\n"
"\n"
"  --all          stop every running array\n"
"  --progress     show that it waits also without a terminal\n"
"  --no-progress  never show that\n";

/* udev opens what was changed for a moment; tries and milliseconds between. */
#define OPEN_TRIES	25
#define OPEN_WAIT	200

/* Refuse to stop what is used. */
static int check_unused(const struct volume *volume)
{
	dev_t dev = makedev(volume->major, volume->minor);
	char user[400] = "opened, it cannot be seen by whom";
	struct volume now = *volume;
	u32 try;

	for (try = 0; try < OPEN_TRIES; try++) {
		if (!now.open_count)
			return TOOL_OK;
		if (find_owner(dev, user, sizeof(user)))
			break;
		usleep(OPEN_WAIT * 1000);
		if (!volume_by_uuid(volume->uuid, &now))
			return TOOL_OK;
	}
	if (try == OPEN_TRIES)
		find_process(dev, user, sizeof(user));
	return fail(TOOL_REFUSED, "%s: in use: %s; end that first",
		    volume->name, user);
}

/*
 * Did the array get to mark its drives, and is there a scrub that goes on at the next
 * start?  It has just used them, so they are asked whatever else is on top of them.
 */
static int check_clean(const struct volume_state *state, bool *clean, bool *goes_on)
{
	const struct volume *volume = &state->volume;
	struct assembly assembly;
	struct array *arrays;
	struct scan scan;
	u32 nr, i;
	int ret;

	ret = scan_numbers(&scan, state->devices, state->nr_devices);
	if (ret)
		return ret;
	arrays = scan_arrays(&scan, &nr);
	for (i = 0; arrays && i < nr; i++)
		if (!memcmp(arrays[i].uuid, volume->uuid, RAIZN_UUID_SIZE)) {
			*clean = array_assemble(&arrays[i], &assembly) &&
				 assembly.clean;
			*goes_on = le32_to_cpu(member_sb(arrays[i].newest)->scrub) &
				   RAIZN_SB_SCRUB;
		}
	free(arrays);
	scan_free(&scan);
	return TOOL_OK;
}

/* Are drives gone, which the array may not have noticed before it was stopped? */
static bool drives_are_gone(const struct volume_state *state)
{
	u32 i;

	for (i = 0; i < state->nr_devices; i++)
		if (state->devices[i] && !device_exists(state->devices[i]))
			return true;
	return false;
}

/* A start, or whoever began it, was killed in the middle, or somebody gave it another table:
 * there is nothing to stop.
 */
static int clear_away(const struct volume *volume, const char *what)
{
	int ret = volume_remove(volume);

	if (!ret)
		printf("%s: removed %s; the array did not run\n",
		       volume->name, what);
	return ret;
}

static int stop(const struct volume *volume)
{
	struct volume_state state;
	bool clean = false, goes_on = false, known = false, before;
	char target[32];
	int ret;

	if (!volume->has_table)
		return clear_away(volume, "the remains of an interrupted start");
	ret = check_unused(volume);
	if (!ret && volume_is_foreign(volume, target, sizeof(target)))
		return clear_away(volume, "a mapped device that was none of an array");
	if (!ret) {
		before = complaints_hold_back(true);
		known = !volume_state_read_lines(volume, &state);
		complaints_hold_back(before);
		onlooker_of_stop(volume->name);
		ret = volume_remove(volume);
		onlooker_end(!ret);
	}
	/* A module of another version stops, too. */
	if (!ret && !known) {
		printf("%s: stopped; 'raizn status %s' tells whether cleanly\n",
		       volume->name, volume->name);
		return TOOL_OK;
	}
	if (!ret && !strcmp(state.state, "failed")) {
		printf("%s: stopped; it had failed, so that the next start recovers it\n",
		       volume->name);
		return TOOL_OK;
	}
	if (!ret && state.retired_zones) {
		printf("%s: stopped; after the next start read-only zones can be read in part at most\n",
		       volume->name);
		return TOOL_OK;
	}
	if (!ret && state.unwritable_zones) {
		printf("%s: stopped; the next start makes its read-only zones writable again\n",
		       volume->name);
		return TOOL_OK;
	}
	if (!ret)
		ret = check_clean(&state, &clean, &goes_on);
	if (ret)
		return ret;
	if (!strcmp(state.state, "read-only")) {
		printf("%s: stopped; it was read-only, nothing was written to its drives%s\n",
		       volume->name, clean ? "" : ", so that the next start recovers it");
		return TOOL_OK;
	}
	if (!clean && drives_are_gone(&state)) {
		printf("%s: stopped; drives were gone, so that the next start recovers it\n",
		       volume->name);
		return TOOL_OK;
	}
	if (!clean)
		return fail(TOOL_FAILED, "%s: stopped, but not cleanly; see the kernel log",
			    volume->name);
	printf("%s: stopped\n", volume->name);
	if (is_scrubbing(&state) && goes_on && strcmp(state.state, "degraded"))
		printf("%s: a %s was under way; it goes on when the array is started\n",
		       volume->name, action_names[state.action]);
	return TOOL_OK;
}

static int stop_one(const char *wanted)
{
	struct volume volume;
	int ret;

	ret = volume_wanted(wanted, &volume);
	return ret ? ret : stop(&volume);
}

static int stop_all(void)
{
	struct volume *volumes;
	int first = TOOL_OK;
	u32 nr, i;
	int ret;

	ret = volume_list(&volumes, &nr);
	if (ret)
		return ret;
	for (i = 0; i < nr; i++) {
		ret = stop(&volumes[i]);
		if (!first)
			first = ret;
	}
	free(volumes);
	return first;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		PROGRESS_OPTIONS,
		{ }
	};
	bool all = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 'a')
			all = true;
		else if (!progress_option(option))
			return fail_option(self, argv, option);
	}
	if (all && optind == argc)
		return stop_all();
	if (all || argc - optind != 1)
		return fail_usage(self, "name one array, or use --all");
	return stop_one(argv[optind]);
}

const struct command command_stop = {
	.name = "stop",
	.help = help,
	.needs_root = true,
	.run = run,
};
