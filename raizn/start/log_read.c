// SPDX-License-Identifier: GPL-2.0
/*
 * Reading one drive's logs, see core/log_walk.h.  Everything read is hostile.
 */
#include <linux/sort.h>

#include "assemble.h"

/* A drive with an impossible counter is not trusted at all. */
static int check_counters(struct raizn_probe *p, const struct raizn_record *rec)
{
	if (!raizn_record_overcounts(rec))
		return 0;
	DMERR("%pg: its logs have a counter that no array reaches", p->bdev);
	return -EUCLEAN;
}

/**
 * struct log_reader - reads a log zone for a walk
 * @p:		drive
 * @start:	first sector of the zone
 */
struct log_reader {
	struct raizn_probe *p;
	u64 start;
};

/*
 * All or nothing: with less than was asked for, a record whose end cannot be read would look
 * like one that power cut short, which does not count.
 */
static int read_log(struct raizn_log_walk *walk, u64 pos, u32 bytes)
{
	struct log_reader *reader = walk->private;
	int err = raizn_member_read(reader->p->bdev, reader->start + (pos >> SECTOR_SHIFT),
				    walk->buf, bytes);

	return err ? err : bytes;
}

/**
 * raizn_log_read_zone() - go through the records of a log zone
 * @arr:	array with geometry and UUID
 * @p:		drive
 * @zone:	reserved zone, with its p->logs entry filled
 * @buf:	RAIZN_RECORD_MAX bytes
 * @fn:		called for each sound record; ends the walk unless it returns 0
 * @data:	for @fn
 *
 * Return: 0, -errno of a read (-ENODATA: the drive cannot read a sector; records before it
 * may have been left out, too), -EOPNOTSUPP for a record that newer code has written,
 * -EUCLEAN for counters that must not be taken over, or the result of @fn.
 */
int raizn_log_read_zone(struct raizn_array *arr, struct raizn_probe *p,
			u32 zone, struct raizn_record *buf, raizn_record_fn fn,
			void *data)
{
	u64 start = raizn_reserved_zone_start(&arr->geo, zone);
	const struct raizn_log_info *li = &p->logs[zone];
	struct log_reader reader = { .p = p, .start = start };
	struct raizn_log_walk walk = {
		.read = read_log,
		.private = &reader,
		.end = (u64)p->extents[arr->geo.first_zone + zone] << SECTOR_SHIFT,
		.block = arr->geo.block << SECTOR_SHIFT,
		.buf = buf,
		.size = RAIZN_RECORD_MAX,
		.known = true,
		.epoch = li->epoch,
		.member = p->slot,
		.role = li->role,
	};
	struct raizn_log_entry entry;
	int err = 0;

	memcpy(walk.uuid, arr->uuid, RAIZN_UUID_SIZE);
	while (!err && raizn_log_walk_next(&walk, &entry)) {
		if (entry.error)
			return entry.error;
		if (*entry.unknown)
			return raizn_refuse_unknown(p->bdev, zone, entry.unknown);
		if (!entry.rec || !raizn_log_walk_is_of(&walk, entry.rec) ||
		    !raizn_record_fits(entry.rec, &arr->geo, arr->uuid)) {
			p->torn += entry.bytes >> SECTOR_SHIFT;
			continue;
		}
		err = check_counters(p, entry.rec);
		if (err)
			return err;
		p->seq = max(p->seq, le64_to_cpu(entry.rec->seq));
		err = fn(entry.rec, start + (entry.pos >> SECTOR_SHIFT), data);
		cond_resched();
	}
	return err;
}

/**
 * struct identity - state of identifying a log zone
 * @p:		the drive
 * @li:		result
 * @torn:	p->torn before the zone is read
 */
struct identity {
	const struct raizn_probe *p;
	struct raizn_log_info *li;
	u32 torn;
};

/*
 * The records that a CHECKPOINT vouches for were flushed before it.  If one of them is not
 * sound, it is damaged, and the checkpoint is not complete.
 */
static int look_for_checkpoint(const struct raizn_record *rec, u64 sector, void *data)
{
	struct identity *id = data;

	if (le16_to_cpu(rec->type) == RAIZN_REC_CHECKPOINT &&
	    le64_to_cpu(rec->start) == id->li->begin)
		id->li->complete = id->p->torn == id->torn;
	return 0;
}

/* Identify a log zone.  An offline zone has no role; a read-only zone is only read. */
static int identify(struct raizn_array *arr, struct raizn_probe *p,
		    struct raizn_member *m, u32 zone, struct raizn_record *buf)
{
	u8 cond = p->conds[arr->geo.first_zone + zone];
	struct raizn_log_info *li = &p->logs[zone];
	struct identity id = { .p = p, .li = li, .torn = p->torn };
	int err;

	m->reserved[zone] = RAIZN_USE_FREE;
	if (cond == BLK_ZONE_COND_OFFLINE || cond == BLK_ZONE_COND_READONLY) {
		m->reserved[zone] = RAIZN_USE_BAD;
		DMWARN("%pg: reserved zone %u is read-only or offline and is not used any more",
		       p->bdev, zone);
		if (cond == BLK_ZONE_COND_OFFLINE)
			return 0;
	} else if (p->extents[arr->geo.first_zone + zone]) {
		m->reserved[zone] = RAIZN_USE_DIRTY;
	}
	if (p->extents[arr->geo.first_zone + zone] < RAIZN_BLOCK_SECTORS)
		return 0;

	err = raizn_member_read(p->bdev, raizn_reserved_zone_start(&arr->geo, zone),
				buf, RAIZN_BLOCK_SIZE);
	if (err)
		return err;
	if (raizn_record_verify(buf, RAIZN_BLOCK_SIZE) ||
	    le16_to_cpu(buf->type) != RAIZN_REC_SUPERBLOCK ||
	    !raizn_record_fits(buf, &arr->geo, arr->uuid) ||
	    le16_to_cpu(buf->member) != p->slot) {
		DMWARN("%pg: reserved zone %u does not begin with a superblock of this array: not used",
		       p->bdev, zone);
		return 0;
	}
	err = check_counters(p, buf);
	if (err)
		return err;
	li->role = buf->role;
	li->epoch = le64_to_cpu(buf->epoch);
	li->begin = le64_to_cpu(buf->seq);
	li->start = le64_to_cpu(raizn_record_sb_const(buf)->start);
	p->seq = max(p->seq, li->begin);
	if (li->role == RAIZN_LOG_PARTIAL_PARITY) {
		m->pp->epoch = max(m->pp->epoch, li->epoch);
		return 0;
	}
	m->general->epoch = max(m->general->epoch, li->epoch);
	return raizn_log_read_zone(arr, p, zone, buf, look_for_checkpoint, &id);
}

/**
 * struct replay - state of replaying a general log
 * @arr:	the array
 * @p:		the drive
 * @running:	the CHECKPOINT record was replayed
 */
struct replay {
	struct raizn_array *arr;
	struct raizn_probe *p;
	bool running;
};

static int replay_one(const struct raizn_record *rec, u64 sector, void *data)
{
	struct replay *r = data;
	struct raizn_probe *p = r->p;
	const struct raizn_geometry *geo = &r->arr->geo;

	/* Appends may have overtaken each other. */
	if (le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK &&
	    le64_to_cpu(rec->seq) >= le64_to_cpu(p->sb->seq))
		memcpy(p->sb, rec, RAIZN_BLOCK_SIZE);
	if (le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP && !p->map.physical) {
		p->map.physical = kvcalloc((size_t)geo->nr_zones * geo->nr_members,
					   sizeof(u32), GFP_KERNEL);
		if (!p->map.physical)
			return -ENOMEM;
	}
	if (le16_to_cpu(rec->type) == RAIZN_REC_BAD_BLOCKS) {
		if (!p->bad_blocks)
			p->bad_blocks = kvzalloc(sizeof(*p->bad_blocks), GFP_KERNEL);
		if (!p->bad_blocks)
			return -ENOMEM;
		raizn_bad_blocks_replay(p->bad_blocks, rec);
	}
	if (le16_to_cpu(rec->type) == RAIZN_REC_CHECKPOINT)
		r->running = true;
	/* Map changes are written one at a time: the one before this record is missing. */
	if (r->running && le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP &&
	    le64_to_cpu(rec->start) != p->map.version + 1)
		return -EUCLEAN;
	return raizn_replay_record(geo, p->zones, &p->map, rec);
}

/**
 * raizn_log_replay() - find a member's logs and replay its general log
 * @arr:	array with geometry and members
 * @p:		drive; gets logs, zones, map, lost blocks, and the newest superblock
 * @m:		gets the use and the epochs of its log zones: the member, or a scratch
 *		structure for a member that may change meanwhile
 * @buf:	RAIZN_RECORD_MAX bytes
 *
 * Only the general-log zone with the newest complete checkpoint counts.  The use of the log
 * zones is noted in the member: a zone with data that certainly does not count is dirty.
 *
 * Return: 0, -EUCLEAN when there is no valid log, -EOPNOTSUPP after a message when newer
 * code has written to the logs, or -errno.
 */
int raizn_log_replay(struct raizn_array *arr, struct raizn_probe *p,
		     struct raizn_member *m, struct raizn_record *buf)
{
	struct replay r = { .arr = arr, .p = p };
	struct raizn_log_info *base = NULL;
	struct raizn_log_info *li;
	u32 i;
	int err;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		err = identify(arr, p, m, i, buf);
		if (err)
			return err;
		li = &p->logs[i];
		if (li->role == RAIZN_LOG_GENERAL && li->complete &&
		    (!base || li->epoch > base->epoch))
			base = li;
	}
	if (!base) {
		DMERR("%pg: no complete checkpoint in the general log", p->bdev);
		return -EUCLEAN;
	}
	p->zones = kvcalloc(arr->geo.nr_zones, sizeof(*p->zones), GFP_KERNEL);
	if (!p->zones)
		return -ENOMEM;
	memset(p->sb, 0, RAIZN_BLOCK_SIZE);
	err = raizn_log_read_zone(arr, p, base - p->logs, buf, replay_one, &r);
	if (err == -EUCLEAN)
		DMERR("%pg: general log makes no sense", p->bdev);
	if (err)
		return err;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		if (m->reserved[i] != RAIZN_USE_DIRTY)
			continue;
		if (&p->logs[i] == base)
			m->reserved[i] = RAIZN_USE_GENERAL;
		/* raizn_examine() decides which of these logs count. */
		else if (p->logs[i].role == RAIZN_LOG_PARTIAL_PARITY)
			m->reserved[i] = RAIZN_USE_STALE;
	}
	if (p->torn)
		DMINFO("%pg: %u sectors of the logs hold no sound record: a write that power cut short, or damage",
		       p->bdev, p->torn);
	return 0;
}
