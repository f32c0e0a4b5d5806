// SPDX-License-Identifier: GPL-2.0
/*
 * The list of rows that hold no data in place: see spoilt.h.
 */
#include "spoilt.h"

bool raizn_spoilt_beside(const struct raizn_spoilt *a, const struct raizn_spoilt *b)
{
	return a->zone == b->zone && a->column == b->column &&
	       a->physical == b->physical && a->generation == b->generation &&
	       a->from <= b->end && b->from <= a->end;
}

void raizn_spoilt_extend(struct raizn_spoilt *rows, const struct raizn_spoilt *other)
{
	if (other->from < rows->from)
		rows->from = other->from;
	if (other->end > rows->end)
		rows->end = other->end;
}

static void take_out(struct raizn_spoilt_list *list, u32 i)
{
	list->at[i] = list->at[--list->nr];
}

/* Take out an entry that @rows overlap or touch, and extend @rows by it. */
static bool absorb(struct raizn_spoilt_list *list, struct raizn_spoilt *rows)
{
	u32 i;

	for (i = 0; i < list->nr; i++) {
		if (!raizn_spoilt_beside(&list->at[i], rows))
			continue;
		raizn_spoilt_extend(rows, &list->at[i]);
		take_out(list, i);
		return true;
	}
	return false;
}

int raizn_spoilt_add(struct raizn_spoilt_list *list, const struct raizn_spoilt *rows, u32 max)
{
	struct raizn_spoilt all = *rows;

	while (absorb(list, &all))
		;
	if (list->nr >= max)
		return -ENOSPC;
	list->at[list->nr++] = all;
	return 0;
}

bool raizn_spoilt_keep(struct raizn_spoilt_list *list,
		       bool (*counts)(const struct raizn_spoilt *rows, void *data), void *data)
{
	u32 before = list->nr;
	u32 i = 0;

	while (i < list->nr) {
		if (counts(&list->at[i], data))
			i++;
		else
			take_out(list, i);
	}
	return list->nr != before;
}

void raizn_spoilt_fill(struct raizn_record *rec, u64 version, u32 nr)
{
	rec->start = cpu_to_le64(version);
	rec->nr_zones = cpu_to_le32(nr);
	memset(rec + 1, 0, raizn_spoilt_payload(nr));
}

void raizn_spoilt_put(struct raizn_record *rec, u32 i, const struct raizn_spoilt *rows)
{
	struct raizn_spoilt_entry *entry = (struct raizn_spoilt_entry *)(rec + 1) + i;

	entry->zone = cpu_to_le32(rows->zone);
	entry->physical = cpu_to_le32(rows->physical);
	entry->generation = cpu_to_le64(rows->generation);
	entry->from = cpu_to_le32(rows->from);
	entry->end = cpu_to_le32(rows->end);
	entry->column = cpu_to_le16(rows->column);
}

void raizn_spoilt_replay(struct raizn_spoilt_list *list, const struct raizn_record *rec)
{
	const struct raizn_spoilt_entry *entry = (const void *)(rec + 1);
	u64 version = le64_to_cpu(rec->start);
	struct raizn_spoilt rows;
	u32 i;

	if (version < list->version)
		return;
	list->version = version;
	list->nr = 0;
	for (i = 0; i < le32_to_cpu(rec->nr_zones); i++, entry++) {
		rows = (struct raizn_spoilt) {
			.generation = le64_to_cpu(entry->generation),
			.zone = le32_to_cpu(entry->zone),
			.physical = le32_to_cpu(entry->physical),
			.column = le16_to_cpu(entry->column),
			.from = le32_to_cpu(entry->from),
			.end = le32_to_cpu(entry->end),
		};
		raizn_spoilt_add(list, &rows, RAIZN_SPOILT_MAX);
	}
}
