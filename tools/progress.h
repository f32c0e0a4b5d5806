/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far a rebuild or scrub is.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "volume_state.h"

/**
 * struct progress_text - for people
 * @s:	"[=====>    ]  52.3%  1.2 GiB of 2.3 GiB, 210 MiB/s, 0:05 left"
 */
struct progress_text {
	char s[200];
};

struct progress_text progress_text(const struct volume_state *state);

/* Part that is done, percent. */
double progress_percent(const struct volume_state *state);

/* Bytes per second since it began; 0 if that can not be told yet. */
u64 progress_rate(const struct volume_state *state);

/* Seconds left at this rate; false if that can not be told. */
bool progress_left(const struct volume_state *state, u64 *seconds);

/**
 * progress_wait() - wait while an array is at work on its own
 * @state:	the array, read anew until it is done
 * @busy:	is it still at what is waited for?
 *
 * On a terminal the progress is shown.
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int progress_wait(struct volume_state *state,
		  bool (*busy)(const struct volume_state *state));

/* Say how to go on with the scrub of @state, which had come as far as @now says. */
void progress_tell_left(const struct volume_state *state,
			const struct volume_state *now);

#endif /* PROGRESS_H */
