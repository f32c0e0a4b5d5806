// SPDX-License-Identifier: GPL-2.0
/*
 * Where the stripes are that a scrub found wrong: the target's message "mismatches"
 * answers a number and so many times ZONE,STRIPE,MEMBER.
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
};

/* The next one of an answer. */
static bool next_mismatch(const char **rest, struct mismatch *m)
{
	int used = 0;

	if (sscanf(*rest, " %u,%u,%u%n", &m->zone, &m->stripe, &m->slot,
		   &used) != 3)
		return false;
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

void mismatches_text(const struct volume_state *state, const char *indent)
{
	char answer[VOLUME_ANSWER];
	const char *rest = ask(state, answer, sizeof(answer));
	struct mismatch m;
	u32 nr = 0;

	while (next_mismatch(&rest, &m))
		if (nr++ < LINES)
			printf("%szone %u, stripe %u: parity is in slot %u\n",
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

	while (next_mismatch(&rest, &m)) {
		object = json_object_new_object();
		json_add_number(object, "zone", m.zone);
		json_add_number(object, "stripe", m.stripe);
		json_add_number(object, "parity_slot", m.slot);
		json_object_array_add(list, object);
	}
}
