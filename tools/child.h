/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work that may take long, each piece in a process of its own: the process that starts it
 * goes on with other things, and a descriptor tells of its end.
 */
#ifndef CHILD_H
#define CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/**
 * struct child - one piece of work
 * @pid:	its process; 0 if there is none
 * @fd:		there: where its result goes; here: becomes readable when it has ended
 * @begun:	when, in seconds since some time
 * @late:	child_is_late() has told of it
 */
struct child {
	pid_t pid;
	int fd;
	time_t begun;
	bool late;
};

static inline bool child_works(const struct child *child)
{
	return child->pid;
}

/**
 * child_begin() - go on in two processes
 * @child:	no work is under way
 *
 * Return: 0 in the new one, which does the work and calls child_end(); 1 in the old one;
 * -1 there after a message, if there is no new one.
 */
int child_begin(struct child *child);

/* In the new process: hand over the result, and end. */
[[gnu::noreturn]] void child_end(const struct child *child, const void *result, size_t size);

/**
 * child_collect() - take what has ended away
 * @child:	work whose descriptor is readable
 * @result:	is filled in
 * @size:	of the result
 *
 * Return: whether there is a result: it may have died before it had one.
 */
bool child_collect(struct child *child, void *result, size_t size);

/* Does it take longer than so many seconds?  True once for each piece of work. */
bool child_is_late(struct child *child, unsigned int seconds);

#endif /* CHILD_H */
