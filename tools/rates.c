// SPDX-License-Identifier: GPL-2.0
/*
 * Rates of the work that arrays do on their own, for a command that reads their status again
 * and again.
 */
#include <stdlib.h>

#include "background.h"
#include "clock.h"
#include "rates.h"

/* NULL when memory is short: then the mean has to do. */
static struct rated *find(struct rates *rates, const u8 *uuid)
{
	struct rated *grown;
	u32 i;

	for (i = 0; i < rates->nr; i++)
		if (!memcmp(rates->list[i].uuid, uuid, RAIZN_UUID_SIZE))
			return &rates->list[i];
	grown = realloc(rates->list, (rates->nr + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	rates->list = grown;
	grown = &grown[rates->nr++];
	*grown = (struct rated) { .action = ACTION_IDLE };
	memcpy(grown->uuid, uuid, RAIZN_UUID_SIZE);
	return grown;
}

void rates_note(struct rates *rates, struct volume_state *state)
{
	struct amount amount = background_amount(state);
	struct rated *rated = find(rates, state->volume.uuid);
	double rate;

	if (!rated)
		return;
	if (rated->action == state->action && !state->paused)
		meter_update(&rated->meter, amount.done, now_ms());
	else
		meter_begin(&rated->meter, amount.done, now_ms());
	rated->action = state->action;
	if (meter_rate(&rated->meter, &rate))
		state->rate = rate;
}

void rates_free(struct rates *rates)
{
	free(rates->list);
	*rates = (struct rates) { };
}
