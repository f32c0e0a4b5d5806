// SPDX-License-Identifier: GPL-2.0
/*
 * Making drives members of a new array.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "../raizn/core/codec.h"
#include "erase.h"
#include "format.h"
#include "tool.h"

/* The general log of a new member: two records, sequence numbers and places. */
#define SUPERBLOCK_SEQ	1
#define CHECKPOINT_SEQ	2
#define FIRST_EPOCH	1
#define FIRST_EVENT	1

/**
 * struct formatting - what is used while drives are formatted
 * @array:	what to make
 * @uuid:	array UUID
 * @members:	member UUIDs by slot
 * @created:	seconds since 1970
 * @fds:	drives by slot, open for writing
 * @rec:	block-aligned record
 * @progress:	of erasing
 */
struct formatting {
	const struct new_array *array;
	uuid_t uuid;
	uuid_t members[RAIZN_MAX_MEMBERS];
	u64 created;
	int fds[RAIZN_MAX_MEMBERS];
	struct raizn_record *rec;
	struct progress progress;
};

static int erase_drive(struct formatting *formatting, u32 slot,
		       const struct candidate *candidate)
{
	const struct drive *drive = &candidate->member.drive;
	int fd;

	fd = drive_open_zones(drive, O_RDWR);
	if (fd < 0)
		return fail(TOOL_FAILED, "%s: cannot be opened for writing: %m",
			    drive->path);
	formatting->fds[slot] = fd;
	return candidate_erase(candidate, fd, &formatting->progress);
}

static int erase_drives(struct formatting *formatting,
			const struct candidate *candidates)
{
	const struct new_array *array = formatting->array;
	u32 nr = array->geo.nr_members, i;
	struct amount amount = { .unit = AMOUNT_ZONES };
	int ret = TOOL_OK;

	for (i = 0; i < nr; i++)
		amount.total += candidate_written_zones(&candidates[i]);
	progress_begin(&formatting->progress, amount, "%s: erasing %u drives",
		       array->name, nr);
	progress_on_signal("%s: interrupted: no array was made, and a part of the drives' contents is destroyed",
			   array->name);
	for (i = 0; i < nr && !ret; i++)
		ret = erase_drive(formatting, i, &candidates[i]);
	progress_end(&formatting->progress);
	return ret;
}

static void fill_superblock(struct raizn_superblock *sb,
			    const struct formatting *formatting, u32 slot)
{
	const struct new_array *array = formatting->array;
	const struct raizn_geometry *geo = &array->geo;
	u32 flags = RAIZN_SB_CLEAN, i;

	if (array->write_through)
		flags |= RAIZN_SB_WRITE_THROUGH;
	if (array->trust_buffers)
		flags |= RAIZN_SB_TRUST_BUFFERS;
	memcpy(sb->member_uuid, formatting->members[slot], RAIZN_UUID_SIZE);
	memcpy(sb->name, array->name, sizeof(sb->name));
	memcpy(sb->label, array->label, sizeof(sb->label));
	sb->event = cpu_to_le64(FIRST_EVENT);
	sb->flags = cpu_to_le32(flags);
	sb->nr_members = geo->nr_members;
	sb->nr_parity = geo->nr_parity;
	sb->level = geo->level;
	sb->stripe_unit = cpu_to_le32(geo->su);
	sb->block_size = cpu_to_le32(geo->block << 9);
	sb->first_zone = cpu_to_le32(geo->first_zone);
	sb->nr_reserved = cpu_to_le32(geo->nr_reserved);
	sb->nr_zones = cpu_to_le32(geo->nr_zones);
	sb->zone_size = cpu_to_le64(geo->member_zone_size);
	sb->zone_capacity = cpu_to_le64(array->capacity);
	sb->created = cpu_to_le64(formatting->created);
	for (i = 0; i < geo->nr_members; i++) {
		memcpy(sb->members[i].uuid, formatting->members[i],
		       RAIZN_UUID_SIZE);
		sb->members[i].state = RAIZN_MEMBER_ACTIVE;
		sb->members[i].event = cpu_to_le64(FIRST_EVENT);
	}
}

/* Write the record at its place in the first reserved zone, durably. */
static int write_record(struct formatting *formatting, u32 slot, u64 seq,
			const char *path)
{
	u64 place = (raizn_reserved_zone_start(&formatting->array->geo, 0) << 9) +
		    (seq - SUPERBLOCK_SEQ) * RAIZN_BLOCK_SIZE;
	int fd = formatting->fds[slot];

	raizn_record_seal(formatting->rec, seq, FIRST_EPOCH, slot,
			  RAIZN_LOG_GENERAL);
	if (pwrite(fd, formatting->rec, RAIZN_BLOCK_SIZE, place) !=
	    RAIZN_BLOCK_SIZE || fsync(fd))
		return fail(TOOL_FAILED,
			    "%s: the superblock cannot be written: %m; see the kernel log",
			    path);
	return TOOL_OK;
}

static int write_superblock(struct formatting *formatting, u32 slot,
			    const char *path)
{
	raizn_record_init(formatting->rec, RAIZN_REC_SUPERBLOCK,
			  formatting->uuid, 0);
	fill_superblock(raizn_record_sb(formatting->rec), formatting, slot);
	return write_record(formatting, slot, SUPERBLOCK_SEQ, path);
}

static int write_checkpoint(struct formatting *formatting, u32 slot,
			    const char *path)
{
	raizn_record_init(formatting->rec, RAIZN_REC_CHECKPOINT,
			  formatting->uuid, 0);
	formatting->rec->start = cpu_to_le64(SUPERBLOCK_SEQ);
	return write_record(formatting, slot, CHECKPOINT_SEQ, path);
}

static int format_members(struct formatting *formatting,
			  const struct candidate *candidates)
{
	u32 nr = formatting->array->geo.nr_members, i;
	int ret;

	ret = erase_drives(formatting, candidates);
	for (i = 0; i < nr && !ret; i++)
		ret = write_superblock(formatting, i,
				       candidates[i].member.drive.path);
	for (i = 0; i < nr && !ret; i++)
		ret = write_checkpoint(formatting, i,
				       candidates[i].member.drive.path);
	return ret;
}

int format_array(const struct new_array *array,
		 const struct candidate *candidates)
{
	struct formatting formatting = { .array = array };
	u32 i;
	int ret;

	formatting.rec = alloc_block_buffer(RAIZN_BLOCK_SIZE);
	if (!formatting.rec)
		return TOOL_FAILED;
	formatting.created = time(NULL);
	uuid_generate(formatting.uuid);
	for (i = 0; i < array->geo.nr_members; i++) {
		uuid_generate(formatting.members[i]);
		formatting.fds[i] = -1;
	}
	ret = format_members(&formatting, candidates);
	for (i = 0; i < array->geo.nr_members; i++)
		if (formatting.fds[i] >= 0) {
			zbd_close(formatting.fds[i]);
			drive_tell_udev(&candidates[i].member.drive);
		}
	free(formatting.rec);
	return ret;
}
