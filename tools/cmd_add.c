// SPDX-License-Identifier: GPL-2.0
/*
 * raizn add
 */
#include <getopt.h>

#include "replacement.h"
#include "service.h"

static const char help[] =
"usage: raizn add NAME|UUID DEVICE [--force] [--[no-]progress]\n"
"\n"
"Gives the slot that lacks a member a drive: the drive that was there before, of which\n"
"only what it missed is rebuilt, or a blank one.\n"
"\n"
"  --force        destroy what a drive holds that was not there before\n"
"  --progress     show how far the drive is erased also without a terminal\n"
"  --no-progress  never show that\n";

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
	ret = replacement_add(&running, argv[optind + 1], force);
	running_close(&running);
	return ret;
}

const struct command command_add = {
	.name = "add",
	.help = help,
	.needs_root = true,
	.run = run,
};
