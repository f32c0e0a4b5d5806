// SPDX-License-Identifier: GPL-2.0
/*
 * Debris that stays where it is, see "Spoilt rows" in docs/recovery.md: which rows are spoilt,
 * which of them the logs have, and which rows this start adds.
 */
#include <linux/sort.h>

#include "assemble.h"
#include "repair/repair.h"
#include "trace.h"

static int by_zone(const void *a, const void *b)
{
	const struct raizn_spoilt *x = a, *y = b;

	if (x->zone != y->zone)
		return x->zone < y->zone ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	return x->from < y->from ? -1 : 1;
}

/* Copies of all entries, by zone; freed by kvfree(). */
static struct raizn_spoilt *sorted_entries(struct raizn_array *arr, u32 nr)
{
	struct raizn_spoilt *entries = kvcalloc(nr, sizeof(*entries), GFP_KERNEL);
	struct raizn_relocation *rel;
	u32 i;

	if (!entries)
		return NULL;
	for (i = 0; i < nr; i++) {
		rel = raizn_relocation_nth(arr, i);
		entries[i] = rel->rows;
		raizn_relocation_put(rel);
	}
	sort(entries, nr, sizeof(*entries), by_zone, NULL);
	return entries;
}

/* Note the rows for the planner. */
static int note_facts(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	u32 nr = raizn_relocation_nr(arr), i;
	struct raizn_spoilt *entries = nr ? sorted_entries(arr, nr) : NULL;

	if (!nr)
		return 0;
	rec->facts = kvcalloc(nr, sizeof(*rec->facts), GFP_KERNEL);
	rec->facts_zone = kvcalloc(nr, sizeof(*rec->facts_zone), GFP_KERNEL);
	if (!entries || !rec->facts || !rec->facts_zone) {
		kvfree(entries);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		rec->facts[i] = (struct raizn_spoilt_rows) {
			.column = entries[i].column, .from = entries[i].from,
			.end = entries[i].end,
		};
		rec->facts_zone[i] = entries[i].zone;
	}
	rec->nr_facts = nr;
	kvfree(entries);
	return 0;
}

static bool still_counts(const struct raizn_array *arr, const struct raizn_spoilt *rows)
{
	return rows->generation == arr->zone_state[rows->zone].generation &&
	       rows->physical == raizn_zone_map_physical(&arr->geo, &arr->map, rows->zone,
							 rows->column);
}

/*
 * Do the logs of all members have room for relocated rows, if most records have 4,096 bytes?  With
 * smaller blocks, so many were left by starts that knew no better; this one leaves fewer.
 */
static bool logs_have_room(struct raizn_array *arr)
{
	u64 cost[RAIZN_MAX_MEMBERS] = { 0 };
	struct raizn_relocation *rel;
	bool room = true;
	u32 slot, n;

	for (n = 0; (rel = raizn_relocation_nth(arr, n)); n++) {
		slot = raizn_zone_member(&arr->zones[rel->rows.zone], rel->rows.column)->slot;
		cost[slot] += 2 * round_up(rel->rows.end - rel->rows.from, RAIZN_BLOCK_SECTORS);
		room &= cost[slot] <= raizn_relocate_room(arr);
		raizn_relocation_put(rel);
	}
	return room;
}

/**
 * raizn_spoilt_load() - take over the list of spoilt rows
 * @arr:	array with zone states, zone map, zones and limits
 * @list:	the newest list
 *
 * Entries that do not count any more are left out.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_spoilt_load(struct raizn_array *arr, const struct raizn_spoilt_list *list)
{
	const struct raizn_spoilt *rows;
	int err = 0;

	for (rows = list->at; !err && rows < list->at + list->nr; rows++)
		if (still_counts(arr, rows))
			err = raizn_relocation_add(arr, rows);
	for (rows = list->at; !err && rows < list->at + list->nr; rows++)
		raizn_relocation_end_at(&arr->zones[rows->zone], rows->column, U32_MAX);
	if (!err && !list_empty(&arr->relocations) &&
	    !(le64_to_cpu(arr->sb.incompat) & RAIZN_INCOMPAT_RELOCATED)) {
		DMERR("array %pU: has spoilt rows, which the newest superblock does not allow",
		      arr->uuid);
		err = -EUCLEAN;
	}
	if (!err && (!raizn_running_parities(&arr->geo) || !logs_have_room(arr)) &&
	    !list_empty(&arr->relocations)) {
		DMERR("array %pU: has more spoilt rows than its logs have room for", arr->uuid);
		err = -EUCLEAN;
	}
	return err ? err : note_facts(arr);
}

/**
 * raizn_spoilt_facts() - tell the planner which rows of a zone are spoilt
 * @arr:	array after raizn_spoilt_load()
 * @facts:	facts of the zone; spoilt and nr_spoilt are set
 *
 * Context: process.
 */
void raizn_spoilt_facts(struct raizn_array *arr, struct raizn_zone_facts *facts)
{
	const struct raizn_recovery *rec = arr->recovery;
	u32 i;

	if (likely(!raizn_zone_is_spoilt(&arr->zones[facts->zone])))
		return;
	for (i = 0; i < rec->nr_facts; i++) {
		if (rec->facts_zone[i] != facts->zone)
			continue;
		if (!facts->nr_spoilt++)
			facts->spoilt = &rec->facts[i];
	}
}

/**
 * raizn_relocated_take() - take over a RELOCATED record
 * @arr:	array that is started
 * @slot:	slot of the member whose log has it
 * @rec:	the record
 *
 * Rows that are not spoilt by the list do not count.
 *
 * Context: process.
 */
void raizn_relocated_take(struct raizn_array *arr, u32 slot, const struct raizn_record *rec)
{
	struct raizn_zone *z = &arr->zones[le32_to_cpu(rec->zone)];
	u32 column = le16_to_cpu(rec->column), row = le64_to_cpu(rec->start);
	u32 nr = le32_to_cpu(rec->nr_rows), some;
	struct raizn_relocation *rel;
	const void *data = rec + 1;

	if (raizn_zone_member(z, column)->slot != slot ||
	    le64_to_cpu(rec->generation) != arr->zone_state[raizn_zone_number(z)].generation)
		return;
	for (; nr; nr -= some, row += some, data += some << SECTOR_SHIFT) {
		some = raizn_relocation_rows(z, column, row, nr, &rel);
		if (!rel)
			continue;
		raizn_relocation_write(rel, row, data, some);
		raizn_relocation_put(rel);
	}
}

/* Note the rows of a zone that are there.  With @to NULL they are only counted. */
static u32 note_relocated(struct raizn_array *arr, const struct raizn_zone_facts *facts,
			  struct raizn_relocated_rows *to)
{
	struct raizn_zone *z = &arr->zones[facts->zone];
	const struct raizn_spoilt_rows *rows;
	struct raizn_relocation *rel;
	u32 row, nr, n = 0;

	for (rows = facts->spoilt; rows < facts->spoilt + facts->nr_spoilt; rows++) {
		rel = raizn_relocation_next(z, rows->column, rows->from);
		row = rows->from;
		while (rel && (nr = raizn_relocation_run(rel, &row, rows->end))) {
			if (to)
				to[n] = (struct raizn_relocated_rows) {
					.column = rows->column, .row = row, .nr_rows = nr,
				};
			row += nr;
			n++;
		}
		if (rel)
			raizn_relocation_put(rel);
	}
	return n;
}

/**
 * raizn_relocated_facts() - tell the planner which spoilt rows are there
 * @arr:	array whose logs have been read
 *
 * Context: process.  Return: 0 or -ENOMEM.
 */
int raizn_relocated_facts(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	u32 nr = 0;

	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		nr += note_relocated(arr, &w->facts, NULL);
	if (!nr)
		return 0;
	rec->relocated = kvcalloc(nr, sizeof(*rec->relocated), GFP_KERNEL);
	if (!rec->relocated)
		return -ENOMEM;
	for (nr = 0, w = rec->works; w < rec->works + rec->nr_works; w++) {
		w->facts.relocated = rec->relocated + nr;
		w->facts.nr_relocated = note_relocated(arr, &w->facts, rec->relocated + nr);
		nr += w->facts.nr_relocated;
	}
	return 0;
}

/**
 * struct budget - room that is left for debris that stays
 * @room:	log space, by slot (sectors)
 * @rows:	rows in memory (sectors)
 * @entries:	entries of the list
 */
struct budget {
	u64 room[RAIZN_MAX_MEMBERS];
	u32 rows;
	u32 entries;
};

/* Entries of a list that fits the general logs, beside a checkpoint. */
static u32 most_entries(const struct raizn_array *arr)
{
	u32 capacity = arr->geo.member_zone_cap + arr->geo.member_zone_pad;
	u32 room = (capacity - raizn_log_zone_min(&arr->geo)) / 2;
	u32 bytes = room << SECTOR_SHIFT;

	if (room >= (raizn_spoilt_payload(RAIZN_SPOILT_MAX) >> SECTOR_SHIFT) + RAIZN_BLOCK_SECTORS)
		return RAIZN_SPOILT_MAX;
	return bytes < 2 * RAIZN_BLOCK_SIZE ? 0 :
	       (bytes - RAIZN_BLOCK_SIZE) / RAIZN_BLOCK_SIZE *
	       (RAIZN_BLOCK_SIZE / sizeof(struct raizn_spoilt_entry));
}

static void init_budget(struct raizn_array *arr, struct budget *left)
{
	u32 most = most_entries(arr), slot, n, rows, used = 0;
	struct raizn_relocation *rel;

	for (slot = 0; slot < RAIZN_MAX_MEMBERS; slot++)
		left->room[slot] = raizn_relocate_room_now(arr);
	for (n = 0; (rel = raizn_relocation_nth(arr, n)); n++) {
		slot = raizn_zone_member(&arr->zones[rel->rows.zone], rel->rows.column)->slot;
		rows = rel->rows.end - rel->rows.from;
		left->room[slot] -= min(left->room[slot], raizn_relocate_cost(&arr->geo, rows));
		used += rows;
		raizn_relocation_put(rel);
	}
	left->rows = RAIZN_SPOILT_ROWS - used;
	left->entries = most - min(most, n);
}

/* End of the padding behind the debris of a column. */
static u32 end_of_padding(const struct raizn_array *arr, const struct raizn_zone_work *w,
			  u32 column)
{
	return round_up(w->plan.debris[column], arr->geo.su);
}

static bool may_stay(struct raizn_array *arr, const struct raizn_zone_work *w, u32 column,
		     struct budget *left)
{
	struct raizn_zone *z = &arr->zones[w->zone];
	u32 rows = end_of_padding(arr, w, column) - w->plan.want[column];
	u64 cost = raizn_relocate_cost(&arr->geo, rows);
	u32 slot = raizn_zone_member(z, column)->slot;

	if (!w->plan.want[column] || cost > left->room[slot] || rows > left->rows ||
	    !left->entries)
		return false;
	left->room[slot] -= cost;
	left->rows -= rows;
	left->entries--;
	return true;
}

/**
 * raizn_debris_choose() - choose the columns whose debris stays
 * @arr:	array that is started, and written
 *
 * The others are moved.  Context: process.
 */
void raizn_debris_choose(struct raizn_array *arr)
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	struct budget left;
	u32 c;

	if (!raizn_running_parities(&arr->geo) || !raizn_relocated_most())
		return;
	init_budget(arr, &left);
	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		for (c = 0; c < arr->geo.nr_members; c++)
			if (w->debris & BIT(c) && may_stay(arr, w, c, &left)) {
				w->debris &= ~BIT(c);
				w->spoil |= BIT(c);
				rec->spoilt++;
			}
	if (!rec->spoilt || le64_to_cpu(arr->sb.incompat) & RAIZN_INCOMPAT_RELOCATED)
		return;
	arr->sb.incompat |= cpu_to_le64(RAIZN_INCOMPAT_RELOCATED);
	DMINFO("array %pU: leaves debris in place (parameter relocation_max): older modules, which do not know that, refuse the array from now on",
	       arr->uuid);
}

static int add_spoilt(struct raizn_array *arr, const struct raizn_zone_work *w, u32 column)
{
	u32 want = w->plan.want[column];
	struct raizn_spoilt rows = {
		.generation = arr->zone_state[w->zone].generation,
		.zone = w->zone,
		.physical = raizn_zone_map_physical(&arr->geo, &arr->map, w->zone, column),
		.column = column,
		.from = want,
		.end = end_of_padding(arr, w, column),
	};
	int err = raizn_relocation_add(arr, &rows);

	if (err)
		return err;
	raizn_relocation_end_at(&arr->zones[w->zone], column, want);
	trace_raizn_relocate(rows.zone, rows.column, rows.from, rows.end - rows.from,
			     RAIZN_RELOCATED_LEFT);
	return 0;
}

static int pad_debris(struct raizn_array *arr, const struct raizn_zone_work *w, u32 column)
{
	return raizn_recover_pad(&arr->zones[w->zone], column, w->plan.debris[column],
				 end_of_padding(arr, w, column));
}

static int for_spoilt(struct raizn_array *arr,
		      int (*fn)(struct raizn_array *arr, const struct raizn_zone_work *w,
				u32 column))
{
	struct raizn_recovery *rec = arr->recovery;
	struct raizn_zone_work *w;
	int err = 0;
	u32 c;

	for (w = rec->works; w < rec->works + rec->nr_works; w++)
		for (c = 0; !err && c < arr->geo.nr_members; c++)
			if (w->spoil & BIT(c))
				err = fn(arr, w, c);
	return err;
}

/**
 * raizn_debris_leave() - step 9: record the debris that stays
 * @arr:	array that is started, with its fresh logs
 *
 * Padding, without which the column could not go on behind the debris, comes after the record.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_debris_leave(struct raizn_array *arr)
{
	int err;

	if (!arr->recovery->spoilt)
		return 0;
	err = for_spoilt(arr, add_spoilt);
	if (err)
		return err;
	raizn_relocate_reserve(arr);
	err = raizn_general_spoilt(arr);
	return err ? err : for_spoilt(arr, pad_debris);
}
