/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the stripes are that a scrub found wrong.
 */
#ifndef MISMATCHES_H
#define MISMATCHES_H

#include "json_out.h"
#include "volume_state.h"

/* Print a line for each of the first ones, if the kernel knows any, behind @indent. */
void mismatches_text(const struct volume_state *state, const char *indent);

/* Add those that the kernel knows to @list. */
void mismatches_json(const struct volume_state *state, struct json_object *list);

#endif /* MISMATCHES_H */
