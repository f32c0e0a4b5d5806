/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walking through the records of a log zone: the one reader of logs, for the module and for
 * tools.  Everything that is read is hostile.
 *
 * A power cut may leave a record that is written in part, with sound records behind it,
 * because several appends were under way.  Its blocks are stepped over, up to the next sound
 * record: see raizn_record_step().
 */
#ifndef RAIZN_LOG_WALK_H
#define RAIZN_LOG_WALK_H

#include "codec.h"

/**
 * struct raizn_log_walk - a position in a log zone
 * @read:	reads at least a block and at most @bytes from @pos of the zone into walk->buf;
 *		returns the number of bytes, a multiple of a block, or -errno
 * @private:	for @read
 * @end:	bytes written in the zone
 * @block:	bytes of a logical block of the drive
 * @pos:	bytes from the start of the zone to the next block to examine
 * @buf:	buffer of @size bytes
 * @size:	RAIZN_RECORD_MAX at least, a multiple of @block
 * @buf_pos:	@buf holds @buf_len bytes from here on
 * @buf_len:	see @buf_pos
 * @known:	the four fields below are known; if not, the first record supplies them
 * @uuid:	array that the log belongs to
 * @epoch:	of the log zone
 * @member:	slot of the member that the log belongs to
 * @role:	enum raizn_log_role
 */
struct raizn_log_walk {
	int (*read)(struct raizn_log_walk *walk, u64 pos, u32 bytes);
	void *private;
	u64 end;
	u32 block;
	u64 pos;
	void *buf;
	u32 size;
	u64 buf_pos;
	u32 buf_len;
	bool known;
	u8 uuid[RAIZN_UUID_SIZE];
	u64 epoch;
	u16 member;
	u8 role;
};

/**
 * struct raizn_log_entry - a sound record of a log zone, or a gap
 * @pos:	bytes from the start of the zone
 * @bytes:	bytes of the record or gap
 * @error:	-errno if it could not be read, else 0
 * @verdict:	result of raizn_record_verify()
 * @version:	format version of a record of an unknown version, else 0
 * @unknown:	the part of a record written by newer code that is not known, in English;
 *		else empty
 * @rec:	sound record with its payload, valid until the next call; else NULL
 */
struct raizn_log_entry {
	u64 pos;
	u32 bytes;
	int error;
	enum raizn_record_verdict verdict;
	u16 version;
	char unknown[64];
	const struct raizn_record *rec;
};

/**
 * raizn_log_walk_is_of() - was a block, sound or not, written to this log zone?
 * @walk:	position in the log zone
 * @rec:	the block
 *
 * Return: true if it was, or if nothing is known of the zone.
 */
bool raizn_log_walk_is_of(const struct raizn_log_walk *walk,
			  const struct raizn_record *rec);

/**
 * raizn_log_walk_next() - examine the record at the position, and step behind it
 * @walk:	position in a log zone
 * @entry:	to fill
 *
 * The fields of a sound record need not fit the array: see raizn_record_fits().
 *
 * Context: that of walk->read.  Return: false at the end of the written data.
 */
bool raizn_log_walk_next(struct raizn_log_walk *walk, struct raizn_log_entry *entry);

#endif /* RAIZN_LOG_WALK_H */
