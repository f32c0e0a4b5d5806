// SPDX-License-Identifier: GPL-2.0
/*
 * raizn map
 */
#include <getopt.h>

#include "tool.h"
#include "dm.h"
#include "map.h"

static const char help[] =
"usage: raizn map NAME|UUID [--json|--svg]\n"
"\n"
"Shows the zones of a running array on one screen: their conditions, how full they\n"
"are, and which of them lack a column.\n"
"\n"
"  --json  for programs\n"
"  --svg   a picture, written to standard output\n";

static int show(const char *wanted, void (*print)(const struct map *map))
{
	struct volume volume;
	struct map map;
	int ret;

	ret = volume_wanted(wanted, &volume);
	if (!ret)
		ret = map_gather(&map, &volume);
	if (ret)
		return ret;
	print(&map);
	map_free(&map);
	return TOOL_OK;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "svg", no_argument, NULL, 's' },
		{ }
	};
	bool json = false, svg = false;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		switch (option) {
		case 'j':
			json = true;
			break;
		case 's':
			svg = true;
			break;
		default:
			return fail_option(self, argv, option);
		}
	}
	if (argc - optind != 1)
		return fail_usage(self, "name one array");
	if (json && svg)
		return fail_usage(self, "--json and --svg exclude each other");
	return show(argv[optind], json ? map_json : svg ? map_svg : map_text);
}

const struct command command_map = {
	.name = "map",
	.help = help,
	.needs_root = true,
	.run = run,
};
