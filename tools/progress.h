/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One line on standard error that shows how far a command is, written over and over.
 *
 * It is shown on a terminal, when the command takes longer than a moment, and elsewhere if
 * the user asks for it: then as a new line every few seconds.  A command shows one thing at a time.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>

#include "amount.h"
#include "meter.h"

/* What getopt_long(3) returns for the options that all long commands have. */
enum progress_option {
	PROGRESS_SHOW = 0x100,
	PROGRESS_HIDE,
};

#define PROGRESS_OPTIONS						\
	{ "progress", no_argument, NULL, PROGRESS_SHOW },		\
	{ "no-progress", no_argument, NULL, PROGRESS_HIDE }

/* Take one of these options; false if @option is another one. */
bool progress_option(int option);

/* Does this command show how far it is? */
bool progress_is_shown(void);

/**
 * struct progress - work that is shown
 * @what:	name of the work
 * @amount:	how much of it is done; if that is not known, the time is shown
 * @meter:	its rate
 * @begun:	when it began (milliseconds)
 * @shown:	when it was shown last, 0 for never
 */
struct progress {
	char what[200];
	struct amount amount;
	struct meter meter;
	u64 begun;
	u64 shown;
};

/**
 * progress_begin() - begin to show something
 * @progress:	to fill
 * @amount:	what there is to do, and is done already; nothing to do is not shown
 * @format:	what is done, for printf()
 */
[[gnu::format(printf, 3, 4)]]
void progress_begin(struct progress *progress, struct amount amount,
		    const char *format, ...);

/**
 * progress_on_signal() - what to tell when the command is interrupted from now on
 * @format:	a message, for printf(); it is told if the work is shown
 *
 * A signal that ends the command leaves a line that is whole, and this one below it.
 */
[[gnu::format(printf, 1, 2)]]
void progress_on_signal(const char *format, ...);

/* So much is done by now. */
void progress_update(struct progress *progress, u64 done);

/* So much more than at the last call is done by now. */
void progress_add(struct progress *progress, u64 more);

/* The same with all that may have changed: there may be more to do, or it is paused. */
void progress_take(struct progress *progress, struct amount amount);

/* It is over, in one way or another: the line stays as it is then. */
void progress_end(struct progress *progress);

#endif /* PROGRESS_H */
