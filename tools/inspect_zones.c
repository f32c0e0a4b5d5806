// SPDX-License-Identifier: GPL-2.0
/*
 * raizn inspect DEVICE zones: what every zone of the drive is for, and what the
 * general log says of the logical zones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tool.h"
#include "general_log.h"
#include "inspect.h"
#include "json_out.h"
#include "text.h"

/**
 * struct view - a member and what its general log adds up to
 * @member:	the drive
 * @log:	its general log
 * @owners:	by member zone, from the first reserved one: logical zone it
 *		holds a column of, or NO_OWNER; raizn_most_zones() entries
 * @nr:		zones that the array uses, from the first reserved one on
 */
struct view {
	const struct member *member;
	struct general_log log;
	u32 *owners;
	u32 nr;
};

#define NO_OWNER	UINT32_MAX

/* The member's column of a logical zone; nr_members if a damaged map has none for it. */
static u32 column_of(const struct view *view, u32 zone)
{
	return raizn_zone_map_column(&view->member->geo, &view->log.map, zone,
				     view->member->slot);
}

/* Is the member's column of a logical zone in no member zone? */
static bool is_lost(const struct view *view, u32 zone)
{
	const struct raizn_geometry *geo = &view->member->geo;
	u32 column = column_of(view, zone);

	return column < geo->nr_members &&
	       raizn_zone_map_physical(geo, &view->log.map, zone, column) == RAIZN_NOWHERE;
}

static int find_owners(struct view *view)
{
	const struct raizn_geometry *geo = &view->member->geo;
	u32 nr = raizn_most_zones(geo), physical, column, i;

	view->owners = malloc(nr * sizeof(*view->owners));
	if (!view->owners)
		return fail_memory();
	for (i = 0; i < nr; i++)
		view->owners[i] = NO_OWNER;
	for (i = 0; i < geo->nr_zones; i++) {
		column = column_of(view, i);
		physical = column == geo->nr_members ? RAIZN_NOWHERE :
			   raizn_zone_map_physical(geo, &view->log.map, i, column);
		if (physical != RAIZN_NOWHERE)
			view->owners[physical] = i;
	}
	return TOOL_OK;
}

/* Logical zone that zone @nr of the drive holds a column of, or NO_OWNER. */
static u32 zone_owner(const struct view *view, u32 nr)
{
	const struct raizn_geometry *geo = &view->member->geo;

	if (nr < geo->first_zone || nr - geo->first_zone >= view->nr)
		return NO_OWNER;
	return view->owners[nr - geo->first_zone];
}

/* What zone @nr of the drive is for. */
static void zone_role(const struct view *view, u32 nr, char *text, size_t size)
{
	const struct raizn_geometry *geo = &view->member->geo;
	u32 i = nr - geo->first_zone;

	if (nr < geo->first_zone)
		snprintf(text, size, "conventional");
	else if (i < RAIZN_NR_LOG_ZONES)
		snprintf(text, size, "%s", view->member->logs[i].role ?
			 log_role_name(view->member->logs[i].role) :
			 "log, unused");
	else if (zone_owner(view, nr) != NO_OWNER)
		snprintf(text, size, "data %u", zone_owner(view, nr));
	else if (i < geo->nr_reserved || (i >= raizn_common_zones(geo) && i < view->nr))
		snprintf(text, size, "spare");
	else if (i < view->nr)
		snprintf(text, size, "data %u, %s", i - geo->nr_reserved,
			 is_lost(view, i - geo->nr_reserved) ? "lost" : "moved");
	else
		snprintf(text, size, "unused");
}

static void print_text(const struct view *view, struct zbd_zone *zone, u32 nr)
{
	const struct raizn_zone_state *state;
	u32 owner = zone_owner(view, nr);
	char role[32];

	zone_role(view, nr, role, sizeof(role));
	printf("%-7u  %-18s  %-13s  %10llu", nr, role,
	       zbd_zone_cond_str(zone, false), (unsigned long long)zone_written(zone) >> 9);
	if (owner != NO_OWNER) {
		state = &view->log.zones[owner];
		printf("  %10llu", (unsigned long long)state->generation);
		if (column_of(view, owner) != view->member->slot)
			printf("  column %u", column_of(view, owner));
		if (state->flags & RAIZN_ZONE_FINISHED)
			printf("  finished at %u", state->wp);
		if (state->flags & RAIZN_ZONE_RESETTING)
			printf("  resetting");
		if (state->flags & RAIZN_ZONE_TRUNCATED)
			printf("  recovered without a member");
		if (state->flags & RAIZN_ZONE_UNLOGGED)
			printf("  was damaged");
	}
	puts("");
}

static void print_json(const struct view *view, struct zbd_zone *zone, u32 nr,
		       bool *first)
{
	struct json_object *object = json_object_new_object();
	const struct raizn_zone_state *state;
	u32 owner = zone_owner(view, nr);
	char role[32];

	zone_role(view, nr, role, sizeof(role));
	json_add_number(object, "zone", nr);
	json_add_text(object, "role", role);
	json_add_text(object, "condition", zbd_zone_cond_str(zone, false));
	json_add_number(object, "written_sectors", zone_written(zone) >> 9);
	if (owner != NO_OWNER) {
		state = &view->log.zones[owner];
		json_add_number(object, "logical_zone", owner);
		json_add_number(object, "column", column_of(view, owner));
		json_add_number(object, "generation", state->generation);
		json_add_bool(object, "resetting",
			      state->flags & RAIZN_ZONE_RESETTING);
		json_add_bool(object, "truncated",
			      state->flags & RAIZN_ZONE_TRUNCATED);
		json_add_bool(object, "unlogged",
			      state->flags & RAIZN_ZONE_UNLOGGED);
		json_add_bool(object, "finished",
			      state->flags & RAIZN_ZONE_FINISHED);
		if (state->flags & RAIZN_ZONE_FINISHED)
			json_add_number(object, "finished_at", state->wp);
	}
	json_item(object, first);
}

static int print_zones(struct view *view, bool json)
{
	const struct drive *drive = &view->member->drive;
	struct zbd_zone *zones = drive_report_all(drive);
	bool first = true;
	u32 i;

	if (!zones)
		return TOOL_FAILED;
	view->nr = member_zones(view->member, zones);
	if (json)
		printf("  \"contradictions\": %u,\n  \"zone_map_version\": %llu,\n  \"zones\": [",
		       view->log.contradictions,
		       (unsigned long long)view->log.map.version);
	else
		printf("%-7s  %-18s  %-13s  %10s  %10s\n", "zone", "role",
		       "cond", "sectors", "generation");
	for (i = 0; i < drive->nr_zones; i++)
		if (json)
			print_json(view, &zones[i], i, &first);
		else
			print_text(view, &zones[i], i);
	if (json)
		printf(" ]");
	else if (view->log.contradictions)
		printf("%u records of the general log contradict others\n",
		       view->log.contradictions);
	free(zones);
	return TOOL_OK;
}

int inspect_zones(const struct member *member, bool json)
{
	struct view view = { .member = member };
	int ret;

	if (member->verdict != MEMBER_SOUND &&
	    member->verdict != MEMBER_UNFINISHED) {
		printf("%s", json ? "  \"zones\": null" :
		       "without a usable superblock the zones cannot be told apart\n");
		return TOOL_OK;
	}
	ret = general_log_read(&view.log, member);
	if (!ret)
		ret = find_owners(&view);
	if (!ret)
		ret = print_zones(&view, json);
	free(view.owners);
	general_log_free(&view.log);
	return ret;
}
