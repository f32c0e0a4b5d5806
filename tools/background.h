/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How far an array is with what it does on its own: a rebuild, a scrub, a recovery.
 */
#ifndef BACKGROUND_H
#define BACKGROUND_H

#include "amount.h"
#include "volume_state.h"

/**
 * struct background_text - for people
 * @s:	"[=====>    ]  52.3%  1.2 GiB of 2.3 GiB, 210 MiB/s, 0:00:05 left"
 */
struct background_text {
	char s[200];
};

struct background_text background_text(const struct volume_state *state);

/* How much of it is done, and its rate since it began. */
struct amount background_amount(const struct volume_state *state);

/**
 * background_wait() - wait while an array is at work on its own
 * @state:	the array, read anew until it is done
 * @busy:	is it still at what is waited for?
 *
 * Shows the progress, see progress.h.
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int background_wait(struct volume_state *state,
		    bool (*busy)(const struct volume_state *state));

/* Say how to go on with the scrub of @state, which had come as far as @now says. */
void background_tell_left(const struct volume_state *state,
			  const struct volume_state *now);

#endif /* BACKGROUND_H */
