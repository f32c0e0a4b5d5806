/* SPDX-License-Identifier: GPL-2.0 */
/*
 * States of an array; docs/states.md has all states, and the functions that move them.
 */
#ifndef RAIZN_STATES_H
#define RAIZN_STATES_H

#include "raizn.h"

/* Life of an array.  Suspending and stopped arrays take no I/O. */
enum raizn_array_state {
	RAIZN_ARRAY_ASSEMBLED,	/* read; its first start is to come, or under way */
	RAIZN_ARRAY_RUNNING,	/* takes I/O, and works in the background */
	RAIZN_ARRAY_SUSPENDING,	/* work in the background ends, data becomes durable */
	RAIZN_ARRAY_STOPPED,	/* the superblocks say clean, unless it is read-only */
	RAIZN_ARRAY_FAILED,	/* more failed than parity makes up for: nothing is written */
};

/* Progress of settling the failures since the array was started. */
enum raizn_settling {
	RAIZN_SETTLED,		/* durable, and all active zones do without the columns */
	RAIZN_RECORDED,		/* durable; user bios are held */
	RAIZN_UNRECORDED,	/* not durable: no step may begin that relies on all members */
};

static inline bool raizn_array_failed(const struct raizn_array *arr)
{
	return READ_ONCE(arr->state) == RAIZN_ARRAY_FAILED;
}

/* Is nothing ever written to the members, not even by the start? */
static inline bool raizn_array_read_only(const struct raizn_array *arr)
{
	return arr->read_only || arr->table_read_only;
}

static inline bool raizn_array_writable(const struct raizn_array *arr)
{
	return !raizn_array_failed(arr) && !raizn_array_read_only(arr);
}

/* Is the first start that may write complete?  Failures are absorbed from then on. */
static inline bool raizn_array_started(const struct raizn_array *arr)
{
	return !READ_ONCE(arr->recovery);
}

/* Does the array take I/O, and may it work in the background? */
static inline bool raizn_array_running(const struct raizn_array *arr)
{
	return READ_ONCE(arr->state) == RAIZN_ARRAY_RUNNING;
}

/* Is the array running, and may it be written? */
static inline bool raizn_array_in_use(const struct raizn_array *arr)
{
	return raizn_array_running(arr) && raizn_array_writable(arr);
}

#endif /* RAIZN_STATES_H */
