/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making drives members of a new array.
 */
#ifndef TOOLS_FORMAT_H
#define TOOLS_FORMAT_H

#include "../raizn/core/geometry.h"
#include "candidate.h"

/**
 * struct new_array - what the superblocks of a new array say
 * @name:	array name
 * @label:	label, or empty
 * @write_through: write_cache=through by default
 * @trust_buffers: nobody changes data while it is written
 * @geo:	geometry
 * @capacity:	writable sectors of a member zone
 */
struct new_array {
	char name[RAIZN_NAME_SIZE];
	char label[RAIZN_NAME_SIZE];
	bool write_through;
	bool trust_buffers;
	struct raizn_geometry geo;
	u64 capacity;
};

/**
 * format_array() - destroy the contents of the drives and make them an array
 * @array:	what to make
 * @candidates:	the drives in slot order, array->geo.nr_members of them
 *
 * A drive counts as a member only with a checkpoint behind its superblock, and
 * those are written last: interrupted, this leaves nothing that starts.
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int format_array(const struct new_array *array,
		 const struct candidate *candidates);

#endif /* TOOLS_FORMAT_H */
