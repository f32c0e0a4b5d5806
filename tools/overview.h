/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that is known of an array, from its drives and from the kernel.
 */
#ifndef OVERVIEW_H
#define OVERVIEW_H

#include "assembly.h"
#include "roster.h"

/**
 * struct overview - one array
 * @name:	its name
 * @uuid:	its UUID
 * @array:	as found on drives; NULL if none of its drives was found, or nothing can be
 *		told of what runs under its UUID
 * @running:	it runs
 * @state:	what the kernel says, if it runs
 * @roster:	its drives by slot, if it runs
 * @assembly:	what it can be started from, if it does not run, or failed
 * @condition:	one word for it, see raizn(8)
 * @happened:	what happened
 * @advice:	what to do
 */
struct overview {
	char name[128];
	u8 uuid[RAIZN_UUID_SIZE];
	const struct array *array;
	bool running;
	struct volume_state state;
	struct roster roster;
	struct assembly assembly;
	const char *condition;
	char happened[800];
	struct advice advice;
};

/**
 * struct overviews - all arrays of the system
 * @scan:	drives
 * @arrays:	arrays found on them
 * @list:	one entry for each array, running or found
 * @nr:		how many
 */
struct overviews {
	struct scan scan;
	struct array *arrays;
	struct overview *list;
	u32 nr;
};

/* Return TOOL_OK, or an exit code after a message. */
int overviews_read(struct overviews *overviews);

void overviews_free(struct overviews *overviews);

/* A line for each drive that no array can use. */
void overviews_tell_unusable(const struct overviews *overviews);

/* What the member in @slot is doing: "active", "missing", ... */
const char *overview_member_state(const struct overview *overview, u32 slot);

/* The drive in @slot as far as it can be read, else NULL; and its device node, "-"
 * if there is none.
 */
const struct member *overview_member(const struct overview *overview, u32 slot);
const char *overview_path(const struct overview *overview, u32 slot);

/* When the array starts by itself: RAIZN_AUTOSTART_*, or seconds */
u32 overview_autostart(const struct overview *overview);

/* Slots of the array. */
u32 overview_nr_members(const struct overview *overview);

#endif /* OVERVIEW_H */
