// SPDX-License-Identifier: GPL-2.0
/*
 * raizn check: rows of columns that are spoilt in place, and their data in the logs.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tool.h"
#include "check.h"

bool check_spoilt_counts(const struct raizn_spoilt *rows, void *data)
{
	const struct check *check = data;

	return rows->generation == check->zones[rows->zone].generation &&
	       rows->physical == raizn_zone_map_physical(check->geo, check->map, rows->zone,
							 rows->column);
}

int check_add_relocated(struct check *check, u32 slot, const struct raizn_record *rec,
			u64 location)
{
	u32 zone = le32_to_cpu(rec->zone), column = le16_to_cpu(rec->column);
	struct relocated_record *grown;

	if (le64_to_cpu(rec->generation) != check->zones[zone].generation ||
	    check_slot(check, zone, column) != slot)
		return TOOL_OK;
	grown = realloc(check->relocated, (check->nr_relocated + 1) * sizeof(*grown));
	if (!grown)
		return fail_memory();
	check->relocated = grown;
	grown[check->nr_relocated++] = (struct relocated_record) {
		.zone = zone,
		.rows = {
			.location = location,
			.column = column,
			.row = (u32)le64_to_cpu(rec->start),
			.nr_rows = le32_to_cpu(rec->nr_rows),
		},
	};
	return TOOL_OK;
}

static u32 count_spoilt(const struct check *check, u32 zone, struct raizn_spoilt_rows *to)
{
	const struct raizn_spoilt_list *list = check->spoilt;
	u32 i, nr = 0;

	for (i = 0; list && i < list->nr; i++) {
		if (list->at[i].zone != zone)
			continue;
		if (to)
			to[nr] = (struct raizn_spoilt_rows) {
				.column = list->at[i].column, .from = list->at[i].from,
				.end = list->at[i].end,
			};
		nr++;
	}
	return nr;
}

static u32 count_relocated(const struct check *check, u32 zone, struct raizn_relocated_rows *to)
{
	u32 i, nr = 0;

	for (i = 0; i < check->nr_relocated; i++) {
		if (check->relocated[i].zone != zone)
			continue;
		if (to)
			to[nr] = check->relocated[i].rows;
		nr++;
	}
	return nr;
}

int check_spoilt_facts(const struct check *check, struct raizn_zone_facts *facts)
{
	u32 nr = count_spoilt(check, facts->zone, NULL);
	struct raizn_relocated_rows *relocated;
	struct raizn_spoilt_rows *spoilt;

	if (!nr)
		return TOOL_OK;
	spoilt = calloc(nr, sizeof(*spoilt));
	relocated = calloc(count_relocated(check, facts->zone, NULL) + 1, sizeof(*relocated));
	if (!spoilt || !relocated) {
		free(spoilt);
		free(relocated);
		return fail_memory();
	}
	facts->nr_spoilt = count_spoilt(check, facts->zone, spoilt);
	facts->nr_relocated = count_relocated(check, facts->zone, relocated);
	facts->spoilt = spoilt;
	facts->relocated = relocated;
	return TOOL_OK;
}

void check_facts_free(struct raizn_zone_facts *facts)
{
	free((void *)facts->pp);
	free((void *)facts->spoilt);
	free((void *)facts->relocated);
	facts->pp = NULL;
	facts->spoilt = NULL;
	facts->relocated = NULL;
}

/* Read a block of a record; its checksum was right when the log was read. */
static bool read_block(const struct check *check, const struct raizn_relocated_rows *rows, u32 row,
		       u8 *to)
{
	const struct member *member = check->slots[pp_location_slot(rows->location)].member;
	const struct zbd_zone *zone = &member->logs[pp_location_log(rows->location)].zone;
	u64 at = zone->start + pp_location_pos(rows->location) + RAIZN_BLOCK_SIZE +
		 ((u64)(row - rows->row) << 9);
	ssize_t bytes = check->geo->block << 9;

	return pread(member->drive.fd, to, bytes, at) == bytes;
}

bool check_read_spoilt(const struct check *check, const struct raizn_zone_facts *facts,
		       u32 column, u32 sector, u32 nr, u8 *to)
{
	const struct raizn_relocated_rows *rows;
	const u32 block = check->geo->block;
	u32 row;

	for (row = sector; facts->nr_spoilt && row < sector + nr; row += block) {
		if (raizn_spoilt_end(facts, column, row) == row)
			continue;
		rows = raizn_relocated(facts, column, row);
		if (!rows || !read_block(check, rows, row, to + ((size_t)(row - sector) << 9)))
			return false;
	}
	return true;
}
