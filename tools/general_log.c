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
 * @log:	log zone
 * @pos:	bytes from the start of that
 */
struct place {
	u64 seq;
	u64 pos;
	u32 log;
};

/**
 * struct replay - reading a general log
 * @member:	the drive
 * @cursors:	log zones
 * @begin:	records with lower sequence numbers do not count
 * @places:	records that count, by sequence number once sorted
 * @nr, @size:	how many, and room for how many
 */
struct replay {
	const struct member *member;
	struct log_cursor cursors[RAIZN_NR_LOG_ZONES];
	u64 begin;
	struct place *places;
	size_t nr;
	size_t size;
};

/* The newest log zone with a complete checkpoint; NULL if there is none. */
static const struct log_zone *find_base(const struct member *member)
{
	const struct log_zone *base = NULL;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		const struct log_zone *log = &member->logs[i];

		if (!log->complete)
			continue;
		if (!base || log->era > base->era ||
		    (log->era == base->era && log->epoch > base->epoch))
			base = log;
	}
	return base;
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

static bool fits(const struct replay *replay, const struct log_entry *entry)
{
	return !entry->error && entry->verdict == RAIZN_RECORD_OK &&
	       raizn_record_fits(entry->rec, &replay->member->geo,
				 replay->member->sb.array_uuid);
}

static int collect(struct replay *replay, u32 log)
{
	struct log_entry entry;
	int ret = TOOL_OK;

	while (!ret && log_next(&replay->cursors[log], &entry))
		if (fits(replay, &entry) &&
		    le64_to_cpu(entry.rec->seq) >= replay->begin)
			ret = add_place(replay, log, &entry);
	return ret;
}

static int by_seq(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static void apply(struct replay *replay, struct general_log *log)
{
	struct log_entry entry;
	size_t i;

	for (i = 0; i < replay->nr; i++) {
		const struct place *place = &replay->places[i];

		/* The drive may answer differently than before. */
		if (!log_at(&replay->cursors[place->log], place->pos, &entry) ||
		    !fits(replay, &entry) ||
		    raizn_replay_record(&replay->member->geo, log->zones,
					&log->map, entry.rec))
			log->contradictions++;
	}
}

static int collect_all(struct replay *replay, struct general_log *log)
{
	const struct member *member = replay->member;
	const struct log_zone *base = find_base(member);
	int ret = TOOL_OK;
	u32 i;

	if (!base)
		return TOOL_OK;
	log->era = base->era;
	replay->begin = base->seq;
	for (i = 0; i < RAIZN_NR_LOG_ZONES && !ret; i++) {
		const struct log_zone *zone = &member->logs[i];

		if (zone->role != RAIZN_LOG_GENERAL ||
		    zone->era != base->era || zone->epoch < base->epoch)
			continue;
		log->counts |= 1U << i;
		ret = log_open(&replay->cursors[i], &member->drive, &zone->zone);
		if (!ret)
			ret = collect(replay, i);
	}
	if (replay->nr)
		qsort(replay->places, replay->nr, sizeof(*replay->places),
		      by_seq);
	return ret;
}

int general_log_read(struct general_log *log, const struct member *member)
{
	const struct raizn_geometry *geo = &member->geo;
	struct replay replay = { .member = member };
	int ret;
	u32 i;

	memset(log, 0, sizeof(*log));
	/* The number of zones was checked against the drive. */
	log->zones = calloc(geo->nr_zones, sizeof(*log->zones));
	log->map.physical = calloc((size_t)geo->nr_zones * geo->nr_members,
				   sizeof(*log->map.physical));
	if (!log->zones || !log->map.physical)
		return fail_memory();
	ret = collect_all(&replay, log);
	if (!ret)
		apply(&replay, log);
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		log_close(&replay.cursors[i]);
	free(replay.places);
	return ret;
}

void general_log_free(struct general_log *log)
{
	free(log->zones);
	free(log->map.physical);
	memset(log, 0, sizeof(*log));
}
