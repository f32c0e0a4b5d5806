/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the drives found an array can be started from.
 */
#ifndef ASSEMBLY_H
#define ASSEMBLY_H

#include "advice.h"
#include "tool.h"
#include "scan.h"

/**
 * struct assembly - the drives to start an array from
 * @members:	by slot; NULL for what it has to do without
 * @known:	slots (bits) that it did without before: its superblocks say so
 * @missing:	slots that are not there, and the array does not know it
 * @rebuilding:	slots of @members that are being rebuilt
 * @startable:	parity makes up for @known and @missing
 * @lossy:	but not for what is not rebuilt yet, with these
 * @clean:	all of @members say that the array was stopped cleanly
 * @code:	exit code for @why
 * @why:	what keeps the array from starting; empty if nothing
 * @advice:	what to do then
 */
struct assembly {
	struct member *members[RAIZN_MAX_MEMBERS];
	u32 known;
	u32 missing;
	u32 rebuilding;
	bool startable;
	bool lossy;
	bool clean;
	enum tool_exit code;
	char why[800];
	struct advice advice;
};

/**
 * array_assemble() - find out what an array can be started from
 * @array:	the array
 * @assembly:	filled
 *
 * A start without a member that the array counts on makes that member stale, so
 * it must be asked for.
 *
 * Return: whether it can be started without being asked for.
 */
bool array_assemble(const struct array *array, struct assembly *assembly);

/* May two groups of the drives found each have gone on without the other? */
bool array_is_torn(const struct array *array);

/* Why it does not start and what to do, in one line. */
struct assembly_text {
	char s[2048];
};

struct assembly_text assembly_text(const struct assembly *assembly);

/* Slots that are gone, for people: "slot 3", "slots 1 and 3". */
struct slots_text {
	char s[200];
};

struct slots_text slots_text(u32 slots);

#endif /* ASSEMBLY_H */
