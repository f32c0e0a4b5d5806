/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of the members as found by assembly.
 *
 *   probe.c     one drive: zones, superblock
 *   log_read.c  one drive's logs: which zones count, replay of their records
 *   assemble.c  all drives: which members are trusted, the array in memory
 *   examine.c   all zones: work that a power cut left
 */
#ifndef RAIZN_ASSEMBLE_H
#define RAIZN_ASSEMBLE_H

#include "core/log_walk.h"
#include "start/start.h"

/**
 * struct raizn_log_info - contents of a log zone
 * @role:	enum raizn_log_role; 0: no sound superblock at its start
 * @epoch:	its epoch
 * @start:	number of the start that opened it
 * @unidentified: has data behind a first block that cannot be read or is damaged: may be a
 *		partial-parity log with newer records than that of another zone
 * @maybe_empty: the only block cannot be read or is damaged: may be a partial-parity log without
 *		records
 */
struct raizn_log_info {
	u8 role;
	u64 epoch;
	u64 start;
	bool unidentified;
	bool maybe_empty;
};

enum raizn_note_level {
	RAIZN_NOTE_ERROR,
	RAIZN_NOTE_WARNING,
	RAIZN_NOTE_INFO,
};

struct note;

/**
 * struct raizn_probe - contents of one drive
 * @bdev:	the drive
 * @nr_zones:	zones with the full capacity, from zone 0
 * @first_zone:	first sequential zone
 * @capacity:	sectors of a sequential zone
 * @short_zone:	the last zone seen has a smaller capacity
 * @extents:	sectors written, by zone; the capacity for full zones
 * @conds:	BLK_ZONE_COND_*, by zone
 * @bad:	static text: reason to refuse the drive, or NULL
 * @may_be_blank: accept a drive without superblock
 * @sb:		a superblock record, header and body: the newest of the log zones' first
 *		blocks, after a replay the newest of the general log
 * @slot:	slot of the member
 * @trusted:	contents of the drive count
 * @partial:	its drive cannot read all of its general log: the log does not tell the states
 *		of zones
 * @hidden:	a superblock that is newer than @sb may be in a part that cannot be read
 * @logs:	its log zones
 * @sights:	their readable records, summed up
 * @zones:	states of the zones by its general log
 * @map:	zone map by its general log
 * @bad_blocks:	list of lost blocks by its general log, or NULL
 * @spoilt:	list of spoilt rows by its general log, or NULL
 * @seq:	highest sequence number seen
 * @top:	highest sequence number in its general log
 * @begin:	that of the superblock that begins the log zone that counts; 0: cannot be read
 * @done:	that of the last reset that its general log calls done
 * @torn:	sectors of log zones that hold no sound record
 * @failures:	commands of this start that failed and were repeated
 * @notes:	lines for the kernel log
 * @last_note:	the last of them, or NULL
 * @error:	static text for ti->error after an error of raizn_probe_device()
 * @work:	reads the drive beside others, see side_by_side()
 * @arr:	array that the drive is read for
 * @read:	for @work
 * @err:	its result: 0 or -errno
 */
struct raizn_probe {
	struct block_device *bdev;
	u32 nr_zones;
	u32 first_zone;
	u32 capacity;
	bool short_zone;
	u32 *extents;
	u8 *conds;
	const char *bad;
	bool may_be_blank;
	struct raizn_record *sb;
	u16 slot;
	bool trusted;
	bool partial;
	bool hidden;
	struct raizn_log_info logs[RAIZN_NR_LOG_ZONES];
	struct raizn_log_sight sights[RAIZN_NR_LOG_ZONES];
	struct raizn_zone_state *zones;
	struct raizn_zone_map map;
	struct raizn_bad_blocks *bad_blocks;
	struct raizn_spoilt_list *spoilt;
	u64 seq;
	u64 top;
	u64 begin;
	u64 done;
	u32 torn;
	u32 failures;
	struct note *notes;
	struct note *last_note;
	char *error;
	struct work_struct work;
	struct raizn_array *arr;
	int (*read)(struct raizn_array *arr, struct raizn_probe *p);
	int err;
};

/**
 * struct raizn_log_buffer - memory for large reads of logs
 * @rec:	physically contiguous
 * @bytes:	size, at least RAIZN_RECORD_MAX
 */
struct raizn_log_buffer {
	struct raizn_record *rec;
	u32 bytes;
};

static inline const struct raizn_superblock *
raizn_probe_sb(const struct raizn_probe *p)
{
	return raizn_record_sb_const(p->sb);
}

/* probe.c */
__printf(3, 4)
void raizn_probe_note(struct raizn_probe *p, enum raizn_note_level level,
		      const char *format, ...);
#define raizn_probe_error(p, ...)	raizn_probe_note(p, RAIZN_NOTE_ERROR, __VA_ARGS__)
#define raizn_probe_warn(p, ...)	raizn_probe_note(p, RAIZN_NOTE_WARNING, __VA_ARGS__)
#define raizn_probe_info(p, ...)	raizn_probe_note(p, RAIZN_NOTE_INFO, __VA_ARGS__)
void raizn_probe_tell(struct raizn_probe *p);
int raizn_probe_read(struct raizn_probe *p, sector_t sector, void *buf, u32 bytes);
int raizn_probe_device(struct raizn_probe *p);
void raizn_probe_free(struct raizn_probe *p);
int raizn_refuse_unknown(struct raizn_probe *p, u32 zone, const char *unknown);
bool raizn_probe_forbids_writing(const struct raizn_probe *p);

/* log_read.c */

/* Called for each record; @sector is its first sector on the drive. */
typedef int (*raizn_record_fn)(const struct raizn_record *rec, u64 sector,
			       void *data);

int raizn_log_buffer_alloc(struct raizn_log_buffer *buf);
int raizn_log_read_zone(struct raizn_array *arr, struct raizn_probe *p,
			u32 zone, const struct raizn_log_buffer *buf, raizn_record_fn fn,
			void *data);
int raizn_log_replay(struct raizn_array *arr, struct raizn_probe *p, struct raizn_member *m);

/* assemble.c */
int raizn_probe_fits(struct raizn_array *arr, struct raizn_probe *p);

/* examine.c */
int raizn_examine(struct raizn_array *arr, struct raizn_probe **by_slot);

#endif /* RAIZN_ASSEMBLE_H */
