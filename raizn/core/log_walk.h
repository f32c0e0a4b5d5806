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

/*
 * A reader gives a log zone up after so many unreadable blocks: each may take a drive seconds.  Of
 * a drive with logical blocks of 512 bytes, two physical blocks have as many.
 */
#define RAIZN_LOG_UNREADABLE_MAX	16U

/**
 * struct raizn_log_sight - sum of the readable records of a log zone
 * @role:	enum raizn_log_role; 0: unknown
 * @epoch:	of the log zone
 * @begin:	sequence number of its first superblock; 0: that cannot be read
 * @unreadable:	blocks that the drive cannot read
 * @torn:	other blocks without a sound record of the log zone
 * @complete:	general log: its checkpoint is complete
 * @newest_known: general log: the newest superblock that can be read is its newest one
 * @top:	highest sequence number of its records that can be read
 */
struct raizn_log_sight {
	u8 role;
	u64 epoch;
	u64 begin;
	u32 unreadable;
	u32 torn;
	bool complete;
	bool newest_known;
	u64 top;
};

/**
 * raizn_log_sight_init() - begin to read a log zone
 * @sight:	set
 * @role:	see struct raizn_log_sight
 * @epoch:	see struct raizn_log_sight
 * @begin:	see struct raizn_log_sight
 */
void raizn_log_sight_init(struct raizn_log_sight *sight, u8 role, u64 epoch, u64 begin);

/**
 * raizn_log_sight_add() - add the next entry of a walk
 * @sight:	sum so far
 * @entry:	the entry, in the order of positions
 * @rec:	its record, if that is of the log zone and fits the array, else NULL
 *
 * Records that a CHECKPOINT vouches for were flushed before it, so if one of them can be read
 * and is not sound, it is damaged, and the checkpoint does not count.  Beside blocks that
 * cannot be read the remains of their records are not sound, so there the CHECKPOINT counts,
 * and so does any record that follows only a CHECKPOINT.  Superblocks are written one after
 * the other: one behind all unreadable blocks is newer than all superblocks in these.
 */
void raizn_log_sight_add(struct raizn_log_sight *sight, const struct raizn_log_entry *entry,
			 const struct raizn_record *rec);

/**
 * struct raizn_log_sum - general log of a member, of which a part may be unreadable
 * @base:	log zone that counts, by index; -1: none
 * @partial:	blocks of the log cannot be read: it does not tell the states of zones
 * @hidden:	a superblock may be among these that is newer than those that can be read
 * @top:	highest sequence number that can be read
 */
struct raizn_log_sum {
	int base;
	bool partial;
	bool hidden;
	u64 top;
};

/**
 * raizn_log_sum_up() - find the log zone that counts, and the certainty of that
 * @sights:	log zones of a member; those with one written block at most are without a role,
 *		and without unreadable blocks, if that block cannot be read, and so are read-only
 *		ones that do not tell their role
 * @nr:		number of them
 * @sum:	set
 *
 * A log zone of unknown role may be the newest one of the general log, and so may one with a
 * higher epoch than @sum->base that cannot be read to its CHECKPOINT.
 */
void raizn_log_sum_up(const struct raizn_log_sight *sights, u32 nr, struct raizn_log_sum *sum);

#endif /* RAIZN_LOG_WALK_H */
