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

/* Beside a member zone in raizn_zone_map.physical: the column has RAIZN_MAP_WHOLE. */
#define RAIZN_PLACE_WHOLE	0x80000000U

/**
 * struct raizn_zone_map - places of columns that are not at home, and marks
 * @physical:	member zone by zone * nr_members + column, counted from the first reserved
 *		zone, with RAIZN_PLACE_WHOLE if the column is marked; 0: at home, not marked
 * @version:	counts changes; of two members' maps the higher version counts
 */
struct raizn_zone_map {
	u32 *physical;
	u64 version;
};

/**
 * raizn_replay_record() - apply one general-log record
 * @geo:	the array's geometry
 * @zones:	@geo->nr_zones entries
 * @map:	zone map, all zeros before the first record; NULL: not wanted
 * @rec:	record that raizn_record_fits() accepted, with its payload
 *
 * SUPERBLOCK, CHECKPOINT and BAD_BLOCKS (see raizn_bad_blocks_replay()) change nothing here;
 * PARTIAL_PARITY does not belong into a general log.
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
int raizn_replay_record(const struct raizn_geometry *geo,
			struct raizn_zone_state *zones,
			struct raizn_zone_map *map,
			const struct raizn_record *rec);

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
void raizn_zone_state_join(struct raizn_zone_state *zone,
			   const struct raizn_zone_state *other);

/**
 * raizn_zone_map_check() - is every member zone used once at most?
 * @geo:	the array's geometry
 * @map:	result of replaying hostile records
 * @used:	scratch, raizn_most_zones() bytes
 *
 * Return: 0 or -EUCLEAN.
 */
int raizn_zone_map_check(const struct raizn_geometry *geo,
			 const struct raizn_zone_map *map, u8 *used);

/**
 * raizn_zone_map_cut() - give up columns that are in zones which a member does not have
 * @geo:	the array's geometry
 * @map:	zone map
 * @column:	column, and so the member
 * @nr:		zones of the member, counted from the first reserved one
 *
 * The columns are nowhere then.  Return: number of columns.
 */
u32 raizn_zone_map_cut(const struct raizn_geometry *geo, struct raizn_zone_map *map, u32 column,
		       u32 nr);

/* Entry of a column: a member zone, perhaps with a mark, or RAIZN_NOWHERE. */
static inline u32 raizn_zone_map_entry(const struct raizn_geometry *geo,
				       const struct raizn_zone_map *map, u32 zone, u32 column)
{
	u32 place = 0;

	if (map->physical)
		place = READ_ONCE(map->physical[(size_t)zone * geo->nr_members + column]);
	return place ? place : geo->nr_reserved + zone;
}

/* Member zone of a column, counted from the first reserved zone, or RAIZN_NOWHERE. */
static inline u32 raizn_zone_map_physical(const struct raizn_geometry *geo,
					  const struct raizn_zone_map *map,
					  u32 zone, u32 column)
{
	u32 place = raizn_zone_map_entry(geo, map, zone, column);

	return place == RAIZN_NOWHERE ? place : place & ~RAIZN_PLACE_WHOLE;
}

/* Is a column marked as whole, in case that its member is being rebuilt? */
static inline bool raizn_zone_map_whole(const struct raizn_geometry *geo,
					const struct raizn_zone_map *map,
					u32 zone, u32 column)
{
	u32 place = raizn_zone_map_entry(geo, map, zone, column);

	return place != RAIZN_NOWHERE && place & RAIZN_PLACE_WHOLE;
}

/* Payload bytes of a ZONE_MAP record of @nr entries. */
static inline u32 raizn_zone_map_payload(u32 nr)
{
	u32 bytes = nr * (u32)sizeof(struct raizn_map_entry);

	return (bytes + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1);
}

/**
 * raizn_zone_map_add() - put an entry into a ZONE_MAP record
 * @rec:	record, its payload zeroed and large enough
 * @zone:	logical zone
 * @column:	column
 * @place:	member zone, counted from the first reserved zone, perhaps with RAIZN_PLACE_WHOLE,
 *		or RAIZN_NOWHERE
 */
void raizn_zone_map_add(struct raizn_record *rec, u32 zone, u32 column, u32 place);

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
