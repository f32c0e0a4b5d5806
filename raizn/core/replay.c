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

/* Entry for a member zone: one that is nowhere has no mark. */
static u32 make_entry(const struct raizn_geometry *geo, u32 zone, u32 physical, u32 distance,
		      bool whole)
{
	u32 entry = distance << RAIZN_PLACE_SHIFT;

	if (physical == RAIZN_NOWHERE)
		return entry | RAIZN_PLACE_NOWHERE;
	if (whole)
		entry |= RAIZN_PLACE_WHOLE;
	return entry | (physical == geo->nr_reserved + zone ? RAIZN_PLACE_HOME : physical);
}

static void replay_zone_map(const struct raizn_geometry *geo,
			    struct raizn_zone_map *map,
			    const struct raizn_record *rec)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u64 version = le64_to_cpu(rec->start);
	u32 nr = le32_to_cpu(rec->nr_zones);
	u32 zone, column, distance;

	if (!map || version < map->version)
		return;
	map->version = version;
	for (; nr--; entry++) {
		zone = le32_to_cpu(entry->zone);
		column = le16_to_cpu(entry->column);
		distance = le16_to_cpu(entry->distance);
		if (distance)
			map->permuted = true;
		map->entries[raizn_zone_map_index(geo, zone, column)] =
			make_entry(geo, zone, le32_to_cpu(entry->physical), distance,
				   le16_to_cpu(entry->flags) & RAIZN_MAP_WHOLE);
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
	case RAIZN_REC_SPOILT:
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

static u32 distance_of(u32 entry)
{
	return (entry & RAIZN_PLACE_DISTANCE) >> RAIZN_PLACE_SHIFT;
}

u32 raizn_zone_map_find_slot(const struct raizn_geometry *geo,
			     const struct raizn_zone_map *map, u32 zone, u32 column)
{
	u32 slot = column + distance_of(raizn_zone_map_entry(geo, map, zone, column));

	return slot < geo->nr_members ? slot : slot - geo->nr_members;
}

u32 raizn_zone_map_find_column(const struct raizn_geometry *geo,
			       const struct raizn_zone_map *map, u32 zone, u32 slot)
{
	u32 column = 0;

	while (column < geo->nr_members && raizn_zone_map_slot(geo, map, zone, column) != slot)
		column++;
	return column;
}

u32 raizn_zone_map_find_columns(const struct raizn_geometry *geo,
				const struct raizn_zone_map *map, u32 zone, u32 slots)
{
	u32 columns = 0, column, slot;

	for (column = 0; slots && column < geo->nr_members; column++) {
		slot = 1U << raizn_zone_map_slot(geo, map, zone, column);
		if (slots & slot)
			columns |= 1U << column;
		slots &= ~slot;
	}
	return columns;
}

u32 raizn_zone_map_find_slots(const struct raizn_geometry *geo,
			      const struct raizn_zone_map *map, u32 zone, u32 columns)
{
	u32 slots = 0, column;

	for (column = 0; columns && column < geo->nr_members; column++)
		if (columns >> column & 1)
			slots |= 1U << raizn_zone_map_slot(geo, map, zone, column);
	return slots;
}

/* Note the members and member zones of the columns of a zone. */
static int use_places(const struct raizn_geometry *geo, const struct raizn_zone_map *map, u32 zone,
		      u32 *used)
{
	u32 slots = 0, column, slot, physical;

	for (column = 0; column < geo->nr_members; column++) {
		slot = 1U << raizn_zone_map_slot(geo, map, zone, column);
		if (slots & slot)
			return -EUCLEAN;
		slots |= slot;
		physical = raizn_zone_map_physical(geo, map, zone, column);
		if (physical == RAIZN_NOWHERE)
			continue;
		if (used[physical] & slot)
			return -EUCLEAN;
		used[physical] |= slot;
	}
	return 0;
}

int raizn_zone_map_check(const struct raizn_geometry *geo,
			 const struct raizn_zone_map *map, u32 *used)
{
	u32 zone;
	int err = 0;

	memset(used, 0, raizn_most_zones(geo) * sizeof(*used));
	for (zone = 0; !err && zone < geo->nr_zones; zone++)
		err = use_places(geo, map, zone, used);
	return err;
}

u32 raizn_zone_map_moved(const struct raizn_geometry *geo, const struct raizn_zone_map *map,
			 u32 zone, u32 column, u32 physical, bool whole)
{
	u32 entry = raizn_zone_map_entry(geo, map, zone, column);

	return make_entry(geo, zone, physical, distance_of(entry), whole);
}

u32 raizn_zone_map_cut(const struct raizn_geometry *geo, struct raizn_zone_map *map, u32 slot,
		       u32 nr)
{
	u32 zone, column, physical, cut = 0;

	for (zone = 0; zone < geo->nr_zones; zone++) {
		column = raizn_zone_map_column(geo, map, zone, slot);
		physical = raizn_zone_map_physical(geo, map, zone, column);
		if (physical == RAIZN_NOWHERE || physical < nr)
			continue;
		map->entries[raizn_zone_map_index(geo, zone, column)] =
			raizn_zone_map_moved(geo, map, zone, column, RAIZN_NOWHERE, false);
		cut++;
	}
	return cut;
}

void raizn_zone_map_add(const struct raizn_geometry *geo, struct raizn_record *rec, u32 zone,
			u32 column, u32 entry)
{
	struct raizn_map_entry *to = (void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);

	to += nr;
	to->zone = cpu_to_le32(zone);
	to->column = cpu_to_le16((u16)column);
	to->flags = cpu_to_le16(entry & RAIZN_PLACE_WHOLE ? RAIZN_MAP_WHOLE : 0);
	to->physical = cpu_to_le32(raizn_place_physical(geo, zone, entry));
	to->distance = cpu_to_le16((u16)distance_of(entry));
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
