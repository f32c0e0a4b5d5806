/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dm-raizn on-disk format.  docs/format.md explains every byte.
 *
 * A member is a host-managed zoned drive.  Its conventional zones, if any, are
 * stepped over.  The first sequential zones are reserved:
 *
 *   reserved zone 0..4   log zones: general log, partial-parity log and three
 *                        empty zones that the logs switch to; the first record of
 *                        a zone, not its place, gives its role
 *   reserved zone 5..    spare zones (for zones that move; empty at first)
 *
 * The zones behind them hold data: column c of logical zone z is in data zone z of the member
 * in slot c, unless a zone map record says otherwise.  Zones behind these are spare zones, too:
 * the surplus of a drive that has more zones than the array needs.
 *
 * All metadata consists of records: a 4096-byte header block and a payload of
 * whole 4096-byte blocks, written by one zone append each.  The first record
 * of every log zone is a superblock, so a probe reads one block a zone.
 *
 * Numbers are little endian.  Sectors are 512 bytes.
 */
#ifndef RAIZN_FORMAT_H
#define RAIZN_FORMAT_H

#include "portable.h"

#define RAIZN_MAGIC		0x314e5a4941523a44ULL	/* "D:RAIZN1" on disk */
#define RAIZN_FORMAT_VERSION	1

#define RAIZN_BLOCK_SIZE	4096U
#define RAIZN_BLOCK_SECTORS	8U

/* Header and payload of one record together never exceed this (bytes). */
#define RAIZN_RECORD_MAX	65536U

#define RAIZN_MAX_MEMBERS	32U
#define RAIZN_MAX_PARITY	3U	/* copies of level 1; of other levels, and logged: */
#define RAIZN_MAX_LOGGED_PARITY	2U
#define RAIZN_NR_LOG_ZONES	5U
#define RAIZN_MIN_SPARE_ZONES	2U
#define RAIZN_UUID_SIZE		16U
#define RAIZN_NAME_SIZE		64U

/* Stripe unit bounds, sectors. */
#define RAIZN_MIN_SU		8U
#define RAIZN_MAX_SU		2048U

/* A record that concerns no particular logical zone carries this zone number; a reset
 * record with it concerns all zones.
 */
#define RAIZN_ZONE_ALL		0xffffffffU

/* When any zone's generation reaches this, the array turns read-only. */
#define RAIZN_GENERATION_MAX	0xffffffffffff0000ULL

/* A start takes over no counter that all members share from a member that has it above this
 * limit: the array would soon write records with numbers that no reader accepts.
 */
#define RAIZN_SHARED_COUNTER_MAX	(RAIZN_GENERATION_MAX / 2)

enum raizn_record_type {
	RAIZN_REC_SUPERBLOCK	 = 1,
	RAIZN_REC_CHECKPOINT	 = 2,
	RAIZN_REC_ZONE_TABLE	 = 3,
	RAIZN_REC_RESET		 = 4,
	RAIZN_REC_FINISH	 = 5,
	RAIZN_REC_PARTIAL_PARITY = 6,
	RAIZN_REC_ZONE_MAP	 = 8,
	RAIZN_REC_BAD_BLOCKS	 = 9,
	RAIZN_REC_SPOILT	 = 10,
	RAIZN_REC_RELOCATED	 = 11,
};

/* raizn_record.flags */
#define RAIZN_RESET_INTENT	BIT(0)	/* RESET: about to reset members' zones */
#define RAIZN_RESET_DONE	BIT(1)	/* RESET: they are reset */

enum raizn_log_role {
	RAIZN_LOG_GENERAL	 = 1,
	RAIZN_LOG_PARTIAL_PARITY = 2,
};

/**
 * struct raizn_record - header block of every record
 * @magic:	 RAIZN_MAGIC
 * @crc:	 CRC32C (seed ~0, not inverted) of header (this field 0) + payload
 * @version:	 RAIZN_FORMAT_VERSION
 * @type:	 enum raizn_record_type
 * @payload_len: bytes of payload behind the header, a multiple of 4096
 * @flags:	 by type; a record with a flag the reader does not know is refused
 * @array_uuid:	 the array this record belongs to
 * @seq:	 sequence number, ever increasing over the whole array's life
 * @epoch:	 epoch of the log zone the record was written to; grows by one
 *		 each time that log of that member moves to another zone
 * @member:	 slot number of the member the record was written to
 * @role:	 enum raizn_log_role of the log it was written to
 * @parity:	 PARTIAL_PARITY: which parity (0 = P, 1 = Q)
 * @reserved0:	 zero; readers ignore reserved bytes, a compatible extension may
 *		 use them
 * @generation:	 generation of @zone; RESET: the generation it ends
 * @zone:	 logical zone (first one, ZONE_TABLE), or RAIZN_ZONE_ALL
 * @nr_zones:	 ZONE_TABLE, ZONE_MAP, BAD_BLOCKS, SPOILT: entries in the payload
 * @start:	 PARTIAL_PARITY: first offset (sectors in the logical zone) with
 *		 parity rows that this record brings up to date;
 *		 FINISH: the write pointer (sectors in the logical zone);
 *		 CHECKPOINT: @seq of the superblock that began it;
 *		 ZONE_MAP: version of the map that the entries belong to;
 *		 BAD_BLOCKS, SPOILT: version of the list;
 *		 RELOCATED: first row (sectors in the column) in payload
 * @end:	 PARTIAL_PARITY: offset up to which data is covered (exclusive)
 * @row:	 PARTIAL_PARITY: first row (sectors in the stripe unit) in payload
 * @nr_rows:	 PARTIAL_PARITY: number of rows (sectors); rows wrap modulo the
 *		 stripe unit; row r holds the parity of all data at row r of the
 *		 stripe below @end;
 *		 RELOCATED: number of rows (sectors), within one stripe unit
 * @column:	 RELOCATED: column of @zone
 * @reserved1:	 zero
 * @body:	 by type (struct raizn_superblock)
 */
struct raizn_record {
/*   0 */	__le64	magic;
/*   8 */	__le32	crc;
/*  12 */	__le16	version;
/*  14 */	__le16	type;
/*  16 */	__le32	payload_len;
/*  20 */	__le32	flags;
/*  24 */	__u8	array_uuid[RAIZN_UUID_SIZE];
/*  40 */	__le64	seq;
/*  48 */	__le64	epoch;
/*  56 */	__le16	member;
/*  58 */	__u8	role;
/*  59 */	__u8	parity;
/*  60 */	__le32	reserved0;
/*  64 */	__le64	generation;
/*  72 */	__le32	zone;
/*  76 */	__le32	nr_zones;
/*  80 */	__le64	start;
/*  88 */	__le64	end;
/*  96 */	__le32	row;
/* 100 */	__le32	nr_rows;
/* 104 */	__le16	column;
/* 106 */	__u8	reserved1[22];
/* 128 */	__u8	body[RAIZN_BLOCK_SIZE - 128];
} __packed;

static_assert(sizeof(struct raizn_record) == RAIZN_BLOCK_SIZE, "record header is one block");
static_assert(offsetof(struct raizn_record, generation) == 64, "record layout");
static_assert(offsetof(struct raizn_record, body) == 128, "record layout");

enum raizn_member_state {
	RAIZN_MEMBER_ACTIVE	= 0,	/* holds all data that it should */
	RAIZN_MEMBER_FAILED	= 1,	/* neither trusted nor written */
	RAIZN_MEMBER_REBUILDING	= 2,	/* trusted zone by zone */
};

/**
 * struct raizn_member_entry - one slot of the member table
 * @uuid:	identity of the drive in this slot
 * @state:	enum raizn_member_state
 * @reserved:	zero
 * @event:	event count of the superblock that this one replaces, unless that superblock
 *		called the member failed; else event count of an older superblock
 */
struct raizn_member_entry {
/*   0 */	__u8	uuid[RAIZN_UUID_SIZE];
/*  16 */	__u8	state;
/*  17 */	__u8	reserved[7];
/*  24 */	__le64	event;
} __packed;

static_assert(sizeof(struct raizn_member_entry) == 32, "member entry layout");

/* raizn_superblock.flags */
#define RAIZN_SB_CLEAN		BIT(0)	/* stopped; nothing to recover */
#define RAIZN_SB_WRITE_THROUGH	BIT(1)	/* write_cache=through by default */
#define RAIZN_SB_SETTINGS	BIT(2)	/* the owner has set speed_*, error_limit */
#define RAIZN_SB_TRUST_BUFFERS	BIT(3)	/* data does not change while it is written */

/* raizn_superblock.autostart; any other number: when all members are there, or that many
 * seconds after the first member, without the missing ones
 */
#define RAIZN_AUTOSTART_COMPLETE	0U		/* when all members are there */
#define RAIZN_AUTOSTART_NO		0xffffffffU	/* only by the owner */

/* raizn_superblock.scrub */
#define RAIZN_SB_SCRUB		BIT(0)	/* a scrub is under way, or goes on at the next start */
#define RAIZN_SB_SCRUB_REPAIR	BIT(1)	/* the scrub rewrites wrong parity */
#define RAIZN_SB_SCRUB_PAUSED	BIT(2)

/* raizn_superblock.incompat: columns may be in surplus zones, behind the data zones */
#define RAIZN_INCOMPAT_SURPLUS		BIT(0)
/* zone map entries may have a distance: columns may be on members of other slots */
#define RAIZN_INCOMPAT_DISTANCE		BIT(1)
/* rows of columns may be spoilt in place, and relocated to logs */
#define RAIZN_INCOMPAT_RELOCATED	BIT(2)

/* Feature bits that this code knows.  Unknown compat bits are ignored, unknown ro-compat
 * bits allow reading only, unknown incompat bits refuse the array.
 */
#define RAIZN_COMPAT_SUPPORTED		0ULL
#define RAIZN_RO_COMPAT_SUPPORTED	0ULL
#define RAIZN_INCOMPAT_SUPPORTED	((u64)(RAIZN_INCOMPAT_SURPLUS | RAIZN_INCOMPAT_DISTANCE | \
					       RAIZN_INCOMPAT_RELOCATED))

/**
 * struct raizn_superblock - body of a SUPERBLOCK record (at byte 128 of it)
 * @compat:	  features a reader may ignore
 * @ro_compat:	  features a reader must know to write
 * @incompat:	  features a reader must know to read
 * @member_uuid:  identity of the member this copy was written to
 * @name:	  array name, NUL-padded: the mapped device is /dev/mapper/NAME
 * @label:	  free text of the owner, NUL-padded
 * @event:	  counts superblocks: starts, clean stops, changes of member states, of
 *		  settings, of the position of a scrub
 * @flags:	  RAIZN_SB_*
 * @nr_members:	  W, columns per logical zone
 * @nr_parity:	  P, parity units per stripe
 * @level:	  RAID level as the user named it: 0, 1, 5 or 6
 * @reserved0:	  zero, see struct raizn_record
 * @stripe_unit:  sectors
 * @block_size:	  logical block size of the members, bytes
 * @first_zone:	  number of the member's first sequential zone
 * @nr_reserved:  reserved zones (log zones + spare zones)
 * @nr_zones:	  logical zones of the array
 * @max_active:	  least number of active zones that the drive of a member allows, of all members
 *		  whether they are there or not; 0 if none limits them, or if not known yet
 * @zone_size:	  sectors per member zone
 * @zone_capacity: writable sectors per member zone
 * @created:	  seconds since 1970
 * @start:	  number of a start; in a general log: of the start with the partial-parity
 *		  logs that count, in a partial-parity log: of the start that opened the log
 * @era:		  event at which all generations restarted, 0 if they never did;
 *		  general logs of an older era are void
 * @speed_min:	  KiB a second and member, see RAIZN_SB_SETTINGS
 * @speed_max:	  see @speed_min
 * @error_limit:  errors after which a member fails, see RAIZN_SB_SETTINGS
 * @scrub:	  RAIZN_SB_SCRUB*
 * @scrub_next:	  logical zone that the scrub goes on with
 * @autostart:	  when user space starts the array by itself, RAIZN_AUTOSTART_*
 * @mismatches:	  stripes that the scrub found wrong
 * @repaired:	  stripes that the scrub repaired
 * @host:	  identity of the machine that started the array last, zero if not given
 * @max_open:	  as @max_active, of open zones
 * @copy_of:	  on a drive that is no member yet: the member whose zones were copied to it
 *		  during this @start; else zero
 * @reserved3:	  zero
 * @members:	  the member table, @nr_members entries in use
 */
struct raizn_superblock {
/*    0 */	__le64	compat;
/*    8 */	__le64	ro_compat;
/*   16 */	__le64	incompat;
/*   24 */	__u8	member_uuid[RAIZN_UUID_SIZE];
/*   40 */	__u8	name[RAIZN_NAME_SIZE];
/*  104 */	__u8	label[RAIZN_NAME_SIZE];
/*  168 */	__le64	event;
/*  176 */	__le32	flags;
/*  180 */	__u8	nr_members;
/*  181 */	__u8	nr_parity;
/*  182 */	__u8	level;
/*  183 */	__u8	reserved0;
/*  184 */	__le32	stripe_unit;
/*  188 */	__le32	block_size;
/*  192 */	__le32	first_zone;
/*  196 */	__le32	nr_reserved;
/*  200 */	__le32	nr_zones;
/*  204 */	__le32	max_active;
/*  208 */	__le64	zone_size;
/*  216 */	__le64	zone_capacity;
/*  224 */	__le64	created;
/*  232 */	__le64	start;
/*  240 */	__le64	era;
/*  248 */	__le32	speed_min;
/*  252 */	__le32	speed_max;
/*  256 */	__le32	error_limit;
/*  260 */	__le32	scrub;
/*  264 */	__le32	scrub_next;
/*  268 */	__le32	autostart;
/*  272 */	__le64	mismatches;
/*  280 */	__le64	repaired;
/*  288 */	__u8	host[RAIZN_UUID_SIZE];
/*  304 */	__le32	max_open;
/*  308 */	__u8	copy_of[RAIZN_UUID_SIZE];
/*  324 */	__u8	reserved3[60];
/*  384 */	struct raizn_member_entry members[RAIZN_MAX_MEMBERS];
/* 1408 */
} __packed;

static_assert(offsetof(struct raizn_superblock, event) == 168, "superblock layout");
static_assert(offsetof(struct raizn_superblock, members) == 384, "superblock layout");
static_assert(sizeof(struct raizn_superblock) == 1408, "superblock layout");

#endif /* RAIZN_FORMAT_H */
