/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rates of what arrays do on their own, for who looks at them again and again.
 */
#ifndef RATES_H
#define RATES_H

#include "meter.h"
#include "volume_state.h"

/**
 * struct rated - an array that was seen at work
 * @uuid:	array UUID
 * @action:	what it did
 * @meter:	of that
 */
struct rated {
	u8 uuid[RAIZN_UUID_SIZE];
	enum volume_action action;
	struct meter meter;
};

/**
 * struct rates - arrays that were seen at work
 * @list:	one entry for each array
 * @nr:		how many
 */
struct rates {
	struct rated *list;
	u32 nr;
};

/**
 * rates_note() - an array was looked at
 * @rates:	zeros before the first look
 * @state:	as it was read; its rate, the mean since the action began, becomes the one
 *		of late, once that can be told
 */
void rates_note(struct rates *rates, struct volume_state *state);

void rates_free(struct rates *rates);

#endif /* RATES_H */
