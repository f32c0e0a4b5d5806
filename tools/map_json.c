// SPDX-License-Identifier: GPL-2.0
/*
 * raizn map, for programs.
 */
#include <stdio.h>

#include "json_out.h"
#include "map.h"

static void print_head(const struct map *map)
{
	const struct volume_state *state = &map->state;
	struct json_object *head = json_object_new_object(), *counts;
	const char *text;
	u32 i;

	json_add_text(head, "name", state->volume.name);
	json_add_uuid(head, "uuid", state->volume.uuid);
	json_add_text(head, "state", state->state);
	json_add_number(head, "nr_members", state->nr_members);
	json_add_number(head, "nr_zones", map->nr_zones);
	json_add_number(head, "zone_size", map->zone_size);
	json_add_number(head, "zone_capacity", map->zone_capacity);
	json_add_number(head, "degraded_zones", map->degraded);
	counts = json_sub(head, "counts");
	for (i = 0; i < NR_MAP_CONDITIONS; i++)
		json_add_number(counts, map_conditions[i].name, map->counts[i]);
	text = json_object_to_json_string_ext(head, JSON_C_TO_STRING_PLAIN |
					      JSON_C_TO_STRING_NOSLASHESCAPE);
	/* The zones go on in the same object. */
	printf("%.*s,\n  \"zones\": [", (int)strlen(text) - 1, text);
	json_object_put(head);
}

static bool alike(const struct map_zone *a, const struct map_zone *b)
{
	return a->condition == b->condition && a->lacks == b->lacks &&
	       a->write_pointer == b->write_pointer;
}

static void print_run(const struct map *map, u32 first, u32 nr, bool *is_first)
{
	const struct map_zone *zone = &map->zones[first];
	struct json_object *object = json_object_new_object(), *lacks;
	u32 slot;

	json_add_number(object, "first", first);
	json_add_number(object, "count", nr);
	json_add_text(object, "condition", map_conditions[zone->condition].name);
	json_add_number(object, "write_pointer", zone->write_pointer);
	lacks = json_list(object, "lacks");
	for (slot = 0; slot < map->state.nr_members; slot++)
		if (zone->lacks >> slot & 1)
			json_object_array_add(lacks, json_object_new_uint64(slot));
	json_item(object, is_first);
}

void map_json(const struct map *map)
{
	bool is_first = true;
	u32 first, next;

	print_head(map);
	for (first = 0; first < map->nr_zones; first = next) {
		next = first + 1;
		while (next < map->nr_zones &&
		       alike(&map->zones[first], &map->zones[next]))
			next++;
		print_run(map, first, next - first, &is_first);
	}
	printf(" ]\n}\n");
}
