// SPDX-License-Identifier: GPL-2.0
/*
 * Quarantine: the member zone that a failed column left is kept until the column is whole
 * elsewhere, or its zone was reset.
 *
 * Its rows are right up to the first failure.  They are the only source of a row of the lost
 * column that cannot be computed, because another column cannot be read there.  The list is in
 * memory only: the next start empties zones that are in no map.
 *
 * A failed column is noted by the zone's worker, which does without it then, or by the record that
 * it is nowhere, whichever comes first.  The record decides whether its member zone is kept.
 */
#include "member/fault.h"
#include "member/relocation.h"

/**
 * struct raizn_kept - a member zone in quarantine
 * @node:	in arr->quarantine
 * @zone:	logical zone number
 * @column:	column that left it
 * @member:	member that has it
 * @physical:	the member zone, counted from the first reserved one
 * @end:	rows that are right (sectors)
 * @durable:	rows that are right and were durable
 */
struct raizn_kept {
	struct list_head node;
	u32 zone;
	u32 column;
	struct raizn_member *member;
	u32 physical;
	u32 end;
	u32 durable;
};

static struct raizn_kept *find_kept(const struct raizn_zone *z, u32 column)
{
	const struct raizn_array *arr = z->arr;
	struct raizn_kept *kept;

	lockdep_assert_held(&arr->place_mutex);
	list_for_each_entry(kept, &arr->quarantine, node)
		if (kept->zone == raizn_zone_number(z) && kept->column == column)
			return kept;
	return NULL;
}

static void drop_kept(struct raizn_kept *kept)
{
	list_del(&kept->node);
	kfree(kept);
}

/**
 * raizn_quarantine_begin() - note how many rows of a failed column are right
 * @z:		zone
 * @column:	column that has failed, and is not recorded as nowhere
 * @end:	rows that are right (sectors in the column)
 * @durable:	rows of these that were durable
 *
 * Context: process, place_mutex is held; does not wait for memory, and does without.
 */
void raizn_quarantine_begin(struct raizn_zone *z, u32 column, u32 end, u32 durable)
{
	struct raizn_array *arr = z->arr;
	u32 zone = raizn_zone_number(z);
	u32 physical = raizn_zone_map_physical(&arr->geo, &arr->map, zone, column);
	u32 spoilt = raizn_relocation_start(z, column);
	bool wanted = min(end, spoilt) && physical != RAIZN_NOWHERE && !find_kept(z, column);
	struct raizn_kept *kept = wanted ? kmalloc(sizeof(*kept), GFP_NOWAIT | __GFP_NOWARN) :
					   NULL;

	if (!kept)
		return;
	*kept = (struct raizn_kept) {
		.zone = zone, .column = column,
		.member = raizn_zone_member(z, column), .physical = physical,
		.end = min(end, spoilt), .durable = min(durable, spoilt),
	};
	list_add_tail(&kept->node, &arr->quarantine);
}

/**
 * raizn_quarantine_keep() - keep the member zone of a column that is recorded as nowhere
 * @z:		zone
 * @column:	column
 * @written:	rows that the drive says it has (sectors); -errno if its write pointer does not
 *		tell, then only those that were durable count
 *
 * Context: process, place_mutex is held.  Return: false if it is not kept.
 */
bool raizn_quarantine_keep(struct raizn_zone *z, u32 column, s64 written)
{
	struct raizn_kept *kept = find_kept(z, column);

	if (!kept)
		return false;
	kept->end = min_t(s64, kept->end, written < 0 ? kept->durable : written);
	if (!kept->end) {
		drop_kept(kept);
		return false;
	}
	raizn_spare_set(kept->member, kept->physical, RAIZN_USE_KEPT);
	return true;
}

/**
 * raizn_quarantine_find() - find rows of a lost column that are kept
 * @z:		zone with a job for this column, so that the rows stay
 * @column:	column
 * @end:	row behind the last one that is wanted (sectors in the column)
 *
 * Context: process, may wait for zone map records.
 * Return: the member zone, or RAIZN_NOWHERE.
 */
u32 raizn_quarantine_find(const struct raizn_zone *z, u32 column, u32 end)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_kept *kept;
	u32 physical = RAIZN_NOWHERE;

	mutex_lock(&arr->place_mutex);
	kept = find_kept(z, column);
	if (kept && end <= kept->end)
		physical = kept->physical;
	mutex_unlock(&arr->place_mutex);
	return physical;
}

/**
 * raizn_quarantine_end() - let member zones go that columns of a zone left
 * @z:		zone
 * @columns:	columns (bit by column) that are whole, or not needed any more
 *
 * Context: process, place_mutex is held.
 */
void raizn_quarantine_end(struct raizn_zone *z, u32 columns)
{
	struct raizn_array *arr = z->arr;
	struct raizn_kept *kept, *next;

	lockdep_assert_held(&arr->place_mutex);
	list_for_each_entry_safe(kept, next, &arr->quarantine, node) {
		if (kept->zone != raizn_zone_number(z) || !(columns & BIT(kept->column)))
			continue;
		if (READ_ONCE(kept->member->use[kept->physical]) == RAIZN_USE_KEPT)
			raizn_spare_set(kept->member, kept->physical, RAIZN_USE_DIRTY);
		drop_kept(kept);
		raizn_rebuild_kick(arr);
	}
}

/**
 * raizn_quarantine_yield() - let the member zone that a column left go, as there is no other one
 * @z:		zone
 * @column:	lost column
 *
 * It is kept if rows of it are known to be needed.
 *
 * Context: process, may wait for zone map records.
 */
void raizn_quarantine_yield(struct raizn_zone *z, u32 column)
{
	struct raizn_array *arr = z->arr;
	const struct raizn_kept *kept;

	if (raizn_rows_needed(z, column))
		return;
	mutex_lock(&arr->place_mutex);
	kept = find_kept(z, column);
	if (kept && READ_ONCE(kept->member->use[kept->physical]) == RAIZN_USE_KEPT)
		raizn_quarantine_end(z, BIT(column));
	mutex_unlock(&arr->place_mutex);
}

/**
 * raizn_quarantine_forget() - forget the zones of a member that gets another drive
 * @arr:	array that takes no I/O
 * @slots:	members (bit by slot)
 *
 * Context: process.
 */
void raizn_quarantine_forget(struct raizn_array *arr, u32 slots)
{
	struct raizn_kept *kept, *next;

	list_for_each_entry_safe(kept, next, &arr->quarantine, node)
		if (slots & BIT(kept->member->slot))
			drop_kept(kept);
}
