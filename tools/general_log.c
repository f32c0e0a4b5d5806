// SPDX-License-Identifier: GPL-2.0
/*
 * The general log of one member, put together.
 */
#include <stdlib.h>

#include "general_log.h"
#include "log.h"
#include "tool.h"

/**
 * struct place - where a record of the general log stands
 * @seq:	its sequence number
 * @pos:	bytes from the start of the log zone
 */
struct place {
	u64 seq;
	u64 pos;
};

/**
 * struct replay - reading a general log
 * @member:	the drive
 * @base:	the log zone that counts
 * @cursor:	reading it
 * @places:	its records, by sequence number once sorted
 * @nr, @size:	how many, and room for how many
 */
struct replay {
	const struct member *member;
	const struct log_zone *base;
	struct log_cursor cursor;
	struct place *places;
	size_t nr;
	size_t size;
};

const struct log_zone *general_log_zone(const struct member *member)
{
	const struct log_zone *base = NULL;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		const struct log_zone *log = &member->logs[i];

		if (log->complete && (!base || log->epoch > base->epoch))
			base = log;
	}
	return base;
}

static int add_place(struct replay *replay, const struct raizn_log_entry *entry)
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
		.pos = entry->pos,
	};
	return TOOL_OK;
}

/* Is it a record of this log zone? */
static bool fits(const struct replay *replay, const struct raizn_log_entry *entry)
{
	const struct raizn_record *rec = entry->rec;

	return rec && raizn_record_fits(rec, &replay->member->geo,
					replay->member->sb.array_uuid) &&
	       rec->role == RAIZN_LOG_GENERAL &&
	       le64_to_cpu(rec->epoch) == replay->base->epoch &&
	       le16_to_cpu(rec->member) == replay->member->slot;
}

static int by_seq(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int collect(struct replay *replay)
{
	struct raizn_log_entry entry;
	int ret = TOOL_OK;

	while (!ret && log_next(&replay->cursor, &entry))
		if (fits(replay, &entry))
			ret = add_place(replay, &entry);
	if (replay->nr)
		qsort(replay->places, replay->nr, sizeof(*replay->places),
		      by_seq);
	return ret;
}

/* Behind the checkpoint, records of the zone map are written one after the other. */
static bool lacks_one_before(const struct general_log *log,
			     const struct raizn_record *rec)
{
	return le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP &&
	       le64_to_cpu(rec->start) != log->map.version + 1;
}

static void apply(struct replay *replay, struct general_log *log)
{
	struct raizn_log_entry entry;
	bool running = false;
	size_t i;

	for (i = 0; i < replay->nr; i++) {
		/* The drive may answer differently than before. */
		if (!log_at(&replay->cursor, replay->places[i].pos, &entry) ||
		    !fits(replay, &entry) ||
		    raizn_record_overcounts(entry.rec) ||
		    (running && lacks_one_before(log, entry.rec)) ||
		    raizn_replay_record(&replay->member->geo, log->zones,
					&log->map, entry.rec))
			log->contradictions++;
		else if (le16_to_cpu(entry.rec->type) == RAIZN_REC_CHECKPOINT)
			running = true;
		else if (le16_to_cpu(entry.rec->type) == RAIZN_REC_RESET &&
			 le32_to_cpu(entry.rec->flags) & RAIZN_RESET_DONE)
			log->done = replay->places[i].seq;
		else if (le16_to_cpu(entry.rec->type) == RAIZN_REC_BAD_BLOCKS)
			raizn_bad_blocks_replay(log->bad_blocks, entry.rec);
		else if (le16_to_cpu(entry.rec->type) == RAIZN_REC_SPOILT)
			raizn_spoilt_replay(log->spoilt, entry.rec);
	}
}

int general_log_read(struct general_log *log, const struct member *member)
{
	const struct raizn_geometry *geo = &member->geo;
	struct replay replay = {
		.member = member,
		.base = general_log_zone(member),
	};
	int ret;

	memset(log, 0, sizeof(*log));
	/* The number of zones was checked against the drive. */
	log->zones = calloc(geo->nr_zones, sizeof(*log->zones));
	log->map.entries = calloc((size_t)geo->nr_zones * geo->nr_members,
				  sizeof(*log->map.entries));
	log->bad_blocks = calloc(1, sizeof(*log->bad_blocks));
	log->spoilt = calloc(1, sizeof(*log->spoilt));
	if (!log->zones || !log->map.entries || !log->bad_blocks || !log->spoilt)
		return fail_memory();
	if (!replay.base)
		return TOOL_OK;
	log->complete = true;
	log->era = replay.base->era;
	log->begin = replay.base->seq;
	ret = log_open(&replay.cursor, &member->drive, &replay.base->zone);
	replay.cursor.to_unreadable = true;
	if (!ret)
		ret = collect(&replay);
	/* The log of a running array may have moved, and its zone may be empty by now. */
	if (!ret && !replay.nr)
		log->contradictions++;
	if (!ret)
		apply(&replay, log);
	log_close(&replay.cursor);
	free(replay.places);
	return ret;
}

void general_log_free(struct general_log *log)
{
	free(log->zones);
	free(log->map.entries);
	free(log->bad_blocks);
	free(log->spoilt);
	memset(log, 0, sizeof(*log));
}
