// SPDX-License-Identifier: GPL-2.0
/*
 * raizn remove
 */
#include <getopt.h>
#include <stdio.h>

#include "service.h"

static const char help[] =
"usage: raizn remove NAME|UUID SLOT|DEVICE\n"
"\n"
"Lets go of the drive of a member that failed, so that it can be pulled out or used\n"
"for something else. The slot stays empty until 'raizn add' or 'raizn replace' gives\n"
"it a drive. A member that works has to be called failed first ('raizn fail').\n";

static int remove_member(const struct running *running, const char *word)
{
	const char *name = running_name(running);
	const struct roster_slot *entry;
	struct slot_text who;
	u32 slot;
	int ret;

	ret = running_slot(running, word, &slot);
	if (ret)
		return ret;
	entry = &running->roster.slots[slot];
	who = roster_text(&running->roster, slot);
	if (!entry->dev)
		return fail(TOOL_REFUSED, "%s: slot %u has no drive; nothing to do",
			    name, slot);
	if (!service_slot_gone(running, slot))
		return fail(TOOL_REFUSED,
			    "%s: %s is in use; 'raizn fail %s %u' first", name,
			    who.s, name, slot);
	ret = running_remove(running, slot);
	if (!ret)
		printf("%s: let go of %s; slot %u is empty\n", name, entry->path,
		       slot);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = { { } };
	struct running running;
	int option, ret;

	opterr = 0;
	option = getopt_long(argc, argv, ":", options, NULL);
	if (option != -1)
		return fail_option(self, argv, option);
	if (argc - optind != 2)
		return fail_usage(self, "name an array and one of its members");
	ret = running_open(&running, argv[optind]);
	if (ret)
		return ret;
	ret = remove_member(&running, argv[optind + 1]);
	running_close(&running);
	return ret;
}

const struct command command_remove = {
	.name = "remove",
	.help = help,
	.needs_root = true,
	.run = run,
};
