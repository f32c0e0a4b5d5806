// SPDX-License-Identifier: GPL-2.0
/*
 * Copying the zones of a working member to the drive that is to take its place.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "clock.h"
#include "copy.h"
#include "general_log.h"
#include "progress.h"
#include "size.h"
#include "tool.h"

/* Read and written at a time. */
#define CHUNK_BYTES	(1U << 20)

/* When so little is left, or for so many seconds, the member is given up. */
#define LITTLE_BYTES	(64ULL << 20)
#define LITTLE_SECONDS	5
#define MOST_PASSES	20

/* The log may move to another zone while it is read. */
#define LOG_TRIES	10

/* Commands under way when the member was given up end before this (tenths of a second). */
#define QUIET_TRIES	300

/* As many zones in a row that cannot be read are no bad sectors. */
#define MOST_UNREADABLE	8

/* How often speed_max is read again (milliseconds). */
#define PACE_INTERVAL	3000

/* Zones that the array's logs need active on the new drive, and one to be begun. */
#define LOGS_ACTIVE	(MD_ACTIVE_ZONES + 1)

/* A command of a drive that does not tell its limit is no larger. */
#define MOST_MARGIN	(16ULL << 20)

#define NOBODY		UINT32_MAX

/* The log of the copy: sequence numbers begin here, records follow each other. */
#define FIRST_SEQ	1
#define FIRST_EPOCH	1

/**
 * struct copied - a zone of the new drive
 * @owner:	logical zone whose column it holds, or NOBODY
 * @generation:	of that
 * @bad_version: version of the list of lost blocks then
 * @bytes:	written
 * @finished:	it was finished
 * @unreadable:	the member could not read it to its end in this pass; it is empty
 * @seen:	bytes that the member held at the look before
 */
struct copied {
	u32 owner;
	u64 generation;
	u64 bad_version;
	u64 bytes;
	bool finished;
	bool unreadable;
	u64 seen;
};

/**
 * struct copy - a copy that is made
 * @path:	of the member
 * @array:	its array's UUID
 * @uuid:	its own
 * @volume:	the array
 * @slot:	its slot
 * @start, @era: of the array, as of the first look
 * @looked:	there was one
 * @moves:	of the array, before the last look
 * @moves_known: the module has that number: zones change their columns while the array runs
 * @quiet:	the member is not written any more
 * @margin:	bytes of the largest command
 * @rate:	bytes a second of the last pass
 * @to:		the new drive
 * @fd:		of that, open for writing
 * @nr:		zones that both drives have, from the first reserved one on; what is behind them
 *		is rebuilt
 * @from:	the member as of the last look
 * @log:	its general log
 * @zones:	its zones
 * @owners:	by member zone: the logical zone whose column it holds
 * @copied:	by member zone
 * @buffer:	CHUNK_BYTES
 * @progress:	of all passes
 * @speed:	bytes a second at most; 0 for no limit
 * @asked:	when that was read (milliseconds)
 * @debt, @paced: bytes that were copied too early at that time (milliseconds)
 */
struct copy {
	char path[PATH_MAX];
	u8 array[RAIZN_UUID_SIZE];
	u8 uuid[RAIZN_UUID_SIZE];
	struct volume volume;
	u32 slot;
	__le64 start;
	__le64 era;
	bool looked;
	char moves[16];
	bool moves_known;
	bool quiet;
	u64 margin;
	u64 rate;
	const struct candidate *to;
	int fd;
	u32 nr;
	struct member from;
	struct general_log log;
	struct zbd_zone *zones;
	u32 *owners;
	struct copied *copied;
	u8 *buffer;
	struct progress progress;
	u64 speed;
	u64 asked;
	u64 debt;
	u64 paced;
};

static u64 zone_start(const struct copy *copy, u32 zone)
{
	return raizn_reserved_zone_start(&copy->from.geo, zone) << 9;
}

static bool is_the_member(const struct copy *copy)
{
	const struct member *from = &copy->from;

	return from->verdict == MEMBER_SOUND && from->slot == copy->slot &&
	       member_is_of(from, copy->array) &&
	       !memcmp(member_sb(from)->member_uuid, copy->uuid, RAIZN_UUID_SIZE);
}

static int read_log(struct copy *copy)
{
	u32 tries;
	int ret;

	for (tries = 0; tries < LOG_TRIES; tries++) {
		member_close(&copy->from);
		general_log_free(&copy->log);
		ret = member_open(&copy->from, copy->path);
		if (ret)
			return ret;
		if (is_the_member(copy)) {
			ret = general_log_read(&copy->log, &copy->from);
			if (ret)
				return ret;
			if (copy->log.complete && !copy->log.contradictions &&
			    !copy->from.partial)
				return TOOL_OK;
		}
		usleep(200000);
	}
	return fail(TOOL_FAILED, "%s: its log makes no sense; see 'raizn inspect %s log'",
		    copy->path, copy->path);
}

/* A start may recover zones, which changes them in one generation. */
static int check_start(struct copy *copy)
{
	const struct raizn_superblock *sb = member_sb(&copy->from);

	if (copy->looked && (copy->start != sb->start || copy->era != sb->era))
		return fail(TOOL_FAILED,
			    "%s: the array was started again, so the copy is of no use; begin anew",
			    copy->volume.name);
	if (sb->members[copy->slot].state != RAIZN_MEMBER_ACTIVE)
		return fail(TOOL_FAILED, "%s: is being rebuilt itself; wait for that, then begin anew",
			    copy->path);
	copy->start = sb->start;
	copy->era = sb->era;
	copy->looked = true;
	return TOOL_OK;
}

/*
 * Has a column left its zone since the last look?  Zones of other columns may be in its place: also
 * when the next log has the former owner again.
 */
static bool has_moved(const struct copy *copy)
{
	char moves[sizeof(copy->moves)];

	return copy->moves_known && !copy->quiet &&
	       (!volume_ask(&copy->volume, "moves", moves, sizeof(moves)) ||
		strcmp(moves, copy->moves));
}

/* A module that does not know the message empties such zones only when it is suspended. */
static void note_moves(struct copy *copy)
{
	if (!copy->looked || copy->moves_known)
		copy->moves_known = volume_ask(&copy->volume, "moves", copy->moves,
					       sizeof(copy->moves));
}

/* The member's column of a zone; nr_members if its map makes no sense. */
static u32 column_of(const struct copy *copy, u32 zone)
{
	return raizn_zone_map_column(&copy->from.geo, &copy->log.map, zone, copy->slot);
}

/* Learn what the member holds.  The log is read before its zones, see copy.h. */
static int look(struct copy *copy)
{
	const struct raizn_geometry *geo = &copy->from.geo;
	u32 zone, column, place, i;
	int ret;

	note_moves(copy);
	ret = read_log(copy);
	if (!ret)
		ret = check_start(copy);
	if (!ret)
		ret = drive_report(&copy->from.drive, geo->first_zone, copy->nr, copy->zones);
	if (ret)
		return ret;
	for (i = 0; i < copy->nr; i++)
		copy->owners[i] = NOBODY;
	for (zone = 0; zone < geo->nr_zones; zone++) {
		column = column_of(copy, zone);
		if (column == geo->nr_members)
			continue;
		place = raizn_zone_map_physical(geo, &copy->log.map, zone, column);
		if (place < copy->nr && !(copy->log.zones[zone].flags & RAIZN_ZONE_RESETTING))
			copy->owners[place] = zone;
	}
	return TOOL_OK;
}

/* A finished zone has the parity of its incomplete stripe in place. */
static u64 finished_sectors(const struct copy *copy, u32 zone, u32 wp)
{
	const struct raizn_geometry *geo = &copy->from.geo;
	u32 pc = raizn_parity_column(geo, zone, wp / geo->stripe);
	u32 column = column_of(copy, zone);
	u32 nth = (column + geo->nr_members - pc) % geo->nr_members;
	u32 tail = wp % geo->stripe;
	u64 sectors = raizn_column_extent(geo, zone, column, wp);

	if (nth < geo->nr_parity && !raizn_is_mirror(geo))
		sectors += tail < geo->su ? tail : geo->su;
	return sectors;
}

/* Bytes that a member zone holds of a column. */
static u64 bytes_of(const struct copy *copy, u32 zone)
{
	const struct zbd_zone *report = &copy->zones[zone];
	const struct raizn_zone_state *state;
	u32 owner = copy->owners[zone];

	if (owner == NOBODY || zbd_zone_offline(report) || zbd_zone_rdonly(report))
		return 0;
	state = &copy->log.zones[owner];
	if (!zbd_zone_full(report))
		return zone_written(report);
	if (state->flags & RAIZN_ZONE_FINISHED)
		return finished_sectors(copy, owner, state->wp) << 9;
	return (u64)copy->from.geo.member_zone_cap << 9;
}

/*
 * What may be copied of that.  While the member is written, its write pointer may be ahead of data
 * that can be read, by the one command that is under way in a zone.  A zone that was full at the
 * look before is not written any more.
 */
static u64 end_of(const struct copy *copy, u32 zone)
{
	u64 bytes = bytes_of(copy, zone);

	if (copy->quiet || (zbd_zone_full(&copy->zones[zone]) && copy->copied[zone].seen == bytes))
		return bytes;
	return bytes > copy->margin ? bytes - copy->margin : 0;
}

static int empty_zone(struct copy *copy, u32 zone)
{
	struct copied *copied = &copy->copied[zone];

	if ((copied->bytes || copied->finished) &&
	    zbd_reset_zones(copy->fd, zone_start(copy, zone), copy->zones[zone].len))
		return fail(TOOL_FAILED, "%s: zone %u cannot be reset: %m; see the kernel log",
			    copy->to->member.drive.path, zone + copy->from.geo.first_zone);
	*copied = (struct copied) { .owner = NOBODY };
	return TOOL_OK;
}

/* Is the copy of a zone of another life, or of another column? */
static bool is_stale(const struct copy *copy, u32 zone)
{
	const struct copied *copied = &copy->copied[zone];
	u32 owner = copy->owners[zone];

	if (copied->owner != owner || copied->bytes > bytes_of(copy, zone))
		return true;
	/* Lost blocks have placeholders that no log of the copy would tell of. */
	return owner != NOBODY && (copied->generation != copy->log.zones[owner].generation ||
				   copied->bad_version != copy->log.bad_blocks->version);
}

static int drop_stale(struct copy *copy)
{
	u32 zone, owner;
	int ret;

	for (zone = RAIZN_NR_LOG_ZONES; zone < copy->nr; zone++) {
		if (!is_stale(copy, zone))
			continue;
		ret = empty_zone(copy, zone);
		if (ret)
			return ret;
		owner = copy->owners[zone];
		copy->copied[zone].owner = owner;
		copy->copied[zone].bad_version = copy->log.bad_blocks->version;
		if (owner != NOBODY)
			copy->copied[zone].generation = copy->log.zones[owner].generation;
	}
	return TOOL_OK;
}

/* Wait as long as the array's speed_max asks for; it may change. */
static void keep_pace(struct copy *copy, size_t bytes)
{
	struct volume_state state;
	u64 now, paid;

	copy->debt += bytes;
	for (;;) {
		now = now_ms();
		if (!copy->asked || now - copy->asked >= PACE_INTERVAL) {
			if (!volume_state_read_lines(&copy->volume, &state))
				copy->speed = state.speed_max << 10;
			copy->asked = now;
		}
		paid = (now - copy->paced) * copy->speed / 1000;
		copy->debt = copy->debt > paid ? copy->debt - paid : 0;
		copy->paced = now;
		if (!copy->speed || copy->quiet)
			copy->debt = 0;
		if (!copy->debt)
			return;
		usleep(copy->debt * 5 > copy->speed ? 200000 :
		       copy->debt * 1000000 / copy->speed + 1000);
	}
}

/* It may have been reset, and a drive may fail to read behind its write pointer. */
static bool still_holds(const struct copy *copy, u32 zone, u64 bytes)
{
	struct zbd_zone report;

	return !drive_report(&copy->from.drive, copy->from.geo.first_zone + zone, 1, &report) &&
	       !zbd_zone_empty(&report) && zone_written(&report) >= bytes;
}

static int copy_zone(struct copy *copy, u32 zone)
{
	struct copied *copied = &copy->copied[zone];
	u64 end = end_of(copy, zone), start = zone_start(copy, zone);
	size_t chunk;

	while (copied->bytes < end) {
		chunk = end - copied->bytes < CHUNK_BYTES ? end - copied->bytes : CHUNK_BYTES;
		if (pread(copy->from.drive.fd, copy->buffer, chunk, start + copied->bytes) !=
		    (ssize_t)chunk) {
			copied->unreadable = still_holds(copy, zone, copied->bytes + chunk);
			return TOOL_OK;
		}
		if (pwrite(copy->fd, copy->buffer, chunk, start + copied->bytes) != (ssize_t)chunk)
			return fail(TOOL_FAILED, "%s: zone %u cannot be written: %m; see the kernel log",
				    copy->to->member.drive.path,
				    zone + copy->from.geo.first_zone);
		copied->bytes += chunk;
		progress_add(&copy->progress, chunk);
		keep_pace(copy, chunk);
	}
	if (!zbd_zone_full(&copy->zones[zone]) || copied->finished || copied->owner == NOBODY ||
	    copied->bytes < bytes_of(copy, zone))
		return TOOL_OK;
	copied->finished = true;
	if (zbd_finish_zones(copy->fd, start, copy->zones[zone].len))
		return fail(TOOL_FAILED, "%s: zone %u cannot be finished: %m; see the kernel log",
			    copy->to->member.drive.path, zone + copy->from.geo.first_zone);
	return TOOL_OK;
}

/* A zone that stays short would be active on the new drive; the kernel computes it whole. */
static int give_up_unreadable(struct copy *copy, u32 zone)
{
	struct copied was = copy->copied[zone];
	int ret;

	ret = empty_zone(copy, zone);
	was.bytes = 0;
	was.finished = false;
	copy->copied[zone] = was;
	return ret;
}

/* Is a zone of the new drive written in part? */
static bool is_partial(const struct copy *copy, u32 zone)
{
	const struct copied *copied = &copy->copied[zone];

	return copied->bytes && !copied->finished && copied->bytes < copy->to->capacity << 9;
}

/*
 * One more zone that stays active on the new drive must leave room for those of the logs.  The
 * kernel rebuilds what is left out.
 */
static bool is_one_too_many(const struct copy *copy, u32 zone)
{
	u32 limit = copy->to->member.drive.max_active, nr = 0, i;

	/* Most zones are full, or hold nothing: the others are counted for few of them. */
	if (!limit || end_of(copy, zone) <= copy->copied[zone].bytes ||
	    (zbd_zone_full(&copy->zones[zone]) && end_of(copy, zone) == bytes_of(copy, zone)))
		return false;
	for (i = RAIZN_NR_LOG_ZONES; i < copy->nr; i++)
		nr += is_partial(copy, i);
	return nr + LOGS_ACTIVE > limit;
}

static u64 bytes_left(const struct copy *copy)
{
	u64 bytes = 0;
	u32 zone;

	for (zone = RAIZN_NR_LOG_ZONES; zone < copy->nr; zone++)
		if (!copy->copied[zone].unreadable &&
		    (is_partial(copy, zone) || !is_one_too_many(copy, zone)))
			bytes += bytes_of(copy, zone) - copy->copied[zone].bytes;
	return bytes;
}

/* The zone may have had another column while it was read. */
static int copy_again(struct copy *copy, u32 zone)
{
	int ret;

	ret = empty_zone(copy, zone);
	if (!ret)
		ret = look(copy);
	return ret ? ret : drop_stale(copy);
}

/* Zones that are written in part on the new drive come first: they may become full. */
static int copy_zones(struct copy *copy, bool begun)
{
	u32 zone, unreadable = 0;
	struct copied *copied;
	int ret;

	for (zone = RAIZN_NR_LOG_ZONES; zone < copy->nr; zone++) {
		copied = &copy->copied[zone];
		if (is_partial(copy, zone) != begun || copied->unreadable ||
		    (!begun && is_one_too_many(copy, zone)))
			continue;
		ret = copy_zone(copy, zone);
		if (!ret && has_moved(copy))
			ret = copy_again(copy, zone);
		else if (!ret && copied->unreadable)
			ret = give_up_unreadable(copy, zone);
		if (ret)
			return ret;
		unreadable = copied->unreadable ? unreadable + 1 : 0;
		if (unreadable > MOST_UNREADABLE)
			return fail(TOOL_FAILED,
				    "%s: many zones cannot be read, see the kernel log; --no-copy computes what it holds",
				    copy->path);
	}
	return TOOL_OK;
}

/* Copy what is there by now. */
static int one_pass(struct copy *copy, u64 *left)
{
	u32 zone;
	int ret;

	ret = look(copy);
	if (!ret)
		ret = drop_stale(copy);
	if (ret)
		return ret;
	*left = bytes_left(copy);
	if (!copy->progress.amount.total) {
		progress_begin(&copy->progress,
			       (struct amount) { .unit = AMOUNT_BYTES, .total = *left },
			       "copying %s to %s", copy->path, copy->to->member.drive.path);
		if (!copy->quiet)
			progress_on_signal("interrupted: %s is a member as before; a part of its data is on %s",
					   copy->path, copy->to->member.drive.path);
	}
	copy->progress.amount.total = copy->progress.amount.done + *left;
	for (zone = RAIZN_NR_LOG_ZONES; zone < copy->nr && !copy->quiet; zone++)
		copy->copied[zone].unreadable = false;
	ret = copy_zones(copy, true);
	if (!ret)
		ret = copy_zones(copy, false);
	for (zone = RAIZN_NR_LOG_ZONES; zone < copy->nr; zone++)
		copy->copied[zone].seen = bytes_of(copy, zone);
	return ret;
}

/* Is little enough left for a moment in which the member does not take part? */
static bool is_little(const struct copy *copy, u64 left)
{
	return left <= LITTLE_BYTES || left <= copy->rate * LITTLE_SECONDS;
}

/* What has come since the last pass? */
static int find_left(struct copy *copy, u64 *left)
{
	int ret;

	ret = look(copy);
	if (!ret)
		ret = drop_stale(copy);
	if (!ret)
		*left = bytes_left(copy);
	return ret;
}

int copy_passes(struct copy *copy)
{
	u64 left = UINT64_MAX, begun;
	int ret = TOOL_OK;
	u32 pass;

	copy->progress = (struct progress) { };
	for (pass = 0; pass < MOST_PASSES && !ret && !is_little(copy, left); pass++) {
		/* Of full zones a first look is only noted, see end_of(). */
		if (!copy->looked) {
			ret = one_pass(copy, &left);
			sleep(1);
		}
		begun = now_ms();
		if (!ret)
			ret = one_pass(copy, &left);
		copy->rate = left * 1000 / (now_ms() - begun + 1);
		if (!ret)
			ret = find_left(copy, &left);
	}
	progress_end(&copy->progress);
	if (!ret && !is_little(copy, left))
		ret = fail(TOOL_FAILED,
			   "%s: is written as fast as it is copied: %s are left after %u passes; try again when less is written, or with --no-copy",
			   copy->path, size_text(left).s, pass);
	return ret;
}

int copy_is_near(struct copy *copy, bool *near)
{
	u64 left = 0;
	int ret;

	ret = find_left(copy, &left);
	*near = is_little(copy, left);
	return ret;
}

u32 copy_unreadable(const struct copy *copy)
{
	u32 nr = 0, zone;

	for (zone = RAIZN_NR_LOG_ZONES; zone < copy->nr; zone++)
		nr += copy->copied[zone].unreadable;
	return nr;
}

static int write_record(struct copy *copy, struct raizn_record *rec, u64 *seq, u64 *at)
{
	size_t bytes = RAIZN_BLOCK_SIZE + le32_to_cpu(rec->payload_len);

	raizn_record_seal(rec, (*seq)++, FIRST_EPOCH, copy->slot, RAIZN_LOG_GENERAL);
	if (pwrite(copy->fd, rec, bytes, *at) != (ssize_t)bytes)
		return fail(TOOL_FAILED, "%s: the log cannot be written: %m; see the kernel log",
			    copy->to->member.drive.path);
	*at += bytes;
	return TOOL_OK;
}

static int write_superblock(struct copy *copy, struct raizn_record *rec, u64 *seq, u64 *at)
{
	struct raizn_superblock *sb = raizn_record_sb(rec);
	uuid_t uuid;

	raizn_record_init(rec, RAIZN_REC_SUPERBLOCK, copy->array, 0);
	*sb = *member_sb(&copy->from);
	uuid_generate(uuid);
	memcpy(sb->member_uuid, uuid, RAIZN_UUID_SIZE);
	sb->flags &= ~cpu_to_le32(RAIZN_SB_CLEAN);
	memcpy(sb->members[copy->slot].uuid, uuid, RAIZN_UUID_SIZE);
	memcpy(sb->copy_of, copy->uuid, RAIZN_UUID_SIZE);
	return write_record(copy, rec, seq, at);
}

static int write_zone_table(struct copy *copy, struct raizn_record *rec, u64 *seq, u64 *at)
{
	u32 nr_zones = copy->from.geo.nr_zones, first, nr;
	int ret = TOOL_OK;

	for (first = 0; first < nr_zones && !ret; first += nr) {
		nr = nr_zones - first < RAIZN_ZONE_TABLE_MAX ? nr_zones - first :
							       RAIZN_ZONE_TABLE_MAX;
		raizn_record_init(rec, RAIZN_REC_ZONE_TABLE, copy->array,
				  raizn_zone_table_payload(nr));
		raizn_zone_table_fill(rec, copy->log.zones, first, nr);
		ret = write_record(copy, rec, seq, at);
	}
	return ret;
}

static int write_checkpoint(struct copy *copy, struct raizn_record *rec, u64 *seq, u64 *at)
{
	raizn_record_init(rec, RAIZN_REC_CHECKPOINT, copy->array, 0);
	rec->start = cpu_to_le64(FIRST_SEQ);
	return write_record(copy, rec, seq, at);
}

/* Data is durable before the log that vouches for it. */
static int write_log(struct copy *copy)
{
	u64 seq = FIRST_SEQ, at = zone_start(copy, 0);
	struct raizn_record *rec;
	int ret = TOOL_OK;

	rec = alloc_block_buffer(RAIZN_RECORD_MAX);
	if (!rec)
		return TOOL_FAILED;
	if (fsync(copy->fd))
		ret = fail(TOOL_FAILED, "%s: cannot be flushed: %m; see the kernel log",
			   copy->to->member.drive.path);
	if (!ret)
		ret = write_superblock(copy, rec, &seq, &at);
	if (!ret)
		ret = write_zone_table(copy, rec, &seq, &at);
	if (!ret)
		ret = write_checkpoint(copy, rec, &seq, &at);
	if (!ret && fsync(copy->fd))
		ret = fail(TOOL_FAILED, "%s: cannot be flushed: %m; see the kernel log",
			   copy->to->member.drive.path);
	free(rec);
	return ret;
}

static bool is_idle(const struct copy *copy)
{
	char text[64];
	unsigned int reads, writes;

	return !drive_attribute(&copy->from.drive, "inflight", text, sizeof(text)) ||
	       sscanf(text, "%u %u", &reads, &writes) != 2 || !writes;
}

/* Commands to the member may be under way for a moment after it was given up. */
static int wait_until_quiet(struct copy *copy)
{
	u64 written, before = UINT64_MAX;
	u32 tries, same = 0, zone;
	bool idle;
	int ret;

	for (tries = 0; tries < QUIET_TRIES && same < 3; tries++) {
		idle = is_idle(copy);
		ret = drive_report(&copy->from.drive, copy->from.geo.first_zone, copy->nr,
				   copy->zones);
		if (ret)
			return ret;
		written = 0;
		for (zone = 0; zone < copy->nr; zone++)
			written += zone_written(&copy->zones[zone]);
		same = written == before && idle ? same + 1 : 0;
		before = written;
		usleep(100000);
	}
	return same < 3 ? fail(TOOL_FAILED, "%s: is written still", copy->path) : TOOL_OK;
}

int copy_finish(struct copy *copy)
{
	u64 left;
	int ret;

	ret = wait_until_quiet(copy);
	copy->quiet = true;
	copy->progress = (struct progress) { };
	if (!ret)
		ret = one_pass(copy, &left);
	progress_end(&copy->progress);
	return ret ? ret : write_log(copy);
}

struct copy *copy_begin(const struct running *running, u32 slot, const struct candidate *to)
{
	const struct member *member = running->array->slots[slot];
	struct copy *copy = calloc(1, sizeof(*copy));
	u32 from_zones = raizn_member_zones(&member->geo, member->drive.nr_zones);
	u32 to_zones = raizn_member_zones(&member->geo, to->member.first_zone + to->nr_usable);
	char text[32];
	u32 i;

	if (!copy) {
		fail_memory();
		return NULL;
	}
	*copy = (struct copy) {
		.slot = slot, .to = to, .volume = running->state.volume,
		.nr = from_zones < to_zones ? from_zones : to_zones,
		.from = { .drive = { .fd = -1 } },
	};
	snprintf(copy->path, sizeof(copy->path), "%s", member->drive.path);
	memcpy(copy->array, running->state.volume.uuid, RAIZN_UUID_SIZE);
	memcpy(copy->uuid, member_sb(member)->member_uuid, RAIZN_UUID_SIZE);
	if (drive_attribute(&member->drive, "queue/max_sectors_kb", text, sizeof(text)))
		copy->margin = strtoull(text, NULL, 10) << 10;
	if (!copy->margin)
		copy->margin = MOST_MARGIN;
	/* What is read and written is in blocks. */
	copy->margin = (copy->margin + RAIZN_BLOCK_SIZE - 1) & ~(RAIZN_BLOCK_SIZE - 1ULL);
	copy->zones = calloc(copy->nr, sizeof(*copy->zones));
	copy->owners = calloc(copy->nr, sizeof(*copy->owners));
	copy->copied = calloc(copy->nr, sizeof(*copy->copied));
	copy->buffer = alloc_block_buffer(CHUNK_BYTES);
	copy->fd = drive_open_zones(&to->member.drive, O_RDWR);
	if (copy->fd < 0)
		fail(TOOL_FAILED, "%s: cannot be opened for writing: %m",
		     to->member.drive.path);
	else if (!copy->zones || !copy->owners || !copy->copied)
		fail_memory();
	else if (copy->buffer)
		goto ready;
	copy_end(copy);
	return NULL;

ready:
	for (i = 0; i < copy->nr; i++)
		copy->copied[i].owner = NOBODY;
	return copy;
}

void copy_end(struct copy *copy)
{
	if (!copy)
		return;
	member_close(&copy->from);
	general_log_free(&copy->log);
	if (copy->fd >= 0)
		zbd_close(copy->fd);
	free(copy->zones);
	free(copy->owners);
	free(copy->copied);
	free(copy->buffer);
	free(copy);
}
