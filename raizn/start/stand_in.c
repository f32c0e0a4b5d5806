// SPDX-License-Identifier: GPL-2.0
/*
 * Stand-ins: rows of columns that a recovery would write, in memory.  A read-only array is
 * recovered so, see "Recovery in memory" in docs/recovery.md.
 *
 * To reads they are rows that are spoilt in place, whose data is in memory, too.  A list of such
 * rows is never written to the members: the array stays read-only as long as it is there.
 */
#include <linux/moduleparam.h>

#include "start/start.h"

/* KiB. */
static unsigned int stand_in_max = 65536;
module_param(stand_in_max, uint, 0644);
MODULE_PARM_DESC(stand_in_max,
		 "data that the start of a read-only array may keep in memory, at most (KiB)");

/* A column that is finished holds all sectors that it should. */
static bool needs_stand_ins(const struct raizn_zone_work *w, u32 column)
{
	if (w->facts.missing & BIT(column))
		return false;
	return w->plan.action == RAIZN_ZONE_REPAIR ||
	       (w->plan.action == RAIZN_ZONE_FINISH && !(w->facts.full & BIT(column)));
}

/* Count the rows that a column lacks and, with @make, give them memory. */
static int stand_in_column(struct raizn_array *arr, const struct raizn_zone_work *w, u32 column,
			   bool make, u64 *sectors)
{
	struct raizn_zone *z = &arr->zones[w->zone];
	struct raizn_spoilt rows = {
		.generation = arr->zone_state[w->zone].generation,
		.zone = w->zone,
		.physical = raizn_zone_map_physical(&arr->geo, &arr->map, w->zone, column),
		.column = column,
		.end = round_down(w->facts.extents[column], arr->geo.block),
	};
	u32 want = w->plan.want[column];
	int err = 0;

	/* Rows that are spoilt in place have memory. */
	while (!err && (rows.from = raizn_relocation_end(z, column, rows.end)) < want) {
		rows.end = rows.from + raizn_rows_in_place(z, column, rows.from,
							   want - rows.from);
		if (make)
			err = raizn_relocation_add(arr, &rows);
		*sectors += err ? 0 : rows.end - rows.from;
	}
	return err;
}

static int stand_in(struct raizn_array *arr, bool make, u64 *sectors)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	int err = 0;
	u32 c;

	*sectors = 0;
	for (w = rec->works; w < rec->works + rec->nr_works; w++) {
		for (c = 0; !err && c < arr->geo.nr_members; c++)
			if (needs_stand_ins(w, c))
				err = stand_in_column(arr, w, c, make, sectors);
		cond_resched();
	}
	return err;
}

/**
 * raizn_stand_ins_make() - have memory for all rows that a recovery would write
 * @arr:	array that takes no I/O yet, and is read-only from now on
 *
 * raizn_recover_fill() fills the rows.
 *
 * Context: process.  Return: 0, -E2BIG if they take more than the owner allows, or -ENOMEM.
 */
int raizn_stand_ins_make(struct raizn_array *arr)
{
	unsigned int most = READ_ONCE(stand_in_max);
	u64 sectors;
	int err;

	err = stand_in(arr, false, &sectors);
	if (!err && sectors > (u64)most << (10 - SECTOR_SHIFT)) {
		DMERR("array %pU: is read-only, and was not stopped cleanly: to recover it in memory takes %llu KiB, and the module parameter stand_in_max allows %u: allow more, or let the array be written",
		      arr->uuid, sectors >> (10 - SECTOR_SHIFT), most);
		err = -E2BIG;
	}
	if (err)
		return err;
	/* Another table must not make the array write: its columns are not as memory has them. */
	arr->read_only = true;
	err = stand_in(arr, true, &sectors);
	arr->stand_ins += sectors;
	return err;
}
