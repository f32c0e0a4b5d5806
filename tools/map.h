/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The zones of a running array, as raizn map shows them.
 */
#ifndef MAP_H
#define MAP_H

#include "volume_state.h"

/* Conditions of zones; of several in one cell the last one is shown. */
enum map_condition {
	MAP_EMPTY,
	MAP_FULL,
	MAP_CLOSED,
	MAP_IMPLICITLY_OPEN,
	MAP_EXPLICITLY_OPEN,
	MAP_READ_ONLY,
	MAP_OFFLINE,
	NR_MAP_CONDITIONS
};

/**
 * struct map_condition_text - a condition in words
 * @name:	name in text and JSON
 * @sign:	letter in a cell; ' ' if the fill of the zone says it all
 * @svg_class:	class of its cells in a picture
 */
struct map_condition_text {
	const char *name;
	char sign;
	const char *svg_class;
};

extern const struct map_condition_text map_conditions[NR_MAP_CONDITIONS];

/**
 * struct map_zone - a zone of the volume
 * @write_pointer: bytes from the start of the zone, as the zone report has it
 * @lacks:	bit of each slot whose column is missing
 * @condition:	enum map_condition
 */
struct map_zone {
	u64 write_pointer;
	u32 lacks;
	u8 condition;
};

/**
 * struct map - all zones of a running array
 * @state:	status and table of the array, without zones
 * @nr_zones:	number of zones, at least 1
 * @zone_size:	bytes from one zone to the next
 * @zone_capacity: bytes of each that can be written
 * @zones:	@nr_zones zones
 * @counts:	number of zones by condition
 * @degraded:	number of zones that lack a column
 * @lacking:	number of zones that lack a column, by the slot of the column
 */
struct map {
	struct volume_state state;
	u32 nr_zones;
	u64 zone_size;
	u64 zone_capacity;
	struct map_zone *zones;
	u32 counts[NR_MAP_CONDITIONS];
	u32 degraded;
	u32 lacking[RAIZN_MAX_MEMBERS];
};

/**
 * struct map_cell - a run of zones in one place of a map
 * @first:	first zone
 * @nr:		number of zones
 * @condition:	the gravest one of these zones
 * @lacks:	bit of each slot whose column is missing in one of them
 * @written:	bytes written to all of them
 * @room:	bytes that can be written to all of them
 */
struct map_cell {
	u32 first;
	u32 nr;
	enum map_condition condition;
	u32 lacks;
	u64 written;
	u64 room;
};

/**
 * map_gather() - learn about all zones of a running array
 * @map:	filled; map_free() it
 * @volume:	mapped device of the array
 *
 * Return: TOOL_OK, or an exit code after a message.
 */
int map_gather(struct map *map, const struct volume *volume);

/**
 * map_free() - release a map
 * @map:	filled by map_gather(), or zeros
 */
void map_free(struct map *map);

/**
 * map_zones_per_cell() - number of zones that a cell has to stand for
 * @map:	zones
 * @max_cells:	cells that there is room for, at least 1
 *
 * Return: the least number that is enough.
 */
u32 map_zones_per_cell(const struct map *map, u32 max_cells);

/**
 * map_nr_cells() - number of cells of a map
 * @map:	zones
 * @per_cell:	zones of a cell
 *
 * Return: the number; the last cell may have fewer zones.
 */
u32 map_nr_cells(const struct map *map, u32 per_cell);

/**
 * map_cell() - sum up the zones of one cell
 * @map:	zones
 * @per_cell:	zones of a cell
 * @nr:		number of the cell
 *
 * Return: the cell.
 */
struct map_cell map_cell(const struct map *map, u32 per_cell, u32 nr);

/**
 * map_cell_level() - how full a cell is
 * @cell:	cell
 * @levels:	number of levels, at least 2
 *
 * Return: 0 if nothing is written, @levels if nothing can be added, else 1 to
 * @levels - 1.
 */
u32 map_cell_level(const struct map_cell *cell, u32 levels);

/**
 * struct map_words - part of a sentence
 * @s:	the words
 */
struct map_words {
	char s[256];
};

/**
 * map_state_words() - state of the array, and how far its own work is
 * @map:	zones
 *
 * Return: words such as "degraded, rebuild 52.3%".
 */
struct map_words map_state_words(const struct map *map);

/**
 * map_size_words() - number and size of the zones
 * @map:	zones
 *
 * Return: words such as "41 zones of 64 MiB, 48 MiB of each can be written".
 */
struct map_words map_size_words(const struct map *map);

/**
 * map_lacking_words() - number of zones that lack a column, by slot
 * @map:	zones
 *
 * Return: words such as "slot 1 in 28 zones, slot 3 in 1 zone".
 */
struct map_words map_lacking_words(const struct map *map);

/**
 * map_text() - print a map for people
 * @map:	zones
 */
void map_text(const struct map *map);

/**
 * map_json() - print a map for programs
 * @map:	zones
 */
void map_json(const struct map *map);

/**
 * map_svg() - print a map as a picture
 * @map:	zones
 */
void map_svg(const struct map *map);

#endif /* MAP_H */
