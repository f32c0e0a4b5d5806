// SPDX-License-Identifier: GPL-2.0
/*
 * Where the stripes are that a scrub found wrong: the target's message "mismatches"
 * answers a number and so many times ZONE,STRIPE,SLOT, with ,PARITY-SLOT behind that if
 * columns are on members of other slots.
 */
#include <stdio.h>
#include <string.h>

#include "mismatches.h"

/* What a person reads of them. */
#define LINES	8

struct mismatch {
	u32 zone;
	u32 stripe;
	u32 slot;
	u32 parity_slot;
};

/* Slot with the parity of a stripe, if each column is on the member in the slot of its number. */
static u32 parity_slot(const struct volume_state *state, const struct mismatch *m)
{
	u64 turn = (u64)m->zone + m->stripe;

	return state->nr_members - 1 - turn % state->nr_members;
}

/* The next one of an answer. */
static bool next_mismatch(const struct volume_state *state, const char **rest,
			  struct mismatch *m)
{
	int used = 0;

	if (sscanf(*rest, " %u,%u,%u%n", &m->zone, &m->stripe, &m->slot,
		   &used) != 3)
		return false;
	*rest += used;
	m->parity_slot = parity_slot(state, m);
	if (sscanf(*rest, ",%u%n", &m->parity_slot, &used) == 1)
		*rest += used;
	return true;
}

/* Returns behind the number in @answer, which is of an older module if it is empty. */
static const char *ask(const struct volume_state *state, char *answer, size_t size)
{
	const char *rest;

	if (!state->mismatches ||
	    !volume_ask(&state->volume, "mismatches", answer, size))
		return "";
	rest = strchr(answer, ' ');
	return rest ? rest : "";
}

/* With one parity, or two copies, nothing tells which unit is wrong: see docs/format.md. */
void mismatches_text(const struct volume_state *state, const char *indent)
{
	char answer[VOLUME_ANSWER];
	const char *rest = ask(state, answer, sizeof(answer));
	struct mismatch m;
	u32 nr = 0;

	while (next_mismatch(state, &rest, &m))
		if (nr++ < LINES)
			printf(m.slot == m.parity_slot ?
			       "%szone %u, stripe %u: parity is in slot %u\n" :
			       "%szone %u, stripe %u: the unit in slot %u is wrong\n",
			       indent, m.zone, m.stripe, m.slot);
	if (nr > LINES)
		printf("%sand more: see 'raizn status %s --json'\n", indent,
		       state->volume.name);
}

void mismatches_json(const struct volume_state *state, struct json_object *list)
{
	char answer[VOLUME_ANSWER];
	const char *rest = ask(state, answer, sizeof(answer));
	struct json_object *object;
	struct mismatch m;

	while (next_mismatch(state, &rest, &m)) {
		object = json_object_new_object();
		json_add_number(object, "zone", m.zone);
		json_add_number(object, "stripe", m.stripe);
		json_add_number(object, "slot", m.slot);
		json_add_number(object, "parity_slot", m.parity_slot);
		json_object_array_add(list, object);
	}
}
