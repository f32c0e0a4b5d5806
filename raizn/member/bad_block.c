// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of columns that are lost though the columns are in use.
 *
 * The list changes under md_mutex, with its record, and under bad_lock.  arr->bad_map has the
 * zones that it concerns, so that others are not looked up.
 */
#include "member/bad_block.h"

/**
 * raizn_bad_counts() - does an entry concern the place where its column is, in this life?
 * @block:	entry
 * @data:	the array
 *
 * Context: any.
 */
bool raizn_bad_counts(const struct raizn_bad_block *block, void *data)
{
	const struct raizn_array *arr = data;

	return block->generation == READ_ONCE(arr->zone_state[block->zone].generation) &&
	       block->physical == raizn_zone_map_physical(&arr->geo, &arr->map, block->zone,
							  block->column);
}

/**
 * raizn_bad_look_up() - see raizn_rows_are_bad()
 * @z:		zone
 * @column:	column
 * @sector:	first row (sectors in the column)
 * @nr:		rows
 * @flags:	RAIZN_BAD_PLACEHOLDER, or 0
 *
 * Context: any.
 */
bool raizn_bad_look_up(const struct raizn_zone *z, u32 column, u32 sector, u32 nr, u16 flags)
{
	struct raizn_array *arr = z->arr;
	struct raizn_bad_block block = {
		.zone = raizn_zone_number(z), .column = column,
		.sector = sector, .nr = nr, .flags = flags,
	};
	unsigned long irq;
	bool found;

	spin_lock_irqsave(&arr->bad_lock, irq);
	block.generation = READ_ONCE(arr->zone_state[block.zone].generation);
	block.physical = raizn_zone_map_physical(&arr->geo, &arr->map, block.zone, column);
	found = raizn_bad_blocks_find(arr->bad, &block);
	spin_unlock_irqrestore(&arr->bad_lock, irq);
	return found;
}

/* End of the entry of @column with the row @sector, or @sector if there is none. */
static u32 lost_up_to(struct raizn_array *arr, u32 zone, u32 column, u32 sector)
{
	struct raizn_bad_block *block;

	for (block = arr->bad->at; block < arr->bad->at + arr->bad->nr; block++)
		if (block->zone == zone && block->column == column &&
		    block->sector <= sector && sector - block->sector < block->nr &&
		    raizn_bad_counts(block, arr))
			return block->sector + block->nr;
	return sector;
}

/* Are all rows of an entry in the list for @column, too?  bad_lock is held. */
static bool is_lost_there(struct raizn_array *arr, const struct raizn_bad_block *block,
			  u32 column)
{
	u32 end = block->sector + block->nr, at = block->sector, next;

	while (at < end) {
		next = lost_up_to(arr, block->zone, column, at);
		if (next == at)
			return false;
		at = next;
	}
	return true;
}

/**
 * raizn_bad_can_spare() - does a column hold nothing in the rows that others have lost?
 * @z:		zone
 * @column:	column in use, or lost
 *
 * Its data there could not be computed without it.
 *
 * Context: any.
 */
bool raizn_bad_can_spare(const struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	bool can = true;
	unsigned long irq;
	u32 i;

	if (likely(!raizn_zone_has_bad(z)))
		return true;
	spin_lock_irqsave(&arr->bad_lock, irq);
	for (i = 0; can && i < arr->bad->nr; i++)
		can = arr->bad->at[i].zone != raizn_zone_number(z) ||
		      !raizn_bad_counts(&arr->bad->at[i], arr) ||
		      is_lost_there(arr, &arr->bad->at[i], column);
	spin_unlock_irqrestore(&arr->bad_lock, irq);
	return can;
}

/**
 * raizn_bad_refresh() - set arr->bad_map after the list has changed
 * @z:		zone
 *
 * Entries of this life count, whichever place they are for: a job has entries for the place that
 * it writes before the column is there.
 *
 * Context: process.
 */
void raizn_bad_refresh(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	const u32 zone = raizn_zone_number(z);
	const struct raizn_bad_block *block;
	bool has = false;

	spin_lock_irq(&arr->bad_lock);
	for (block = arr->bad->at; block < arr->bad->at + arr->bad->nr; block++)
		has |= block->zone == zone &&
		       block->generation == READ_ONCE(arr->zone_state[zone].generation);
	/* A column that has left its placeholders is at its new place before. */
	smp_wmb();
	if (has)
		set_bit(zone, arr->bad_map);
	else
		clear_bit(zone, arr->bad_map);
	/* Pairs with raizn_zone_has_bad(). */
	smp_wmb();
	spin_unlock_irq(&arr->bad_lock);
}

/**
 * raizn_bad_columns() - columns of a zone that have rows in the list
 * @z:		zone
 *
 * Context: process.  Return: columns, bit by column.
 */
u32 raizn_bad_columns(const struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_bad_block *block;
	u32 columns = 0;

	spin_lock_irq(&arr->bad_lock);
	for (block = arr->bad->at; block < arr->bad->at + arr->bad->nr; block++)
		if (block->zone == raizn_zone_number(z) && raizn_bad_counts(block, arr))
			columns |= BIT(block->column);
	spin_unlock_irq(&arr->bad_lock);
	return columns;
}

/**
 * raizn_bad_end_of_life() - drop the entries of a zone that was reset
 * @z:		zone with a new generation; no job has the zone
 *
 * They do not count any more, so their end needs no record.
 *
 * Context: process, md_mutex is held.  Return: whether there were any.
 */
bool raizn_bad_end_of_life(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	bool gone;

	lockdep_assert_held(&arr->md_mutex);
	if (likely(!arr->bad->nr))
		return false;
	spin_lock_irq(&arr->bad_lock);
	gone = raizn_bad_blocks_keep(arr->bad, raizn_zone_number(z), raizn_bad_counts, arr);
	spin_unlock_irq(&arr->bad_lock);
	if (gone)
		raizn_bad_refresh(z);
	return gone;
}

/* Is the @i-th entry the one that stands for its sectors of the volume? */
static bool is_of_volume(struct raizn_array *arr, u32 i)
{
	return raizn_bad_counts(&arr->bad->at[i], arr) &&
	       raizn_bad_blocks_lists_first(arr->bad, &arr->geo, i);
}

/**
 * raizn_bad_sectors() - number of sectors of the volume that are lost by the list
 * @arr:	array
 *
 * Context: process.  Return: sectors.
 */
u64 raizn_bad_sectors(struct raizn_array *arr)
{
	u64 sum = 0;
	u32 i;

	spin_lock_irq(&arr->bad_lock);
	for (i = 0; i < arr->bad->nr; i++)
		sum += is_of_volume(arr, i) ? arr->bad->at[i].nr : 0;
	spin_unlock_irq(&arr->bad_lock);
	return sum;
}

/**
 * raizn_bad_next() - find the next entry that stands for sectors of the volume
 * @arr:	array
 * @i:		index in the list to begin with
 * @block:	set to the entry
 * @offset:	set to the offset of its first row (sectors in the logical zone)
 *
 * Context: process.  Return: index behind the entry, or 0 if there is none.
 */
u32 raizn_bad_next(struct raizn_array *arr, u32 i, struct raizn_bad_block *block,
		   u32 *offset)
{
	u32 next = 0;

	spin_lock_irq(&arr->bad_lock);
	for (; !next && i < arr->bad->nr; i++) {
		if (!is_of_volume(arr, i))
			continue;
		*block = arr->bad->at[i];
		raizn_bad_block_offset(&arr->geo, block, offset);
		next = i + 1;
	}
	spin_unlock_irq(&arr->bad_lock);
	return next;
}
