/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Replay: from the records of a general log to the state of the zones.  Pure;
 * used by the module at assembly and by raizn inspect.
 *
 * Only the log zone with the newest complete checkpoint counts (a log zone with the
 * CHECKPOINT record of its first superblock).  The caller passes records of one zone, or of
 * the whole array, in the order of their sequence numbers.
 */
#ifndef RAIZN_REPLAY_H
#define RAIZN_REPLAY_H

#include "portable.h"
#include "format.h"
#include "payload.h"
#include "geometry.h"

/**
 * struct raizn_zone_state - state of one logical zone by the general log
 * @generation:	current generation
 * @wp:		write pointer (sectors) if RAIZN_ZONE_FINISHED
 * @flags:	RAIZN_ZONE_*
 */
struct raizn_zone_state {
	u64 generation;
	u32 wp;
	u32 flags;
};

/*
 * Entry of a column in struct raizn_zone_map, where 0 means at home, in the slot of its number,
 * and not marked.  A column that is nowhere still belongs to a member, so it has a distance, too.
 */
#define RAIZN_PLACE_ZONE	0x03ffffffU	/* member zone, from the first reserved one on */
#define RAIZN_PLACE_HOME	0U		/* in place of that: its home */
#define RAIZN_PLACE_NOWHERE	RAIZN_PLACE_ZONE	/* in place of that: none */
#define RAIZN_PLACE_DISTANCE	0x7c000000U	/* see struct raizn_map_entry */
#define RAIZN_PLACE_WHOLE	0x80000000U	/* the column has RAIZN_MAP_WHOLE */
#define RAIZN_PLACE_SHIFT	26		/* of the distance */

static_assert(RAIZN_MAX_MEMBERS - 1 == RAIZN_PLACE_DISTANCE >> RAIZN_PLACE_SHIFT,
	      "zone map entries have room for the distance");

/**
 * struct raizn_zone_map - places of columns that are not at home, and marks
 * @entries:	RAIZN_PLACE_*, by zone * nr_members + column; NULL: all of them are 0
 * @version:	counts changes; of two members' maps the higher version counts
 * @permuted:	some entry may have a distance
 */
struct raizn_zone_map {
	u32 *entries;
	u64 version;
	bool permuted;
};

/**
 * raizn_replay_record() - apply one general-log record
 * @geo:	the array's geometry
 * @zones:	@geo->nr_zones entries
 * @map:	zone map, all zeros before the first record; NULL: not wanted
 * @rec:	record that raizn_record_fits() accepted, with its payload
 *
 * SUPERBLOCK, CHECKPOINT, BAD_BLOCKS and SPOILT (see raizn_bad_blocks_replay() and
 * raizn_spoilt_replay()) change nothing here; PARTIAL_PARITY does not belong into a general log.
 *
 * RESET: intent sets RESETTING where @generation is the zone's current one; done raises the
 * generation to @generation + 1 and clears all flags.  With RAIZN_ZONE_ALL: intent marks
 * every zone, done raises the generation of every zone with RESETTING set by one.  FINISH
 * sets FINISHED and wp.  A record of an older generation than the zone's is void (and is no
 * error).  ZONE_MAP entries of the map's version or a newer one replace the present
 * entries.
 *
 * Return: 0, or -EUCLEAN when the record contradicts the state (generation from
 * the future, wrong role).
 */
int raizn_replay_record(const struct raizn_geometry *geo, struct raizn_zone_state *zones,
			struct raizn_zone_map *map, const struct raizn_record *rec);

/**
 * raizn_zone_state_knows() - does a member's log know of all resets of a zone?
 * @own:	state of the zone by the member's log
 * @joined:	state of the zone by all logs together
 *
 * The intent of a reset is durable on all members before the reset goes on.
 *
 * Return: false if the member shows a past that it had left.
 */
bool raizn_zone_state_knows(const struct raizn_zone_state *own,
			    const struct raizn_zone_state *joined);

/**
 * raizn_zone_state_join() - join the state of a zone by another member's general log
 * @zone:	state of a zone so far
 * @other:	state by the other log
 *
 * Every member gets every record, so each log on its own is a lower bound of the logged
 * state: the higher generation counts, and within one generation the flags of both logs.
 */
void raizn_zone_state_join(struct raizn_zone_state *zone, const struct raizn_zone_state *other);

/**
 * raizn_zone_map_check() - does a map put columns only where they can be?
 * @geo:	the array's geometry
 * @map:	result of replaying hostile records
 * @used:	scratch, raizn_most_zones() entries
 *
 * The columns of a zone must be on different members, and no two columns in one member zone.
 *
 * Return: 0 or -EUCLEAN.
 */
int raizn_zone_map_check(const struct raizn_geometry *geo,
			 const struct raizn_zone_map *map, u32 *used);

/**
 * raizn_zone_map_cut() - give up columns that are in zones which a member does not have
 * @geo:	the array's geometry
 * @map:	zone map
 * @slot:	slot of the member
 * @nr:		zones of the member, counted from the first reserved one
 *
 * The columns are nowhere then.  Return: number of columns.
 */
u32 raizn_zone_map_cut(const struct raizn_geometry *geo, struct raizn_zone_map *map, u32 slot,
		       u32 nr);

/**
 * raizn_zone_map_find_slot() - slow path of raizn_zone_map_slot()
 * @geo:	the array's geometry
 * @map:	zone map with entries
 * @zone:	logical zone
 * @column:	column
 *
 * Return: slot of a member.
 */
u32 raizn_zone_map_find_slot(const struct raizn_geometry *geo,
			     const struct raizn_zone_map *map, u32 zone, u32 column);

/**
 * raizn_zone_map_find_column() - slow path of raizn_zone_map_column()
 * @geo:	the array's geometry
 * @map:	zone map
 * @zone:	logical zone
 * @slot:	slot of a member
 *
 * Return: column, or nr_members if there is none.
 */
u32 raizn_zone_map_find_column(const struct raizn_geometry *geo,
			       const struct raizn_zone_map *map, u32 zone, u32 slot);

/**
 * raizn_zone_map_find_columns() - slow path of raizn_zone_map_columns()
 * @geo:	the array's geometry
 * @map:	zone map
 * @zone:	logical zone
 * @slots:	members (bit by slot)
 *
 * Return: columns (bit by column).
 */
u32 raizn_zone_map_find_columns(const struct raizn_geometry *geo,
				const struct raizn_zone_map *map, u32 zone, u32 slots);

/**
 * raizn_zone_map_find_slots() - slow path of raizn_zone_map_slots()
 * @geo:	the array's geometry
 * @map:	zone map
 * @zone:	logical zone
 * @columns:	columns (bit by column)
 *
 * Return: members (bit by slot).
 */
u32 raizn_zone_map_find_slots(const struct raizn_geometry *geo,
			      const struct raizn_zone_map *map, u32 zone, u32 columns);

/* Index of a column in raizn_zone_map.entries. */
static inline size_t raizn_zone_map_index(const struct raizn_geometry *geo, u32 zone, u32 column)
{
	return (size_t)zone * geo->nr_members + column;
}

/* Entry of a column: RAIZN_PLACE_*. */
static inline u32 raizn_zone_map_entry(const struct raizn_geometry *geo,
				       const struct raizn_zone_map *map, u32 zone, u32 column)
{
	return map->entries ?
	       READ_ONCE(map->entries[raizn_zone_map_index(geo, zone, column)]) : 0;
}

/**
 * raizn_zone_map_moved() - entry of a column that moves inside its member
 * @geo:	the array's geometry
 * @map:	zone map
 * @zone:	logical zone
 * @column:	column, which keeps its slot
 * @physical:	member zone, counted from the first reserved zone, or RAIZN_NOWHERE
 * @whole:	it is marked; a column that is nowhere is not
 *
 * Return: the entry.
 */
u32 raizn_zone_map_moved(const struct raizn_geometry *geo, const struct raizn_zone_map *map,
			 u32 zone, u32 column, u32 physical, bool whole);

/* Member zone of an entry, counted from the first reserved zone, or RAIZN_NOWHERE. */
static inline u32 raizn_place_physical(const struct raizn_geometry *geo, u32 zone, u32 entry)
{
	u32 physical = entry & RAIZN_PLACE_ZONE;

	if (physical == RAIZN_PLACE_HOME)
		return geo->nr_reserved + zone;
	return physical == RAIZN_PLACE_NOWHERE ? RAIZN_NOWHERE : physical;
}

/* Member zone of a column, counted from the first reserved zone, or RAIZN_NOWHERE. */
static inline u32 raizn_zone_map_physical(const struct raizn_geometry *geo,
					  const struct raizn_zone_map *map, u32 zone, u32 column)
{
	return raizn_place_physical(geo, zone, raizn_zone_map_entry(geo, map, zone, column));
}

/* Is a column marked as whole, in case that its member is being rebuilt? */
static inline bool raizn_zone_map_whole(const struct raizn_geometry *geo,
					const struct raizn_zone_map *map, u32 zone, u32 column)
{
	return raizn_zone_map_entry(geo, map, zone, column) & RAIZN_PLACE_WHOLE;
}

/* Slot of the member that a column belongs to, also while it is nowhere. */
static inline u32 raizn_zone_map_slot(const struct raizn_geometry *geo,
				      const struct raizn_zone_map *map, u32 zone, u32 column)
{
	return unlikely(map->permuted) ? raizn_zone_map_find_slot(geo, map, zone, column) :
					 column;
}

/*
 * Column of a zone that belongs to the member in a slot.  In a map that raizn_zone_map_check() has
 * not seen there may be none: nr_members.
 */
static inline u32 raizn_zone_map_column(const struct raizn_geometry *geo,
					const struct raizn_zone_map *map, u32 zone, u32 slot)
{
	return unlikely(map->permuted) ? raizn_zone_map_find_column(geo, map, zone, slot) : slot;
}

/* Columns (bit by column) of a zone that belong to members (bit by slot). */
static inline u32 raizn_zone_map_columns(const struct raizn_geometry *geo,
					 const struct raizn_zone_map *map, u32 zone, u32 slots)
{
	return unlikely(map->permuted) ? raizn_zone_map_find_columns(geo, map, zone, slots) :
					 slots;
}

/* Members (bit by slot) that columns (bit by column) of a zone belong to. */
static inline u32 raizn_zone_map_slots(const struct raizn_geometry *geo,
				       const struct raizn_zone_map *map, u32 zone, u32 columns)
{
	return unlikely(map->permuted) ? raizn_zone_map_find_slots(geo, map, zone, columns) :
					 columns;
}

/* Payload bytes of a ZONE_MAP record of @nr entries. */
static inline u32 raizn_zone_map_payload(u32 nr)
{
	u32 bytes = nr * (u32)sizeof(struct raizn_map_entry);

	return (bytes + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1);
}

/**
 * raizn_zone_map_add() - put an entry into a ZONE_MAP record
 * @geo:	the array's geometry
 * @rec:	record, its payload zeroed and large enough
 * @zone:	logical zone
 * @column:	column
 * @entry:	RAIZN_PLACE_*
 */
void raizn_zone_map_add(const struct raizn_geometry *geo, struct raizn_record *rec, u32 zone,
			u32 column, u32 entry);

/**
 * raizn_zone_table_fill() - payload of a ZONE_TABLE record
 * @rec:	record initialised with a payload of enough blocks
 * @zones:	state of all zones
 * @first:	first zone
 * @nr:		zones, at most RAIZN_ZONE_TABLE_MAX
 *
 * Fills zone, nr_zones and the payload (padding zeroed).
 */
void raizn_zone_table_fill(struct raizn_record *rec,
			   const struct raizn_zone_state *zones, u32 first,
			   u32 nr);

/* Payload bytes of a ZONE_TABLE record for @nr zones. */
static inline u32 raizn_zone_table_payload(u32 nr)
{
	u32 bytes = nr * (u32)sizeof(struct raizn_zone_entry);

	return (bytes + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1);
}

#endif /* RAIZN_REPLAY_H */
