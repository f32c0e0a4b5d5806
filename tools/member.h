/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A drive seen as a member of an array: what its metadata says, read only.
 */
#ifndef MEMBER_H
#define MEMBER_H

#include "../raizn/core/log_walk.h"
#include "drive.h"

/* Zones of a member that the array's metadata may keep active, and active
 * zones of an array whose members set no limit: as in the module.
 */
#define MD_ACTIVE_ZONES		5U
#define DEFAULT_ACTIVE_ZONES	128U

enum member_verdict {
	MEMBER_NONE,		/* no sign of an array */
	MEMBER_SOUND,		/* complete metadata, understood and consistent */
	MEMBER_UNFINISHED,	/* its creation was interrupted */
	MEMBER_UNSUPPORTED,	/* of an array that newer code has written */
	MEMBER_DAMAGED,		/* was a member, but cannot be trusted */
};

/**
 * struct log_zone - one of the reserved zones that hold logs
 * @zone:	from the zone report
 * @verdict:	of its first block, if it was written
 * @version:	format version of that, if @verdict is RAIZN_RECORD_BAD_VERSION
 * @role:	enum raizn_log_role, 0 if it holds no log
 * @array_uuid, @member_uuid: whose log it is
 * @epoch:	epoch of the log
 * @seq:	sequence number of the superblock it begins with
 * @start:	start of the array it belongs to
 * @era:	era of the generations it tells of
 * @slot:	slot of the member whose log it is
 * @unreadable:	the drive cannot read its first block
 * @complete:	general log: has the CHECKPOINT that makes it count
 * @sight:	general log: its readable records, summed up
 */
struct log_zone {
	struct zbd_zone zone;
	enum raizn_record_verdict verdict;
	u16 version;
	u8 role;
	u8 array_uuid[RAIZN_UUID_SIZE];
	u8 member_uuid[RAIZN_UUID_SIZE];
	u64 epoch;
	u64 seq;
	u64 start;
	u64 era;
	u16 slot;
	bool unreadable;
	bool complete;
	struct raizn_log_sight sight;
};

/**
 * struct member - a drive and its metadata
 * @drive:	the drive, open
 * @verdict:	see enum member_verdict
 * @why:	why it is unsupported or damaged
 * @first_zone:	first sequential zone
 * @logs:	the log zones
 * @has_sb:	@sb, @name, @label are valid
 * @sb:		newest superblock record of the general log that counts
 * @name, @label: from @sb, fit to print
 * @brief:	only the first blocks of the log zones were read: @sb may be older than the newest,
 *		and the logs are taken for complete
 * @partial:	the drive cannot read all of its general log: the log does not tell the states
 *		of zones
 * @hidden:	a superblock that is newer than @sb may be in that part
 * @top:	highest sequence number of the general log
 * @slot:	slot number, if sound or unfinished
 * @geo:	geometry, if sound or unfinished
 */
struct member {
	struct drive drive;
	enum member_verdict verdict;
	char why[200];
	u32 first_zone;
	struct log_zone logs[RAIZN_NR_LOG_ZONES];
	bool has_sb;
	struct raizn_record sb;
	char name[RAIZN_NAME_SIZE];
	char label[RAIZN_NAME_SIZE];
	bool brief;
	bool partial;
	bool hidden;
	u64 top;
	u32 slot;
	struct raizn_geometry geo;
};

/**
 * member_open() - open a drive and read what it says about an array
 * @member:	to fill
 * @path:	device node
 *
 * Return: TOOL_OK, or an exit code after a message if the drive could not be
 * read.  Whether it is a member is in @member->verdict.
 */
int member_open(struct member *member, const char *path);

/**
 * member_open_briefly() - open a drive and read the superblocks that its log zones begin with
 * @member:	to fill
 * @path:	device node
 *
 * For drives of a running array, which knows the rest.
 *
 * Return: as member_open().
 */
int member_open_briefly(struct member *member, const char *path);

void member_close(struct member *member);

/**
 * member_identify() - which array a drive belongs to, from a few blocks
 * @drive:	host-managed, open
 * @sb:		filled: the newest superblock that a log zone begins with
 *
 * Whether the drive is sound, and what changed since that was written, is for
 * member_open() to say.
 *
 * Return: the format version of its metadata; 0 if it has none.  @sb holds a superblock
 * only if that is RAIZN_FORMAT_VERSION.
 */
u16 member_identify(const struct drive *drive, struct raizn_record *sb);

/**
 * member_zones() - zones of a member that logs and columns can be in
 * @member:	sound or unfinished
 * @zones:	report of all zones of its drive
 *
 * Return: zones, counted from the first reserved one.
 */
u32 member_zones(const struct member *member, const struct zbd_zone *zones);

static inline const struct raizn_superblock *
member_sb(const struct member *member)
{
	return raizn_record_sb_const(&member->sb);
}

/* No array can use the drive, though it was a member of one. */
static inline bool member_is_unusable(const struct member *member)
{
	return member->verdict == MEMBER_DAMAGED ||
	       member->verdict == MEMBER_UNSUPPORTED;
}

static inline u64 member_event(const struct member *member)
{
	return le64_to_cpu(member_sb(member)->event);
}

static inline bool member_is_of(const struct member *member, const u8 *uuid)
{
	return member->has_sb &&
	       !memcmp(member->sb.array_uuid, uuid, RAIZN_UUID_SIZE);
}

#endif /* MEMBER_H */
