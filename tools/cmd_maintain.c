// SPDX-License-Identifier: GPL-2.0
/*
 * raizn maintain
 *
 * Every zone has a counter of its resets.  When one is at its end the array
 * takes no writes any more.  Started with the word "maintain" the target begins
 * all of them anew, in a new era; the superblocks tell whether it did.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "assembly.h"
#include "progress.h"
#include "start.h"

static const char help[] =
"usage: raizn maintain NAME|UUID [DEVICE...] [--start] [--[no-]progress]\n"
"       raizn maintain DEVICE... [--start] [--[no-]progress]\n"
"\n"
"Restarts all counters of zone resets. An array needs that when a counter is\n"
"at its end, and takes no writes until then; 'raizn status' says so. The array\n"
"must be stopped, and have been stopped cleanly. Data is not touched.\n"
"\n"
"  --start        leave the array running\n"
"  --progress     show how far it is also without a terminal\n"
"  --no-progress  never show that\n";

static int check_state(const struct array *array)
{
	const char *name = array_name(array);
	struct assembly assembly;
	struct volume volume;

	if (volume_by_uuid(array->uuid, &volume))
		return fail(TOOL_REFUSED,
			    "%s: it runs as /dev/mapper/%s; stop it first ('raizn stop %s')",
			    name, volume.name, volume.name);
	if (!array_assemble(array, &assembly))
		return fail(assembly.code, "%s: %s", name, assembly_text(&assembly).s);
	if (!assembly.clean)
		return fail(TOOL_REFUSED,
			    "%s: not stopped cleanly; start it and stop it ('raizn start %s', 'raizn stop %s') first",
			    name, name, name);
	return TOOL_OK;
}

static u64 member_era(const struct member *member)
{
	return le64_to_cpu(member_sb(member)->era);
}

/* The era that the array's drives say now; they may be looked at while it runs. */
static int read_era(const struct array *array, u64 *era)
{
	struct member member;
	int ret;

	ret = member_open(&member, array->newest->drive.path);
	if (ret)
		return ret;
	*era = member.has_sb ? member_era(&member) : 0;
	member_close(&member);
	return TOOL_OK;
}

static int maintain(const struct array *array, bool keep_running)
{
	const struct start_options options = {
		.table.maintain = true,
		.quiet = true,
	};
	u64 before = member_era(array->newest), after;
	const char *name = array_name(array);
	struct volume volume;
	int ret, stop_ret = TOOL_OK;

	ret = check_state(array);
	if (!ret)
		ret = start_array(array, &options);
	if (ret)
		return ret;
	ret = read_era(array, &after);
	if (!ret && after <= before)
		ret = fail(TOOL_FAILED,
			   "%s: the kernel started it, but the counters were not restarted; see the kernel log",
			   name);
	if ((ret || !keep_running) && volume_by_uuid(array->uuid, &volume))
		stop_ret = volume_remove(&volume);
	if (ret || stop_ret)
		return ret ? ret : stop_ret;
	printf("%s: all counters of zone resets were restarted (era %llu); %s%s\n",
	       name, (unsigned long long)after,
	       keep_running ? "it runs as /dev/mapper/" : "it is stopped",
	       keep_running ? name : "");
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "start", no_argument, NULL, 's' },
		PROGRESS_OPTIONS,
		{ }
	};
	const struct array *array;
	const char *wanted;
	bool keep_running = false;
	struct array *arrays;
	struct scan scan;
	int option, ret;
	u32 nr;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option == 's')
			keep_running = true;
		else if (!progress_option(option))
			return fail_option(self, argv, option);
	}
	if (optind == argc)
		return fail_usage(self, "name an array or its drives");
	ret = scan_named(&scan, argv + optind, argc - optind, &wanted);
	if (ret)
		return ret;
	arrays = scan_arrays(&scan, &nr);
	ret = arrays ? scan_find(&scan, arrays, nr, wanted, &array) :
		       TOOL_FAILED;
	if (!ret)
		ret = maintain(array, keep_running);
	free(arrays);
	scan_free(&scan);
	return ret;
}

const struct command command_maintain = {
	.name = "maintain",
	.help = help,
	.needs_root = true,
	.run = run,
};
