// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of columns that are spoilt in place, and their data in the logs.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "parity_check.h"

/**
 * struct spoilt - rows that are spoilt in place
 * @zone:	zone of the volume
 * @col:	column
 * @physical:	member zone that holds the column
 * @generation:	of the zone
 * @from:	first row of the column
 * @end:	row behind the last one
 */
struct spoilt {
	u32 zone;
	u32 col;
	u32 physical;
	u64 generation;
	u64 from;
	u64 end;
};

/**
 * struct relocated - a record with such rows
 * @seq:	of the record
 * @generation:	of the zone
 * @zone:	zone of the volume
 * @col:	column
 * @slot:	member that has it
 * @row:	first row of the column
 * @nr:		rows
 * @data:	of the rows
 */
struct relocated {
	u64 seq;
	u64 generation;
	u32 zone;
	u32 col;
	u32 slot;
	u64 row;
	u32 nr;
	const u8 *data;
};

static u64 version;
static struct spoilt *spoilt;		/* of the newest list */
static u32 nr_spoilt;
static struct relocated *relocated;	/* oldest first, once sorted */
static size_t nr_relocated;

void take_spoilt(const struct raizn_record *rec)
{
	const struct raizn_spoilt_entry *entry = (const void *)(rec + 1);
	u32 i;

	if (le64_to_cpu(rec->start) <= version)
		return;
	version = le64_to_cpu(rec->start);
	nr_spoilt = le32_to_cpu(rec->nr_zones);
	spoilt = realloc(spoilt, (nr_spoilt + 1) * sizeof(*spoilt));
	if (!spoilt)
		die("out of memory");
	for (i = 0; i < nr_spoilt; i++, entry++) {
		spoilt[i].zone = le32_to_cpu(entry->zone);
		spoilt[i].col = le16_to_cpu(entry->column);
		spoilt[i].physical = le32_to_cpu(entry->physical);
		spoilt[i].generation = le64_to_cpu(entry->generation);
		spoilt[i].from = le32_to_cpu(entry->from);
		spoilt[i].end = le32_to_cpu(entry->end);
		if (spoilt[i].zone >= array.nr_zones || spoilt[i].col >= array.nr_members ||
		    spoilt[i].from >= spoilt[i].end || spoilt[i].end % array.su)
			die("a list of spoilt rows makes no sense");
	}
}

void take_relocated(const struct raizn_record *rec)
{
	u32 nr = le32_to_cpu(rec->nr_rows);
	struct relocated *r;
	u8 *data;

	if (!(nr_relocated % 256))
		relocated = realloc(relocated, (nr_relocated + 256) * sizeof(*relocated));
	data = malloc((size_t)nr * SECTOR);
	if (!relocated || !data)
		die("out of memory");
	memcpy(data, rec + 1, (size_t)nr * SECTOR);
	r = &relocated[nr_relocated++];
	r->seq = le64_to_cpu(rec->seq);
	r->generation = le64_to_cpu(rec->generation);
	r->zone = le32_to_cpu(rec->zone);
	r->col = le16_to_cpu(rec->column);
	r->slot = le16_to_cpu(rec->member);
	r->row = le64_to_cpu(rec->start);
	r->nr = nr;
	r->data = data;
}

static int oldest_first(const void *a, const void *b)
{
	const struct relocated *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

void sort_relocated(void)
{
	if (nr_relocated)
		qsort(relocated, nr_relocated, sizeof(*relocated), oldest_first);
}

static bool is_of_column(const struct spoilt *s, u32 col, u32 zone)
{
	return s->zone == zone && s->col == col && s->physical == member_zone(col, zone);
}

/* The newest record with a row, or NULL. */
static const struct relocated *find_relocated(const struct spoilt *s, u64 row)
{
	size_t i;

	for (i = nr_relocated; i--;) {
		const struct relocated *r = &relocated[i];

		if (r->zone == s->zone && r->col == s->col && r->generation == s->generation &&
		    r->slot == slot_of(s->col, s->zone) && row - r->row < r->nr)
			return r;
	}
	return NULL;
}

/* Where does a column end whose member zone is written up to @written? */
u64 end_of_column(u32 col, u32 zone, u64 written)
{
	u64 row;
	u32 i;

	for (i = 0; i < nr_spoilt; i++) {
		if (!is_of_column(&spoilt[i], col, zone) || spoilt[i].end != written)
			continue;
		tally.spoilt++;
		for (row = spoilt[i].from; row < written; row++)
			if (!find_relocated(&spoilt[i], row))
				return row;
	}
	return written;
}

/* Put rows that are spoilt in place into what was read of a column; zeros if none has them. */
void read_relocated(u32 col, u32 zone, u8 *buf, u64 sector, u64 nr)
{
	u64 row, from, end;
	u32 i;

	for (i = 0; i < nr_spoilt; i++) {
		if (!is_of_column(&spoilt[i], col, zone))
			continue;
		from = spoilt[i].from > sector ? spoilt[i].from : sector;
		end = spoilt[i].end < sector + nr ? spoilt[i].end : sector + nr;
		for (row = from; row < end; row++) {
			const struct relocated *r = find_relocated(&spoilt[i], row);

			if (r)
				memcpy(buf + (row - sector) * SECTOR,
				       r->data + (row - r->row) * SECTOR, SECTOR);
			else
				memset(buf + (row - sector) * SECTOR, 0, SECTOR);
			tally.relocated += !!r;
		}
	}
}
