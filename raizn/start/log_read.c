// SPDX-License-Identifier: GPL-2.0
/*
 * Reading one drive's logs, see core/log_walk.h.  Everything read is hostile.
 */
#include <linux/sort.h>

#include "assemble.h"

/* Bytes of a read, if there is so much memory in one piece. */
#define READ_MAX	(1024U << 10)

/**
 * raizn_log_buffer_alloc() - get memory to read logs
 * @buf:	set; kfree() of buf->rec frees it
 *
 * Each drive that is read beside others has a buffer of its own: of 32 drives 32 MiB at most.
 *
 * Context: process.  Return: 0 or -ENOMEM.
 */
int raizn_log_buffer_alloc(struct raizn_log_buffer *buf)
{
	for (buf->bytes = READ_MAX; buf->bytes > RAIZN_RECORD_MAX; buf->bytes /= 2) {
		buf->rec = kmalloc(buf->bytes, GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
		if (buf->rec)
			return 0;
	}
	buf->rec = kmalloc(buf->bytes, GFP_KERNEL);
	return buf->rec ? 0 : -ENOMEM;
}

/* A drive with an impossible counter is not trusted at all. */
static int check_counters(struct raizn_probe *p, const struct raizn_record *rec)
{
	if (!raizn_record_overcounts(rec))
		return 0;
	raizn_probe_error(p, "%pg: its logs have a counter that no array reaches", p->bdev);
	return -EUCLEAN;
}

#define NO_BAD_BLOCK	U64_MAX

/**
 * struct log_reader - reads a log zone for a walk
 * @p:		drive
 * @start:	first sector of the zone
 * @role:	enum raizn_log_role
 * @bad:	the last block that the drive could not read (bytes from the start of the zone), or
 *		NO_BAD_BLOCK
 * @small:	a large read of a partial-parity log met a block that the drive cannot read
 */
struct log_reader {
	struct raizn_probe *p;
	u64 start;
	u8 role;
	u64 bad;
	bool small;
};

/* Read up to the first block that the drive cannot read.  Return: bytes or -errno. */
static int read_to_unreadable(struct raizn_probe *p, u64 sector, void *buf, u32 bytes)
{
	u32 got = 0, nr;
	int err;

	while (got < bytes) {
		nr = min_t(u32, bytes - got, RAIZN_BLOCK_SIZE);
		err = raizn_probe_read(p, sector + (got >> SECTOR_SHIFT), buf + got, nr);
		if (err)
			return got && err == -ENODATA ? got : err;
		got += nr;
	}
	return got;
}

/*
 * Of a partial-parity log, all or nothing: with less than was asked for, a record whose end
 * cannot be read would look like one that power cut short, which does not count.  So few records
 * before a bad block are lost with it, less is read at a time from there on.
 */
static int read_pp_log(struct log_reader *reader, u64 sector, void *buf, u32 bytes)
{
	int err;

	if (reader->small)
		bytes = min(bytes, RAIZN_RECORD_MAX);
	err = raizn_probe_read(reader->p, sector, buf, bytes);
	if (err == -ENODATA && bytes > RAIZN_RECORD_MAX) {
		reader->small = true;
		bytes = RAIZN_RECORD_MAX;
		err = raizn_probe_read(reader->p, sector, buf, bytes);
	}
	return err ? err : bytes;
}

/*
 * A general log with a sector that cannot be read does not tell the states of zones, so it does not
 * matter if a record is cut.  Reads that fail may take seconds: each bad block is read once, and
 * once as a part of more.  They come in rows.
 */
static int read_general_log(struct log_reader *reader, u64 pos, void *buf, u32 bytes, u32 block)
{
	u64 sector = reader->start + (pos >> SECTOR_SHIFT);
	int err, got;

	if (pos == reader->bad)
		return -ENODATA;
	if (pos < reader->bad && reader->bad - pos < bytes)
		bytes = reader->bad - pos;
	if (reader->bad == NO_BAD_BLOCK || pos != reader->bad + block) {
		err = raizn_probe_read(reader->p, sector, buf, bytes);
		if (err != -ENODATA)
			return err ? err : bytes;
	} else {
		bytes = min(bytes, RAIZN_RECORD_MAX);
	}
	got = read_to_unreadable(reader->p, sector, buf, bytes);
	if (got == -ENODATA)
		reader->bad = pos;
	else if (got > 0 && got < bytes)
		reader->bad = pos + got;
	return got;
}

static int read_log(struct raizn_log_walk *walk, u64 pos, u32 bytes)
{
	struct log_reader *reader = walk->private;

	if (reader->role == RAIZN_LOG_GENERAL)
		return read_general_log(reader, pos, walk->buf, bytes, walk->block);
	return read_pp_log(reader, reader->start + (pos >> SECTOR_SHIFT), walk->buf, bytes);
}

/* The record of an entry, if it is of this log zone. */
static const struct raizn_record *own_record(const struct raizn_array *arr,
					     const struct raizn_log_walk *walk,
					     const struct raizn_log_entry *entry)
{
	return entry->rec && raizn_log_walk_is_of(walk, entry->rec) &&
	       raizn_record_fits(entry->rec, &arr->geo, arr->uuid) ? entry->rec : NULL;
}

/**
 * raizn_log_read_zone() - go through the records of a log zone
 * @arr:	array with geometry and UUID
 * @p:		drive
 * @zone:	reserved zone, with its p->logs entry filled
 * @buf:	of raizn_log_buffer_alloc()
 * @fn:		called for each sound record; ends the walk unless it returns 0
 * @data:	for @fn
 *
 * Sums up the readable records in p->sights.
 *
 * Return: 0, -errno of a read (-ENODATA: the drive cannot read a sector of a partial-parity
 * log, and records before it may have been left out, too; or too many of a general log),
 * -EOPNOTSUPP for a record that newer code has written, -EUCLEAN for counters that must not be
 * taken over, or the result of @fn.  Lines for the kernel log are noted.
 */
int raizn_log_read_zone(struct raizn_array *arr, struct raizn_probe *p,
			u32 zone, const struct raizn_log_buffer *buf, raizn_record_fn fn,
			void *data)
{
	u64 start = raizn_reserved_zone_start(&arr->geo, zone);
	const struct raizn_log_info *li = &p->logs[zone];
	struct raizn_log_sight *sight = &p->sights[zone];
	struct log_reader reader = {
		.p = p, .start = start, .role = li->role,
		/* Its first block alone may have been read before, see identify_unreadable(). */
		.bad = sight->unreadable && !sight->begin ? 0 : NO_BAD_BLOCK,
	};
	struct raizn_log_walk walk = {
		.read = read_log,
		.private = &reader,
		.end = (u64)p->extents[arr->geo.first_zone + zone] << SECTOR_SHIFT,
		.block = arr->geo.block << SECTOR_SHIFT,
		.buf = buf->rec,
		.size = buf->bytes,
		.known = true,
		.epoch = li->epoch,
		.member = p->slot,
		.role = li->role,
	};
	const struct raizn_record *rec;
	struct raizn_log_entry entry;
	int err = 0;

	memcpy(walk.uuid, arr->uuid, RAIZN_UUID_SIZE);
	raizn_log_sight_init(sight, li->role, li->epoch, sight->begin);
	while (!err && raizn_log_walk_next(&walk, &entry)) {
		if (entry.error && (entry.error != -ENODATA || li->role != RAIZN_LOG_GENERAL))
			return entry.error;
		if (*entry.unknown)
			return raizn_refuse_unknown(p, zone, entry.unknown);
		rec = own_record(arr, &walk, &entry);
		raizn_log_sight_add(sight, &entry, rec);
		if (sight->unreadable > RAIZN_LOG_UNREADABLE_MAX)
			return -ENODATA;
		if (!rec) {
			p->torn += entry.error ? 0 : entry.bytes >> SECTOR_SHIFT;
			continue;
		}
		err = check_counters(p, rec);
		if (err)
			return err;
		p->seq = max(p->seq, le64_to_cpu(rec->seq));
		err = fn(rec, start + (entry.pos >> SECTOR_SHIFT), data);
		cond_resched();
	}
	return err;
}

/*
 * The first block of a log zone, which is a superblock, cannot be read or is damaged.  If the next
 * block begins a record, that tells the log, but not the start that opened it.
 */
static int identify_by_next_block(struct raizn_array *arr, struct raizn_probe *p, u32 zone,
				  struct raizn_record *buf)
{
	u64 sector = raizn_reserved_zone_start(&arr->geo, zone) + RAIZN_BLOCK_SECTORS;
	u32 left = p->extents[arr->geo.first_zone + zone] - RAIZN_BLOCK_SECTORS;
	u32 bytes = min_t(u32, RAIZN_RECORD_MAX >> SECTOR_SHIFT, left) << SECTOR_SHIFT;
	struct raizn_log_sight *sight = &p->sights[zone];
	int got;

	bytes -= bytes % RAIZN_BLOCK_SIZE;
	/* With no more than a superblock, it is no complete general log. */
	if (!bytes)
		return 0;
	got = read_to_unreadable(p, sector, buf, bytes);
	if (got < 0)
		return got == -ENODATA ? 0 : got;
	if (raizn_record_verify(buf, got) || !raizn_record_fits(buf, &arr->geo, arr->uuid) ||
	    le16_to_cpu(buf->member) != p->slot)
		return 0;
	sight->role = buf->role;
	sight->epoch = le64_to_cpu(buf->epoch);
	return check_counters(p, buf);
}

/*
 * No superblock tells the log of a zone.  With more than one block, it may be the partial-parity
 * log that has the newest records, else an empty one: see lost_pp_log().  An unusable zone may
 * never have held a log.
 */
static void leave_unidentified(struct raizn_array *arr, struct raizn_probe *p,
			       struct raizn_member *m, u32 zone)
{
	bool empty = p->extents[arr->geo.first_zone + zone] <= RAIZN_BLOCK_SECTORS;

	if (m->reserved[zone] == RAIZN_USE_BAD) {
		p->sights[zone].unreadable = 0;
		return;
	}
	p->logs[zone].maybe_empty = empty;
	p->logs[zone].unidentified = !empty && p->sights[zone].role != RAIZN_LOG_GENERAL;
}

/* As identify().  No superblock says whether a partial-parity log counts. */
static int identify_unreadable(struct raizn_array *arr, struct raizn_probe *p,
			       struct raizn_member *m, u32 zone, struct raizn_record *buf)
{
	struct raizn_log_sight *sight = &p->sights[zone];
	int err;

	raizn_probe_warn(p, "%pg: reserved zone %u: the drive cannot read its first block",
			 p->bdev, zone);
	sight->unreadable = p->extents[arr->geo.first_zone + zone] >= 2 * RAIZN_BLOCK_SECTORS;
	err = identify_by_next_block(arr, p, zone, buf);
	if (err)
		return err;
	if (sight->role != RAIZN_LOG_GENERAL) {
		leave_unidentified(arr, p, m, zone);
		return 0;
	}
	p->logs[zone].role = RAIZN_LOG_GENERAL;
	p->logs[zone].epoch = sight->epoch;
	m->general->epoch = max(m->general->epoch, sight->epoch);
	return 0;
}

/* Identify a log zone.  An offline zone has no role; a read-only zone is only read. */
static int identify(struct raizn_array *arr, struct raizn_probe *p,
		    struct raizn_member *m, u32 zone, struct raizn_record *buf)
{
	u8 cond = p->conds[arr->geo.first_zone + zone];
	struct raizn_log_sight *sight = &p->sights[zone];
	struct raizn_log_info *li = &p->logs[zone];
	int err;

	raizn_log_sight_init(sight, 0, 0, 0);
	m->reserved[zone] = RAIZN_USE_FREE;
	if (cond == BLK_ZONE_COND_OFFLINE || cond == BLK_ZONE_COND_READONLY) {
		m->reserved[zone] = RAIZN_USE_BAD;
		raizn_probe_warn(p, "%pg: reserved zone %u is read-only or offline and is not used any more",
				 p->bdev, zone);
		if (cond == BLK_ZONE_COND_OFFLINE)
			return 0;
	} else if (p->extents[arr->geo.first_zone + zone]) {
		m->reserved[zone] = RAIZN_USE_DIRTY;
	}
	if (p->extents[arr->geo.first_zone + zone] < RAIZN_BLOCK_SECTORS)
		return 0;

	err = raizn_probe_read(p, raizn_reserved_zone_start(&arr->geo, zone), buf,
			       RAIZN_BLOCK_SIZE);
	if (err == -ENODATA)
		return identify_unreadable(arr, p, m, zone, buf);
	if (err)
		return err;
	if (raizn_record_verify(buf, RAIZN_BLOCK_SIZE) ||
	    le16_to_cpu(buf->type) != RAIZN_REC_SUPERBLOCK ||
	    !raizn_record_fits(buf, &arr->geo, arr->uuid) ||
	    le16_to_cpu(buf->member) != p->slot) {
		raizn_probe_warn(p, "%pg: reserved zone %u does not begin with a superblock of this array: not used",
				 p->bdev, zone);
		err = identify_by_next_block(arr, p, zone, buf);
		leave_unidentified(arr, p, m, zone);
		return err;
	}
	err = check_counters(p, buf);
	if (err)
		return err;
	li->role = buf->role;
	li->epoch = le64_to_cpu(buf->epoch);
	li->start = le64_to_cpu(raizn_record_sb_const(buf)->start);
	raizn_log_sight_init(sight, li->role, li->epoch, le64_to_cpu(buf->seq));
	p->seq = max(p->seq, sight->begin);
	if (li->role == RAIZN_LOG_PARTIAL_PARITY) {
		m->pp->epoch = max(m->pp->epoch, li->epoch);
		return 0;
	}
	m->general->epoch = max(m->general->epoch, li->epoch);
	return 0;
}

/**
 * struct replay - state of reading a member's general log
 * @arr:	the array
 * @p:		the drive
 * @buf:	of raizn_log_buffer_alloc()
 * @newest:	by log zone: its newest superblock; the magic is 0 if none was read
 * @zone:	log zone that is read
 * @found:	log zone whose checkpoint is complete, replayed to @p; -1: none yet
 * @running:	the CHECKPOINT record of @zone was replayed
 * @err:	result of the replay of @zone; it ends there, reading goes on
 */
struct replay {
	struct raizn_array *arr;
	struct raizn_probe *p;
	struct raizn_log_buffer buf;
	struct raizn_record *newest;
	u32 zone;
	int found;
	bool running;
	int err;
};

/* Appends may have overtaken each other. */
static void keep_superblock(struct raizn_record *newest, const struct raizn_record *rec)
{
	if (le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK &&
	    le64_to_cpu(rec->seq) >= le64_to_cpu(newest->seq))
		memcpy(newest, rec, RAIZN_BLOCK_SIZE);
}

static int replay_record(struct replay *r, const struct raizn_record *rec)
{
	const struct raizn_geometry *geo = &r->arr->geo;
	struct raizn_probe *p = r->p;

	if (le16_to_cpu(rec->type) == RAIZN_REC_RESET &&
	    le32_to_cpu(rec->flags) & RAIZN_RESET_DONE)
		p->done = max(p->done, le64_to_cpu(rec->seq));
	if (le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP && !p->map.entries) {
		p->map.entries = kvcalloc((size_t)geo->nr_zones * geo->nr_members,
					  sizeof(u32), GFP_KERNEL);
		if (!p->map.entries)
			return -ENOMEM;
	}
	if (le16_to_cpu(rec->type) == RAIZN_REC_BAD_BLOCKS) {
		if (!p->bad_blocks)
			p->bad_blocks = kvzalloc(sizeof(*p->bad_blocks), GFP_KERNEL);
		if (!p->bad_blocks)
			return -ENOMEM;
		raizn_bad_blocks_replay(p->bad_blocks, rec);
	}
	if (le16_to_cpu(rec->type) == RAIZN_REC_SPOILT) {
		if (!p->spoilt)
			p->spoilt = kvzalloc(sizeof(*p->spoilt), GFP_KERNEL);
		if (!p->spoilt)
			return -ENOMEM;
		raizn_spoilt_replay(p->spoilt, rec);
	}
	if (le16_to_cpu(rec->type) == RAIZN_REC_CHECKPOINT)
		r->running = true;
	/* Map changes are written one at a time: the one before this record is missing. */
	if (r->running && le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP &&
	    le64_to_cpu(rec->start) != p->map.version + 1)
		return -EUCLEAN;
	return raizn_replay_record(geo, p->zones, &p->map, rec);
}

static int take_record(const struct raizn_record *rec, u64 sector, void *data)
{
	struct replay *r = data;

	keep_superblock(&r->newest[r->zone], rec);
	if (r->found < 0 && !r->err)
		r->err = replay_record(r, rec);
	return r->err == -ENOMEM ? -ENOMEM : 0;
}

/* Forget the states that a log zone told. */
static void drop_states(struct raizn_probe *p)
{
	kvfree(p->map.entries);
	kvfree(p->bad_blocks);
	kvfree(p->spoilt);
	kvfree(p->zones);
	memset(&p->map, 0, sizeof(p->map));
	p->bad_blocks = NULL;
	p->spoilt = NULL;
	p->zones = NULL;
	p->done = 0;
}

/*
 * Read a general log in a log zone, once: a drive may read a sector at one time only.  Its records
 * are replayed unless a zone with a higher epoch is complete, and forgotten if it is not complete.
 */
static int read_general_zone(struct replay *r, u32 zone)
{
	struct raizn_probe *p = r->p;
	int err;

	r->zone = zone;
	if (r->found < 0) {
		r->running = false;
		r->err = 0;
		drop_states(p);
		p->zones = kvcalloc(r->arr->geo.nr_zones, sizeof(*p->zones), GFP_KERNEL);
		if (!p->zones)
			return -ENOMEM;
	}
	err = raizn_log_read_zone(r->arr, p, zone, &r->buf, take_record, r);
	if (!err && r->found < 0 && p->sights[zone].complete)
		r->found = zone;
	return err;
}

/* The general-log zone with the highest epoch among those of a mask of log zones, or -1. */
static int highest_epoch(const struct raizn_probe *p, u32 zones)
{
	int highest = -1;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		if (zones & BIT(i) && p->logs[i].role == RAIZN_LOG_GENERAL &&
		    (highest < 0 || p->logs[i].epoch > p->logs[highest].epoch))
			highest = i;
	return highest;
}

/* The newest complete checkpoint counts: newest zones first, so one state at most is in memory. */
static int read_general_zones(struct replay *r)
{
	u32 left = BIT(RAIZN_NR_LOG_ZONES) - 1;
	int err = 0, zone;

	while (!err && (zone = highest_epoch(r->p, left)) >= 0) {
		left &= ~BIT(zone);
		err = read_general_zone(r, zone);
	}
	return err;
}

/*
 * Sum up the member's general log, and take its newest superblock of @newest.  Return: number of
 * the log zone that counts, -EUCLEAN after a message if there is none, -ENODATA if none of its
 * superblocks can be read.
 */
static int find_base_zone(struct raizn_probe *p, const struct raizn_record *newest)
{
	struct raizn_log_sum sum;

	raizn_log_sum_up(p->sights, RAIZN_NR_LOG_ZONES, &sum);
	p->partial = sum.partial;
	p->hidden = sum.hidden;
	p->top = sum.top;
	if (sum.base < 0) {
		raizn_probe_error(p, "%pg: no complete checkpoint in the general log", p->bdev);
		return -EUCLEAN;
	}
	if (!newest[sum.base].magic)
		return -ENODATA;
	memcpy(p->sb, &newest[sum.base], RAIZN_BLOCK_SIZE);
	p->begin = p->sights[sum.base].begin;
	return sum.base;
}

/* Do the states that were replayed count?  A partial log tells none. */
static int judge_replay(struct replay *r, u32 base)
{
	struct raizn_probe *p = r->p;

	if (p->partial) {
		drop_states(p);
		return 0;
	}
	if (r->found != base || r->err) {
		raizn_probe_error(p, "%pg: general log makes no sense", p->bdev);
		return -EUCLEAN;
	}
	return 0;
}

/*
 * A log zone that may be the newest partial-parity log, and stays until a fresh general log says
 * that it is lost, so that the next start finds it, too, if this one is interrupted; -1 if there is
 * none.  One is enough, and the fresh logs need room.
 */
static int unidentified_to_keep(const struct raizn_probe *p)
{
	int keep = -1;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++)
		if (p->logs[i].unidentified &&
		    (keep < 0 || p->sights[i].epoch > p->sights[keep].epoch))
			keep = i;
	return keep;
}

/*
 * Find the use of the log zones.  raizn_examine() decides which partial-parity logs count.  The
 * epoch of one that is not identified is at most one higher than that of the zone that its log was
 * in before.
 */
static void find_uses(struct raizn_probe *p, struct raizn_member *m, u32 base)
{
	const struct raizn_log_info *li = p->logs;
	int keep = unidentified_to_keep(p);
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++, li++) {
		if (li->unidentified) {
			m->pp->epoch = max(m->pp->epoch, p->sights[i].epoch) + 1;
			m->general->epoch++;
		}
		if (m->reserved[i] != RAIZN_USE_DIRTY)
			continue;
		if (i == base)
			m->reserved[i] = RAIZN_USE_GENERAL;
		else if (i == keep)
			m->reserved[i] = RAIZN_USE_VOID_PP;
		else if (li->role == RAIZN_LOG_PARTIAL_PARITY)
			m->reserved[i] = RAIZN_USE_STALE;
	}
}

static int replay_logs(struct replay *r, struct raizn_member *m)
{
	struct raizn_probe *p = r->p;
	int base, err;
	u32 i;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		err = identify(r->arr, p, m, i, r->buf.rec);
		if (err)
			return err;
	}
	err = read_general_zones(r);
	if (err)
		return err;
	base = find_base_zone(p, r->newest);
	if (base < 0)
		return base;
	err = judge_replay(r, base);
	if (err)
		return err;
	find_uses(p, m, base);
	if (p->torn)
		raizn_probe_info(p, "%pg: %u sectors of the logs hold no sound record: a write that power cut short, or damage",
				 p->bdev, p->torn);
	return 0;
}

/**
 * raizn_log_replay() - find a member's logs and replay its general log
 * @arr:	array with geometry and members
 * @p:		drive; gets logs, zones, map, lost blocks, and the newest superblock
 * @m:		gets the use and the epochs of its log zones: the member, or a scratch
 *		structure for a member that may change meanwhile
 *
 * Only the general-log zone with the newest complete checkpoint counts.  The use of the log
 * zones is noted in the member: a zone with data that certainly does not count is dirty.  With
 * p->partial only the superblock counts.
 *
 * Context: process; drives may be read side by side.  Lines for the kernel log are noted.
 * Return: 0, -EUCLEAN when there is no valid log, -EOPNOTSUPP when newer code has written to the
 * logs, or -errno.
 */
int raizn_log_replay(struct raizn_array *arr, struct raizn_probe *p, struct raizn_member *m)
{
	struct replay r = { .arr = arr, .p = p, .found = -1 };
	int err;

	err = raizn_log_buffer_alloc(&r.buf);
	if (err)
		return err;
	r.newest = kvcalloc(RAIZN_NR_LOG_ZONES, sizeof(*r.newest), GFP_KERNEL);
	err = r.newest ? replay_logs(&r, m) : -ENOMEM;
	kvfree(r.newest);
	kfree(r.buf.rec);
	return err;
}
