/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What raizn status shows of an array.
 */
#ifndef STATUS_H
#define STATUS_H

#include "json_out.h"
#include "overview.h"

/**
 * struct traffic - what a drive read and wrote
 * @read:	sectors since the system started
 * @written:	the same
 */
struct traffic {
	u64 read;
	u64 written;
};

struct traffic drive_traffic(const struct drive *drive);

/* Member bytes written for each byte the user wrote; 0 if there was none. */
double status_amplification(const struct volume_state *state);

/* @blocks: list lost blocks, too */
void status_text(const struct overview *overview, bool blocks);

/* Add an object for the array to @list. */
void status_json(struct json_object *list, const struct overview *overview);

#endif /* STATUS_H */
