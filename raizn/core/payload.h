/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-raizn on-disk format: payloads of the records of a general log, see format.h.
 */
#ifndef RAIZN_PAYLOAD_H
#define RAIZN_PAYLOAD_H

#include "portable.h"
#include "format.h"

/* raizn_zone_entry.flags */
#define RAIZN_ZONE_RESETTING	BIT(0)	/* reset intent logged, not done */
#define RAIZN_ZONE_FINISHED	BIT(1)	/* finished early, at @wp */
#define RAIZN_ZONE_TRUNCATED	BIT(2)	/* recovered without some member: its column
					 * of the zone may be of the past
					 */
#define RAIZN_ZONE_UNLOGGED	BIT(3)	/* a start found more lost than parity makes
					 * up for, and began new logs: the zone's
					 * partial parity is gone; or may be, until
					 * this start's logs count
					 */

/**
 * struct raizn_zone_entry - one logical zone in a ZONE_TABLE payload
 * @generation:	resets of the zone so far
 * @wp:		write pointer (sectors in the zone) of a zone finished early
 * @flags:	RAIZN_ZONE_*
 */
struct raizn_zone_entry {
/*   0 */	__le64	generation;
/*   8 */	__le32	wp;
/*  12 */	__le32	flags;
} __packed;

static_assert(sizeof(struct raizn_zone_entry) == 16, "zone entry layout");

/* Zone table entries one record can carry. */
#define RAIZN_ZONE_TABLE_MAX \
	((RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) / (u32)sizeof(struct raizn_zone_entry))

/**
 * struct raizn_map_entry - one column that is not at home, or is marked, in a ZONE_MAP payload
 * @zone:	logical zone
 * @column:	column of @zone
 * @flags:	RAIZN_MAP_WHOLE, or 0
 * @physical:	member zone that holds the column, counted from the first reserved zone, or
 *		RAIZN_NOWHERE
 * @distance:	the column belongs to the member in slot (@column + @distance) % W, also while
 *		it is nowhere; below W.  0 in arrays without RAIZN_INCOMPAT_DISTANCE
 * @reserved1:	zero
 *
 * The entries of one version may be spread over several records of a checkpoint;
 * a record that changes the map holds the one entry that changed.
 */
struct raizn_map_entry {
/*   0 */	__le32	zone;
/*   4 */	__le16	column;
/*   6 */	__le16	flags;
/*   8 */	__le32	physical;
/*  12 */	__le16	distance;
/*  14 */	__le16	reserved1;
} __packed;

static_assert(sizeof(struct raizn_map_entry) == 16, "map entry layout");
static_assert(offsetof(struct raizn_map_entry, distance) == 12, "map entry layout");

/* In place of a member zone: the column is in none of its member, it is lost. */
#define RAIZN_NOWHERE	0xffffffffU

/* raizn_map_entry.flags.  A column of a member that is being rebuilt counts only if it is marked.
 * Modules that do not know the mark ignore it, and take all columns of such a member for missing.
 */
#define RAIZN_MAP_WHOLE	BIT(0)

/* Zone map entries one record can carry. */
#define RAIZN_ZONE_MAP_MAX \
	((RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) / (u32)sizeof(struct raizn_map_entry))

/* raizn_bad_entry.flags */
#define RAIZN_BAD_PLACEHOLDER	BIT(0)	/* the member holds a placeholder instead of data */

/**
 * struct raizn_bad_entry - rows of a column that are lost, in a BAD_BLOCKS payload
 * @zone:	logical zone
 * @physical:	member zone that held the column when the entry was made, counted from the
 *		first reserved zone.  The entry is void when the column is in another zone
 * @generation:	generation of @zone.  The entry is void in another one
 * @sector:	first row (sectors in the column)
 * @nr:		rows (sectors), within one stripe unit
 * @column:	column of @zone
 * @flags:	RAIZN_BAD_PLACEHOLDER, or 0: the drive could not read the rows
 * @reserved:	zero
 *
 * A rebuild writes a placeholder where too few other columns could be read.  An entry for each
 * of these columns shows which data is lost with it.
 *
 * A record holds the whole list, which replaces lists of older versions.
 */
struct raizn_bad_entry {
/*   0 */	__le32	zone;
/*   4 */	__le32	physical;
/*   8 */	__le64	generation;
/*  16 */	__le32	sector;
/*  20 */	__le32	nr;
/*  24 */	__le16	column;
/*  26 */	__le16	flags;
/*  28 */	__le32	reserved;
} __packed;

static_assert(sizeof(struct raizn_bad_entry) == 32, "bad block entry layout");

/* Entries of the list; those behind the first RAIZN_BAD_BLOCKS_NEW are for columns that move,
 * which are in the list twice for a moment.
 */
#define RAIZN_BAD_BLOCKS_MAX	1024U
#define RAIZN_BAD_BLOCKS_NEW	512U

/**
 * struct raizn_spoilt_entry - rows of a column that hold no data in place, in a SPOILT payload
 * @zone:	logical zone
 * @physical:	member zone that holds the column, counted from the first reserved zone.  The
 *		entry is void when the column is in another zone
 * @generation:	generation of @zone.  The entry is void in another one
 * @from:	first row (sectors in the column)
 * @end:	row behind the last one, at the end of a stripe unit
 * @column:	column of @zone
 * @reserved:	zero
 *
 * The rows hold debris, and padding behind it.  Their data is in RELOCATED records of the column's
 * member.  Entries of a column neither overlap nor touch.
 *
 * A record holds the whole list, which replaces lists of older versions.
 */
struct raizn_spoilt_entry {
/*   0 */	__le32	zone;
/*   4 */	__le32	physical;
/*   8 */	__le64	generation;
/*  16 */	__le32	from;
/*  20 */	__le32	end;
/*  24 */	__le16	column;
/*  26 */	__u8	reserved[6];
} __packed;

static_assert(sizeof(struct raizn_spoilt_entry) == 32, "spoilt entry layout");

/* Entries of the list. */
#define RAIZN_SPOILT_MAX	1024U

/* Rows (sectors) of all entries: their data is kept in memory. */
#define RAIZN_SPOILT_ROWS	131072U

#endif /* RAIZN_PAYLOAD_H */
