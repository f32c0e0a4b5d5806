// SPDX-License-Identifier: GPL-2.0
/*
 * raizn replace
 */
#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>

#include "confirm.h"
#include "replacement.h"
#include "service.h"
#include "trial.h"

static const char help[] =
"usage: raizn replace NAME|UUID SLOT|OLD-DEVICE NEW-DEVICE [--force]\n"
"                     [--[no-]progress]\n"
"\n"
"Puts a drive in the place of a member, and rebuilds what that held, while the array\n"
"is in use. The drive must have zones like those of the array's drives and enough of\n"
"them; it may be larger. A member that still works is called failed first: until the\n"
"rebuild is done the array survives no further failure.\n"
"\n"
"  --force        do not ask; destroy the contents of the new drive\n"
"  --progress     show how far the new drive is erased also without a terminal\n"
"  --no-progress  never show that\n";

/* A drive of the array would only be called busy. */
static int check_new(const struct running *running, u32 slot, const char *path)
{
	const char *name = running_name(running);
	struct stat st;
	u32 i;

	if (stat(path, &st) || !S_ISBLK(st.st_mode))
		return TOOL_OK;	/* whoever opens it says more */
	for (i = 0; i < running->roster.nr; i++)
		if (running->roster.slots[i].dev == st.st_rdev)
			return fail(TOOL_REFUSED,
				    "%s: is in slot %u of %s already; give another drive, or take it back with 'raizn add %s %s'",
				    path, i, name, name, path);
	return replacement_check_alone(running, slot, st.st_rdev, path);
}

/*
 * A member that works is given up only for a drive that is ready, and a drive is emptied
 * only for a member that can be given up: which comes first depends on what is in doubt.
 */
static int confirm_fail(const struct running *running, u32 slot, bool force)
{
	if (service_slot_gone(running, slot))
		return TOOL_OK;
	return confirm(force,
		       "%s: %s works and will be called failed; until the new drive is rebuilt the array survives no further failure",
		       running_name(running),
		       roster_text(&running->roster, slot).s);
}

static int free_slot(const struct running *running, u32 slot)
{
	struct slot_text who = roster_text(&running->roster, slot);
	const char *name = running_name(running);
	int ret;

	if (service_slot_gone(running, slot))
		return TOOL_OK;
	ret = running_fail(running, slot, false);
	if (!ret)
		printf("%s: %s is called failed now\n", name, who.s);
	return ret;
}

/* Zones that lack columns may need it, and sectors that other drives could not read. */
static bool is_in_doubt(const struct running *running, u32 slot)
{
	const struct volume_state *state = &running->state;
	u32 i;

	for (i = 0; i < state->nr_members; i++)
		if (i != slot && state->errors[i].read)
			return true;
	return state->degraded_zones;
}

static int replace(struct running *running, const char *word, const char *path,
		   bool force)
{
	bool free_first;
	struct candidate *candidate;
	struct vacancy vacancy;
	u32 slot;
	int ret;

	ret = running_slot(running, word, &slot);
	if (!ret)
		ret = running_fail_gone(running, NULL);
	if (!ret)
		ret = service_check_spared(running, slot);
	if (!ret)
		ret = check_new(running, slot, path);
	if (!ret)
		ret = replacement_vacancy(running, slot, &vacancy);
	if (!ret)
		ret = candidate_open_for(path, &vacancy, false,
					 force ? CONTENT_DESTROY : CONTENT_ASK,
					 &candidate);
	if (ret)
		return ret;
	free_first = is_in_doubt(running, slot);
	ret = confirm_fail(running, slot, force);
	if (!ret)
		ret = replacement_confirm(running, slot, force);
	if (!ret)
		ret = drives_try(candidate, 1);
	if (!ret && free_first)
		ret = free_slot(running, slot);
	if (!ret)
		ret = replacement_prepare(candidate, true);
	if (!ret && !free_first)
		ret = free_slot(running, slot);
	if (!ret)
		ret = replacement_take(running, slot, candidate);
	candidates_close(candidate, 1);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	struct running running;
	bool force;
	int ret;

	ret = service_parse_force(self, argc, argv, &force);
	if (ret)
		return ret;
	if (argc - optind != 3)
		return fail_usage(self,
				  "name an array, one of its members and the new drive");
	ret = running_open(&running, argv[optind]);
	if (ret)
		return ret;
	ret = replace(&running, argv[optind + 1], argv[optind + 2], force);
	running_close(&running);
	return ret;
}

const struct command command_replace = {
	.name = "replace",
	.help = help,
	.needs_root = true,
	.run = run,
};
