/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rows of columns that are spoilt in place, and their data in memory.
 */
#ifndef RAIZN_MEMBER_RELOCATION_H
#define RAIZN_MEMBER_RELOCATION_H

#include "core/spoilt.h"
#include "member/column.h"

/* Events of rows that are spoilt in place, for the tracepoint. */
enum raizn_relocated {
	RAIZN_RELOCATED_LEFT,
	RAIZN_RELOCATED_WRITTEN,
	RAIZN_RELOCATED_CARRIED_ON,
	RAIZN_RELOCATED_READ,
	RAIZN_RELOCATED_DECODED,
	RAIZN_RELOCATED_REWRITTEN,
};

/**
 * struct raizn_relocation - spoilt rows of a column, and their data
 * @node:	in arr->relocations; relocation_lock
 * @refs:	one for the list, one for each user
 * @arr:	the array
 * @rows:	the rows, and the place of the column that they are spoilt in
 * @filled:	row behind the last one that was written; the rows are written in order.  Changed
 *		by the writer of the zone, under relocation_lock
 * @logged:	row behind the last one for whose record log space was claimed; as @filled
 * @rewrite:	the column is to be rewritten to a spare zone, where no row is spoilt;
 *		relocation_lock
 * @there:	blocks with data (bit by block); relocation_lock
 * @data:	contents of the rows
 */
struct raizn_relocation {
	struct list_head node;
	refcount_t refs;
	struct raizn_array *arr;
	struct raizn_spoilt rows;
	u32 filled;
	u32 logged;
	bool rewrite;
	unsigned long *there;
	void *data;
};

int raizn_relocation_add(struct raizn_array *arr, const struct raizn_spoilt *rows);
void raizn_relocation_put(struct raizn_relocation *rel);
struct raizn_relocation *raizn_relocation_next(const struct raizn_zone *z, u32 column, u32 row);
struct raizn_relocation *raizn_relocation_nth(struct raizn_array *arr, u32 n);
u32 raizn_relocation_rows(const struct raizn_zone *z, u32 column, u32 row, u32 nr,
			  struct raizn_relocation **rel);
bool raizn_relocation_overlaps(const struct raizn_zone *z, u32 column, u32 row, u32 nr);
u32 raizn_rows_in_place(const struct raizn_zone *z, u32 column, u32 row, u32 nr);
u32 raizn_relocation_end(const struct raizn_zone *z, u32 column, u32 row);
u32 raizn_relocation_start(const struct raizn_zone *z, u32 column);
bool raizn_relocation_whole(const struct raizn_zone *z, u32 column, u32 end);
int raizn_relocation_read(struct raizn_relocation *rel, u32 row, void *buf, u32 nr);
void raizn_relocation_write(struct raizn_relocation *rel, u32 row, const void *buf, u32 nr);
u32 raizn_relocation_run(struct raizn_relocation *rel, u32 *row, u32 end);
void raizn_relocation_end_at(const struct raizn_zone *z, u32 column, u32 end);
bool raizn_relocation_drop(struct raizn_zone *z, u32 columns);
void raizn_relocation_free(struct raizn_array *arr);
u32 raizn_relocation_nr(struct raizn_array *arr);
void raizn_relocation_fill(struct raizn_array *arr, struct raizn_record *rec);
void raizn_relocation_renumber(struct raizn_array *arr);
u64 raizn_relocation_sectors(struct raizn_array *arr);
bool raizn_relocation_request(struct raizn_relocation *rel);
u32 raizn_relocation_requested(const struct raizn_zone *z);

/* Has a zone rows that are spoilt in place?  They are added at starts. */
static inline bool raizn_zone_is_spoilt(const struct raizn_zone *z)
{
	return unlikely(test_bit(raizn_zone_number(z), z->arr->spoilt_map));
}

/**
 * raizn_rows_are_spoilt() - are any of some rows of a column spoilt in place?
 * @z:		zone
 * @column:	column
 * @row:	first row (sectors in the column)
 * @nr:		rows
 *
 * Context: any.
 */
static inline bool raizn_rows_are_spoilt(const struct raizn_zone *z, u32 column, u32 row, u32 nr)
{
	return raizn_zone_is_spoilt(z) && raizn_relocation_overlaps(z, column, row, nr);
}

#endif /* RAIZN_MEMBER_RELOCATION_H */
