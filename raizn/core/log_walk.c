// SPDX-License-Identifier: GPL-2.0
/*
 * Walking through the records of a log zone.
 */
#include "log_walk.h"

static u32 at_most(u64 left, u32 limit)
{
	return left < limit ? (u32)left : limit;
}

/* Bytes of the buffer from the position on. */
static u32 walk_available(const struct raizn_log_walk *walk)
{
	if (walk->pos < walk->buf_pos || walk->pos >= walk->buf_pos + walk->buf_len)
		return 0;
	return walk->buf_len - (u32)(walk->pos - walk->buf_pos);
}

static const struct raizn_record *walk_record(const struct raizn_log_walk *walk)
{
	return (const void *)((const char *)walk->buf + (walk->pos - walk->buf_pos));
}

/* Read from the position on.  Return: 0 or -errno. */
static int walk_fill(struct raizn_log_walk *walk)
{
	u32 bytes = at_most(walk->end - walk->pos, walk->size);
	int got;

	/* A drive may report a write pointer inside a block. */
	bytes -= bytes % walk->block;
	walk->buf_pos = walk->pos;
	walk->buf_len = 0;
	got = walk->read(walk, walk->pos, bytes);
	if (got < (int)walk->block)
		return got < 0 ? got : -EIO;
	walk->buf_len = got;
	return 0;
}

/*
 * Verify the record at the position.  The checksum needs all of it, so the buffer is filled
 * again when the record does not end in it.
 */
static int walk_verify(struct raizn_log_walk *walk, enum raizn_record_verdict *verdict)
{
	u64 left = walk->end - walk->pos;
	int err;

	if (walk_available(walk) < RAIZN_BLOCK_SIZE) {
		err = walk_fill(walk);
		if (err)
			return err;
	}
	*verdict = raizn_record_verify(walk_record(walk), walk_available(walk));
	if ((*verdict != RAIZN_RECORD_BAD_LENGTH && *verdict != RAIZN_RECORD_BAD_VERSION) ||
	    walk->pos == walk->buf_pos ||
	    walk_available(walk) >= at_most(left, RAIZN_RECORD_MAX))
		return 0;
	err = walk_fill(walk);
	if (!err)
		*verdict = raizn_record_verify(walk_record(walk), walk_available(walk));
	return err;
}

bool raizn_log_walk_is_of(const struct raizn_log_walk *walk,
			  const struct raizn_record *rec)
{
	return !walk->known ||
	       (!memcmp(rec->array_uuid, walk->uuid, sizeof(walk->uuid)) &&
		le64_to_cpu(rec->epoch) == walk->epoch &&
		le16_to_cpu(rec->member) == walk->member && rec->role == walk->role);
}

/* The first record of a log zone has the fields that all of its records share. */
static void walk_learn(struct raizn_log_walk *walk, const struct raizn_record *rec)
{
	walk->known = true;
	memcpy(walk->uuid, rec->array_uuid, sizeof(walk->uuid));
	walk->epoch = le64_to_cpu(rec->epoch);
	walk->member = le16_to_cpu(rec->member);
	walk->role = rec->role;
}

/* Describe the record at the position, which was read. */
static void walk_describe(struct raizn_log_walk *walk, struct raizn_log_entry *entry)
{
	const struct raizn_record *rec = walk_record(walk);
	u32 avail = walk_available(walk);
	bool ours;

	if (entry->verdict == RAIZN_RECORD_OK && !walk->known && !walk->pos)
		walk_learn(walk, rec);
	ours = raizn_log_walk_is_of(walk, rec);
	if (entry->verdict == RAIZN_RECORD_BAD_VERSION)
		entry->version = le16_to_cpu(rec->version);
	if (ours)
		raizn_record_is_unknown(rec, avail, entry->verdict, entry->unknown,
					sizeof(entry->unknown));
	if (entry->verdict == RAIZN_RECORD_OK)
		entry->rec = rec;
	if (entry->rec && ours)
		entry->bytes = raizn_record_bytes(rec);
	else if (walk->known)
		entry->bytes = raizn_record_step(rec, walk->uuid, walk->epoch, walk->member,
						 walk->role, walk->block);
}

bool raizn_log_walk_next(struct raizn_log_walk *walk, struct raizn_log_entry *entry)
{
	u64 left = walk->end - walk->pos;

	if (walk->pos >= walk->end)
		return false;
	memset(entry, 0, sizeof(*entry));
	entry->pos = walk->pos;
	entry->bytes = walk->block;
	if (left < RAIZN_BLOCK_SIZE) {
		/* Too little for a record: it need not be read. */
		entry->verdict = RAIZN_RECORD_BAD_LENGTH;
		entry->bytes = left;
	} else {
		entry->error = walk_verify(walk, &entry->verdict);
		if (!entry->error)
			walk_describe(walk, entry);
	}
	entry->bytes = at_most(left, entry->bytes);
	walk->pos += entry->bytes;
	return true;
}

void raizn_log_sight_init(struct raizn_log_sight *sight, u8 role, u64 epoch, u64 begin)
{
	memset(sight, 0, sizeof(*sight));
	sight->role = role;
	sight->epoch = epoch;
	sight->begin = begin;
	sight->newest_known = true;
}

void raizn_log_sight_add(struct raizn_log_sight *sight, const struct raizn_log_entry *entry,
			 const struct raizn_record *rec)
{
	bool of_this_zone;

	if (entry->error) {
		sight->unreadable++;
		sight->newest_known = false;
		return;
	}
	if (!rec) {
		sight->torn++;
		return;
	}
	if (le64_to_cpu(rec->seq) > sight->top)
		sight->top = le64_to_cpu(rec->seq);
	switch (le16_to_cpu(rec->type)) {
	case RAIZN_REC_CHECKPOINT:
		of_this_zone = !sight->begin || le64_to_cpu(rec->start) == sight->begin;
		sight->complete |= of_this_zone && (sight->unreadable || !sight->torn);
		break;
	case RAIZN_REC_SUPERBLOCK:
		sight->newest_known = true;
		sight->complete |= sight->unreadable && entry->pos;
		break;
	case RAIZN_REC_RESET:
	case RAIZN_REC_FINISH:
		sight->complete |= !!sight->unreadable;
		break;
	}
}

void raizn_log_sum_up(const struct raizn_log_sight *sights, u32 nr, struct raizn_log_sum *sum)
{
	const struct raizn_log_sight *base = NULL, *s;

	memset(sum, 0, sizeof(*sum));
	sum->base = -1;
	for (s = sights; s < sights + nr; s++)
		if (s->role == RAIZN_LOG_GENERAL && s->complete &&
		    (!base || s->epoch > base->epoch))
			base = s;
	if (!base)
		return;
	sum->top = base->top;
	for (s = sights; s < sights + nr; s++)
		if (s->role == RAIZN_LOG_GENERAL && s->unreadable && s->top > sum->top)
			sum->top = s->top;
	sum->base = (int)(base - sights);
	sum->partial = base->unreadable;
	sum->hidden = !base->newest_known;
	for (s = sights; s < sights + nr; s++)
		if (s->unreadable && (!s->role || (s->role == RAIZN_LOG_GENERAL &&
						   s->epoch > base->epoch)))
			sum->hidden = true;
	sum->partial |= sum->hidden;
}
