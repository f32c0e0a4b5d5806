// SPDX-License-Identifier: GPL-2.0
/*
 * raizn add
 */
#include <getopt.h>
#include <stdio.h>
#include <sys/stat.h>

#include "replacement.h"
#include "service.h"

static const char help[] =
"usage: raizn add NAME|UUID DEVICE [--force]\n"
"\n"
"Gives the slot that lacks a member a drive: the drive that was there before, of which\n"
"only what it missed is rebuilt, or a blank one.\n"
"\n"
"  --force  destroy what a drive holds that was not there before\n";

/* The one slot that lacks a member. */
static int find_slot(const struct running *running, u32 *slot)
{
	const struct volume_state *state = &running->state;
	u32 gone = slots_with_letter(state, 'F') | slots_with_letter(state, '-');
	const char *name = running_name(running);

	if (!gone && slots_with_letter(state, 'R'))
		return fail(TOOL_REFUSED,
			    "%s: no slot lacks a drive, one is being rebuilt; see 'raizn status %s'",
			    name, name);
	if (!gone)
		return fail(TOOL_REFUSED,
			    "%s: all %u members are there; to exchange one use 'raizn replace %s SLOT DEVICE'",
			    name, state->nr_members, name);
	*slot = __builtin_ctz(gone);
	return service_check_spared(running, *slot);
}

/* A member that failed, but whose drive was never let go of. */
static int take_back(const struct running *running, u32 slot)
{
	const struct roster_slot *entry = &running->roster.slots[slot];
	const char *name = running_name(running);
	int ret;

	if (!entry->member || entry->member->verdict != MEMBER_SOUND)
		return fail(TOOL_REFUSED,
			    "%s: what it says of the array can not be read; if the drive works, 'raizn remove %s %u' and add it with --force",
			    entry->path, name, slot);
	ret = running_rebuild(running, slot, entry->dev);
	if (!ret)
		printf("%s: %s is back in slot %u; what it missed is being rebuilt\n",
		       name, entry->path, slot);
	return ret;
}

static int add(struct running *running, const char *path, bool force)
{
	struct candidate *candidate;
	struct vacancy vacancy;
	struct stat st;
	bool former;
	u32 slot = 0;
	int ret;

	ret = find_slot(running, &slot);
	if (ret)
		return ret;
	if (!stat(path, &st) && S_ISBLK(st.st_mode) &&
	    running->roster.slots[slot].dev == st.st_rdev)
		return take_back(running, slot);
	ret = replacement_vacancy(running, slot, &vacancy);
	if (!ret)
		ret = candidate_open_for(path, &vacancy, true,
					 force ? CONTENT_DESTROY : CONTENT_ASK,
					 &candidate);
	if (ret)
		return ret;
	former = vacancy_is_former(&vacancy, &candidate->member);
	ret = replacement_prepare(candidate, !former);
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
	if (argc - optind != 2)
		return fail_usage(self, "name an array and a drive");
	ret = running_open(&running, argv[optind]);
	if (ret)
		return ret;
	ret = add(&running, argv[optind + 1], force);
	running_close(&running);
	return ret;
}

const struct command command_add = {
	.name = "add",
	.help = help,
	.needs_root = true,
	.run = run,
};
