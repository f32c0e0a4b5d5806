/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of columns that are lost though the columns are in use: see core/bad_blocks.h.
 */
#ifndef RAIZN_MEMBER_BAD_BLOCK_H
#define RAIZN_MEMBER_BAD_BLOCK_H

#include "core/bad_blocks.h"
#include "member/column.h"

/* Might rows of a zone's columns be in the list? */
static inline bool raizn_zone_has_bad(const struct raizn_zone *z)
{
	const struct raizn_array *arr = z->arr;
	bool has;

	/* Pairs with raizn_bad_refresh(): a column is back after its placeholders are known. */
	smp_rmb();
	has = READ_ONCE(arr->bad->nr) && test_bit(raizn_zone_number(z), arr->bad_map);
	/* A column that has left its placeholders is at its new place then. */
	smp_rmb();
	return has;
}

bool raizn_bad_look_up(const struct raizn_zone *z, u32 column, u32 sector, u32 nr, u16 flags);
bool raizn_bad_can_spare(const struct raizn_zone *z, u32 column);
u32 raizn_bad_columns(const struct raizn_zone *z);
void raizn_bad_refresh(struct raizn_zone *z);
bool raizn_bad_end_of_life(struct raizn_zone *z);
bool raizn_bad_counts(const struct raizn_bad_block *block, void *data);
u64 raizn_bad_sectors(struct raizn_array *arr);
u32 raizn_bad_next(struct raizn_array *arr, u32 i, struct raizn_bad_block *block,
		   u32 *offset);

/**
 * raizn_rows_are_bad() - are any of some rows in the list?
 * @z:		zone
 * @column:	column
 * @sector:	first row (sectors in the column)
 * @nr:		rows
 * @flags:	RAIZN_BAD_PLACEHOLDER: placeholders only; 0: also rows that a drive could not
 *		read
 *
 * Context: any.
 */
static inline bool raizn_rows_are_bad(const struct raizn_zone *z, u32 column, u32 sector,
				      u32 nr, u16 flags)
{
	return unlikely(raizn_zone_has_bad(z)) &&
	       raizn_bad_look_up(z, column, sector, nr, flags);
}

/**
 * raizn_rows_at() - find rows of a column on its member
 * @z:		zone
 * @column:	column in use
 * @sector:	first row (sectors in the column)
 * @nr:		rows
 * @start:	set to their first sector on the member
 *
 * The column may move meanwhile, and leave placeholders behind, or come to a place with
 * placeholders.  So the list is looked at before and after the place is read, until the place
 * stays.
 *
 * Context: any.  Return: false if there is a placeholder among them.
 */
static inline bool raizn_rows_at(const struct raizn_zone *z, u32 column, u32 sector, u32 nr,
				 sector_t *start)
{
	const u32 zone = raizn_zone_number(z);
	bool bad;

	do {
		bad = raizn_rows_are_bad(z, column, sector, nr, RAIZN_BAD_PLACEHOLDER);
		*start = raizn_column_start(z->arr, zone, column) + sector;
		bad |= raizn_rows_are_bad(z, column, sector, nr, RAIZN_BAD_PLACEHOLDER);
	} while (unlikely(*start != raizn_column_start(z->arr, zone, column) + sector));
	return !bad;
}

#endif /* RAIZN_MEMBER_BAD_BLOCK_H */
