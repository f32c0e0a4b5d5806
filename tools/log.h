/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the log zones of a member; see raizn/core/log_walk.h.
 */
#ifndef LOG_H
#define LOG_H

#include "../raizn/core/log_walk.h"
#include "drive.h"

#define LOG_NO_BAD_BLOCK	UINT64_MAX

/**
 * struct log_cursor - a position in a log zone of a drive
 * @walk:	the position
 * @drive:	the member
 * @start:	of the zone (bytes)
 * @to_unreadable: read up to the block that the drive cannot read, in any number of reads
 * @unreadable: a read has met a sector that the drive cannot read
 * @bad:	with @to_unreadable: the last block that the drive could not read (bytes from the
 *		start of the zone), or LOG_NO_BAD_BLOCK
 * @bad_error:	errno of that read
 */
struct log_cursor {
	struct raizn_log_walk walk;
	const struct drive *drive;
	u64 start;
	bool to_unreadable;
	bool unreadable;
	u64 bad;
	int bad_error;
};

/* The error of a read, for people; @error is an errno. */
const char *log_error_text(int error);

/* Begin to read @zone of @drive; return TOOL_OK, or TOOL_FAILED after a
 * message.
 */
int log_open(struct log_cursor *cursor, const struct drive *drive,
	     const struct zbd_zone *zone);

void log_close(struct log_cursor *cursor);

/* Next entry; false at the end of the written data. */
bool log_next(struct log_cursor *cursor, struct raizn_log_entry *entry);

/* The entry at @pos; false beyond the written data. */
bool log_at(struct log_cursor *cursor, u64 pos, struct raizn_log_entry *entry);

#endif /* LOG_H */
