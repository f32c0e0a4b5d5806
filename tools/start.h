/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Starting an array that was found.
 */
#ifndef START_H
#define START_H

#include "scan.h"

/* Is @text a value of write_cache? */
bool write_cache_valid(const char *text);

/**
 * start_array() - load an array's table
 * @array:	the array
 * @write_cache: "back", "through", or NULL for what the superblocks say
 *
 * Return: TOOL_OK after saying where the volume is, or an exit code after a
 * message.
 */
int start_array(const struct array *array, const char *write_cache);

#endif /* START_H */
