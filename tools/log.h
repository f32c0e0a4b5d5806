/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the log zones of a member.  What they hold is not trusted: every
 * record goes through raizn_record_verify(), and memory is bounded.
 */
#ifndef LOG_H
#define LOG_H

#include "../raizn/core/codec.h"
#include "drive.h"

/**
 * struct log_cursor - a place in a log zone
 * @drive:	the member
 * @start:	of the zone (bytes)
 * @end:	bytes written in the zone
 * @pos:	of the next block (of the drive) to look at, relative to @start
 * @buf:	holds @buf_len bytes from @buf_pos on
 * @known:	the zone's first record was sound; the rest is from there
 * @uuid, @epoch, @member, @role: see struct raizn_record
 */
struct log_cursor {
	const struct drive *drive;
	u64 start;
	u64 end;
	u64 pos;
	void *buf;
	u64 buf_pos;
	size_t buf_len;
	bool known;
	u8 uuid[RAIZN_UUID_SIZE];
	u64 epoch;
	u16 member;
	u8 role;
};

/**
 * struct log_entry - what stands at one place of a log zone
 * @pos:	where, bytes from the start of the zone
 * @error:	errno if it could not be read, else 0
 * @verdict:	what raizn_record_verify() says
 * @version:	the format version of a record that is not sound, 0 if there is none
 * @unknown:	what is not known of a record that newer code has written; else empty
 * @rec:	the record with its payload if @verdict is RAIZN_RECORD_OK, valid
 *		until the next call; else NULL
 * @bytes:	the record's size; if it is not sound, how far to go on: see
 *		raizn_record_step()
 */
struct log_entry {
	u64 pos;
	int error;
	enum raizn_record_verdict verdict;
	u16 version;
	char unknown[64];
	const struct raizn_record *rec;
	u32 bytes;
};

/* Begin to read @zone of @drive; return TOOL_OK, or TOOL_FAILED after a
 * message.
 */
int log_open(struct log_cursor *cursor, const struct drive *drive,
	     const struct zbd_zone *zone);

void log_close(struct log_cursor *cursor);

/* Next entry; false at the end of what was written. */
bool log_next(struct log_cursor *cursor, struct log_entry *entry);

/* The entry at @pos; false beyond what was written. */
bool log_at(struct log_cursor *cursor, u64 pos, struct log_entry *entry);

#endif /* LOG_H */
