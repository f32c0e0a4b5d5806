// SPDX-License-Identifier: GPL-2.0
/*
 * raizn events
 */
#include <getopt.h>
#include <stdio.h>

#include "tool.h"
#include "json_out.h"
#include "text.h"
#include "watch.h"

static const char help[] =
"usage: raizn events [NAME|UUID...] [--json]\n"
"\n"
"Tells of everything that changes about running arrays, and of those that do not come up,\n"
"one line each, until it is interrupted. Begins with what is not as it should be.\n"
"\n"
"  --json  one JSON object for each line\n";

static void tell_text(const struct change *change, void *data)
{
	const struct watched *array = change->array;

	(void)data;
	printf("%s %s %s", change->time, name_text(array->state.volume.name).s,
	       change_names[change->what]);
	if (change_of_member(change->what)) {
		printf(" %u", change->slot);
		if (*array->nodes[change->slot])
			printf(" (%s)", array->nodes[change->slot]);
	}
	printf(": %s -> %s\n", change->old, change->new);
	fflush(stdout);
}

static void tell_json(const struct change *change, void *data)
{
	struct json_object *object = json_object_new_object();
	const struct watched *array = change->array;

	(void)data;
	json_add_text(object, "time", change->time);
	json_add_text(object, "array", array->state.volume.name);
	json_add_uuid(object, "uuid", array->state.volume.uuid);
	json_add_text(object, "what", change_names[change->what]);
	if (change_of_member(change->what)) {
		json_add_number(object, "slot", change->slot);
		json_add_text(object, "device", array->nodes[change->slot]);
	}
	if (change_of_number(change->what)) {
		json_add_number(object, "old", atoll(change->old));
		json_add_number(object, "new", atoll(change->new));
	} else {
		json_add_text(object, "old", change->old);
		json_add_text(object, "new", change->new);
	}
	if (array->hindered)
		json_add_text(object, "reason", array->reason);
	json_print_line(object);
}

static int follow(struct watch *watch)
{
	int ret;

	ret = watch_open(watch);
	if (ret)
		return ret;
	while (!ret && !ferror(stdout)) {
		ret = watch_look(watch);
		if (!ret)
			ret = watch_wait(watch);
	}
	watch_close(watch);
	return ret;
}

static int run(const struct command *self, int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ }
	};
	struct watch watch = { .tell = tell_text };
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":", options, NULL)) != -1) {
		if (option != 'j')
			return fail_option(self, argv, option);
		watch.tell = tell_json;
	}
	watch.names = argv + optind;
	watch.nr_names = argc - optind;
	return follow(&watch);
}

const struct command command_events = {
	.name = "events",
	.help = help,
	.needs_root = true,
	.run = run,
};
