// SPDX-License-Identifier: GPL-2.0
/*
 * Sectors of a running volume that are lost: the target's message "bad_blocks" answers so many
 * times SECTOR,SECTORS,MEMBER,KIND, and what to ask for next.
 */
#include <stdio.h>

#include "lost_blocks.h"
#include "size.h"

/* The kernel's list is not longer. */
#define MAX_BLOCKS	RAIZN_BAD_BLOCKS_MAX

/**
 * struct lost_block - a run of lost sectors
 * @sector:	the first one, of the volume
 * @nr:		sectors
 * @slot:	member that should hold them
 * @placeholder: it holds a placeholder; else its drive cannot read them
 */
struct lost_block {
	u64 sector;
	u32 nr;
	u32 slot;
	bool placeholder;
};

static bool next_block(const char **rest, struct lost_block *block)
{
	unsigned long long sector;
	int used = 0;
	char kind;

	if (sscanf(*rest, " %llu,%u,%u,%c%n", &sector, &block->nr, &block->slot, &kind,
		   &used) != 4)
		return false;
	block->sector = sector;
	block->placeholder = kind == 'p';
	*rest += used;
	return true;
}

/* Returns the number of entries of @blocks, which has MAX_BLOCKS, that are filled. */
static u32 ask_for_blocks(const struct volume_state *state, struct lost_block *blocks)
{
	char answer[VOLUME_ANSWER], question[32];
	unsigned int next = 0;
	const char *rest;
	u32 nr = 0, before;

	while (state->lost_sectors) {
		snprintf(question, sizeof(question), "bad_blocks %u", next);
		if (!volume_ask(&state->volume, question, answer, sizeof(answer)))
			break;
		rest = answer;
		before = nr;
		while (nr < MAX_BLOCKS && next_block(&rest, &blocks[nr]))
			nr++;
		if (nr == before || sscanf(rest, " %u", &next) != 1 || !next)
			break;
	}
	return nr;
}

void lost_blocks_text(const struct volume_state *state)
{
	struct lost_block blocks[MAX_BLOCKS];
	u32 nr = ask_for_blocks(state, blocks), i;
	unsigned long long sector;

	for (i = 0; i < nr; i++) {
		sector = blocks[i].sector;
		printf("    lost: sectors %llu to %llu (%s), in zone %llu: %s of slot %u\n",
		       sector, sector + blocks[i].nr - 1, sectors_text(blocks[i].nr).s,
		       sector / (unsigned long long)(state->zone_size >> 9),
		       blocks[i].placeholder ? "a placeholder" : "unreadable sectors",
		       blocks[i].slot);
	}
}

void lost_blocks_json(const struct volume_state *state, struct json_object *list)
{
	struct lost_block blocks[MAX_BLOCKS];
	u32 nr = ask_for_blocks(state, blocks), i;
	struct json_object *object;

	for (i = 0; i < nr; i++) {
		object = json_object_new_object();
		json_add_number(object, "sector", blocks[i].sector);
		json_add_number(object, "sectors", blocks[i].nr);
		json_add_number(object, "zone", blocks[i].sector / (state->zone_size >> 9));
		json_add_number(object, "slot", blocks[i].slot);
		json_add_bool(object, "placeholder", blocks[i].placeholder);
		json_object_array_add(list, object);
	}
}
