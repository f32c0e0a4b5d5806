// SPDX-License-Identifier: GPL-2.0
/*
 * The facts of a map: the volume's zone report, and the zones that lack columns, which
 * the target's message "degraded" answers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drive.h"
#include "map.h"
#include "tool.h"

/* Zones asked of the volume at a time. */
#define REPORT_ZONES	1024U

static enum map_condition condition_of(const struct zbd_zone *zone)
{
	switch (zone->cond) {
	case ZBD_ZONE_COND_EMPTY:
		return MAP_EMPTY;
	case ZBD_ZONE_COND_IMP_OPEN:
		return MAP_IMPLICITLY_OPEN;
	case ZBD_ZONE_COND_EXP_OPEN:
		return MAP_EXPLICITLY_OPEN;
	case ZBD_ZONE_COND_CLOSED:
		return MAP_CLOSED;
	case ZBD_ZONE_COND_FULL:
		return MAP_FULL;
	case ZBD_ZONE_COND_READONLY:
		return MAP_READ_ONLY;
	default:
		return MAP_OFFLINE;
	}
}

static void take_zones(struct map *map, u32 first, u32 nr,
		       const struct zbd_zone *zones)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		struct map_zone *zone = &map->zones[first + i];

		zone->condition = condition_of(&zones[i]);
		zone->write_pointer = zones[i].wp - zones[i].start;
		map->counts[zone->condition]++;
	}
	map->zone_capacity = zones[0].capacity;
}

static int report(struct map *map, const struct drive *drive)
{
	struct zbd_zone *zones = calloc(REPORT_ZONES, sizeof(*zones));
	int ret = TOOL_OK;
	u32 first, nr;

	map->nr_zones = drive->nr_zones;
	map->zone_size = drive->zone_size << 9;
	map->zones = calloc(map->nr_zones, sizeof(*map->zones));
	if (!zones || !map->zones)
		ret = fail_memory();
	for (first = 0; first < map->nr_zones && !ret; first += nr) {
		nr = map->nr_zones - first;
		if (nr > REPORT_ZONES)
			nr = REPORT_ZONES;
		ret = drive_report(drive, first, nr, zones);
		if (!ret)
			take_zones(map, first, nr, zones);
	}
	free(zones);
	return ret;
}

static int read_zones(struct map *map)
{
	struct drive drive;
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/dev/dm-%u", map->state.volume.minor);
	ret = drive_open(&drive, path);
	if (ret)
		return ret;
	ret = report(map, &drive);
	drive_close(&drive);
	return ret;
}

/* Take "FIRST,NR,COLUMNS ... NEXT"; false if the answer has another form. */
static bool take_answer(struct map *map, const char *answer, u32 *next)
{
	u32 first, nr, lacks, i;
	int used;

	while (sscanf(answer, "%u,%u,%x%n", &first, &nr, &lacks, &used) == 3) {
		if (first >= map->nr_zones || nr > map->nr_zones - first)
			return false;
		for (i = first; i < first + nr; i++)
			map->zones[i].lacks = lacks;
		answer += used;
		answer += strspn(answer, " ");
	}
	return sscanf(answer, "%u%n", next, &used) == 1 && !answer[used];
}

static int read_lacks(struct map *map)
{
	const struct volume *volume = &map->state.volume;
	char question[32], answer[VOLUME_ANSWER];
	u32 at, next;

	for (at = 0; at < map->nr_zones; at = next) {
		snprintf(question, sizeof(question), "degraded %u", at);
		if (!volume_ask(volume, question, answer, sizeof(answer)) ||
		    !take_answer(map, answer, &next) || next <= at)
			return fail(TOOL_FAILED,
				    "%s: the module does not tell which zones lack a column, it is older or newer than raizn; use those that came together",
				    volume->name);
	}
	return TOOL_OK;
}

static void count_lacks(struct map *map)
{
	u32 i, slot;

	for (i = 0; i < map->nr_zones; i++) {
		map->degraded += !!map->zones[i].lacks;
		for (slot = 0; slot < map->state.nr_members; slot++)
			map->lacking[slot] += map->zones[i].lacks >> slot & 1;
	}
}

int map_gather(struct map *map, const struct volume *volume)
{
	int ret;

	memset(map, 0, sizeof(*map));
	/* A report would wait for the resume. */
	if (volume->suspended)
		return fail(TOOL_REFUSED,
			    "%s: suspended, so its zones cannot be reported; resume it first ('dmsetup resume %s')",
			    volume->name, volume->name);
	ret = volume_state_read_lines(volume, &map->state);
	if (!ret)
		ret = read_zones(map);
	/* A module that is older does not know the question. */
	if (!ret && map->state.degraded_zones)
		ret = read_lacks(map);
	if (ret)
		map_free(map);
	else
		count_lacks(map);
	return ret;
}

void map_free(struct map *map)
{
	free(map->zones);
	map->zones = NULL;
}
