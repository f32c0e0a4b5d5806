// SPDX-License-Identifier: GPL-2.0
/*
 * Replay of a general log: see replay.h.
 *
 * Effect of a record, by the generation that it names:
 *
 *   record         | older generation | zone's generation     | newer one
 *   ---------------+------------------+-----------------------+-----------
 *   ZONE_TABLE     | void             | adds its flags        | replaces
 *   RESET intent   | void             | sets RESETTING        | -EUCLEAN
 *   RESET done     | void             | next generation       | -EUCLEAN
 *   FINISH         | void             | sets FINISHED and wp  | -EUCLEAN
 *
 * ZONE_MAP records have a version of their own; an older one is void.
 *
 * Within one generation flags are only ever added, so applying a record again (every member
 * has a copy of it) changes nothing.  A RESET of all zones names no generation: its intent
 * marks each zone, its done raises the generation of each marked zone, once.
 */
#include "replay.h"

static int end_generation(struct raizn_zone_state *zone)
{
	/* an array is read-only at this generation: the record cannot be valid */
	if (zone->generation >= RAIZN_GENERATION_MAX)
		return -EUCLEAN;

	zone->generation++;
	zone->wp = 0;
	zone->flags = 0;
	return 0;
}

static int replay_reset_all(const struct raizn_geometry *geo,
			    struct raizn_zone_state *zones, u32 flags)
{
	u32 i;
	int ret;

	for (i = 0; i < geo->nr_zones; i++) {
		if (flags & RAIZN_RESET_INTENT) {
			zones[i].flags |= RAIZN_ZONE_RESETTING;
		} else if (zones[i].flags & RAIZN_ZONE_RESETTING) {
			ret = end_generation(&zones[i]);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int replay_zone(struct raizn_zone_state *zone,
		       const struct raizn_record *rec)
{
	u64 generation = le64_to_cpu(rec->generation);

	if (generation < zone->generation)
		return 0;
	if (generation > zone->generation)
		return -EUCLEAN;

	if (le16_to_cpu(rec->type) == RAIZN_REC_FINISH) {
		zone->flags |= RAIZN_ZONE_FINISHED;
		zone->wp = (u32)le64_to_cpu(rec->start);
		return 0;
	}
	if (le32_to_cpu(rec->flags) & RAIZN_RESET_INTENT) {
		zone->flags |= RAIZN_ZONE_RESETTING;
		return 0;
	}
	return end_generation(zone);
}

static void replay_zone_table(struct raizn_zone_state *zones,
			      const struct raizn_record *rec)
{
	const struct raizn_zone_entry *entry = (const void *)(rec + 1);
	struct raizn_zone_state *zone = zones + le32_to_cpu(rec->zone);
	u32 nr = le32_to_cpu(rec->nr_zones);
	u64 generation;
	u32 flags;

	for (; nr--; zone++, entry++) {
		generation = le64_to_cpu(entry->generation);
		flags = le32_to_cpu(entry->flags);

		if (generation < zone->generation)
			continue;
		if (generation > zone->generation) {
			zone->generation = generation;
			zone->wp = 0;
			zone->flags = 0;
		}
		zone->flags |= flags;
		if (flags & RAIZN_ZONE_FINISHED)
			zone->wp = le32_to_cpu(entry->wp);
	}
}

static void replay_zone_map(const struct raizn_geometry *geo,
			    struct raizn_zone_map *map,
			    const struct raizn_record *rec)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u64 version = le64_to_cpu(rec->start);
	u32 nr = le32_to_cpu(rec->nr_zones);
	u32 zone, column, physical;

	if (!map || version < map->version)
		return;
	map->version = version;
	for (; nr--; entry++) {
		zone = le32_to_cpu(entry->zone);
		column = le16_to_cpu(entry->column);
		physical = le32_to_cpu(entry->physical);
		if (le16_to_cpu(entry->flags) & RAIZN_MAP_WHOLE)
			physical |= RAIZN_PLACE_WHOLE;
		if (physical == geo->nr_reserved + zone)
			physical = 0;
		map->physical[(size_t)zone * geo->nr_members + column] =
			physical;
	}
}

int raizn_replay_record(const struct raizn_geometry *geo,
			struct raizn_zone_state *zones,
			struct raizn_zone_map *map,
			const struct raizn_record *rec)
{
	u32 zone = le32_to_cpu(rec->zone);

	if (rec->role != RAIZN_LOG_GENERAL)
		return -EUCLEAN;

	switch (le16_to_cpu(rec->type)) {
	case RAIZN_REC_SUPERBLOCK:
	case RAIZN_REC_CHECKPOINT:
	case RAIZN_REC_BAD_BLOCKS:
		return 0;
	case RAIZN_REC_ZONE_TABLE:
		replay_zone_table(zones, rec);
		return 0;
	case RAIZN_REC_RESET:
		if (zone == RAIZN_ZONE_ALL)
			return replay_reset_all(geo, zones,
						le32_to_cpu(rec->flags));
		return replay_zone(&zones[zone], rec);
	case RAIZN_REC_FINISH:
		return replay_zone(&zones[zone], rec);
	case RAIZN_REC_ZONE_MAP:
		replay_zone_map(geo, map, rec);
		return 0;
	default:
		return -EUCLEAN;
	}
}

void raizn_zone_table_fill(struct raizn_record *rec,
			   const struct raizn_zone_state *zones, u32 first,
			   u32 nr)
{
	struct raizn_zone_entry *entry = (void *)(rec + 1);
	u32 i;

	rec->zone = cpu_to_le32(first);
	rec->nr_zones = cpu_to_le32(nr);
	memset(entry, 0, raizn_zone_table_payload(nr));
	for (i = 0; i < nr; i++) {
		entry[i].generation = cpu_to_le64(zones[first + i].generation);
		entry[i].wp = cpu_to_le32(zones[first + i].wp);
		entry[i].flags = cpu_to_le32(zones[first + i].flags);
	}
}

int raizn_zone_map_check(const struct raizn_geometry *geo,
			 const struct raizn_zone_map *map, u8 *used)
{
	u32 column, zone, physical;

	for (column = 0; column < geo->nr_members; column++) {
		memset(used, 0, raizn_most_zones(geo));
		for (zone = 0; zone < geo->nr_zones; zone++) {
			physical = raizn_zone_map_physical(geo, map, zone,
							   column);
			if (physical == RAIZN_NOWHERE)
				continue;
			if (used[physical])
				return -EUCLEAN;
			used[physical] = 1;
		}
	}
	return 0;
}

u32 raizn_zone_map_cut(const struct raizn_geometry *geo, struct raizn_zone_map *map, u32 column,
		       u32 nr)
{
	u32 zone, physical, cut = 0;

	for (zone = 0; zone < geo->nr_zones; zone++) {
		physical = raizn_zone_map_physical(geo, map, zone, column);
		if (physical == RAIZN_NOWHERE || physical < nr)
			continue;
		map->physical[(size_t)zone * geo->nr_members + column] = RAIZN_NOWHERE;
		cut++;
	}
	return cut;
}

void raizn_zone_map_add(struct raizn_record *rec, u32 zone, u32 column, u32 place)
{
	struct raizn_map_entry *entry = (void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);

	entry[nr].zone = cpu_to_le32(zone);
	entry[nr].column = cpu_to_le16((u16)column);
	if (place != RAIZN_NOWHERE && place & RAIZN_PLACE_WHOLE) {
		entry[nr].flags = cpu_to_le16(RAIZN_MAP_WHOLE);
		place &= ~RAIZN_PLACE_WHOLE;
	}
	entry[nr].physical = cpu_to_le32(place);
	rec->nr_zones = cpu_to_le32(nr + 1);
}

bool raizn_zone_state_knows(const struct raizn_zone_state *own,
			    const struct raizn_zone_state *joined)
{
	return own->generation == joined->generation ||
	       (own->generation + 1 == joined->generation &&
		own->flags & RAIZN_ZONE_RESETTING);
}

void raizn_zone_state_join(struct raizn_zone_state *zone,
			   const struct raizn_zone_state *other)
{
	if (other->generation < zone->generation)
		return;
	if (other->generation > zone->generation) {
		*zone = *other;
		return;
	}
	if (other->flags & RAIZN_ZONE_FINISHED)
		zone->wp = other->wp;
	zone->flags |= other->flags;
}
