// SPDX-License-Identifier: GPL-2.0
/*
 * raizn list
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "json_out.h"
#include "overview.h"
#include "text.h"

static const char help[] =
"usage: raizn list [--json]\n"
"\n"
"Lists the arrays on this machine: running ones, and what the zoned drives say.\n"
"\n"
"  --json  for programs\n";

static void list_json(const struct overviews *overviews)
{
	struct json_object *root = json_object_new_object();
	struct json_object *list = json_list(root, "arrays"), *object;
	u32 i;

	for (i = 0; i < overviews->nr; i++) {
		const struct overview *overview = &overviews->list[i];
		const struct array *array = overview->array;

		object = json_object_new_object();
		json_add_text(object, "name", overview->name);
		json_add_uuid(object, "uuid", overview->uuid);
		json_add_text(object, "label", array ? array->newest->label : "");
		json_add_bool(object, "running", overview->running);
		json_add_text(object, "state", overview->condition);
		json_add_number(object, "nr_members", overview_nr_members(overview));
		json_add_number(object, "nr_found",
				array ? array->nr_found : 0);
		json_object_array_add(list, object);
	}
	list = json_list(root, "unusable_drives");
	for (i = 0; i < overviews->scan.nr; i++) {
		const struct member *member = overviews->scan.members[i];

		if (!member_is_unusable(member))
			continue;
		object = json_object_new_object();
		json_add_text(object, "device", member->drive.path);
		json_add_text(object, "why", member->why);
		json_object_array_add(list, object);
	}
	json_print(root);
}

static void list_text(const struct overviews *overviews)
{
	u32 i;

	if (overviews->nr)
		printf("%-16s  %-36s  %-10s  %-6s  %s\n", "name", "uuid",
		       "state", "drives", "label");
	else
		puts("no arrays found");
	for (i = 0; i < overviews->nr; i++) {
		const struct overview *overview = &overviews->list[i];
		const struct array *array = overview->array;
		char drives[24];

		snprintf(drives, sizeof(drives), "%u/%u",
			 array ? array->nr_found : 0,
			 overview_nr_members(overview));
		printf("%-16s  %-36s  %-10s  %-6s  %s\n", name_text(overview->name).s,
		       uuid_text(overview->uuid).s, overview->condition,
		       drives, array ? array->newest->label : "");
	}
	overviews_tell_unusable(overviews);
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	struct overviews overviews;
	bool json = false;
	int option, ret;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'j')
			return fail_option(self, argv, option);
		json = true;
	}
	if (optind < argc)
		return fail_usage(self, "takes no names; 'raizn status %s' tells of one array",
				  argv[optind]);
	ret = overviews_read(&overviews);
	if (ret)
		return ret;
	if (json)
		list_json(&overviews);
	else
		list_text(&overviews);
	overviews_free(&overviews);
	return TOOL_OK;
}

const struct command command_list = {
	.name = "list",
	.help = help,
	.needs_root = true,
	.run = run,
};
