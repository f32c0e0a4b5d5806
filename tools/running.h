/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A running array that a command works on.
 */
#ifndef RUNNING_H
#define RUNNING_H

#include "roster.h"

/**
 * struct running - a running array
 * @lock:	keeps other commands from changing it; -1 if there can be none
 * @state:	what the kernel says of it
 * @scan:	all drives of the system
 * @arrays:	arrays found on them
 * @array:	this one, as found; NULL if none of its drives can be read
 * @roster:	its drives by slot
 */
struct running {
	int lock;
	struct volume_state state;
	struct scan scan;
	struct array *arrays;
	const struct array *array;
	struct roster roster;
};

/* Find the running array that is @wanted (name or UUID), wait for other commands that
 * change it, and learn about it; return TOOL_OK, or an exit code after a message.
 */
int running_open(struct running *running, const char *wanted);

/* The same of an array that is known to run; return false, with or without a message, if
 * that cannot be done now.
 */
bool running_try(struct running *running, const struct volume *volume);

void running_close(struct running *running);

static inline const char *running_name(const struct running *running)
{
	return running->state.volume.name;
}

/**
 * running_slot() - the slot that the user means
 * @running:	the array
 * @word:	number of a slot, or the device in it
 * @slot:	result
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int running_slot(const struct running *running, const char *word, u32 *slot);

/**
 * running_fail_gone() - call members failed whose drives are gone
 * @running:	the array; its state is read again
 * @nodes:	names that the drives had, by slot; may be NULL
 *
 * The kernel may not have noticed yet that a drive is gone, if it has sent no command to it.
 * It cannot open the drive again, and so takes no other table before.
 *
 * Return: TOOL_OK, also if there is no such member, or an exit code after a message.
 */
int running_fail_gone(struct running *running, const char nodes[][NODE_SIZE]);

/* Let go of the device in @slot; return TOOL_OK, or TOOL_FAILED after a message. */
int running_remove(const struct running *running, u32 slot);

/* Have @dev take the place of @slot; return TOOL_OK, or TOOL_FAILED after a
 * message.
 */
int running_rebuild(const struct running *running, u32 slot, dev_t dev);

/* Call the member in @slot failed, with @lose also if sectors that others cannot read are
 * lost with it; return as volume_message().
 */
int running_fail(const struct running *running, u32 slot, bool lose);

#endif /* RUNNING_H */
