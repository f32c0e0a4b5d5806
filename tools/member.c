// SPDX-License-Identifier: GPL-2.0
/*
 * A drive seen as a member of an array: what its metadata says, read only.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../raizn/version.h"
#include "log.h"
#include "member.h"
#include "text.h"
#include "tool.h"

/* Zones asked of the drive at a time while looking for the first sequential. */
#define REPORT_ZONES	1024U

[[gnu::format(printf, 3, 4)]]
static void judge(struct member *member, enum member_verdict verdict,
		  const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(member->why, sizeof(member->why), format, args);
	va_end(args);
	member->verdict = verdict;
}

/* Nothing that this does not understand may be worked on.  The first reason counts. */
static void judge_unknown(struct member *member, const struct raizn_log_entry *entry)
{
	if (*entry->unknown && member->verdict != MEMBER_UNSUPPORTED)
		judge(member, MEMBER_UNSUPPORTED,
		      "it has %s, which raizn " RAIZN_VERSION " (format version %u) does not know",
		      entry->unknown, RAIZN_FORMAT_VERSION);
}

static void judge_unreadable(struct member *member, const struct log_zone *log, int error)
{
	judge(member, MEMBER_DAMAGED, "the drive cannot read its log in zone %u%s%s",
	      (u32)(log->zone.start / (member->drive.zone_size << 9)),
	      error == ENODATA ? "" : ": ", error == ENODATA ? "" : strerror(error));
}

/* Sets @found if the drive has enough sequential zones to hold logs. */
static int find_log_zones(struct member *member, bool *found)
{
	const struct drive *drive = &member->drive;
	struct zbd_zone *zones;
	u32 first, nr, i;
	int ret = TOOL_OK;

	*found = false;
	zones = calloc(REPORT_ZONES, sizeof(*zones));
	if (!zones)
		return fail_memory();
	for (first = 0; first < drive->nr_zones; first += nr) {
		nr = drive->nr_zones - first;
		if (nr > REPORT_ZONES)
			nr = REPORT_ZONES;
		ret = drive_report(drive, first, nr, zones);
		if (ret)
			break;
		for (i = 0; i < nr && !zbd_zone_swr(&zones[i]); i++)
			;
		if (i == nr)
			continue;
		member->first_zone = first + i;
		if (drive->nr_zones - member->first_zone <= RAIZN_NR_LOG_ZONES)
			break;
		ret = drive_report(drive, member->first_zone,
				   RAIZN_NR_LOG_ZONES, zones);
		*found = !ret;
		break;
	}
	for (i = 0; *found && i < RAIZN_NR_LOG_ZONES; i++)
		member->logs[i].zone = zones[i];
	free(zones);
	return ret;
}

static bool same_origin(const struct raizn_record *a,
			const struct raizn_record *b)
{
	return !memcmp(a->array_uuid, b->array_uuid, RAIZN_UUID_SIZE) &&
	       !memcmp(raizn_record_sb_const(a)->member_uuid,
		       raizn_record_sb_const(b)->member_uuid, RAIZN_UUID_SIZE);
}

static bool same_log(const struct raizn_record *a, const struct raizn_record *b)
{
	return !memcmp(a->array_uuid, b->array_uuid, RAIZN_UUID_SIZE) &&
	       a->epoch == b->epoch && a->member == b->member &&
	       a->role == b->role;
}

/*
 * A general log: its newest superblock, and whether its checkpoint is complete.  @like is a record
 * of it, @begin the sequence number of its first superblock, or 0 if that cannot be read.
 */
static void read_general_log(struct member *member, struct log_zone *log,
			     struct log_cursor *cursor, const struct raizn_record *like,
			     u64 begin, struct raizn_record *sb)
{
	struct raizn_log_sight *sight = &log->sight;
	const struct raizn_record *rec;
	struct raizn_log_entry entry;

	raizn_log_sight_init(sight, like->role, le64_to_cpu(like->epoch), begin);
	if (!log_at(cursor, 0, &entry))
		return;
	do {
		judge_unknown(member, &entry);
		rec = entry.verdict == RAIZN_RECORD_OK && entry.rec &&
		      same_log(entry.rec, like) ? entry.rec : NULL;
		/* Only a medium error is one of the blocks that it concerns. */
		if (entry.error && entry.error != -ENODATA)
			entry.error = 0;
		raizn_log_sight_add(sight, &entry, rec);
		if (sight->unreadable > RAIZN_LOG_UNREADABLE_MAX) {
			judge_unreadable(member, log, ENODATA);
			return;
		}
		if (rec && le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK &&
		    (!sb->magic || (same_origin(rec, sb) &&
				    le64_to_cpu(rec->seq) > le64_to_cpu(sb->seq))))
			*sb = *rec;
	} while (log_next(cursor, &entry));
	log->complete = sight->complete;
	if (begin || !sb->magic)
		return;
	log->start = le64_to_cpu(raizn_record_sb_const(sb)->start);
	log->era = le64_to_cpu(raizn_record_sb_const(sb)->era);
	memcpy(log->member_uuid, raizn_record_sb_const(sb)->member_uuid, RAIZN_UUID_SIZE);
}

/* The first block of a log zone, which tells what the zone is. */
static void identify_log_zone(struct log_zone *log, const struct raizn_record *rec)
{
	log->role = rec->role;
	log->epoch = le64_to_cpu(rec->epoch);
	log->seq = le64_to_cpu(rec->seq);
	log->slot = le16_to_cpu(rec->member);
	log->start = le64_to_cpu(raizn_record_sb_const(rec)->start);
	log->era = le64_to_cpu(raizn_record_sb_const(rec)->era);
	memcpy(log->array_uuid, rec->array_uuid, RAIZN_UUID_SIZE);
	memcpy(log->member_uuid, raizn_record_sb_const(rec)->member_uuid,
	       RAIZN_UUID_SIZE);
}

/*
 * Is this a zone with an unreadable first block?  A record needs 4 KiB of logical blocks, of which
 * the walk may have read some.
 */
static bool lacks_first_block(const struct log_cursor *cursor,
			      const struct raizn_log_entry *first)
{
	ssize_t got;

	if (first->error || !cursor->unreadable)
		return first->error == -ENODATA;
	got = pread(cursor->drive->fd, cursor->walk.buf, RAIZN_BLOCK_SIZE,
		    (off_t)cursor->start);
	return got >= 0 ? got != RAIZN_BLOCK_SIZE : errno == ENODATA;
}

/* @sb becomes the newest superblock of a general log. */
static int read_log_zone(struct member *member, struct log_zone *log,
			 struct raizn_record *sb)
{
	struct log_cursor cursor;
	struct raizn_record first;
	struct raizn_log_entry entry;
	int ret;

	log->verdict = RAIZN_RECORD_NO_MAGIC;
	ret = log_open(&cursor, &member->drive, &log->zone);
	if (ret)
		return ret;
	cursor.to_unreadable = true;
	if (!log_next(&cursor, &entry))
		goto out;
	log->unreadable = lacks_first_block(&cursor, &entry);
	if (log->unreadable)
		goto out;
	if (entry.error) {
		judge_unreadable(member, log, -entry.error);
		goto out;
	}
	log->verdict = entry.verdict;
	log->version = entry.version;
	judge_unknown(member, &entry);
	if (entry.verdict != RAIZN_RECORD_OK ||
	    le16_to_cpu(entry.rec->type) != RAIZN_REC_SUPERBLOCK)
		goto out;
	first = *entry.rec;
	identify_log_zone(log, &first);
	if (log->role == RAIZN_LOG_GENERAL)
		read_general_log(member, log, &cursor, &first, log->seq, sb);
out:
	log_close(&cursor);
	return TOOL_OK;
}

/* The log zone with the newest first block of those that can be read; NULL if there is none. */
static const struct log_zone *identified_zone(const struct member *member)
{
	const struct log_zone *newest = NULL, *log;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		log = &member->logs[i];
		if (log->role && !log->unreadable && (!newest || log->seq > newest->seq))
			newest = log;
	}
	return newest;
}

/*
 * The first block of a log zone cannot be read or is damaged.  If the next block begins a record
 * of this member, that tells the log; see the module's identify_by_next_block().
 */
static int read_by_next_block(struct member *member, struct log_zone *log,
			      struct raizn_record *sb)
{
	const struct log_zone *known = identified_zone(member);
	struct raizn_log_entry entry;
	struct raizn_record next;
	struct log_cursor cursor;
	int ret;

	if (zone_written(&log->zone) < 2 * RAIZN_BLOCK_SIZE)
		return TOOL_OK;
	log->sight.unreadable = log->unreadable;
	ret = log_open(&cursor, &member->drive, &log->zone);
	if (ret)
		return ret;
	cursor.to_unreadable = true;
	if (log->unreadable) {
		cursor.unreadable = true;
		cursor.bad = 0;
		cursor.bad_error = ENODATA;
	}
	if (known && log_at(&cursor, RAIZN_BLOCK_SIZE, &entry) && entry.rec &&
	    le16_to_cpu(entry.rec->member) == known->slot &&
	    !memcmp(entry.rec->array_uuid, known->array_uuid, RAIZN_UUID_SIZE)) {
		next = *entry.rec;
		log->sight.role = next.role;
		log->sight.epoch = le64_to_cpu(next.epoch);
	}
	if (!log->sight.role && zbd_zone_rdonly(&log->zone))
		log->sight.unreadable = 0;
	if (log->sight.role == RAIZN_LOG_GENERAL && log->unreadable) {
		log->role = next.role;
		log->epoch = log->sight.epoch;
		log->slot = known->slot;
		memcpy(log->array_uuid, known->array_uuid, RAIZN_UUID_SIZE);
		memcpy(log->member_uuid, known->member_uuid, RAIZN_UUID_SIZE);
		read_general_log(member, log, &cursor, &next, 0, sb);
	}
	log_close(&cursor);
	return TOOL_OK;
}

/*
 * The general log's newest zone with a complete checkpoint counts.  If there is
 * none, a superblock without one at least tells what the drive is.
 */
static const struct log_zone *find_counting(const struct member *member)
{
	const struct log_zone *best = NULL;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		const struct log_zone *log = &member->logs[i];

		if (log->role != RAIZN_LOG_GENERAL)
			continue;
		if (!best || log->complete > best->complete ||
		    (log->complete == best->complete && log->epoch > best->epoch))
			best = log;
	}
	return best;
}

static void sum_up_logs(struct member *member)
{
	struct raizn_log_sight sights[RAIZN_NR_LOG_ZONES];
	struct raizn_log_sum sum;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		sights[i] = member->logs[i].sight;
	raizn_log_sum_up(sights, RAIZN_NR_LOG_ZONES, &sum);
	member->partial = sum.partial;
	member->hidden = sum.hidden;
	member->top = sum.top;
}

static int read_log_zones(struct member *member)
{
	const struct log_zone *counts;
	struct raizn_record *sbs;
	int ret = TOOL_OK;
	u32 i;

	sbs = calloc(RAIZN_NR_LOG_ZONES, sizeof(*sbs));
	if (!sbs)
		return fail_memory();
	for (i = 0; i < RAIZN_NR_LOG_ZONES && !ret; i++)
		ret = read_log_zone(member, &member->logs[i], &sbs[i]);
	for (i = 0; i < RAIZN_NR_LOG_ZONES && !ret; i++)
		if (!member->logs[i].role)
			ret = read_by_next_block(member, &member->logs[i], &sbs[i]);
	counts = find_counting(member);
	if (!ret && counts && sbs[counts - member->logs].magic) {
		member->sb = sbs[counts - member->logs];
		member->has_sb = true;
	}
	free(sbs);
	sum_up_logs(member);
	return ret;
}

static bool logs_have_one_origin(const struct member *member)
{
	const struct log_zone *known = NULL;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		const struct log_zone *log = &member->logs[i];

		if (!log->role)
			continue;
		if (known &&
		    (memcmp(log->array_uuid, known->array_uuid,
			    RAIZN_UUID_SIZE) ||
		     memcmp(log->member_uuid, known->member_uuid,
			    RAIZN_UUID_SIZE)))
			return false;
		known = log;
	}
	return true;
}

/* What to say of a drive without a readable superblock. */
static void judge_without_superblock(struct member *member)
{
	enum raizn_record_verdict verdict = RAIZN_RECORD_NO_MAGIC;
	u16 version = 0;
	u32 i;

	if (member->verdict == MEMBER_DAMAGED)
		return;
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		const struct log_zone *log = &member->logs[i];

		if (log->unreadable) {
			judge_unreadable(member, log, ENODATA);
			return;
		}
		if (log->verdict == RAIZN_RECORD_NO_MAGIC)
			continue;
		/* Its checksum need not be as in this version. */
		if (log->verdict == RAIZN_RECORD_BAD_VERSION)
			version = log->version;
		if (verdict == RAIZN_RECORD_NO_MAGIC ||
		    log->verdict != RAIZN_RECORD_OK)
			verdict = log->verdict;
	}
	if (version)
		judge(member, MEMBER_UNSUPPORTED,
		      "its metadata is of format version %u, raizn " RAIZN_VERSION " knows version %u",
		      version, RAIZN_FORMAT_VERSION);
	else if (member->verdict == MEMBER_UNSUPPORTED)
		return;
	else if (verdict == RAIZN_RECORD_OK)
		judge(member, MEMBER_DAMAGED,
		      "its superblock is gone, other metadata is there");
	else if (verdict != RAIZN_RECORD_NO_MAGIC)
		judge(member, MEMBER_DAMAGED, "its superblock is corrupt (%s)",
		      raizn_record_verdict_name(verdict));
}

static const char *compare_with_drive(const struct member *member)
{
	const struct raizn_superblock *sb = member_sb(member);
	const struct drive *drive = &member->drive;

	if (member->geo.member_zone_size != drive->zone_size)
		return "zone size";
	if (le64_to_cpu(sb->zone_capacity) > member->logs[0].zone.capacity >> 9)
		return "zone capacity";
	if (le32_to_cpu(sb->block_size) != drive->block_size)
		return "block size";
	if (member->geo.first_zone != member->first_zone)
		return "first sequential zone";
	if ((u64)member->geo.first_zone + raizn_common_zones(&member->geo) > drive->nr_zones)
		return "number of zones";
	return NULL;
}

static void judge_superblock(struct member *member)
{
	const struct raizn_superblock *sb = member_sb(member);
	bool complete = false, named;
	const char *why;
	u32 i;

	text_printable(member->label, sizeof(member->label),
		       (const char *)sb->label, sizeof(sb->label));
	named = text_printable(member->name, sizeof(member->name),
			       (const char *)sb->name, sizeof(sb->name));
	if (member->verdict != MEMBER_NONE)
		return;
	if (!logs_have_one_origin(member)) {
		judge(member, MEMBER_DAMAGED,
		      "its log zones belong to different arrays");
		return;
	}
	if (!named || !array_name_valid(member->name)) {
		judge(member, MEMBER_DAMAGED,
		      "its superblock holds an impossible array name");
		return;
	}
	if (raizn_sb_geometry(sb, &member->geo, &why)) {
		judge(member, MEMBER_DAMAGED,
		      "its superblock makes no sense (%s)", why);
		return;
	}
	if (raizn_record_overcounts(&member->sb)) {
		judge(member, MEMBER_DAMAGED,
		      "its superblock has a counter that no array reaches");
		return;
	}
	member->slot = le16_to_cpu(member->sb.member);
	if (member->slot >= member->geo.nr_members ||
	    memcmp(sb->members[member->slot].uuid, sb->member_uuid,
		   RAIZN_UUID_SIZE)) {
		judge(member, MEMBER_DAMAGED,
		      "its superblock does not list the drive itself");
		return;
	}
	why = compare_with_drive(member);
	if (why) {
		judge(member, MEMBER_DAMAGED,
		      "its superblock does not fit the drive (%s)", why);
		return;
	}
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		complete |= member->logs[i].complete;
	member->verdict = complete ? MEMBER_SOUND : MEMBER_UNFINISHED;
}

/* The block that begins a log zone, seen briefly. */
static void see_first_block(struct member *member, struct log_zone *log,
			    const struct raizn_record *rec)
{
	struct raizn_log_entry entry = { };

	log->verdict = raizn_record_verify(rec, RAIZN_BLOCK_SIZE);
	if (log->verdict == RAIZN_RECORD_BAD_VERSION)
		log->version = le16_to_cpu(rec->version);
	raizn_record_is_unknown(rec, RAIZN_BLOCK_SIZE, log->verdict, entry.unknown,
				sizeof(entry.unknown));
	judge_unknown(member, &entry);
	if (log->verdict != RAIZN_RECORD_OK || le16_to_cpu(rec->type) != RAIZN_REC_SUPERBLOCK)
		return;
	identify_log_zone(log, rec);
	log->complete = log->role == RAIZN_LOG_GENERAL;
	if (member->has_sb && le64_to_cpu(rec->seq) < le64_to_cpu(member->sb.seq))
		return;
	member->sb = *rec;
	member->has_sb = true;
}

static int read_first_blocks(struct member *member)
{
	struct raizn_record *rec = alloc_block_buffer(RAIZN_BLOCK_SIZE);
	ssize_t got;
	u32 i;

	if (!rec)
		return TOOL_FAILED;
	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		struct log_zone *log = &member->logs[i];

		log->verdict = RAIZN_RECORD_NO_MAGIC;
		if (zone_written(&log->zone) < RAIZN_BLOCK_SIZE)
			continue;
		got = pread(member->drive.fd, rec, RAIZN_BLOCK_SIZE, log->zone.start);
		log->unreadable = got != RAIZN_BLOCK_SIZE;
		if (!log->unreadable)
			see_first_block(member, log, rec);
	}
	free(rec);
	return TOOL_OK;
}

static int probe(struct member *member)
{
	bool found;
	int ret;

	if (!drive_is_host_managed(&member->drive))
		return TOOL_OK;
	ret = find_log_zones(member, &found);
	if (ret || !found)
		return ret;
	ret = member->brief ? read_first_blocks(member) : read_log_zones(member);
	if (ret)
		return ret;
	if (!member->has_sb)
		judge_without_superblock(member);
	else
		judge_superblock(member);
	return TOOL_OK;
}

#define LOG_TRIES	4

/*
 * Has the general log of a running array perhaps moved to a zone that was looked at before, from
 * one that was looked at later?  Only an array that was started has a partial-parity log.  (Levels
 * 0 and 1 have none: their drives are not looked at again.)  Reads that fail may take seconds: they
 * are not tried again.
 */
static bool may_have_moved(const struct member *member)
{
	bool started = false, complete = false;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		if (member->logs[i].unreadable || member->logs[i].sight.unreadable)
			return false;
		started |= member->logs[i].role == RAIZN_LOG_PARTIAL_PARITY;
		complete |= member->logs[i].complete;
	}
	return started && !complete;
}

static int open_once(struct member *member, const char *path, bool brief)
{
	int ret;

	memset(member, 0, sizeof(*member));
	member->brief = brief;
	ret = drive_open(&member->drive, path);
	if (ret)
		return ret;
	ret = probe(member);
	if (ret)
		member_close(member);
	return ret;
}

static int open_and_probe(struct member *member, const char *path, bool brief)
{
	int ret = open_once(member, path, brief);
	int again;

	for (again = 0; !ret && again < LOG_TRIES && may_have_moved(member); again++) {
		member_close(member);
		ret = open_once(member, path, brief);
	}
	return ret;
}

int member_open(struct member *member, const char *path)
{
	return open_and_probe(member, path, false);
}

int member_open_briefly(struct member *member, const char *path)
{
	return open_and_probe(member, path, true);
}

u32 member_zones(const struct member *member, const struct zbd_zone *zones)
{
	u32 nr = member->drive.nr_zones;

	/* A last zone of another capacity is not used. */
	if (zones[nr - 1].capacity != member->logs[0].zone.capacity)
		nr--;
	return raizn_member_zones(&member->geo, nr);
}

void member_close(struct member *member)
{
	drive_close(&member->drive);
}

/* The version of a block, if it begins a log zone: a superblock, or of another format. */
static u16 version_of(const struct raizn_record *rec)
{
	enum raizn_record_verdict verdict = raizn_record_verify(rec, RAIZN_BLOCK_SIZE);

	if (verdict == RAIZN_RECORD_BAD_VERSION ||
	    (verdict == RAIZN_RECORD_OK &&
	     le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK))
		return le16_to_cpu(rec->version);
	return 0;
}

u16 member_identify(const struct drive *drive, struct raizn_record *sb)
{
	struct member member = { .drive = *drive };
	struct raizn_record *rec;
	u16 version, other = 0;
	bool found;
	u32 i;

	rec = alloc_block_buffer(RAIZN_BLOCK_SIZE);
	if (!rec || find_log_zones(&member, &found))
		found = false;
	memset(sb, 0, sizeof(*sb));
	for (i = 0; found && i < RAIZN_NR_LOG_ZONES; i++) {
		const struct zbd_zone *zone = &member.logs[i].zone;

		if (zone_written(zone) < RAIZN_BLOCK_SIZE ||
		    pread(drive->fd, rec, RAIZN_BLOCK_SIZE, zone->start) !=
		    RAIZN_BLOCK_SIZE)
			continue;
		version = version_of(rec);
		if (version != RAIZN_FORMAT_VERSION)
			other = version ? version : other;
		else if (le64_to_cpu(rec->seq) >= le64_to_cpu(sb->seq))
			*sb = *rec;
	}
	free(rec);
	return le16_to_cpu(sb->type) == RAIZN_REC_SUPERBLOCK ?
	       RAIZN_FORMAT_VERSION : other;
}
