// SPDX-License-Identifier: GPL-2.0
/*
 * Cells of a map, which sum up zones, and the words that text and picture share.
 */
#include <stdio.h>

#include "background.h"
#include "map.h"
#include "text.h"

const struct map_condition_text map_conditions[NR_MAP_CONDITIONS] = {
	[MAP_EMPTY] = { "empty", ' ', "empty" },
	[MAP_FULL] = { "full", ' ', "full" },
	[MAP_CLOSED] = { "closed", 'c', "closed" },
	[MAP_IMPLICITLY_OPEN] = { "implicitly open", 'o', "implicit" },
	[MAP_EXPLICITLY_OPEN] = { "explicitly open", 'O', "explicit" },
	[MAP_READ_ONLY] = { "read-only", 'r', "readonly" },
	[MAP_OFFLINE] = { "offline", 'x', "offline" },
};

u32 map_zones_per_cell(const struct map *map, u32 max_cells)
{
	return (map->nr_zones - 1) / max_cells + 1;
}

u32 map_nr_cells(const struct map *map, u32 per_cell)
{
	return (map->nr_zones - 1) / per_cell + 1;
}

static u64 written_to(const struct map *map, const struct map_zone *zone)
{
	if (zone->condition == MAP_OFFLINE)
		return 0;
	if (zone->condition == MAP_FULL ||
	    zone->write_pointer > map->zone_capacity)
		return map->zone_capacity;
	return zone->write_pointer;
}

struct map_cell map_cell(const struct map *map, u32 per_cell, u32 nr)
{
	struct map_cell cell = { .first = nr * per_cell, .nr = per_cell };
	u32 i;

	if (cell.nr > map->nr_zones - cell.first)
		cell.nr = map->nr_zones - cell.first;
	for (i = cell.first; i < cell.first + cell.nr; i++) {
		const struct map_zone *zone = &map->zones[i];

		if (zone->condition > cell.condition)
			cell.condition = zone->condition;
		cell.lacks |= zone->lacks;
		cell.written += written_to(map, zone);
	}
	cell.room = cell.nr * map->zone_capacity;
	return cell;
}

u32 map_cell_level(const struct map_cell *cell, u32 levels)
{
	if (!cell->written)
		return 0;
	if (cell->written >= cell->room)
		return levels;
	return 1 + (double)cell->written / cell->room * (levels - 1);
}

struct map_words map_state_words(const struct map *map)
{
	const struct volume_state *state = &map->state;
	struct amount amount = background_amount(state);
	struct map_words words;

	if (state->action == ACTION_IDLE)
		snprintf(words.s, sizeof(words.s), "%s", state->state);
	else
		snprintf(words.s, sizeof(words.s), "%s, %s %.1f%%",
			 state->state, action_names[state->action],
			 amount_percent(&amount));
	return words;
}

struct map_words map_size_words(const struct map *map)
{
	struct map_words words;
	size_t at;

	at = snprintf(words.s, sizeof(words.s), "%u zone%s of %s",
		      map->nr_zones, plural(map->nr_zones),
		      size_text(map->zone_size).s);
	if (map->zone_capacity != map->zone_size)
		snprintf(words.s + at, sizeof(words.s) - at,
			 ", %s of each can be written",
			 size_text(map->zone_capacity).s);
	return words;
}

struct map_words map_lacking_words(const struct map *map)
{
	struct map_words words = { };
	size_t at = 0;
	u32 slot;

	for (slot = 0; slot < map->state.nr_members; slot++)
		if (map->lacking[slot] && at < sizeof(words.s))
			at += snprintf(words.s + at, sizeof(words.s) - at,
				       "%sslot %u in %u zone%s",
				       at ? ", " : "", slot,
				       map->lacking[slot],
				       plural(map->lacking[slot]));
	return words;
}
