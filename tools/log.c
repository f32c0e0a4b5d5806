// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the log zones of a member.
 */
#include <stdlib.h>
#include <unistd.h>

#include "log.h"
#include "tool.h"

#define BUFFER_SIZE	(16 * RAIZN_RECORD_MAX)

int log_open(struct log_cursor *cursor, const struct drive *drive,
	     const struct zbd_zone *zone)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->drive = drive;
	cursor->start = zone->start;
	cursor->end = zone_written(zone);
	cursor->buf = alloc_block_buffer(BUFFER_SIZE);
	return cursor->buf ? TOOL_OK : TOOL_FAILED;
}

void log_close(struct log_cursor *cursor)
{
	free(cursor->buf);
	cursor->buf = NULL;
}

/* Read from the cursor's position; a bad block must not hide its neighbours. */
static int fill(struct log_cursor *cursor)
{
	static const size_t sizes[] = {
		BUFFER_SIZE, RAIZN_RECORD_MAX, RAIZN_BLOCK_SIZE, 512
	};
	u64 left = cursor->end - cursor->pos;
	int error = EIO;
	ssize_t got;
	size_t i;

	cursor->buf_pos = cursor->pos;
	cursor->buf_len = 0;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		got = pread(cursor->drive->fd, cursor->buf,
			    sizes[i] < left ? sizes[i] : left,
			    cursor->start + cursor->pos);
		if (got >= (ssize_t)cursor->drive->block_size) {
			cursor->buf_len = got - got % cursor->drive->block_size;
			return 0;
		}
		error = got < 0 ? errno : EIO;
	}
	return error;
}

/* Its first record says whose log it is. */
static void learn_log(struct log_cursor *cursor, const struct raizn_record *rec)
{
	cursor->known = true;
	memcpy(cursor->uuid, rec->array_uuid, sizeof(cursor->uuid));
	cursor->epoch = le64_to_cpu(rec->epoch);
	cursor->member = le16_to_cpu(rec->member);
	cursor->role = rec->role;
}

/* Was a block, sound or not, written to this log zone, as far as is known? */
static bool is_of_log(const struct log_cursor *cursor, const struct raizn_record *rec)
{
	return !cursor->known ||
	       (!memcmp(rec->array_uuid, cursor->uuid, sizeof(cursor->uuid)) &&
		le64_to_cpu(rec->epoch) == cursor->epoch &&
		le16_to_cpu(rec->member) == cursor->member &&
		rec->role == cursor->role);
}

bool log_next(struct log_cursor *cursor, struct log_entry *entry)
{
	u64 left = cursor->end - cursor->pos;
	u64 want = left < RAIZN_RECORD_MAX ? left : RAIZN_RECORD_MAX;
	const struct raizn_record *rec;
	size_t at;

	if (!left)
		return false;
	memset(entry, 0, sizeof(*entry));
	entry->pos = cursor->pos;
	entry->bytes = cursor->drive->block_size;
	if (cursor->pos < cursor->buf_pos ||
	    cursor->pos + want > cursor->buf_pos + cursor->buf_len)
		entry->error = fill(cursor);
	if (!entry->error) {
		at = cursor->pos - cursor->buf_pos;
		rec = (const void *)((const char *)cursor->buf + at);
		entry->verdict = raizn_record_verify(rec, cursor->buf_len - at);
		if (entry->verdict == RAIZN_RECORD_BAD_VERSION)
			entry->version = le16_to_cpu(rec->version);
		if (is_of_log(cursor, rec))
			raizn_record_is_unknown(rec, cursor->buf_len - at,
						entry->verdict, entry->unknown,
						sizeof(entry->unknown));
		if (entry->verdict == RAIZN_RECORD_OK) {
			entry->rec = rec;
			entry->bytes = raizn_record_bytes(rec);
			if (!cursor->pos)
				learn_log(cursor, rec);
		} else if (cursor->known) {
			entry->bytes = raizn_record_step(rec, cursor->uuid,
							 cursor->epoch,
							 cursor->member,
							 cursor->role,
							 entry->bytes);
		}
		if (entry->bytes > left)
			entry->bytes = left;
	}
	cursor->pos += entry->bytes;
	return true;
}

bool log_at(struct log_cursor *cursor, u64 pos, struct log_entry *entry)
{
	if (pos >= cursor->end || pos % cursor->drive->block_size)
		return false;
	cursor->pos = pos;
	return log_next(cursor, entry);
}
