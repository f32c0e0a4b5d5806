/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Changes of arrays that run or should run, from one look to the next.
 */
#ifndef WATCH_H
#define WATCH_H

#include "child.h"
#include "volume_state.h"
#include "waiting.h"

/* Seconds that an array may wait for drives before that is told: those of a boot come sooner. */
#define WATCH_PATIENCE	30

enum change_what {
	CHANGE_STATE,
	CHANGE_MEMBER,
	CHANGE_ACTION,
	CHANGE_ZONES,
	CHANGE_DAMAGED,
	CHANGE_UNWRITABLE,
	CHANGE_LOST,
	CHANGE_MISMATCHES,
	CHANGE_ERRORS,
	NR_CHANGES,
};

extern const char *const change_names[NR_CHANGES];

/* Is it about one of the members? */
static inline bool change_of_member(enum change_what what)
{
	return what == CHANGE_MEMBER || what == CHANGE_ERRORS;
}

/* Did a number change? */
static inline bool change_of_number(enum change_what what)
{
	return what == CHANGE_ZONES || what == CHANGE_DAMAGED ||
	       what == CHANGE_UNWRITABLE ||
	       what == CHANGE_MISMATCHES || what == CHANGE_ERRORS;
}

/**
 * struct watched - an array under watch
 * @state:	when it was looked at last; its @state is also "stopped", "incomplete" or "refused"
 * @nodes:	names of its drives by slot; empty without one
 * @seen:	it runs
 * @hindered:	word for the state of one that does not come up, or NULL
 * @reason:	why it does not
 * @odd:	nothing can be told of it, and that was said
 * @refused:	for the monitor: spares (by bit) that it does not take, and that were told
 * @vanished:	for the monitor: a drive is gone, and that was told
 * @waits:	for the monitor: it needs something that it does not get now
 * @actor:	for the monitor: does what it needs
 */
struct watched {
	struct volume_state state;
	char nodes[RAIZN_MAX_MEMBERS][NODE_SIZE];
	bool seen;
	const char *hindered;
	char reason[sizeof(((struct waiting *)NULL)->reason)];
	bool odd;
	u64 refused;
	bool vanished;
	bool waits;
	struct child actor;
};

/**
 * struct change - something that is not as it was
 * @array:	the array, as it is now
 * @what:	what kind
 * @slot:	of the member, if change_of_member()
 * @time:	when it was noticed, ISO 8601
 * @old, @new:	what it was and is
 */
struct change {
	const struct watched *array;
	enum change_what what;
	u32 slot;
	char time[32];
	char old[24];
	char new[24];
};

/**
 * struct watch - arrays under watch
 * @names:	those of interest (name or UUID); all if there are none
 * @nr_names:	how many
 * @arrays, @nr: those that were seen running, or that should
 * @looked:	not for the first time
 * @fd:		see dm_event.h
 * @uevents:	see uevent.h; -1 if nothing tells that devices come and go
 * @records:	of waiting_listen()
 * @due:	milliseconds until it is to look again without an event, -1 for never
 * @tell:	is called for each change
 * @data:	for @tell
 */
struct watch {
	char *const *names;
	u32 nr_names;
	struct watched **arrays;
	u32 nr;
	bool looked;
	int fd;
	int uevents;
	int records;
	int due;
	void (*tell)(const struct change *change, void *data);
	void *data;
};

/* Begin; @names, @nr_names, @tell and @data are set.  Return TOOL_OK, or TOOL_FAILED
 * after a message.
 */
int watch_open(struct watch *watch);

void watch_close(struct watch *watch);

/**
 * watch_look() - look at all arrays, and tell what changed
 * @watch:	the watch
 *
 * At the first look all is told that is not as it should be.  What changes after
 * the call, even while it looks, ends the next watch_wait().
 *
 * Return: TOOL_OK, or TOOL_FAILED after a message.
 */
int watch_look(struct watch *watch);

/* Wait until something changes; return as watch_look(). */
int watch_wait(struct watch *watch);

#endif /* WATCH_H */
