// SPDX-License-Identifier: GPL-2.0
/*
 * raizn inspect DEVICE zones: what every zone of the drive is for, and what the
 * general log says of the logical zones.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../raizn/replay.h"
#include "tool.h"
#include "inspect.h"
#include "json_out.h"
#include "log.h"
#include "text.h"

/**
 * struct place - where a record of the general log stands
 * @seq:	its sequence number
 * @log:	log zone
 * @pos:	bytes from the start of that
 */
struct place {
	u64 seq;
	u64 pos;
	u32 log;
};

/**
 * struct replay - the general log of one member, put together
 * @member:	the drive
 * @cursors:	log zones
 * @places:	records that count, by sequence number once sorted
 * @nr, @size:	how many, and room for how many
 * @zones:	logical zones
 * @contradictions: records that contradict what came before them
 */
struct replay {
	const struct member *member;
	struct log_cursor cursors[RAIZN_NR_LOG_ZONES];
	struct place *places;
	size_t nr;
	size_t size;
	struct raizn_zone_state *zones;
	u32 contradictions;
};

/* Epoch of the newest complete checkpoint; 0 if there is none. */
static u64 checkpoint_epoch(const struct member *member)
{
	u64 epoch = 0;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		if (member->logs[i].complete && member->logs[i].epoch > epoch)
			epoch = member->logs[i].epoch;
	return epoch;
}

static int add_place(struct replay *replay, u32 log,
		     const struct log_entry *entry)
{
	struct place *grown;
	size_t size;

	if (replay->nr == replay->size) {
		size = replay->size ? 2 * replay->size : 1024;
		grown = realloc(replay->places, size * sizeof(*grown));
		if (!grown)
			return fail_memory();
		replay->places = grown;
		replay->size = size;
	}
	replay->places[replay->nr++] = (struct place) {
		.seq = le64_to_cpu(entry->rec->seq),
		.log = log,
		.pos = entry->pos,
	};
	return TOOL_OK;
}

static int collect(struct replay *replay, u32 log)
{
	const struct member *member = replay->member;
	struct log_entry entry;
	int ret = TOOL_OK;

	while (!ret && log_next(&replay->cursors[log], &entry))
		if (!entry.error && entry.verdict == RAIZN_RECORD_OK &&
		    raizn_record_fits(entry.rec, &member->geo,
				      member->sb.array_uuid))
			ret = add_place(replay, log, &entry);
	return ret;
}

static int by_seq(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void apply(struct replay *replay)
{
	struct log_entry entry;
	size_t i;

	for (i = 0; i < replay->nr; i++) {
		const struct place *place = &replay->places[i];

		/* The drive may answer differently than before. */
		if (!log_at(&replay->cursors[place->log], place->pos, &entry) ||
		    entry.error || entry.verdict != RAIZN_RECORD_OK ||
		    !raizn_record_fits(entry.rec, &replay->member->geo,
				       replay->member->sb.array_uuid) ||
		    raizn_replay_record(&replay->member->geo, replay->zones,
					NULL, entry.rec))
			replay->contradictions++;
	}
}

static int replay_run(struct replay *replay)
{
	const struct member *member = replay->member;
	u64 epoch = checkpoint_epoch(member);
	int ret = TOOL_OK;
	u32 i;

	/* The number of zones was checked against the drive. */
	replay->zones = calloc(member->geo.nr_zones, sizeof(*replay->zones));
	if (!replay->zones)
		return fail_memory();
	for (i = 0; i < RAIZN_NR_LOG_ZONES && epoch && !ret; i++) {
		const struct log_zone *log = &member->logs[i];

		if (log->role != RAIZN_LOG_GENERAL || log->epoch < epoch)
			continue;
		ret = log_open(&replay->cursors[i], &member->drive, &log->zone);
		if (!ret)
			ret = collect(replay, i);
	}
	if (ret)
		return ret;
	if (replay->nr)
		qsort(replay->places, replay->nr, sizeof(*replay->places),
		      by_seq);
	apply(replay);
	return TOOL_OK;
}

static void replay_free(struct replay *replay)
{
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		log_close(&replay->cursors[i]);
	free(replay->places);
	free(replay->zones);
}

/* What zone @nr of the drive is for; sets @logical if it holds data. */
static void zone_role(const struct member *member, u32 nr, char *text,
		      size_t size, const struct raizn_zone_state *zones,
		      const struct raizn_zone_state **logical)
{
	const struct raizn_geometry *geo = &member->geo;
	u32 data = geo->first_zone + geo->nr_reserved;

	*logical = NULL;
	if (nr < geo->first_zone)
		snprintf(text, size, "conventional");
	else if (nr < geo->first_zone + RAIZN_NR_LOG_ZONES)
		snprintf(text, size, "%s",
			 member->logs[nr - geo->first_zone].role ?
			 log_role_name(member->logs[nr - geo->first_zone].role) :
			 "log, unused");
	else if (nr < data)
		snprintf(text, size, "spare");
	else if (nr - data < geo->nr_zones)
		snprintf(text, size, "data %u", nr - data);
	else
		snprintf(text, size, "unused");
	if (nr >= data && nr - data < geo->nr_zones)
		*logical = &zones[nr - data];
}

static void print_text(const struct replay *replay, struct zbd_zone *zone,
		       u32 nr)
{
	const struct raizn_zone_state *logical;
	char role[32];

	zone_role(replay->member, nr, role, sizeof(role), replay->zones,
		  &logical);
	printf("%-7u  %-18s  %-13s  %10llu", nr, role,
	       zbd_zone_cond_str(zone, false), (unsigned long long)zone_written(zone) >> 9);
	if (logical) {
		printf("  %10llu", (unsigned long long)logical->generation);
		if (logical->flags & RAIZN_ZONE_FINISHED)
			printf("  finished at %u", logical->wp);
		if (logical->flags & RAIZN_ZONE_RESETTING)
			printf("  resetting");
	}
	puts("");
}

static void print_json(const struct replay *replay, struct zbd_zone *zone,
		       u32 nr, bool *first)
{
	struct json_object *object = json_object_new_object();
	const struct raizn_zone_state *logical;
	char role[32];

	zone_role(replay->member, nr, role, sizeof(role), replay->zones,
		  &logical);
	json_add_number(object, "zone", nr);
	json_add_text(object, "role", role);
	json_add_text(object, "condition", zbd_zone_cond_str(zone, false));
	json_add_number(object, "written_sectors", zone_written(zone) >> 9);
	if (logical) {
		json_add_number(object, "logical_zone",
				logical - replay->zones);
		json_add_number(object, "generation", logical->generation);
		json_add_bool(object, "resetting",
			      logical->flags & RAIZN_ZONE_RESETTING);
		json_add_bool(object, "finished",
			      logical->flags & RAIZN_ZONE_FINISHED);
		if (logical->flags & RAIZN_ZONE_FINISHED)
			json_add_number(object, "finished_at", logical->wp);
	}
	json_item(object, first);
}

static int print_zones(const struct replay *replay, bool json)
{
	const struct drive *drive = &replay->member->drive;
	struct zbd_zone *zones = drive_report_all(drive);
	bool first = true;
	u32 i;

	if (!zones)
		return TOOL_FAILED;
	if (json)
		printf("  \"contradictions\": %u,\n  \"zones\": [",
		       replay->contradictions);
	else
		printf("%-7s  %-18s  %-13s  %10s  %10s\n", "zone", "role",
		       "cond", "sectors", "generation");
	for (i = 0; i < drive->nr_zones; i++)
		if (json)
			print_json(replay, &zones[i], i, &first);
		else
			print_text(replay, &zones[i], i);
	if (json)
		printf(" ]");
	else if (replay->contradictions)
		printf("%u records of the general log contradict others\n",
		       replay->contradictions);
	free(zones);
	return TOOL_OK;
}

int inspect_zones(const struct member *member, bool json)
{
	struct replay replay = { .member = member };
	int ret;

	if (member->verdict != MEMBER_SOUND &&
	    member->verdict != MEMBER_UNFINISHED) {
		printf("%s", json ? "  \"zones\": null" :
		       "without a usable superblock the zones can not be told apart\n");
		return TOOL_OK;
	}
	ret = replay_run(&replay);
	if (!ret)
		ret = print_zones(&replay, json);
	replay_free(&replay);
	return ret;
}
