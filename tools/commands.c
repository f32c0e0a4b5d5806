// SPDX-License-Identifier: GPL-2.0
/*
 * The table of subcommands.
 */
#include <string.h>

#include "tool.h"

const struct command *const commands[] = {
	&command_create,
	&command_start,
	&command_stop,
	&command_list,
	&command_status,
	&command_map,
	&command_inspect,
	&command_check,
	&command_maintain,
	&command_fail,
	&command_remove,
	&command_replace,
	&command_add,
	&command_rebuild,
	&command_scrub,
	&command_set,
	&command_events,
	&command_monitor,
	&command_report,
	&command_complete,
	&command_probe,
	NULL
};

const struct command *command_named(const char *name)
{
	size_t i;

	for (i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}
