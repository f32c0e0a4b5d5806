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
 * struct start_options - how to start an array
 * @table:	words of its table; @degraded: also without members that it counts on
 * @name:	name to run under; NULL for its own
 * @unasked:	its owner did not name it
 * @take:	also if another machine may be using it
 * @quiet:	do not say where the volume is, and what happened
 */
struct start_options {
	struct table_options table;
	const char *name;
	bool unasked;
	bool take;
	bool quiet;
};

/**
 * start_array() - load an array's table
 * @array:	the array
 * @options:	how
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int start_array(const struct array *array, const struct start_options *options);

#endif /* START_H */
