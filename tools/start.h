/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting an array that was found.
 */
#ifndef START_H
#define START_H

#include "dm.h"
#include "scan.h"

/* Is @text a value of write_cache? */
bool write_cache_valid(const char *text);

/**
 * start_array() - load an array's table
 * @array:	the array
 * @options:	how; @degraded: also without members that it counts on
 * @tell:	say where the volume is, and what happened
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int start_array(const struct array *array, const struct table_options *options,
		bool tell);

#endif /* START_H */
