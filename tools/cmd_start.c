// SPDX-License-Identifier: GPL-2.0
/*
 * raizn start
 */
#include <getopt.h>
#include <stdlib.h>

#include "tool.h"
#include "autostart.h"
#include "dm.h"
#include "progress.h"
#include "start.h"
#include "text.h"

static const char help[] =
"usage: raizn start NAME|UUID [DEVICE...] [--degraded] [--read-only]\n"
"                  [--write-cache back|through] [--as NEW-NAME] [--force]\n"
"       raizn start --all [DEVICE...] [--read-only] [--write-cache back|through]\n"
"       raizn start UUID --auto\n"
"\n"
"Starts an array from its drives, in whatever order and place they are found,\n"
"and makes the volume /dev/mapper/NAME. An array that was not stopped cleanly is\n"
"recovered by that.\n"
"\n"
"  DEVICE...                  use these drives instead of searching all\n"
"  --all                      start every array that does not run\n"
"  --degraded                 start also without drives that the array counts on, as\n"
"                             far as parity makes up for them; what they hold is\n"
"                             outdated from then on\n"
"  --read-only                write nothing at all to the drives: data that a recovery\n"
"                             would write is kept in memory, and the volume takes no\n"
"                             writes; for drives that must not be touched\n"
"  --write-cache back|through how the volume treats completed writes, instead of\n"
"                             what was chosen at create: 'back' makes them durable\n"
"                             at the next flush, 'through' at once\n"
"  --as NEW-NAME              make /dev/mapper/NEW-NAME, if another has the name\n"
"  --force                    also if another machine started the array last and has\n"
"                             not stopped it: it must not use it any more\n"
"  --progress, --no-progress  show how far it is also without a terminal, or never\n"
"  --auto                     as at boot: wait until its drives are there, as its\n"
"                             setting autostart says\n";

/* What the user named must be what the array is made of. */
static int check_named(const struct scan *scan, const struct array *array)
{
	u32 i;

	if (array && array->nr_replaced)
		return fail(TOOL_REFUSED,
			    "%s: was replaced, another drive has its slot %u; leave it out",
			    array->replaced[0]->drive.path,
			    array->replaced[0]->slot);
	for (i = 0; i < scan->nr; i++) {
		const struct member *member = scan->members[i];
		const char *path = member->drive.path;

		if (member->verdict == MEMBER_NONE)
			return fail(TOOL_REFUSED, "%s: not a member of any array; leave it out",
				    path);
		if (!member->has_sb && member->verdict == MEMBER_UNSUPPORTED)
			return fail(TOOL_REFUSED, "%s: %s; " USE_NEWER, path,
				    member->why);
		if (!member->has_sb)
			return fail(TOOL_REFUSED, "%s: %s; see 'raizn inspect %s'",
				    path, member->why, path);
	}
	return array ? scan_refuse_others(scan, array) : TOOL_OK;
}

static int refuse_left_over(const struct volume *volume)
{
	return fail(TOOL_REFUSED,
		    "%s: being started by another process, or an earlier start was interrupted; 'raizn stop %s' clears that away",
		    volume->name, volume->name);
}

static int start_all(const struct scan *scan, const struct array *arrays, u32 nr,
		     const struct start_options *options)
{
	struct volume volume;
	int first = TOOL_OK;
	u32 i;
	int ret;

	if (!nr)
		return scan_found_none(scan, NULL);
	for (i = 0; i < nr; i++) {
		if (!volume_by_uuid(arrays[i].uuid, &volume))
			ret = start_array(&arrays[i], options);
		else if (!volume.has_table)
			ret = refuse_left_over(&volume);
		else
			continue;
		if (!first)
			first = ret;
	}
	return first;
}

/* An array that runs need not be found on drives to be known. */
static int check_running(const char *wanted)
{
	u8 uuid[RAIZN_UUID_SIZE];
	struct volume volume;
	bool running;

	running = (volume_by_name(wanted, &volume) && volume.is_raizn) ||
		  (parse_uuid(wanted, uuid) && volume_by_uuid(uuid, &volume));
	if (running && !volume.has_table)
		return refuse_left_over(&volume);
	if (running)
		return fail(TOOL_REFUSED,
			    "%s: already running as /dev/mapper/%s; see 'raizn status %s'",
			    wanted, volume.name, volume.name);
	return TOOL_OK;
}

static int start(const struct scan *scan, const char *wanted,
		 const struct start_options *options)
{
	const struct array *array = NULL;
	struct array *arrays;
	int ret = TOOL_OK;
	u32 nr;

	arrays = scan_arrays(scan, &nr);
	if (!arrays)
		return TOOL_FAILED;
	/* A drive that is none of any array's is a better answer than an array
	 * that is not found.
	 */
	if (scan->named)
		ret = check_named(scan, NULL);
	if (!ret && wanted)
		ret = arrays_find(scan, arrays, nr, wanted, &array);
	if (!ret && wanted && scan->named)
		ret = check_named(scan, array);
	if (!ret && wanted)
		ret = start_array(array, options);
	else if (!ret)
		ret = start_all(scan, arrays, nr, options);
	free(arrays);
	return ret;
}

static int start_automatically(const struct command *self, bool more,
			       char **words, int nr)
{
	u8 uuid[RAIZN_UUID_SIZE];

	if (more || nr != 1 || !parse_uuid(words[0], uuid))
		return fail_usage(self, "--auto wants the UUID of an array and nothing else");
	return autostart(uuid);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "degraded", no_argument, NULL, 'd' },
		{ "read-only", no_argument, NULL, 'r' },
		{ "write-cache", required_argument, NULL, 'w' },
		{ "as", required_argument, NULL, 'n' },
		{ "force", no_argument, NULL, 'f' },
		{ "auto", no_argument, NULL, 'u' },
		PROGRESS_OPTIONS,
		{ }
	};
	struct start_options how = { };
	struct table_options *table = &how.table;
	bool all = false, automatic = false;
	const char *wanted = NULL;
	struct scan scan;
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'a':
			all = true;
			break;
		case 'd':
			table->degraded = true;
			break;
		case 'r':
			table->read_only = true;
			break;
		case 'w':
			table->write_cache = optarg;
			break;
		case 'n':
			how.name = optarg;
			break;
		case 'f':
			how.take = true;
			break;
		case 'u':
			automatic = true;
			break;
		default:
			if (progress_option(option))
				break;
			return fail_option(self, argv, option);
		}
	}
	if (table->write_cache && !write_cache_valid(table->write_cache))
		return fail_usage(self, "--write-cache is back or through, not '%s'",
				  table->write_cache);
	if (how.name && !array_name_valid(how.name))
		return fail_usage(self, "'%s' cannot be the name of an array",
				  how.name);
	if (all && (table->degraded || how.name || how.take))
		return fail_usage(self, "--degraded, --as and --force are for one array; name it");
	if (automatic)
		return start_automatically(self, all || table->degraded ||
					   table->read_only ||
					   table->write_cache || how.name ||
					   how.take, argv + optind,
					   argc - optind);
	if (!all) {
		if (optind == argc)
			return fail_usage(self, "name an array, or use --all");
		wanted = argv[optind++];
		ret = check_running(wanted);
		if (ret)
			return ret;
	}
	ret = optind < argc ?
	      scan_devices(&scan, argv + optind, argc - optind) :
	      scan_system(&scan, SCAN_LOGS);
	if (ret)
		return ret;
	how.unasked = all;
	ret = start(&scan, wanted, &how);
	scan_free(&scan);
	return ret;
}

const struct command command_start = {
	.name = "start",
	.help = help,
	.needs_root = true,
	.run = run,
};
