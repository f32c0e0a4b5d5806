// SPDX-License-Identifier: GPL-2.0
/*
 * raizn fail
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "confirm.h"
#include "service.h"

static const char help[] =
"usage: raizn fail NAME|UUID SLOT|DEVICE [--lose] [--force]\n"
"\n"
"Stops using a member, as if its drive had failed. The array goes on without it and\n"
"survives no further failure until 'raizn add' takes the drive back, or 'raizn\n"
"replace' gives the slot another one. Refused if too little would be left.\n"
"\n"
"  --lose   also if another drive has sectors that it cannot read: these are lost\n"
"  --force  do not ask\n";

static int fail_member(const struct running *running, const char *word,
		       bool lose, bool force)
{
	const char *name = running_name(running);
	struct slot_text who;
	u32 slot;
	int ret;

	ret = running_slot(running, word, &slot);
	if (ret)
		return ret;
	who = roster_text(&running->roster, slot);
	if (service_slot_gone(running, slot))
		return fail(TOOL_REFUSED,
			    "%s: %s is not in use already; see 'raizn status %s'",
			    name, who.s, name);
	ret = service_check_spared(running, slot);
	if (!ret)
		ret = confirm(force,
			      "%s: without %s it survives no further failure%s",
			      name, who.s, lose ?
			      ", and sectors that another drive cannot read are lost" : "");
	if (!ret)
		ret = running_fail(running, slot, lose);
	if (!ret)
		printf("%s: %s is called failed now; 'raizn replace %s %u NEW-DRIVE' puts another drive in its place\n",
		       name, who.s, name, slot);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "force", no_argument, NULL, 'f' },
		{ "lose", no_argument, NULL, 'l' },
		{ }
	};
	bool force = false, lose = false;
	struct running running;
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 'f')
			force = true;
		else if (option == 'l')
			lose = true;
		else
			return fail_option(self, argv, option);
	}
	if (argc - optind != 2)
		return fail_usage(self, "name an array and one of its members");
	ret = running_open(&running, argv[optind]);
	if (ret)
		return ret;
	ret = fail_member(&running, argv[optind + 1], lose, force);
	running_close(&running);
	return ret;
}

const struct command command_fail = {
	.name = "fail",
	.help = help,
	.needs_root = true,
	.run = run,
};
