// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of the list of lost blocks, and their records.
 *
 * A placeholder must never be taken for data.  So rows are in the list, durably, before a
 * placeholder is written; and they leave it, durably, before other data is written in the
 * same place.  Entries that concern another place or life of a column do not count, so
 * neither a move of the column nor a reset of the zone needs a record of its own.
 */
#include "log/log.h"
#include "member/bad_block.h"

/* Put a changed list to use and record it.  md_mutex is held. */
static int record_list(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;

	raizn_bad_refresh(z);
	arr->bad->version++;
	return raizn_general_bad_blocks(arr);
}

/* Add the rows of @block, a placeholder, in each of @unreadable, too.  bad_lock is held. */
static int add_unreadable(struct raizn_array *arr, struct raizn_bad_block block,
			  unsigned long unreadable)
{
	unsigned long c;
	int err = 0;

	for_each_set_bit(c, &unreadable, arr->geo.nr_members) {
		block.column = c;
		block.physical = raizn_zone_map_physical(&arr->geo, &arr->map, block.zone, c);
		block.flags = RAIZN_BAD_PLACEHOLDER;
		if (raizn_bad_blocks_find(arr->bad, &block))
			continue;
		block.flags = 0;
		err = raizn_bad_blocks_add(arr->bad, &arr->geo, &block);
		if (err)
			break;
	}
	return err;
}

/**
 * raizn_bad_note() - record rows of a column that are about to get a placeholder
 * @z:		zone
 * @column:	column
 * @physical:	member zone that gets the placeholder
 * @unreadable:	columns (bit by column) that cannot be read in these rows; 0: the rows were in
 *		the list already, for the place that the column moves from
 * @sector:	first row (sectors in the column)
 * @nr:		rows, within one stripe unit
 *
 * Durable on all members on return.  Context: process.
 * Return: 0, -ENOSPC when the list is full, or another -errno.
 */
int raizn_bad_note(struct raizn_zone *z, u32 column, u32 physical, u32 unreadable,
		   u32 sector, u32 nr)
{
	struct raizn_bad_block block = {
		.zone = raizn_zone_number(z), .column = column, .physical = physical,
		.sector = sector, .nr = nr, .flags = RAIZN_BAD_PLACEHOLDER,
	};
	struct raizn_array *arr = z->arr;
	int err;

	mutex_lock(&arr->md_mutex);
	spin_lock_irq(&arr->bad_lock);
	block.generation = arr->zone_state[block.zone].generation;
	if (unreadable && arr->bad->nr + 1 + hweight32(unreadable) > RAIZN_BAD_BLOCKS_NEW)
		err = -ENOSPC;
	else
		err = raizn_bad_blocks_add(arr->bad, &arr->geo, &block);
	if (!err)
		err = add_unreadable(arr, block, unreadable);
	spin_unlock_irq(&arr->bad_lock);
	if (!err)
		err = record_list(z);
	mutex_unlock(&arr->md_mutex);
	raizn_array_event(arr);
	return err;
}

/**
 * raizn_bad_readable() - forget rows that a drive can read again
 * @z:		zone
 * @column:	column without a placeholder there
 * @sector:	first row (sectors in the column)
 * @nr:		rows
 *
 * Only if no row on one side of them is in the list: a scrub goes through them in turn.  A
 * read-only array keeps its list.
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_bad_readable(struct raizn_zone *z, u32 column, u32 sector, u32 nr)
{
	struct raizn_bad_block block = {
		.zone = raizn_zone_number(z), .column = column, .sector = sector, .nr = nr,
	};
	struct raizn_array *arr = z->arr;
	bool changed;
	int err = 0;

	if (!raizn_array_writable(arr))
		return 0;
	mutex_lock(&arr->md_mutex);
	spin_lock_irq(&arr->bad_lock);
	block.generation = arr->zone_state[block.zone].generation;
	block.physical = raizn_zone_map_physical(&arr->geo, &arr->map, block.zone, column);
	changed = raizn_bad_blocks_shrink(arr->bad, &block);
	spin_unlock_irq(&arr->bad_lock);
	if (changed)
		err = record_list(z);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_bad_forget_rows() - forget rows of a column that are about to be written
 * @z:		zone
 * @column:	column
 * @physical:	member zone that is about to be written
 * @sector:	first row (sectors in the column)
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_bad_forget_rows(struct raizn_zone *z, u32 column, u32 physical, u32 sector)
{
	struct raizn_array *arr = z->arr;
	bool changed;
	int err = 0;

	if (likely(!READ_ONCE(arr->bad->nr)))
		return 0;
	mutex_lock(&arr->md_mutex);
	spin_lock_irq(&arr->bad_lock);
	changed = raizn_bad_blocks_cut(arr->bad, raizn_zone_number(z), column, physical,
				       sector);
	spin_unlock_irq(&arr->bad_lock);
	if (changed)
		err = record_list(z);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_bad_tidy() - drop the entries of a zone that do not count any more
 * @z:		zone with a column that was rewritten; no job has the zone
 *
 * Durable on all members on return.  Context: process.  Return: 0 or -errno.
 */
int raizn_bad_tidy(struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	bool changed;
	int err = 0;

	if (likely(!raizn_zone_has_bad(z)))
		return 0;
	mutex_lock(&arr->md_mutex);
	spin_lock_irq(&arr->bad_lock);
	changed = raizn_bad_blocks_keep(arr->bad, raizn_zone_number(z), raizn_bad_counts,
					arr);
	spin_unlock_irq(&arr->bad_lock);
	if (changed)
		err = record_list(z);
	mutex_unlock(&arr->md_mutex);
	return err;
}

/**
 * raizn_bad_renumber() - take over the generations of the zones, which were restarted
 * @arr:	array that takes no I/O yet; only entries that count are in the list
 *
 * The next checkpoint has the list.  Context: process.
 */
void raizn_bad_renumber(struct raizn_array *arr)
{
	struct raizn_bad_block *block;

	if (!arr->bad->version)
		return;
	mutex_lock(&arr->md_mutex);
	spin_lock_irq(&arr->bad_lock);
	for (block = arr->bad->at; block < arr->bad->at + arr->bad->nr; block++)
		block->generation = arr->zone_state[block->zone].generation;
	arr->bad->version++;
	spin_unlock_irq(&arr->bad_lock);
	mutex_unlock(&arr->md_mutex);
}
