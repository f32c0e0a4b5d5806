// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the log zones of a member.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "tool.h"

#define BUFFER_SIZE	(16 * RAIZN_RECORD_MAX)

const char *log_error_text(int error)
{
	/* A medium error, which strerror() calls something else. */
	return error == ENODATA ? "unreadable" : strerror(error);
}

/* Read block by block, up to one that the drive cannot read.  Return: bytes or -errno. */
static int read_blocks(struct log_cursor *cursor, u64 pos, u32 bytes)
{
	char *buf = cursor->walk.buf;
	u32 block = cursor->walk.block;
	u32 got = 0;
	ssize_t nr;

	while (got < bytes) {
		nr = pread(cursor->drive->fd, buf + got, block, cursor->start + pos + got);
		if (nr != (ssize_t)block) {
			cursor->bad = pos + got;
			cursor->bad_error = nr < 0 ? errno : EIO;
			return got ? (int)got : -cursor->bad_error;
		}
		got += block;
	}
	return (int)got;
}

/*
 * A bad block must not hide its neighbours: less is read until that succeeds.  A read that fails
 * may take seconds, so one that is known is not read again; bad blocks come in rows.
 */
static int log_read(struct raizn_log_walk *walk, u64 pos, u32 bytes)
{
	static const u32 sizes[] = {
		BUFFER_SIZE, RAIZN_RECORD_MAX, RAIZN_BLOCK_SIZE, 512
	};
	struct log_cursor *cursor = walk->private;
	bool careful = cursor->to_unreadable && cursor->unreadable;
	int error = EIO;
	ssize_t got;
	size_t i;

	if (pos == cursor->bad)
		return -cursor->bad_error;
	if (pos < cursor->bad && cursor->bad - pos < bytes)
		bytes = (u32)(cursor->bad - pos);
	for (i = careful; i < ARRAY_SIZE(sizes) && sizes[i] >= walk->block; i++) {
		bytes = sizes[i] < bytes ? sizes[i] : bytes;
		if (careful && pos == cursor->bad + walk->block)
			return read_blocks(cursor, pos, bytes);
		got = pread(cursor->drive->fd, walk->buf, bytes, cursor->start + pos);
		cursor->unreadable |= got != (ssize_t)bytes;
		if (got >= (ssize_t)walk->block)
			return got - got % walk->block;
		if (cursor->to_unreadable && bytes <= RAIZN_RECORD_MAX)
			return read_blocks(cursor, pos, bytes);
		error = got < 0 ? errno : EIO;
	}
	return -error;
}

int log_open(struct log_cursor *cursor, const struct drive *drive,
	     const struct zbd_zone *zone)
{
	memset(cursor, 0, sizeof(*cursor));
	cursor->drive = drive;
	cursor->start = zone->start;
	cursor->bad = LOG_NO_BAD_BLOCK;
	cursor->walk = (struct raizn_log_walk) {
		.read = log_read,
		.private = cursor,
		.end = zone_written(zone),
		.block = drive->block_size,
		.buf = alloc_block_buffer(BUFFER_SIZE),
		.size = BUFFER_SIZE,
	};
	return cursor->walk.buf ? TOOL_OK : TOOL_FAILED;
}

void log_close(struct log_cursor *cursor)
{
	free(cursor->walk.buf);
	cursor->walk.buf = NULL;
}

bool log_next(struct log_cursor *cursor, struct raizn_log_entry *entry)
{
	return raizn_log_walk_next(&cursor->walk, entry);
}

bool log_at(struct log_cursor *cursor, u64 pos, struct raizn_log_entry *entry)
{
	if (pos % cursor->walk.block)
		return false;
	cursor->walk.pos = pos;
	return log_next(cursor, entry);
}
