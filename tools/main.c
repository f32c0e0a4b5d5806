// SPDX-License-Identifier: GPL-2.0
/*
 * raizn: create, run and examine arrays of zoned drives.  See raizn(8).
 */
#include <libzbd/zbd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../raizn/version.h"
#include "dm.h"
#include "tool.h"

static const char overview[] =
"usage: raizn COMMAND [ARGUMENT...]\n"
"\n"
"Joins host-managed zoned drives into one redundant zoned volume.\n"
"\n"
"  create NAME DEVICE...        make a new array and start it\n"
"  start NAME|UUID|--all        start an array from its drives\n"
"  stop NAME|--all              stop a running array\n"
"  list                         arrays on this machine, running or not\n"
"  status [NAME]                state, members, counters and what to do\n"
"  map NAME                     the zones of a running array on one screen\n"
"\n"
"  replace NAME SLOT DEVICE     put a new drive in the place of a member\n"
"  add NAME DEVICE              give the empty slot a drive, or its drive back\n"
"  rebuild NAME                 how far a rebuild is\n"
"  fail NAME SLOT               stop using a member\n"
"  remove NAME SLOT             let go of a failed member's drive\n"
"  scrub NAME [check|repair]    compare all data with its parity\n"
"  set NAME SETTING=VALUE...    speed and error limits\n"
"\n"
"  events [NAME...]             tell of what changes, as it does\n"
"  monitor [NAME...]            run a program on a change, export metrics, take spares\n"
"\n"
"  inspect DEVICE               everything a member's metadata says\n"
"  check NAME|DEVICE...         examine an array that does not run, change nothing\n"
"  maintain NAME|DEVICE...      restart all counters of zone resets\n"
"  report [FILE]                write an archive for a report of a bug\n"
"\n"
"'raizn COMMAND --help' explains a command, and so does raizn-COMMAND(8).\n";

static bool is_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int show_overview(int argc, char **argv)
{
	const struct command *command;

	if (argc < 3) {
		fputs(overview, stdout);
		return TOOL_OK;
	}
	command = command_named(argv[2]);
	if (!command)
		return fail(TOOL_USAGE, "no command '%s'; see 'raizn help'",
			    argv[2]);
	return show_help(command);
}

/* Whoever asks for help needs no other right. */
static bool asks_for_help(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc && strcmp(argv[i], "--"); i++)
		if (is_help(argv[i]))
			return true;
	return false;
}

static int trouble(const struct command *command)
{
	return command && command->trouble ? command->trouble : TOOL_FAILED;
}

static int dispatch(int argc, char **argv)
{
	const struct command *command;
	int ret;

	if (argc < 2) {
		fputs(overview, stderr);
		return TOOL_USAGE;
	}
	if (is_help(argv[1]) || !strcmp(argv[1], "help"))
		return show_overview(argc, argv);
	if (!strcmp(argv[1], "--version")) {
		puts("raizn " RAIZN_VERSION);
		return TOOL_OK;
	}
	command = command_named(argv[1]);
	if (!command)
		return fail(TOOL_USAGE, "no command '%s'; see 'raizn help'",
			    argv[1]);
	if (asks_for_help(argc - 1, argv + 1))
		return show_help(command);
	if (command->needs_root && geteuid())
		return fail(trouble(command),
			    "%s: needs to read and control drives; run it as root",
			    command->name);
	zbd_set_log_level(ZBD_LOG_NONE);
	volume_dm_init();
	ret = command->run(command, argc - 1, argv + 1);
	volume_dm_exit();
	return ret;
}

int main(int argc, char **argv)
{
	int ret = dispatch(argc, argv);

	if (fflush(stdout) || ferror(stdout))
		return fail(trouble(argc > 1 ? command_named(argv[1]) : NULL),
			    "cannot write the output: %m");
	return ret;
}
