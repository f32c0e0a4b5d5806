// SPDX-License-Identifier: GPL-2.0
/*
 * raizn inspect DEVICE log: every record of every log zone, and what is none.
 */
#include <stdio.h>

#include "tool.h"
#include "inspect.h"
#include "json_out.h"
#include "log.h"
#include "text.h"

const char *log_role_name(u8 role)
{
	switch (role) {
	case RAIZN_LOG_GENERAL:
		return "general log";
	case RAIZN_LOG_PARTIAL_PARITY:
		return "partial-parity log";
	default:
		return "no log";
	}
}

/**
 * struct bad_blocks - neighbouring blocks that hold no sound record
 * @pos:	of the first, bytes from the start of the zone
 * @nr:		how many
 * @verdict:	what all of them are
 * @error:	-errno, if they cannot be read
 */
struct bad_blocks {
	u64 pos;
	u64 nr;
	enum raizn_record_verdict verdict;
	int error;
};

static const char *bad_blocks_why(const struct bad_blocks *bad)
{
	return bad->error ? log_error_text(-bad->error) :
			    raizn_record_verdict_name(bad->verdict);
}

static void print_bad(struct bad_blocks *bad, bool json, bool *first)
{
	struct json_object *object;

	if (!bad->nr)
		return;
	if (json) {
		object = json_object_new_object();
		json_add_number(object, "offset", bad->pos);
		json_add_number(object, "blocks", bad->nr);
		json_add_text(object, "verdict", bad_blocks_why(bad));
		json_item(object, first);
	} else {
		printf("  %10llu  %llu block%s: %s\n",
		       (unsigned long long)bad->pos,
		       (unsigned long long)bad->nr, plural(bad->nr),
		       bad_blocks_why(bad));
	}
	bad->nr = 0;
}

static void zone_name(const struct raizn_record *rec, char *text, size_t size)
{
	u32 zone = le32_to_cpu(rec->zone);

	if (zone == RAIZN_ZONE_ALL)
		snprintf(text, size, "all zones");
	else
		snprintf(text, size, "zone %u", zone);
}

static const char *reset_stage(u32 flags)
{
	switch (flags) {
	case RAIZN_RESET_INTENT:
		return "intent";
	case RAIZN_RESET_DONE:
		return "done";
	default:
		return "neither intent nor done";
	}
}

static void describe_superblock(const struct raizn_superblock *sb, char *text,
				size_t size)
{
	snprintf(text, size, "event %llu, start %llu, era %llu, %s",
		 (unsigned long long)le64_to_cpu(sb->event),
		 (unsigned long long)le64_to_cpu(sb->start),
		 (unsigned long long)le64_to_cpu(sb->era),
		 le32_to_cpu(sb->flags) & RAIZN_SB_CLEAN ? "clean" :
							   "not clean");
}

/* As many entries as the text has room for; the record was verified. */
static void describe_zone_map(const struct raizn_record *rec, char *text,
			      size_t size)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones), i;
	size_t at;

	at = snprintf(text, size, "version %llu",
		      (unsigned long long)le64_to_cpu(rec->start));
	for (i = 0; i < nr && at + 80 < size; i++, entry++) {
		at += snprintf(text + at, size - at, ", column %u of zone %u ",
			       le16_to_cpu(entry->column),
			       le32_to_cpu(entry->zone));
		if (le32_to_cpu(entry->physical) == RAIZN_NOWHERE)
			at += snprintf(text + at, size - at, "nowhere");
		else
			at += snprintf(text + at, size - at, "in %u%s",
				       le32_to_cpu(entry->physical),
				       le16_to_cpu(entry->flags) & RAIZN_MAP_WHOLE ?
				       " whole" : "");
		if (entry->distance)
			at += snprintf(text + at, size - at, " at distance %u",
				       le16_to_cpu(entry->distance));
	}
	if (i < nr)
		snprintf(text + at, size - at, ", %u more", nr - i);
}

static void describe_bad_blocks(const struct raizn_record *rec, char *text, size_t size)
{
	const struct raizn_bad_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones), i;
	size_t at;

	at = snprintf(text, size, "version %llu", (unsigned long long)le64_to_cpu(rec->start));
	for (i = 0; i < nr && at + 80 < size; i++, entry++)
		at += snprintf(text + at, size - at, ", column %u of zone %u: %s in %u+%u",
			       le16_to_cpu(entry->column), le32_to_cpu(entry->zone),
			       le16_to_cpu(entry->flags) & RAIZN_BAD_PLACEHOLDER ?
			       "placeholder" : "unreadable",
			       le32_to_cpu(entry->sector), le32_to_cpu(entry->nr));
	if (i < nr)
		snprintf(text + at, size - at, ", %u more", nr - i);
}

static void describe_spoilt(const struct raizn_record *rec, char *text, size_t size)
{
	const struct raizn_spoilt_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones), i;
	size_t at;

	at = snprintf(text, size, "version %llu", (unsigned long long)le64_to_cpu(rec->start));
	for (i = 0; i < nr && at + 80 < size; i++, entry++)
		at += snprintf(text + at, size - at, ", column %u of zone %u: rows %u+%u",
			       le16_to_cpu(entry->column), le32_to_cpu(entry->zone),
			       le32_to_cpu(entry->from),
			       le32_to_cpu(entry->end) - le32_to_cpu(entry->from));
	if (i < nr)
		snprintf(text + at, size - at, ", %u more", nr - i);
}

/* What the fields of a record say, by its type. */
static void describe(const struct raizn_record *rec, char *text, size_t size)
{
	unsigned long long generation = le64_to_cpu(rec->generation);
	unsigned long long start = le64_to_cpu(rec->start);
	u32 first = le32_to_cpu(rec->zone), nr = le32_to_cpu(rec->nr_zones);
	u32 flags = le32_to_cpu(rec->flags);
	char zone[32];

	zone_name(rec, zone, sizeof(zone));
	switch (le16_to_cpu(rec->type)) {
	case RAIZN_REC_SUPERBLOCK:
		describe_superblock(raizn_record_sb_const(rec), text, size);
		break;
	case RAIZN_REC_CHECKPOINT:
		snprintf(text, size, "of superblock %llu", start);
		break;
	case RAIZN_REC_ZONE_TABLE:
		snprintf(text, size, "zones %u to %llu", first,
			 (unsigned long long)first + nr - 1);
		break;
	case RAIZN_REC_RESET:
		snprintf(text, size, "%s, %s, ends generation %llu",
			 reset_stage(flags), zone, generation);
		break;
	case RAIZN_REC_FINISH:
		snprintf(text, size, "%s, generation %llu, write pointer %llu",
			 zone, generation, start);
		break;
	case RAIZN_REC_PARTIAL_PARITY:
		snprintf(text, size,
			 "%s, generation %llu, parity %u, sectors %llu to %llu, rows %u+%u",
			 zone, generation, rec->parity, start,
			 (unsigned long long)le64_to_cpu(rec->end),
			 le32_to_cpu(rec->row), le32_to_cpu(rec->nr_rows));
		break;
	case RAIZN_REC_ZONE_MAP:
		describe_zone_map(rec, text, size);
		break;
	case RAIZN_REC_BAD_BLOCKS:
		describe_bad_blocks(rec, text, size);
		break;
	case RAIZN_REC_SPOILT:
		describe_spoilt(rec, text, size);
		break;
	case RAIZN_REC_RELOCATED:
		snprintf(text, size, "%s, generation %llu, column %u, rows %llu+%u", zone,
			 generation, le16_to_cpu(rec->column), start, le32_to_cpu(rec->nr_rows));
		break;
	default:
		*text = '\0';
	}
}

/* Whether a sound record can be the array's, if it is known what that is. */
static bool belongs(const struct member *member, const struct raizn_record *rec)
{
	return (member->verdict != MEMBER_SOUND &&
		member->verdict != MEMBER_UNFINISHED) ||
	       raizn_record_fits(rec, &member->geo, member->sb.array_uuid);
}

static void json_zone_map(struct json_object *list,
			  const struct raizn_record *rec)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);
	struct json_object *object;

	for (; nr--; entry++) {
		object = json_object_new_object();
		json_add_number(object, "zone", le32_to_cpu(entry->zone));
		json_add_number(object, "column", le16_to_cpu(entry->column));
		if (le32_to_cpu(entry->physical) == RAIZN_NOWHERE)
			json_object_object_add(object, "physical", NULL);
		else
			json_add_number(object, "physical",
					le32_to_cpu(entry->physical));
		json_add_bool(object, "whole",
			      le16_to_cpu(entry->flags) & RAIZN_MAP_WHOLE);
		json_add_number(object, "distance", le16_to_cpu(entry->distance));
		json_object_array_add(list, object);
	}
}

static void json_bad_blocks(struct json_object *list, const struct raizn_record *rec)
{
	const struct raizn_bad_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);
	struct json_object *object;

	for (; nr--; entry++) {
		object = json_object_new_object();
		json_add_number(object, "zone", le32_to_cpu(entry->zone));
		json_add_number(object, "column", le16_to_cpu(entry->column));
		json_add_number(object, "physical", le32_to_cpu(entry->physical));
		json_add_number(object, "generation", le64_to_cpu(entry->generation));
		json_add_number(object, "sector", le32_to_cpu(entry->sector));
		json_add_number(object, "sectors", le32_to_cpu(entry->nr));
		json_add_bool(object, "placeholder",
			      le16_to_cpu(entry->flags) & RAIZN_BAD_PLACEHOLDER);
		json_object_array_add(list, object);
	}
}

static void json_spoilt(struct json_object *list, const struct raizn_record *rec)
{
	const struct raizn_spoilt_entry *entry = (const void *)(rec + 1);
	u32 nr = le32_to_cpu(rec->nr_zones);
	struct json_object *object;

	for (; nr--; entry++) {
		object = json_object_new_object();
		json_add_number(object, "zone", le32_to_cpu(entry->zone));
		json_add_number(object, "column", le16_to_cpu(entry->column));
		json_add_number(object, "physical", le32_to_cpu(entry->physical));
		json_add_number(object, "generation", le64_to_cpu(entry->generation));
		json_add_number(object, "from", le32_to_cpu(entry->from));
		json_add_number(object, "end", le32_to_cpu(entry->end));
		json_object_array_add(list, object);
	}
}

static void print_record(const struct member *member,
			 const struct raizn_log_entry *entry, bool json, bool *first)
{
	const struct raizn_record *rec = entry->rec;
	const char *type = raizn_record_type_name(le16_to_cpu(rec->type));
	const char *verdict = belongs(member, rec) ? "ok" :
						     "does not fit the array";
	struct json_object *object;
	char text[200];

	describe(rec, text, sizeof(text));
	if (!json) {
		printf("  %10llu  seq %-8llu %-14s %s; %s\n",
		       (unsigned long long)entry->pos,
		       (unsigned long long)le64_to_cpu(rec->seq), type, text,
		       verdict);
		return;
	}
	object = json_object_new_object();
	json_add_number(object, "offset", entry->pos);
	json_add_number(object, "bytes", entry->bytes);
	json_add_text(object, "verdict", verdict);
	json_add_text(object, "type", type);
	json_add_number(object, "seq", le64_to_cpu(rec->seq));
	json_add_number(object, "epoch", le64_to_cpu(rec->epoch));
	json_add_number(object, "member", le16_to_cpu(rec->member));
	json_add_number(object, "role", rec->role);
	json_add_number(object, "parity", rec->parity);
	json_add_number(object, "flags", le32_to_cpu(rec->flags));
	json_add_number(object, "generation", le64_to_cpu(rec->generation));
	json_add_number(object, "zone", le32_to_cpu(rec->zone));
	json_add_number(object, "nr_zones", le32_to_cpu(rec->nr_zones));
	json_add_number(object, "start", le64_to_cpu(rec->start));
	json_add_number(object, "end", le64_to_cpu(rec->end));
	json_add_number(object, "row", le32_to_cpu(rec->row));
	json_add_number(object, "nr_rows", le32_to_cpu(rec->nr_rows));
	json_add_number(object, "column", le16_to_cpu(rec->column));
	json_add_text(object, "text", text);
	if (le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP)
		json_zone_map(json_list(object, "entries"), rec);
	else if (le16_to_cpu(rec->type) == RAIZN_REC_BAD_BLOCKS)
		json_bad_blocks(json_list(object, "entries"), rec);
	else if (le16_to_cpu(rec->type) == RAIZN_REC_SPOILT)
		json_spoilt(json_list(object, "entries"), rec);
	json_item(object, first);
}

static int print_records(const struct member *member,
			 const struct log_zone *log, bool json)
{
	struct bad_blocks bad = { };
	struct log_cursor cursor;
	struct raizn_log_entry entry;
	bool first = true;
	int ret;

	ret = log_open(&cursor, &member->drive, &log->zone);
	if (ret)
		return ret;
	cursor.to_unreadable = true;
	while (log_next(&cursor, &entry)) {
		bool sound = !entry.error && entry.verdict == RAIZN_RECORD_OK;

		if (sound || bad.verdict != entry.verdict ||
		    bad.error != entry.error)
			print_bad(&bad, json, &first);
		if (sound) {
			print_record(member, &entry, json, &first);
			continue;
		}
		if (!bad.nr)
			bad.pos = entry.pos;
		bad.nr++;
		bad.verdict = entry.verdict;
		bad.error = entry.error;
	}
	print_bad(&bad, json, &first);
	log_close(&cursor);
	return TOOL_OK;
}

static void print_log_head(const struct member *member, u32 index, bool json)
{
	const struct log_zone *log = &member->logs[index];
	unsigned long long epoch = log->epoch;
	u64 used = zone_written(&log->zone);
	u32 zone = log_zone_number(member, index);

	if (json) {
		printf("%s\n  { \"zone\": %u, \"role\": \"%s\", \"epoch\": %llu,",
		       index ? "," : "", zone, log_role_name(log->role), epoch);
		printf(" \"complete\": %s, \"bytes\": %llu, \"records\": [",
		       log->complete ? "true" : "false",
		       (unsigned long long)used);
		return;
	}
	printf("zone %u: ", zone);
	if (log->role)
		printf("%s, epoch %llu%s, ", log_role_name(log->role), epoch,
		       log->complete ? ", checkpoint complete" : "");
	printf("%s of %s written\n", size_text(used).s,
	       size_text(log->zone.capacity).s);
}

int inspect_log(const struct member *member, bool json)
{
	u32 i;
	int ret;

	if (json)
		printf("  \"log\": [");
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		print_log_head(member, i, json);
		ret = print_records(member, &member->logs[i], json);
		if (ret)
			return ret;
		if (json)
			printf(" ] }");
	}
	if (json)
		printf(" ]");
	return TOOL_OK;
}
