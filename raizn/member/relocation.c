// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of columns that are spoilt in place, and their data in memory.
 *
 * A start that leaves debris where it is makes an entry, with memory for all of its rows, so that
 * writes need none.  The entry goes when its zone is reset, or its column moves or is rebuilt.
 * Only few zones have entries, and arr->spoilt_map tells which, so the list is searched.
 */
#include "member/relocation.h"

/* Are rows spoilt where their column is, in this life of the zone? */
static bool counts(const struct raizn_array *arr, const struct raizn_spoilt *rows)
{
	return rows->generation == READ_ONCE(arr->zone_state[rows->zone].generation) &&
	       rows->physical == raizn_zone_map_physical(&arr->geo, &arr->map, rows->zone,
							 rows->column);
}

/* The first entry that has any rows from @row up to @end.  relocation_lock is held. */
static struct raizn_relocation *find(const struct raizn_zone *z, u32 column, u32 row, u32 end)
{
	struct raizn_relocation *rel, *first = NULL;
	const struct raizn_spoilt *rows;

	lockdep_assert_held(&z->arr->relocation_lock);
	list_for_each_entry(rel, &z->arr->relocations, node) {
		rows = &rel->rows;
		if (rows->zone == raizn_zone_number(z) && rows->column == column &&
		    rows->from < end && row < rows->end &&
		    (!first || rows->from < first->rows.from) && counts(z->arr, rows))
			first = rel;
	}
	return first;
}

/**
 * raizn_relocation_put() - drop a reference
 * @rel:	entry
 *
 * Context: process.
 */
void raizn_relocation_put(struct raizn_relocation *rel)
{
	if (!refcount_dec_and_test(&rel->refs))
		return;
	kvfree(rel->data);
	bitmap_free(rel->there);
	kfree(rel);
}

/**
 * raizn_relocation_next() - find the next entry of a column
 * @z:		zone
 * @column:	column
 * @row:	row (sectors in the column)
 *
 * Context: any.
 * Return: the first entry that ends behind @row, with a reference; NULL if there is none.
 */
struct raizn_relocation *raizn_relocation_next(const struct raizn_zone *z, u32 column, u32 row)
{
	struct raizn_relocation *rel;
	unsigned long flags;

	if (likely(!raizn_zone_is_spoilt(z)))
		return NULL;
	spin_lock_irqsave(&z->arr->relocation_lock, flags);
	rel = find(z, column, row, U32_MAX);
	if (rel)
		refcount_inc(&rel->refs);
	spin_unlock_irqrestore(&z->arr->relocation_lock, flags);
	return rel;
}

/**
 * raizn_relocation_nth() - go through all entries
 * @arr:	array whose entries do not go meanwhile
 * @n:		number of the entry
 *
 * Context: process.  Return: the entry, with a reference; NULL if there are fewer.
 */
struct raizn_relocation *raizn_relocation_nth(struct raizn_array *arr, u32 n)
{
	struct raizn_relocation *rel, *found = NULL;

	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node) {
		if (n--)
			continue;
		refcount_inc(&rel->refs);
		found = rel;
		break;
	}
	spin_unlock_irq(&arr->relocation_lock);
	return found;
}

/**
 * raizn_relocation_rows() - how many rows are all spoilt, or all in place?
 * @z:		zone
 * @column:	column
 * @row:	first row (sectors in the column)
 * @nr:		rows
 * @rel:	set to their entry, with a reference, or to NULL if they are in place
 *
 * Context: any.  Return: rows from @row on, at most @nr.
 */
u32 raizn_relocation_rows(const struct raizn_zone *z, u32 column, u32 row, u32 nr,
			  struct raizn_relocation **rel)
{
	struct raizn_relocation *first;
	unsigned long flags;

	*rel = NULL;
	if (likely(!raizn_zone_is_spoilt(z)))
		return nr;
	spin_lock_irqsave(&z->arr->relocation_lock, flags);
	first = find(z, column, row, row + nr);
	if (first && first->rows.from <= row) {
		*rel = first;
		refcount_inc(&first->refs);
		nr = min(nr, first->rows.end - row);
	} else if (first) {
		nr = first->rows.from - row;
	}
	spin_unlock_irqrestore(&z->arr->relocation_lock, flags);
	return nr;
}

/**
 * raizn_relocation_overlaps() - see raizn_rows_are_spoilt()
 * @z:		zone
 * @column:	column
 * @row:	first row (sectors in the column)
 * @nr:		rows
 *
 * Context: any.
 */
bool raizn_relocation_overlaps(const struct raizn_zone *z, u32 column, u32 row, u32 nr)
{
	unsigned long flags;
	bool found;

	spin_lock_irqsave(&z->arr->relocation_lock, flags);
	found = find(z, column, row, row + nr);
	spin_unlock_irqrestore(&z->arr->relocation_lock, flags);
	return found;
}

/**
 * raizn_relocation_end() - where is a column written in place again?
 * @z:		zone
 * @column:	column
 * @row:	row (sectors in the column)
 *
 * Context: process.  Return: row behind the spoilt rows that @row is one of, or @row.
 */
u32 raizn_relocation_end(const struct raizn_zone *z, u32 column, u32 row)
{
	struct raizn_relocation *rel;

	raizn_relocation_rows(z, column, row, 1, &rel);
	if (!rel)
		return row;
	row = rel->rows.end;
	raizn_relocation_put(rel);
	return row;
}

/**
 * raizn_rows_in_place() - how many rows are in place?
 * @z:		zone
 * @column:	column
 * @row:	first row (sectors in the column), which is in place
 * @nr:		rows
 *
 * Context: process.  Return: rows from @row on, at most @nr.
 */
u32 raizn_rows_in_place(const struct raizn_zone *z, u32 column, u32 row, u32 nr)
{
	struct raizn_relocation *rel = raizn_relocation_next(z, column, row);

	if (!rel)
		return nr;
	nr = min(nr, rel->rows.from - row);
	raizn_relocation_put(rel);
	return nr;
}

/**
 * raizn_relocation_start() - where do the spoilt rows of a column begin?
 * @z:		zone
 * @column:	column
 *
 * Context: process.  Return: the first row that is spoilt in place (sectors in the column), or
 * U32_MAX.
 */
u32 raizn_relocation_start(const struct raizn_zone *z, u32 column)
{
	struct raizn_relocation *rel = raizn_relocation_next(z, column, 0);
	u32 row;

	if (!rel)
		return U32_MAX;
	row = rel->rows.from;
	raizn_relocation_put(rel);
	return row;
}

/* Number of the block that begins with a row, or that ends before it. */
static u32 block_at(const struct raizn_relocation *rel, u32 row)
{
	return (row - rel->rows.from) / rel->arr->geo.block;
}

/* Are all rows from @row up to @end there?  relocation_lock is held. */
static bool all_there(const struct raizn_relocation *rel, u32 row, u32 end)
{
	u32 last = block_at(rel, end - 1) + 1;

	lockdep_assert_held(&rel->arr->relocation_lock);
	return find_next_zero_bit(rel->there, last, block_at(rel, row)) >= last;
}

static void *data_at(const struct raizn_relocation *rel, u32 row)
{
	return rel->data + ((size_t)(row - rel->rows.from) << SECTOR_SHIFT);
}

/**
 * raizn_relocation_read() - get rows that are spoilt in place
 * @rel:	entry
 * @row:	first row (sectors in the column)
 * @buf:	buffer of @nr sectors
 * @nr:		rows of the entry
 *
 * Context: any.  Return: 0, or -EIO if a row is not there.
 */
int raizn_relocation_read(struct raizn_relocation *rel, u32 row, void *buf, u32 nr)
{
	unsigned long flags;
	bool there;

	spin_lock_irqsave(&rel->arr->relocation_lock, flags);
	there = all_there(rel, row, row + nr);
	spin_unlock_irqrestore(&rel->arr->relocation_lock, flags);
	if (!there)
		return -EIO;
	/* Rows that are there do not change. */
	memcpy(buf, data_at(rel, row), nr << SECTOR_SHIFT);
	return 0;
}

/**
 * raizn_relocation_write() - take over rows that are spoilt in place
 * @rel:	entry
 * @row:	first row (sectors in the column)
 * @buf:	their data
 * @nr:		rows of the entry, whole blocks, or the next rows of a block up to its end at most
 *
 * Context: process; the writer of the zone, or a start.
 */
void raizn_relocation_write(struct raizn_relocation *rel, u32 row, const void *buf, u32 nr)
{
	u32 first = block_at(rel, row), end = block_at(rel, row + nr);

	memcpy(data_at(rel, row), buf, nr << SECTOR_SHIFT);
	spin_lock_irq(&rel->arr->relocation_lock);
	bitmap_set(rel->there, first, end - first);
	rel->filled = max(rel->filled, row + nr);
	spin_unlock_irq(&rel->arr->relocation_lock);
}

/**
 * raizn_relocation_run() - find the next rows that are there
 * @rel:	entry
 * @row:	row to begin with; set to the first row that is there
 * @end:	row to stop at, at the end of a block
 *
 * Context: process.  Return: number of rows that are there from @row on, within one stripe unit;
 * 0 if there is none before @end.
 */
u32 raizn_relocation_run(struct raizn_relocation *rel, u32 *row, u32 end)
{
	const struct raizn_geometry *geo = &rel->arr->geo;
	u32 nr = block_at(rel, end), first, last;

	spin_lock_irq(&rel->arr->relocation_lock);
	first = find_next_bit(rel->there, nr, block_at(rel, *row));
	last = find_next_zero_bit(rel->there, nr, first);
	spin_unlock_irq(&rel->arr->relocation_lock);
	if (first >= nr)
		return 0;
	*row = rel->rows.from + first * geo->block;
	return min((last - first) * geo->block, geo->su - (*row & (geo->su - 1)));
}

/**
 * raizn_relocation_end_at() - a start has found the end of a column
 * @z:		zone
 * @column:	column
 * @end:	rows of the column that count (sectors)
 *
 * Rows behind it do not count, and are the next ones to be written.
 *
 * Context: process; the array takes no I/O.
 */
void raizn_relocation_end_at(const struct raizn_zone *z, u32 column, u32 end)
{
	struct raizn_relocation *rel;
	u32 row = 0, last;

	while ((rel = raizn_relocation_next(z, column, row))) {
		row = rel->rows.end;
		last = clamp(end, rel->rows.from, rel->rows.end);
		spin_lock_irq(&z->arr->relocation_lock);
		bitmap_clear(rel->there, block_at(rel, last),
			     block_at(rel, row) - block_at(rel, last));
		rel->filled = last;
		rel->logged = last;
		spin_unlock_irq(&z->arr->relocation_lock);
		raizn_relocation_put(rel);
	}
}

/**
 * raizn_relocation_whole() - are all spoilt rows of a column there?
 * @z:		zone
 * @column:	column
 * @end:	rows of the column that count (sectors)
 *
 * Context: process.
 */
bool raizn_relocation_whole(const struct raizn_zone *z, u32 column, u32 end)
{
	struct raizn_relocation *rel;
	bool whole = true;
	u32 row = 0;

	while (whole && (rel = raizn_relocation_next(z, column, row))) {
		row = min(end, rel->rows.end);
		spin_lock_irq(&z->arr->relocation_lock);
		whole = row <= rel->rows.from || all_there(rel, rel->rows.from, row);
		spin_unlock_irq(&z->arr->relocation_lock);
		row = rel->rows.end;
		raizn_relocation_put(rel);
	}
	return whole;
}

static struct raizn_relocation *new_entry(struct raizn_array *arr, const struct raizn_spoilt *rows)
{
	struct raizn_relocation *rel = kzalloc(sizeof(*rel), GFP_KERNEL);

	if (!rel)
		return NULL;
	rel->there = bitmap_zalloc((rows->end - rows->from) / arr->geo.block, GFP_KERNEL);
	rel->data = kvmalloc((size_t)(rows->end - rows->from) << SECTOR_SHIFT, GFP_KERNEL);
	rel->arr = arr;
	refcount_set(&rel->refs, 1);
	rel->rows = *rows;
	rel->filled = rows->from;
	rel->logged = rows->from;
	if (rel->there && rel->data)
		return rel;
	raizn_relocation_put(rel);
	return NULL;
}

/**
 * raizn_relocation_request() - request the rewrite of the column that an entry belongs to
 * @rel:	entry
 *
 * The request goes with the entry, when the column is rewritten or the zone is reset.
 *
 * Context: process.  Return: false if it was requested before.
 */
bool raizn_relocation_request(struct raizn_relocation *rel)
{
	struct raizn_array *arr = rel->arr;
	bool before;

	spin_lock_irq(&arr->relocation_lock);
	before = rel->rewrite;
	rel->rewrite = true;
	spin_unlock_irq(&arr->relocation_lock);
	return !before;
}

/**
 * raizn_relocation_requested() - columns whose rewrite is requested because of spoilt rows
 * @z:		zone
 *
 * All rows of these columns can be read, so that other columns need them no more than others.
 *
 * Context: any.  Return: columns, bit by column.
 */
u32 raizn_relocation_requested(const struct raizn_zone *z)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_relocation *rel;
	unsigned long flags;
	u32 columns = 0;

	if (likely(!raizn_zone_is_spoilt(z)))
		return 0;
	spin_lock_irqsave(&arr->relocation_lock, flags);
	list_for_each_entry(rel, &arr->relocations, node)
		if (rel->rewrite && rel->rows.zone == raizn_zone_number(z) &&
		    counts(arr, &rel->rows))
			columns |= BIT(rel->rows.column);
	spin_unlock_irqrestore(&arr->relocation_lock, flags);
	return columns;
}

/* An entry of the same column that @rows overlap or touch. */
static struct raizn_relocation *find_beside(struct raizn_array *arr,
					    const struct raizn_spoilt *rows)
{
	struct raizn_relocation *rel;

	lockdep_assert_held(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node)
		if (raizn_spoilt_beside(&rel->rows, rows))
			return rel;
	return NULL;
}

/* Put an entry in the place of those that it has all rows of. */
static void take_places(struct raizn_relocation *rel)
{
	struct raizn_array *arr = rel->arr;
	struct raizn_relocation *old;
	u32 row, nr;

	spin_lock_irq(&arr->relocation_lock);
	while ((old = find_beside(arr, &rel->rows))) {
		list_del(&old->node);
		spin_unlock_irq(&arr->relocation_lock);
		row = old->rows.from;
		while ((nr = raizn_relocation_run(old, &row, old->rows.end))) {
			raizn_relocation_write(rel, row, data_at(old, row), nr);
			row += nr;
		}
		raizn_relocation_put(old);
		spin_lock_irq(&arr->relocation_lock);
	}
	list_add(&rel->node, &arr->relocations);
	spin_unlock_irq(&arr->relocation_lock);
	set_bit(rel->rows.zone, arr->spoilt_map);
}

/**
 * raizn_relocation_add() - add rows that are spoilt in place
 * @arr:	array that takes no I/O yet
 * @rows:	the rows
 *
 * They become one entry with those that they overlap or touch, which keep their data.
 *
 * Context: process.  Return: 0 or -ENOMEM.
 */
int raizn_relocation_add(struct raizn_array *arr, const struct raizn_spoilt *rows)
{
	struct raizn_spoilt all = *rows;
	struct raizn_relocation *rel;

	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node)
		if (raizn_spoilt_beside(&rel->rows, &all))
			raizn_spoilt_extend(&all, &rel->rows);
	spin_unlock_irq(&arr->relocation_lock);
	rel = new_entry(arr, &all);
	if (!rel)
		return -ENOMEM;
	take_places(rel);
	return 0;
}

/**
 * raizn_relocation_drop() - forget the spoilt rows of columns
 * @z:		zone
 * @columns:	columns (bit by column)
 *
 * Context: process.  Return: whether there were any.
 */
bool raizn_relocation_drop(struct raizn_zone *z, u32 columns)
{
	struct raizn_array *arr = z->arr;
	struct raizn_relocation *rel, *next;
	bool left = false;
	LIST_HEAD(gone);

	if (likely(!raizn_zone_is_spoilt(z)))
		return false;
	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry_safe(rel, next, &arr->relocations, node) {
		if (rel->rows.zone != raizn_zone_number(z))
			continue;
		if (columns & BIT(rel->rows.column))
			list_move(&rel->node, &gone);
		else
			left = true;
	}
	if (!left)
		clear_bit(raizn_zone_number(z), arr->spoilt_map);
	spin_unlock_irq(&arr->relocation_lock);
	left = !list_empty(&gone);
	list_for_each_entry_safe(rel, next, &gone, node)
		raizn_relocation_put(rel);
	return left;
}

/**
 * raizn_relocation_free() - free all entries
 * @arr:	array that nothing uses
 */
void raizn_relocation_free(struct raizn_array *arr)
{
	struct raizn_relocation *rel, *next;

	list_for_each_entry_safe(rel, next, &arr->relocations, node)
		raizn_relocation_put(rel);
}

/**
 * raizn_relocation_nr() - number of entries
 * @arr:	array
 *
 * Context: process.
 */
u32 raizn_relocation_nr(struct raizn_array *arr)
{
	struct raizn_relocation *rel;
	u32 nr = 0;

	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node)
		nr++;
	spin_unlock_irq(&arr->relocation_lock);
	return nr;
}

/**
 * raizn_relocation_fill() - fill a SPOILT record
 * @arr:	array
 * @rec:	record with room for raizn_relocation_nr() entries
 *
 * Context: process, md_mutex is held since these were counted.
 */
void raizn_relocation_fill(struct raizn_array *arr, struct raizn_record *rec)
{
	u32 nr = raizn_relocation_nr(arr), i = 0;
	struct raizn_relocation *rel;

	lockdep_assert_held(&arr->md_mutex);
	raizn_spoilt_fill(rec, arr->spoilt_version, nr);
	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node)
		raizn_spoilt_put(rec, i++, &rel->rows);
	spin_unlock_irq(&arr->relocation_lock);
}

/**
 * raizn_relocation_renumber() - take over the generations of the zones, which were restarted
 * @arr:	array that takes no I/O yet; all entries count
 *
 * Context: process.
 */
void raizn_relocation_renumber(struct raizn_array *arr)
{
	struct raizn_relocation *rel;

	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node)
		rel->rows.generation = arr->zone_state[rel->rows.zone].generation;
	spin_unlock_irq(&arr->relocation_lock);
	/* Some members may get the list, and others not. */
	if (arr->spoilt_version)
		arr->spoilt_version++;
}

/**
 * raizn_relocation_sectors() - rows that are spoilt in place
 * @arr:	array
 *
 * Context: process.  Return: sectors, for which memory is kept.
 */
u64 raizn_relocation_sectors(struct raizn_array *arr)
{
	struct raizn_relocation *rel;
	u64 sectors = 0;

	spin_lock_irq(&arr->relocation_lock);
	list_for_each_entry(rel, &arr->relocations, node)
		sectors += rel->rows.end - rel->rows.from;
	spin_unlock_irq(&arr->relocation_lock);
	return sectors;
}
