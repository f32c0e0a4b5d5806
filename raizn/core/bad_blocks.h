/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of blocks that are lost, though their columns are whole otherwise.  Pure.
 *
 * A rebuild that can neither read nor compute a block writes a placeholder, and records that.
 * The list holds such placeholders, and the rows of other columns that could not be read.
 * It is short and rarely used, so it is an array, searched from its start.
 */
#ifndef RAIZN_BAD_BLOCKS_H
#define RAIZN_BAD_BLOCKS_H

#include "portable.h"
#include "format.h"
#include "payload.h"
#include "geometry.h"

/**
 * struct raizn_bad_block - see struct raizn_bad_entry
 * @generation:	generation of the zone
 * @zone:	logical zone
 * @physical:	member zone that held the column
 * @sector:	first row (sectors in the column)
 * @nr:		rows (sectors), within one stripe unit
 * @column:	column
 * @flags:	RAIZN_BAD_*
 */
struct raizn_bad_block {
	u64 generation;
	u32 zone;
	u32 physical;
	u32 sector;
	u32 nr;
	u16 column;
	u16 flags;
};

/**
 * struct raizn_bad_blocks - the list
 * @version:	counts changes; of two members' lists the higher version counts
 * @nr:		entries
 * @at:		the entries
 */
struct raizn_bad_blocks {
	u64 version;
	u32 nr;
	struct raizn_bad_block at[RAIZN_BAD_BLOCKS_MAX];
};

/* Payload bytes of a BAD_BLOCKS record of @nr entries: one block at least. */
static inline u32 raizn_bad_blocks_payload(u32 nr)
{
	u32 bytes = (nr ? nr : 1) * (u32)sizeof(struct raizn_bad_entry);

	return (bytes + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1);
}

/**
 * raizn_bad_blocks_add() - add rows of a column
 * @list:	list
 * @geo:	the array's geometry
 * @block:	the rows
 *
 * Rows that are in the list with the same flags are not added again; rows beside an entry
 * extend it.  A column that is nowhere has no rows to add.
 *
 * Return: 0, or -ENOSPC when the list is full.
 */
int raizn_bad_blocks_add(struct raizn_bad_blocks *list, const struct raizn_geometry *geo,
			 const struct raizn_bad_block *block);

/**
 * raizn_bad_blocks_find() - is any of some rows in the list?
 * @list:	list
 * @block:	the rows; entries with all flags of @block->flags count
 */
bool raizn_bad_blocks_find(const struct raizn_bad_blocks *list,
			   const struct raizn_bad_block *block);

/**
 * raizn_bad_blocks_cut() - drop rows of a column from some row on
 * @list:	list
 * @zone:	logical zone
 * @column:	column
 * @physical:	member zone; entries made in other ones stay
 * @sector:	first row to drop (sectors in the column)
 *
 * Return: whether the list has changed.
 */
bool raizn_bad_blocks_cut(struct raizn_bad_blocks *list, u32 zone, u32 column,
			  u32 physical, u32 sector);

/**
 * raizn_bad_blocks_shrink() - drop unreadable rows at the start or end of an entry
 * @list:	list
 * @block:	the rows, which can be read
 *
 * Return: whether the list has changed.
 */
bool raizn_bad_blocks_shrink(struct raizn_bad_blocks *list,
			     const struct raizn_bad_block *block);

/**
 * raizn_bad_blocks_keep() - drop the entries of a zone that do not count any more
 * @list:	list
 * @zone:	logical zone, or RAIZN_ZONE_ALL
 * @counts:	does an entry count?
 * @data:	for @counts
 *
 * Unreadable rows are dropped, too, if no placeholder of the zone is left in these rows.
 *
 * Return: whether the list has changed.
 */
bool raizn_bad_blocks_keep(struct raizn_bad_blocks *list, u32 zone,
			   bool (*counts)(const struct raizn_bad_block *block, void *data),
			   void *data);

/**
 * raizn_bad_block_offset() - place of lost rows in the logical zone
 * @geo:	the array's geometry
 * @block:	the rows
 * @offset:	set to the first one's offset (sectors in the logical zone)
 *
 * Return: false if the rows hold parity.  In a mirror each column holds the data.
 */
bool raizn_bad_block_offset(const struct raizn_geometry *geo,
			    const struct raizn_bad_block *block, u32 *offset);

/**
 * raizn_bad_blocks_lists_first() - is an entry the first one of its rows of data?
 * @list:	list
 * @geo:	the array's geometry
 * @i:		index of the entry
 *
 * In a mirror several copies of the same data are in the list.
 *
 * Return: false for rows of parity, and if an entry with a lower index has the first row.
 */
bool raizn_bad_blocks_lists_first(const struct raizn_bad_blocks *list,
				  const struct raizn_geometry *geo, u32 i);

/**
 * raizn_bad_blocks_placeholder() - contents of placeholders
 * @buf:	to fill
 * @bytes:	size of @buf
 * @block:	logical block size (bytes)
 *
 * Unlike unwritten sectors, they are not one byte repeated: see raizn_looks_written().
 */
void raizn_bad_blocks_placeholder(void *buf, u32 bytes, u32 block);

/**
 * raizn_bad_blocks_fill() - payload of a BAD_BLOCKS record
 * @rec:	record initialised with a payload of raizn_bad_blocks_payload() bytes
 * @list:	list
 *
 * Fills start, nr_zones and the payload (padding zeroed).
 */
void raizn_bad_blocks_fill(struct raizn_record *rec, const struct raizn_bad_blocks *list);

/**
 * raizn_bad_blocks_replay() - take over a BAD_BLOCKS record
 * @list:	list, zeroed before the first record
 * @rec:	record that raizn_record_fits() accepted, with its payload
 *
 * A record of an older version than the list's is void.
 */
void raizn_bad_blocks_replay(struct raizn_bad_blocks *list, const struct raizn_record *rec);

#endif /* RAIZN_BAD_BLOCKS_H */
