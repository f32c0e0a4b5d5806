/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sectors of a running volume that are lost.
 */
#ifndef LOST_BLOCKS_H
#define LOST_BLOCKS_H

#include "json_out.h"
#include "volume_state.h"

/* Print a line for each run of lost sectors. */
void lost_blocks_text(const struct volume_state *state);

/* Add an object for each run of lost sectors to @list. */
void lost_blocks_json(const struct volume_state *state, struct json_object *list);

#endif /* LOST_BLOCKS_H */
