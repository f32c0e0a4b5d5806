/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parity_check - reads an array's members behind its back
 *
 * Takes the numbers of the array from the members' superblocks and everything
 * else from the description of the format: where data and parity lie, how
 * parity is computed, what partial-parity records hold.  Nothing of the
 * module's own code for this is used, so that a mistake there is not repeated
 * here.
 *
 *  - Every complete stripe of every zone: do parity and data agree?
 *  - The incomplete stripe at the end of a zone: is its data the beginning of
 *    the stripe, and is there a partial-parity record for every row that would
 *    give back what any one member holds of it?
 *  - With --volume: do the volume's zone reports and data agree with what the
 *    members hold?
 *  - With --degraded: a member may be missing.  What it would hold is computed
 *    from parity and partial parity, and compared with the volume like the rest.
 *
 *	main.c		options, and the order of things
 *	device.c	reading devices; telling of mistakes
 *	metadata.c	superblocks, partial parity and maps, from the members' logs
 *	spoilt.c	rows that are spoilt in place, and their data in the logs
 *	place.c		where data and parity lie
 *	stripe.c	complete stripes
 *	tail.c		the incomplete stripe at the end of a zone
 *	zone.c		one zone
 *
 * The array must be stopped, or idle with everything flushed.
 * All quantities are sectors (512 bytes) unless a name says otherwise.
 */
#ifndef PARITY_CHECK_H
#define PARITY_CHECK_H

#include <linux/blkzoned.h>

#include "../lib/common.h"
#include "codec.h"

#define CHUNK_BYTES	(1U << 20)	/* read of one member at a time */

/**
 * struct drive - one member
 * @path:	device
 * @fd:		open for direct reading; of a missing member: -1
 * @slot:	column it serves
 * @nr_zones:	all its zones
 * @zones:	report of all its zones
 * @buf:	CHUNK_BYTES
 */
struct drive {
	const char *path;
	int fd;
	u32 slot;
	u32 nr_zones;
	struct blk_zone *zones;
	u8 *buf;
};

/**
 * struct partial - a partial-parity record
 * @seq:	of the record
 * @zone:	it is for
 * @generation:	of that zone
 * @slot:	member that has it
 * @rec:	followed by its payload
 */
struct partial {
	u64 seq;
	u32 zone;
	u64 generation;
	u32 slot;
	const struct raizn_record *rec;
};

/**
 * struct settings - what the command line asks for
 * @volume:	running volume to compare with the members, or NULL
 * @volume_fd:	open for direct reading, or -1
 * @no_tails:	ask for no partial parity
 * @degraded:	a member may be missing
 * @min_stripes: fewer complete stripes are a failure
 */
struct settings {
	const char *volume;
	int volume_fd;
	bool no_tails;
	bool degraded;
	u64 min_stripes;
};

/**
 * struct array - what the superblocks say, and what follows from it
 * @uuid:	of the array
 * @sb_seq:	of the newest superblock
 * @nr_members:	columns
 * @nr_parity:	of which parity in each stripe
 * @nr_data:	and data
 * @su:		stripe unit
 * @first_zone:	of the reserved ones of a member
 * @nr_reserved: zones of a member before those of data
 * @nr_zones:	zones of the volume
 * @member_cap:	usable capacity of a member's zone
 * @stripe:	data of a stripe
 * @zone_cap:	capacity of a zone of the volume
 * @zone_size:	its size
 * @lost_member: slot of the missing member, or -1
 * @lost:	missing column of the zone of now, or -1
 */
struct array {
	u8 uuid[RAIZN_UUID_SIZE];
	u64 sb_seq;
	u32 nr_members;
	u32 nr_parity;
	u32 nr_data;
	u32 su;
	u32 first_zone;
	u32 nr_reserved;
	u32 nr_zones;
	u64 member_cap;
	u64 stripe;
	u64 zone_cap;
	u64 zone_size;
	int lost_member;
	int lost;
};

/**
 * struct tally - what was looked at, and found
 * @errors:	mistakes
 * @stripes:	complete stripes
 * @tails:	incomplete ones
 * @rows:	rows of partial parity
 * @zones:	with data
 * @volume_bytes: compared with the volume
 * @columns_moved: that are not at home
 * @columns_nowhere: that have no member zone
 * @spoilt:	looks at columns that end in rows that are spoilt in place
 * @relocated:	rows that were read from logs instead
 */
struct tally {
	u64 errors;
	u64 stripes;
	u64 tails;
	u64 rows;
	u64 zones;
	u64 volume_bytes;
	u64 columns_moved;
	u64 columns_nowhere;
	u64 spoilt;
	u64 relocated;
};

extern struct settings set;
extern struct array array;
extern struct tally tally;
extern struct drive drives[RAIZN_MAX_MEMBERS];		/* as given */
extern u32 nr_drives;
extern struct drive *column[RAIZN_MAX_MEMBERS];		/* of the zone of now, by column */
extern struct partial *partials;			/* newest first */
extern size_t nr_partials;

/* device.c */
void wrong(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
void die(const char *format, ...)
	__attribute__((format(printf, 1, 2), noreturn));
void *pages(size_t bytes);
void read_sectors(int fd, const char *path, void *buf, u64 sector, u64 nr);
struct blk_zone *report(int fd, const char *path, u32 *nr);
u64 written(const struct blk_zone *zone);

/* metadata.c */
u32 member_zone(u32 col, u32 zone);
u32 slot_of(u32 col, u32 zone);
void enter_zone(u32 zone);
int lost_in_zone(u32 zone);
void read_metadata(void);

/* spoilt.c */
void take_spoilt(const struct raizn_record *rec);
void take_relocated(const struct raizn_record *rec);
void sort_relocated(void);
u64 end_of_column(u32 col, u32 zone, u64 written);
void read_relocated(u32 col, u32 zone, u8 *buf, u64 sector, u64 nr);

/* place.c */
u32 parity_at(u32 zone, u64 s);
u32 data_at(u32 zone, u64 s, u32 pos);
const struct blk_zone *data_zone(u32 col, u32 zone);
bool is_lost(u32 col);
u64 extent(u32 col, u32 zone);
bool is_finished(u32 zone);
u64 extent_at(u32 col, u32 zone, u64 wp);
void read_column(u32 col, u32 zone, void *buf, u64 sector, u64 nr);

/* stripe.c */
void xor_into(u8 *to, const u8 *from, size_t bytes);
void decode_unit(u64 offset);
void check_stripe(u32 zone, u64 s, u64 offset);
void check_copies(u32 zone, u64 s, u64 offset, u64 rows);
void compare_volume(u32 zone, u64 first, u64 nr, u64 limit, u64 wp);

/* tail.c */
u64 tail_end(u32 zone, u64 s);
void check_tail(u32 zone, u64 s, u64 wp);

/* zone.c */
void check_zone(u32 zone, const struct blk_zone *v);

#endif /* PARITY_CHECK_H */
