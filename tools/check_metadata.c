// SPDX-License-Identifier: GPL-2.0
/*
 * raizn check: what the members' metadata adds up to.
 *
 * All members get every record of the general log, so each log alone is a lower
 * bound of what was logged.  A member that was away while the array went on
 * would make the array forget; it is told by its event count, or by a reset
 * that it knows nothing of.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../raizn/version.h"
#include "tool.h"
#include "check.h"
#include "inspect.h"
#include "log.h"
#include "text.h"
#include "trust.h"

void check_problem(struct check *check, const char *format, ...)
{
	struct problem *grown, *problem;
	u64 nr = check->nr_problems++;
	va_list args;

	if (nr >= CHECK_MAX_PROBLEMS)
		return;
	grown = realloc(check->problems, (nr + 1) * sizeof(*grown));
	if (!grown)
		return;
	check->problems = grown;
	problem = &grown[nr];
	va_start(args, format);
	vsnprintf(problem->text, sizeof(problem->text), format, args);
	va_end(args);
}

/* The slot does not count, for a reason. */
[[gnu::format(printf, 4, 5)]]
static void distrust(struct check *check, u32 slot,
		     enum slot_condition condition, const char *format, ...)
{
	va_list args;

	if (check->untrusted & (1U << slot))
		return;
	check->untrusted |= 1U << slot;
	check->slots[slot].condition = condition;
	va_start(args, format);
	vsnprintf(check->slots[slot].why, sizeof(check->slots[slot].why),
		  format, args);
	va_end(args);
}

static bool trusted(const struct check *check, u32 slot)
{
	return !(check->untrusted & (1U << slot));
}

/* Does the slot's general log count?  One that cannot be read in part only names its member. */
static bool has_log(const struct check *check, u32 slot)
{
	return trusted(check, slot) && !check->slots[slot].member->partial;
}

static const char *slot_path(const struct check *check, u32 slot)
{
	return check->slots[slot].member->drive.path;
}

/* Superblock of the slot's own drive. */
static const struct raizn_superblock *slot_sb(const struct check *check,
					      u32 slot)
{
	return member_sb(check->slots[slot].member);
}

/* ---- records ---------------------------------------------------------------- */

/**
 * struct walk - going through a log zone
 * @check:	the array
 * @slot:	member
 * @log:	number of the log zone
 * @bad:	blocks without a sound record, where these began and what they are
 * @bad_pos:	same
 * @bad_why:	same
 * @unreadable:	one of them cannot be read
 */
struct walk {
	struct check *check;
	u32 slot;
	u32 log;
	u64 bad;
	u64 bad_pos;
	const char *bad_why;
	bool unreadable;
};

static void tell_bad(struct walk *walk, const char *why, u64 pos, u64 nr)
{
	const struct member *member = walk->check->slots[walk->slot].member;

	check_problem(walk->check, "%s: zone %u, byte %llu: %llu block%s: %s",
		      member->drive.path, log_zone_number(member, walk->log),
		      (unsigned long long)pos, (unsigned long long)nr,
		      plural(nr), why);
}

/* The next entry of a log; what is read is shown. */
static bool next_entry(struct check *check, struct log_cursor *cursor,
		       struct raizn_log_entry *entry)
{
	u64 before = cursor->walk.pos;
	bool found = log_next(cursor, entry);

	progress_add(&check->progress, cursor->walk.pos - before);
	return found;
}

/* What a record says of where it is must be true. */
static const char *misplaced(const struct walk *walk,
			     const struct raizn_record *rec)
{
	const struct member *member = walk->check->slots[walk->slot].member;
	const struct log_zone *log = &member->logs[walk->log];

	if (!raizn_record_fits(rec, walk->check->geo, walk->check->array->uuid))
		return "a record does not fit the array";
	if (le16_to_cpu(rec->member) != walk->slot)
		return "a record was written to another member";
	if (rec->role != log->role || le64_to_cpu(rec->epoch) != log->epoch)
		return "a record belongs to another log zone";
	return NULL;
}

static int add_pp(struct check *check, const struct raizn_record *rec,
		  u64 location, size_t *size)
{
	struct pp_record *grown;

	if (check->nr_pp == *size) {
		*size = *size ? 2 * *size : 256;
		grown = realloc(check->pp, *size * sizeof(*grown));
		if (!grown)
			return fail_memory();
		check->pp = grown;
	}
	check->pp[check->nr_pp++] = (struct pp_record) {
		.zone = le32_to_cpu(rec->zone),
		.entry = {
			.seq = le64_to_cpu(rec->seq),
			.location = location,
			.start = (u32)le64_to_cpu(rec->start),
			.end = (u32)le64_to_cpu(rec->end),
			.row = le32_to_cpu(rec->row),
			.nr_rows = le32_to_cpu(rec->nr_rows),
			.parity = rec->parity,
		},
	};
	return TOOL_OK;
}

/*
 * Power cuts appends short, of which a partial-parity log may have had several
 * under way: nobody was told that these records are there.
 */
static void end_bad(struct walk *walk, bool last)
{
	const struct member *member = walk->check->slots[walk->slot].member;
	u64 bytes = walk->bad * member->drive.block_size;
	bool in_order = member->logs[walk->log].role != RAIZN_LOG_PARTIAL_PARITY;

	if (!walk->bad)
		return;
	if (walk->check->clean || bytes > RAIZN_RECORD_MAX || walk->unreadable ||
	    (in_order && !last))
		tell_bad(walk, walk->bad_why, walk->bad_pos, walk->bad);
	else
		walk->check->torn++;
	walk->bad = 0;
	walk->unreadable = false;
}

static int walk_log_zone(struct walk *walk)
{
	struct check *check = walk->check;
	const struct member *member = check->slots[walk->slot].member;
	const struct log_zone *log = &member->logs[walk->log];
	struct log_cursor cursor;
	struct raizn_log_entry entry;
	const char *why;
	int ret;

	ret = log_open(&cursor, &member->drive, &log->zone);
	if (ret)
		return ret;
	cursor.to_unreadable = true;
	if (cursor.walk.end)
		check->nr_log_zones++;
	while (next_entry(check, &cursor, &entry)) {
		if (*entry.unknown)
			check_problem(check, "%s: zone %u, byte %llu: %s, which raizn " RAIZN_VERSION " (format version %u) does not know; " USE_NEWER,
				      member->drive.path,
				      log_zone_number(member, walk->log),
				      (unsigned long long)entry.pos,
				      entry.unknown, RAIZN_FORMAT_VERSION);
		if (entry.error || entry.verdict != RAIZN_RECORD_OK) {
			if (!walk->bad++)
				walk->bad_pos = entry.pos;
			if (entry.error)
				walk->bad_why = log_error_text(-entry.error);
			else if (walk->bad == 1)
				walk->bad_why = raizn_record_verdict_name(entry.verdict);
			walk->unreadable |= !!entry.error;
			continue;
		}
		end_bad(walk, false);
		why = misplaced(walk, entry.rec);
		if (why)
			tell_bad(walk, why, entry.pos,
				 entry.bytes / member->drive.block_size);
		else
			check->nr_records++;
	}
	end_bad(walk, true);
	log_close(&cursor);
	return TOOL_OK;
}

static int walk_logs(struct check *check)
{
	int ret = TOOL_OK;
	u32 slot, i;

	for (slot = 0; slot < check->geo->nr_members; slot++) {
		const struct member *member = check->slots[slot].member;

		if (!trusted(check, slot))
			continue;
		for (i = 0; i < RAIZN_NR_LOG_ZONES && !ret; i++) {
			struct walk walk = {
				.check = check, .slot = slot, .log = i,
			};
			const struct zbd_zone *zone = &member->logs[i].zone;

			if (zbd_zone_offline(zone) || zbd_zone_rdonly(zone))
				check_problem(check, "%s: log zone %u is %s",
					      member->drive.path,
					      log_zone_number(member, i),
					      zbd_zone_offline(zone) ?
					      "offline" : "read-only");
			ret = walk_log_zone(&walk);
		}
	}
	return ret;
}

/* ---- which members count ------------------------------------------------------ */

static bool newer(const struct member *a, const struct member *b)
{
	if (member_event(a) != member_event(b))
		return member_event(a) > member_event(b);
	return le64_to_cpu(a->sb.seq) > le64_to_cpu(b->sb.seq);
}

static void find_newest(struct check *check)
{
	const struct member *newest = NULL;
	u32 i;

	for (i = 0; i < check->geo->nr_members; i++) {
		const struct member *member = check->slots[i].member;

		if (member && has_log(check, i) &&
		    (!newest || newer(member, newest)))
			newest = member;
	}
	check->newest = newest ? &newest->sb : NULL;
}

/* What the slot's own drive says. */
static void judge_alone(struct check *check, u32 slot)
{
	const struct raizn_superblock *newest =
		raizn_record_sb_const(check->newest);
	const struct member *member = check->slots[slot].member;

	if (!member || !trusted(check, slot))
		return;
	if (!superblocks_agree(member_sb(member), slot, newest,
			       check->geo->nr_members))
		distrust(check, slot, SLOT_UNUSABLE,
			 "it disagrees with the others on the description of the array");
	else if (!check->slots[slot].log.complete)
		distrust(check, slot, SLOT_UNUSABLE,
			 "its general log has no complete checkpoint");
	else
		return;
	check_problem(check, "%s: %s", slot_path(check, slot),
		      check->slots[slot].why);
}

/* What all superblocks together say of the members. */
static int judge_together(struct check *check)
{
	const struct member *members[RAIZN_MAX_MEMBERS] = { };
	struct raizn_trust trust;
	u32 nr = check->geo->nr_members, i;

	for (i = 0; i < nr; i++)
		if (trusted(check, i))
			members[i] = check->slots[i].member;
	if (members_trust(members, nr, &trust))
		return fail(TOOL_REFUSED,
			    "%s: two groups of its drives may each have gone on without the other; connect all drives",
			    array_name(check->array));
	for (i = 0; i < nr; i++) {
		const struct member *member = check->slots[i].member;

		if (trust.base_failed & (1U << i))
			distrust(check, i, SLOT_FAILED,
				 "the array went on without it");
		else if (!member)
			distrust(check, i, SLOT_MISSING, "not found");
		else if (trust.failed & (1U << i))
			distrust(check, i, SLOT_STALE,
				 "it took part up to event %llu, the others up to %llu",
				 (unsigned long long)member_event(member),
				 (unsigned long long)trust.base);
		else if (trust.unproven & (1U << i))
			distrust(check, i, SLOT_UNUSABLE, LOG_NOT_MADE_UP_FOR);
	}
	find_newest(check);
	return TOOL_OK;
}

static u32 count_bits(u32 mask)
{
	return __builtin_popcount(mask);
}

static int check_number(const struct check *check)
{
	const struct raizn_superblock *sb = member_sb(check->array->newest);
	u32 gone = count_bits(check->untrusted), first = 0;
	u32 parity = check->geo->nr_parity;

	if (gone <= parity)
		return TOOL_OK;
	while (trusted(check, first))
		first++;
	return fail(TOOL_REFUSED,
		    "%s: %u of %u members cannot be used, parity makes up for %u; slot %u (member %s): %s; connect the missing drives",
		    array_name(check->array), gone, check->geo->nr_members,
		    parity, first,
		    uuid_text(sb->members[first].uuid).s,
		    check->slots[first].why);
}

/* ---- joining -------------------------------------------------------------------- */

static u64 newest_era(const struct check *check)
{
	u64 era = 0;
	u32 i;

	for (i = 0; i < check->geo->nr_members; i++)
		if (has_log(check, i) && check->slots[i].log.era > era)
			era = check->slots[i].log.era;
	return era;
}

/* As the module's join_zone(). */
static void join_zone(struct raizn_zone_state *zone,
		      const struct raizn_zone_state *own, bool newest_start)
{
	struct raizn_zone_state state = *own;

	if (!newest_start)
		state.flags &= ~(u32)RAIZN_ZONE_UNLOGGED;
	raizn_zone_state_join(zone, &state);
}

static void join(struct check *check, u64 era)
{
	u64 start = le64_to_cpu(raizn_record_sb_const(check->newest)->start);
	u32 i, zone;

	memset(check->zones, 0, check->geo->nr_zones * sizeof(*check->zones));
	check->map = NULL;
	check->bad_blocks = NULL;
	check->spoilt = NULL;
	for (i = 0; i < check->geo->nr_members; i++) {
		const struct general_log *log = &check->slots[i].log;

		if (!has_log(check, i) || log->era != era)
			continue;
		for (zone = 0; zone < check->geo->nr_zones; zone++)
			join_zone(&check->zones[zone], &log->zones[zone],
				  le64_to_cpu(slot_sb(check, i)->start) ==
				  start);
		if (!check->map || log->map.version > check->map->version)
			check->map = &log->map;
		if (!check->bad_blocks ||
		    log->bad_blocks->version > check->bad_blocks->version)
			check->bad_blocks = log->bad_blocks;
		if (!check->spoilt || log->spoilt->version > check->spoilt->version)
			check->spoilt = log->spoilt;
	}
}

/* Does an entry concern the place where its column is, in this life of the zone? */
static bool block_counts(const struct raizn_bad_block *block, void *data)
{
	const struct check *check = data;

	return block->generation == check->zones[block->zone].generation &&
	       block->physical == raizn_zone_map_physical(check->geo, check->map,
							  block->zone, block->column);
}

/* Lost blocks are damage, though the array knows of them. */
static void tell_lost_blocks(struct check *check)
{
	struct raizn_bad_blocks *list = check->bad_blocks;
	u64 first;
	u32 offset, i;

	if (!list || !check->map)
		return;
	raizn_bad_blocks_keep(list, RAIZN_ZONE_ALL, block_counts, check);
	for (i = 0; i < list->nr; i++) {
		if (!raizn_bad_blocks_lists_first(list, check->geo, i))
			continue;
		raizn_bad_block_offset(check->geo, &list->at[i], &offset);
		first = ((u64)list->at[i].zone << check->geo->zone_shift) + offset;
		check_problem(check, "sectors %llu to %llu of the volume, in zone %u, are lost",
			      (unsigned long long)first,
			      (unsigned long long)first + list->at[i].nr - 1,
			      list->at[i].zone);
	}
}

/* Zone whose reset the slot's log knows nothing of. */
static bool lacks_reset(const struct check *check, u32 slot, u32 *zone)
{
	const struct raizn_zone_state *own = check->slots[slot].log.zones;

	for (*zone = 0; *zone < check->geo->nr_zones; (*zone)++)
		if (!raizn_zone_state_knows(&own[*zone], &check->zones[*zone]))
			return true;
	return false;
}

/*
 * Does a log say of all zones what the logs say together?  RAIZN_ZONE_TRUNCATED goes without
 * a record, see raizn_general_whole(): only a log that was begun later lacks it.
 */
static bool says_the_same(const struct check *check, const struct general_log *log)
{
	const struct raizn_zone_state *own, *all;
	u32 i;

	for (i = 0; i < check->geo->nr_zones; i++) {
		own = &log->zones[i];
		all = &check->zones[i];
		if (own->generation != all->generation || own->wp != all->wp ||
		    (own->flags ^ all->flags) & ~(u32)RAIZN_ZONE_TRUNCATED)
			return false;
	}
	return true;
}

/* As the module's goes_beyond_resets(). */
static bool goes_beyond_resets(const struct check *check, u32 slot, u64 era)
{
	u64 top = check->slots[slot].member->top;
	u32 i;

	for (i = 0; i < check->geo->nr_members; i++) {
		const struct slot *other = &check->slots[i];

		if (!has_log(check, i) || other->log.era != era)
			continue;
		if (top < other->log.done || top < other->log.begin)
			return false;
	}
	return true;
}

static int join_members(struct check *check)
{
	int ret = TOOL_OK;
	bool again;
	u32 i, zone;
	u64 era;

	do {
		era = newest_era(check);
		join(check, era);
		again = false;
		for (i = 0; i < check->geo->nr_members; i++) {
			if (trusted(check, i) && !has_log(check, i) &&
			    !goes_beyond_resets(check, i, era)) {
				distrust(check, i, SLOT_UNUSABLE, LOG_NOT_MADE_UP_FOR);
				again = true;
			}
			if (!has_log(check, i) ||
			    check->slots[i].log.era != era ||
			    !lacks_reset(check, i, &zone))
				continue;
			distrust(check, i, SLOT_STALE,
				 "it knows nothing of a reset of zone %u", zone);
			again = true;
		}
		if (again)
			ret = judge_together(check);
		if (!ret)
			ret = check_number(check);
		if (ret)
			return ret;
	} while (again);

	for (i = 0; i < check->geo->nr_members; i++) {
		const struct general_log *log = &check->slots[i].log;

		if (!has_log(check, i))
			continue;
		if (log->contradictions)
			check_problem(check, "%s: %u record%s of the general log contradict%s others",
				      slot_path(check, i), log->contradictions,
				      plural(log->contradictions),
				      log->contradictions == 1 ? "s" : "");
		check->apart |= log->era != era ||
				log->map.version != check->map->version ||
				log->bad_blocks->version != check->bad_blocks->version ||
				log->spoilt->version != check->spoilt->version ||
				!says_the_same(check, log);
	}
	tell_lost_blocks(check);
	if (check->spoilt && check->map)
		raizn_spoilt_keep(check->spoilt, check_spoilt_counts, check);
	for (zone = 0; zone < check->geo->nr_zones; zone++)
		check->generations_full += check->zones[zone].generation >=
					   RAIZN_GENERATION_MAX;
	return TOOL_OK;
}

/* ---- partial parity --------------------------------------------------------------- */

/* Does a sound record count?  Those of older generations do not. */
static bool pp_counts(struct check *check, u32 slot,
		      const struct raizn_record *rec)
{
	const struct raizn_geometry *geo = check->geo;
	u64 generation = le64_to_cpu(rec->generation), current;
	u32 zone = le32_to_cpu(rec->zone);
	u32 stripe = (u32)le64_to_cpu(rec->start) / geo->stripe;
	u32 pc = raizn_parity_column(geo, zone, stripe);
	u32 column = raizn_parity_column_nth(geo, pc, rec->parity);

	current = check->zones[zone].generation;
	if (generation > current)
		check_problem(check, "%s: partial parity %llu is of generation %llu of zone %u, which is in %llu",
			      slot_path(check, slot),
			      (unsigned long long)le64_to_cpu(rec->seq),
			      (unsigned long long)generation, zone,
			      (unsigned long long)current);
	if (generation != current)
		return false;
	if (check_slot(check, zone, column) == slot)
		return true;
	check_problem(check, "%s: partial parity %llu of zone %u belongs to another member",
		      slot_path(check, slot),
		      (unsigned long long)le64_to_cpu(rec->seq), zone);
	return false;
}

static int collect_pp_zone(struct check *check, u32 slot, u32 log, size_t *size)
{
	const struct member *member = check->slots[slot].member;
	struct log_cursor cursor;
	struct raizn_log_entry entry;
	u64 at;
	int ret;

	ret = log_open(&cursor, &member->drive, &member->logs[log].zone);
	if (ret)
		return ret;
	while (!ret && next_entry(check, &cursor, &entry)) {
		/* A start does not read on, either. */
		if (entry.error ||
		    (cursor.unreadable && entry.verdict != RAIZN_RECORD_OK))
			break;
		if (entry.verdict != RAIZN_RECORD_OK ||
		    !raizn_record_fits(entry.rec, check->geo, check->array->uuid))
			continue;
		at = pp_location(slot, log, entry.pos);
		if (le16_to_cpu(entry.rec->type) == RAIZN_REC_RELOCATED)
			ret = check_add_relocated(check, slot, entry.rec, at);
		else if (le16_to_cpu(entry.rec->type) == RAIZN_REC_PARTIAL_PARITY &&
			 pp_counts(check, slot, entry.rec))
			ret = add_pp(check, entry.rec, at, size);
	}
	if (cursor.unreadable)
		check->pp_lost |= 1U << slot;
	log_close(&cursor);
	return ret;
}

static int by_zone_newest_first(const void *a, const void *b)
{
	const struct pp_record *x = a, *y = b;

	if (x->zone != y->zone)
		return x->zone < y->zone ? -1 : 1;
	return x->entry.seq < y->entry.seq ? 1 : x->entry.seq > y->entry.seq ? -1 : 0;
}

/* Only log zones of the start that the newest superblock names count. */
static bool pp_log_counts(const struct check *check, const struct log_zone *log)
{
	return log->role == RAIZN_LOG_PARTIAL_PARITY &&
	       log->start == le64_to_cpu(raizn_record_sb_const(check->newest)->start);
}

/*
 * May a log zone be the partial-parity log, or a newer one than that which was found?  See the
 * module's leave_unidentified().
 */
static bool is_unidentified(const struct check *check, u32 slot, const struct log_zone *log)
{
	if (zbd_zone_offline(&log->zone) || zbd_zone_rdonly(&log->zone) ||
	    zone_written(&log->zone) < RAIZN_BLOCK_SIZE ||
	    log->sight.role == RAIZN_LOG_GENERAL)
		return false;
	return !log->role || log->slot != slot ||
	       memcmp(log->array_uuid, check->array->uuid, RAIZN_UUID_SIZE);
}

static int collect_pp(struct check *check)
{
	bool started = raizn_record_sb_const(check->newest)->start;
	size_t size = 0;
	int ret = TOOL_OK;
	bool found, bad, unidentified, empty;
	u32 slot, i;

	for (slot = 0; slot < check->geo->nr_members; slot++) {
		const struct member *member = check->slots[slot].member;

		if (!trusted(check, slot))
			continue;
		found = false;
		bad = false;
		unidentified = false;
		empty = false;
		for (i = 0; i < RAIZN_NR_LOG_ZONES && !ret; i++) {
			const struct log_zone *log = &member->logs[i];

			bad |= zbd_zone_offline(&log->zone) ||
			       zbd_zone_rdonly(&log->zone);
			if (is_unidentified(check, slot, log) &&
			    zone_written(&log->zone) <= RAIZN_BLOCK_SIZE)
				empty = true;
			else
				unidentified |= is_unidentified(check, slot, log);
			if (!pp_log_counts(check, log))
				continue;
			found = true;
			ret = collect_pp_zone(check, slot, i, &size);
		}
		/* A member that has just come may have no log yet; each start begins one. */
		bad |= check->rebuilding & (1U << slot);
		found |= empty && !bad;
		bad |= (started && raizn_running_parities(check->geo));
		if (bad && (!found || unidentified))
			check->pp_lost |= 1U << slot;
	}
	if (check->nr_pp)
		qsort(check->pp, check->nr_pp, sizeof(*check->pp),
		      by_zone_newest_first);
	return ret;
}

/* Bytes that walk_logs() and collect_pp() read. */
static u64 bytes_of_logs(const struct check *check)
{
	u64 bytes = 0;
	u32 slot, i;

	for (slot = 0; slot < check->geo->nr_members; slot++) {
		const struct member *member = check->slots[slot].member;

		for (i = 0; trusted(check, slot) && i < RAIZN_NR_LOG_ZONES; i++)
			bytes += zone_written(&member->logs[i].zone) *
				 (1 + pp_log_counts(check, &member->logs[i]));
	}
	return bytes;
}

static int read_logs(struct check *check)
{
	int ret;

	progress_begin(&check->progress, (struct amount) {
			       .unit = AMOUNT_BYTES, .total = bytes_of_logs(check) },
		       "reading logs");
	check_on_signal();
	ret = walk_logs(check);
	if (!ret)
		ret = collect_pp(check);
	progress_end(&check->progress);
	return ret;
}

/* ---- all of it ---------------------------------------------------------------------- */

static int read_members(struct check *check)
{
	int ret = TOOL_OK;
	u32 i;

	for (i = 0; i < check->geo->nr_members && !ret; i++) {
		struct slot *slot = &check->slots[i];

		if (!slot->member) {
			slot->condition = SLOT_MISSING;
			continue;
		}
		if (memcmp(&slot->member->geo, check->geo, sizeof(*check->geo))) {
			distrust(check, i, SLOT_UNUSABLE,
				 "it disagrees with the others on the description of the array");
			check_problem(check, "%s: %s", slot_path(check, i),
				      slot->why);
			continue;
		}
		ret = general_log_read(&slot->log, slot->member);
		if (ret)
			break;
		slot->zones = drive_report_all(&slot->member->drive);
		if (!slot->zones)
			ret = TOOL_FAILED;
	}
	return ret;
}

/* Members that a drive was given to, and that are not whole yet. */
static void find_rebuilding(struct check *check)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(check->newest);
	u32 i;

	for (i = 0; i < check->geo->nr_members; i++) {
		struct slot *slot = &check->slots[i];

		if (!trusted(check, i) ||
		    sb->members[i].state != RAIZN_MEMBER_REBUILDING)
			continue;
		check->rebuilding |= 1U << i;
		slot->condition = SLOT_REBUILDING;
		snprintf(slot->why, sizeof(slot->why),
			 "a start goes on with that");
	}
}

static void find_clean(struct check *check)
{
	u64 event = le64_to_cpu(raizn_record_sb_const(check->newest)->event);
	u32 i;

	check->clean = true;
	for (i = 0; i < check->geo->nr_members; i++) {
		if (!trusted(check, i))
			continue;
		if (check->slots[i].member->hidden ||
		    !(le32_to_cpu(slot_sb(check, i)->flags) & RAIZN_SB_CLEAN) ||
		    member_event(check->slots[i].member) != event)
			check->clean = false;
	}
}

int check_metadata(struct check *check)
{
	u32 i;
	int ret;

	check->zones = calloc(check->geo->nr_zones, sizeof(*check->zones));
	if (!check->zones)
		return fail_memory();
	ret = read_members(check);
	if (ret)
		return ret;
	find_newest(check);
	if (!check->newest)
		return fail(TOOL_REFUSED,
			    "%s: no member can be used; see 'raizn inspect' of each",
			    array_name(check->array));
	for (i = 0; i < check->geo->nr_members; i++)
		judge_alone(check, i);
	ret = judge_together(check);
	if (!ret)
		ret = check_number(check);
	if (ret)
		return ret;
	ret = join_members(check);
	if (ret)
		return ret;
	find_clean(check);
	find_rebuilding(check);
	return read_logs(check);
}
