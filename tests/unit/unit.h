/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the unit tests and the fuzz target share: random numbers from a seed,
 * a few arrays, and one sound record of every kind.
 */
#ifndef RAIZN_UNIT_H
#define RAIZN_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <stdint.h>

#include "../../raizn/core/bad_blocks.h"
#include "../../raizn/core/spoilt.h"
#include "../../raizn/core/codec.h"
#include "../../raizn/core/geometry.h"
#include "../../raizn/core/log_walk.h"
#include "../../raizn/core/parity.h"
#include "../../raizn/core/replay.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* In a cmocka test: fail, and say with which numbers. */
#define check(cond, fmt, ...) do {					\
	if (!(cond))							\
		fail_msg("%s: " fmt, #cond, ##__VA_ARGS__);		\
} while (0)

/* splitmix64 */
struct rng {
	u64 state;
};

static inline u64 rnd(struct rng *rng)
{
	u64 z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 .. n - 1 */
static inline u32 rnd_below(struct rng *rng, u32 n)
{
	return (u32)(rnd(rng) % n);
}

/* Seed of this run: UNIT_SEED, so that a failure can be played again. */
static inline u64 unit_seed(void)
{
	const char *text = getenv("UNIT_SEED");

	return text ? strtoull(text, NULL, 0) : 1;
}

/* How many parities a level has with so many members, -1 if it cannot be. */
static inline int parities(u32 level, u32 members)
{
	if (members > 32)
		return -1;
	if (level == 0)
		return members >= 2 ? 0 : -1;
	if (level == 1)
		return members >= 2 && members <= 4 ? (int)members - 1 : -1;
	if (level == 5)
		return members >= 3 ? 1 : -1;
	if (level == 6)
		return members >= 4 ? 2 : -1;
	return -1;
}

static const u8 unit_uuid[RAIZN_UUID_SIZE] = "sixteen letters";

/* Numbers of the arrays that records are tested with. */
struct unit_array {
	u32 level, members, su, block_size, zone_size, zone_cap, zones;
};

static const struct unit_array unit_arrays[] = {
	{ 5, 5, 128, 4096, 4096, 4000, 4000 },
	{ 6, 7, 8, 512, 1024, 777, 9 },
	{ 1, 2, 32, 512, 65536, 65536, 1 },
	{ 0, 3, 2048, 4096, 8192, 8192, 300 },
	{ 6, 32, 8, 512, 64, 40, 5 },
};

static inline void unit_superblock(const struct unit_array *a, u32 slot,
				   struct raizn_superblock *sb)
{
	u32 i;

	memset(sb, 0, sizeof(*sb));
	for (i = 0; i < a->members; i++) {
		memset(sb->members[i].uuid, 'a' + (int)i, RAIZN_UUID_SIZE);
		sb->members[i].event = cpu_to_le64(7);
	}
	memcpy(sb->member_uuid, sb->members[slot].uuid, RAIZN_UUID_SIZE);
	memcpy(sb->name, "unit-0", 6);
	memcpy(sb->label, "an array of the unit tests", 26);
	sb->event = cpu_to_le64(7);
	sb->flags = cpu_to_le32(RAIZN_SB_CLEAN);
	sb->nr_members = (u8)a->members;
	sb->nr_parity = (u8)parities(a->level, a->members);
	sb->level = (u8)a->level;
	sb->stripe_unit = cpu_to_le32(a->su);
	sb->block_size = cpu_to_le32(a->block_size);
	sb->first_zone = cpu_to_le32(3);
	sb->nr_reserved = cpu_to_le32(7);
	sb->nr_zones = cpu_to_le32(a->zones);
	sb->zone_size = cpu_to_le64(a->zone_size);
	sb->zone_capacity = cpu_to_le64(a->zone_cap);
	sb->created = cpu_to_le64(1700000000);
}

static inline void unit_geometry(const struct unit_array *a,
				 struct raizn_geometry *geo)
{
	const char *why = NULL;

	if (raizn_geometry_init(geo, a->level, a->members, a->su, a->block_size,
				a->zone_size, a->zone_cap, 3, 7, a->zones,
				&why)) {
		fprintf(stderr, "array of the tests refused: %s\n", why);
		abort();
	}
}

/* Kinds of sound records; some types have more than one. */
enum unit_kind {
	KIND_SUPERBLOCK,
	KIND_SUPERBLOCK_PP_LOG,
	KIND_CHECKPOINT,
	KIND_ZONE_TABLE_ONE,
	KIND_ZONE_TABLE,
	KIND_RESET_INTENT,
	KIND_RESET_DONE,
	KIND_RESET_ALL_INTENT,
	KIND_RESET_ALL_DONE,
	KIND_FINISH,
	KIND_PARTIAL_PARITY,
	KIND_BAD_BLOCKS,
	KIND_NO_BAD_BLOCKS,
	KIND_SPOILT,
	KIND_NOTHING_SPOILT,
	KIND_RELOCATED,
	NR_KINDS,
};

/* Largest record, so that every kind fits. */
struct unit_buffer {
	struct raizn_record rec;
	u8 payload[RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE];
};

static inline void unit_seal(struct raizn_record *rec)
{
	raizn_record_seal(rec, le64_to_cpu(rec->seq), le64_to_cpu(rec->epoch),
			  le16_to_cpu(rec->member), rec->role);
}

/* A list of as many entries: the last block of columns, of all zones in turn. */
static inline void unit_bad_blocks(const struct raizn_geometry *geo, u32 nr,
				   struct raizn_record *rec)
{
	struct raizn_bad_blocks *list = calloc(1, sizeof(*list));
	u32 i;

	if (!list)
		abort();
	list->version = 9;
	list->nr = nr;
	for (i = 0; i < nr; i++)
		list->at[i] = (struct raizn_bad_block) {
			.generation = i % 3,
			.zone = i % geo->nr_zones,
			.physical = RAIZN_NR_LOG_ZONES + i % (2 + geo->nr_zones),
			.sector = geo->member_zone_cap - geo->block,
			.nr = geo->block,
			.column = (u16)(i % geo->nr_members),
			.flags = i % 2 ? RAIZN_BAD_PLACEHOLDER : 0,
		};
	raizn_record_init(rec, RAIZN_REC_BAD_BLOCKS, unit_uuid, raizn_bad_blocks_payload(nr));
	raizn_bad_blocks_fill(rec, list);
	free(list);
}

/* Entries of unit_spoilt(). */
static inline u32 unit_nr_spoilt(const struct raizn_geometry *geo)
{
	u32 columns = geo->nr_zones * geo->nr_members;

	u32 most = RAIZN_SPOILT_ROWS / geo->su;

	most = most < RAIZN_SPOILT_MAX ? most : RAIZN_SPOILT_MAX;
	return columns < most ? columns : most;
}

/* The first unit but one block of columns, of all zones in turn. */
static inline void unit_spoilt(const struct raizn_geometry *geo, u32 nr, struct raizn_record *rec)
{
	struct raizn_spoilt rows;
	u32 i;

	if (geo->su == geo->block)
		nr = 0;
	raizn_record_init(rec, RAIZN_REC_SPOILT, unit_uuid, raizn_spoilt_payload(nr));
	raizn_spoilt_fill(rec, 9, nr);
	for (i = 0; i < nr; i++) {
		rows = (struct raizn_spoilt) {
			.generation = i % 3,
			.zone = i % geo->nr_zones,
			.physical = RAIZN_NR_LOG_ZONES + i % (2 + geo->nr_zones),
			.column = i / geo->nr_zones ? i / geo->nr_zones % geo->nr_members :
						      i % geo->nr_members,
			.from = geo->block,
			.end = geo->su,
		};
		raizn_spoilt_put(rec, i, &rows);
	}
}

/*
 * Make a sound record; returns its bytes, or 0 when the array has no such kind.
 */
static inline u32 unit_record(const struct unit_array *a, enum unit_kind kind,
			      struct unit_buffer *buf)
{
	struct raizn_record *rec = &buf->rec;
	struct raizn_zone_state *zones;
	struct raizn_geometry geo;
	u8 role = RAIZN_LOG_GENERAL;
	u16 slot = 1;
	u32 nr, i;

	unit_geometry(a, &geo);
	switch (kind) {
	case KIND_SUPERBLOCK_PP_LOG:
	case KIND_SUPERBLOCK:
		if (kind == KIND_SUPERBLOCK_PP_LOG)
			role = RAIZN_LOG_PARTIAL_PARITY;
		raizn_record_init(rec, RAIZN_REC_SUPERBLOCK, unit_uuid, 0);
		unit_superblock(a, slot, raizn_record_sb(rec));
		break;
	case KIND_CHECKPOINT:
		raizn_record_init(rec, RAIZN_REC_CHECKPOINT, unit_uuid, 0);
		rec->start = cpu_to_le64(41);
		break;
	case KIND_ZONE_TABLE_ONE:
	case KIND_ZONE_TABLE:
		nr = kind == KIND_ZONE_TABLE_ONE ? 1 : geo.nr_zones;
		if (nr > RAIZN_ZONE_TABLE_MAX)
			nr = RAIZN_ZONE_TABLE_MAX;
		zones = calloc(geo.nr_zones, sizeof(*zones));
		if (!zones)
			abort();
		for (i = 0; i < nr; i++) {
			zones[i].generation = i;
			zones[i].flags = i % 4;
			zones[i].wp = i % 4 & RAIZN_ZONE_FINISHED ?
				      geo.zone_cap - geo.block : 0;
		}
		raizn_record_init(rec, RAIZN_REC_ZONE_TABLE, unit_uuid,
				  raizn_zone_table_payload(nr));
		raizn_zone_table_fill(rec, zones, 0, nr);
		free(zones);
		break;
	case KIND_RESET_INTENT:
	case KIND_RESET_DONE:
	case KIND_RESET_ALL_INTENT:
	case KIND_RESET_ALL_DONE:
		raizn_record_init(rec, RAIZN_REC_RESET, unit_uuid, 0);
		rec->flags = cpu_to_le32(kind == KIND_RESET_INTENT ||
					 kind == KIND_RESET_ALL_INTENT ?
					 RAIZN_RESET_INTENT : RAIZN_RESET_DONE);
		rec->zone = cpu_to_le32(kind == KIND_RESET_ALL_INTENT ||
					kind == KIND_RESET_ALL_DONE ?
					RAIZN_ZONE_ALL : geo.nr_zones - 1);
		break;
	case KIND_FINISH:
		raizn_record_init(rec, RAIZN_REC_FINISH, unit_uuid, 0);
		rec->zone = cpu_to_le32(geo.nr_zones - 1);
		rec->start = cpu_to_le64(geo.zone_cap - geo.block);
		break;
	case KIND_PARTIAL_PARITY:
		if (!geo.nr_parity)
			return 0;
		/* the last block of the zone's last stripe but one row block */
		nr = geo.su - geo.block;
		raizn_record_init(rec, RAIZN_REC_PARTIAL_PARITY, unit_uuid,
				  raizn_parity_payload(nr));
		rec->generation = cpu_to_le64(3);
		rec->zone = cpu_to_le32(geo.nr_zones - 1);
		rec->parity = (u8)(geo.nr_parity - 1);
		rec->end = cpu_to_le64(geo.zone_cap);
		rec->start = cpu_to_le64(geo.zone_cap - nr);
		rec->row = cpu_to_le32(geo.block);
		rec->nr_rows = cpu_to_le32(nr);
		for (i = 0; i < le32_to_cpu(rec->payload_len); i++)
			buf->payload[i] = (u8)(i * 7 + (i >> 8));
		role = RAIZN_LOG_PARTIAL_PARITY;
		break;
	case KIND_BAD_BLOCKS:
	case KIND_NO_BAD_BLOCKS:
		unit_bad_blocks(&geo, kind == KIND_BAD_BLOCKS ? RAIZN_BAD_BLOCKS_MAX : 0, rec);
		break;
	case KIND_SPOILT:
	case KIND_NOTHING_SPOILT:
		unit_spoilt(&geo, kind == KIND_SPOILT ? unit_nr_spoilt(&geo) : 0, rec);
		break;
	case KIND_RELOCATED:
		/* the first unit but one block */
		nr = geo.su > geo.block ? geo.su - geo.block : geo.block;
		if (nr > (RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) / 512)
			nr = (RAIZN_RECORD_MAX - RAIZN_BLOCK_SIZE) / 512;
		raizn_record_init(rec, RAIZN_REC_RELOCATED, unit_uuid,
				  raizn_parity_payload(nr));
		rec->zone = cpu_to_le32(geo.nr_zones - 1);
		rec->column = cpu_to_le16(slot);
		rec->start = cpu_to_le64(geo.su - nr);
		rec->nr_rows = cpu_to_le32(nr);
		memset(buf->payload, 0x5a, le32_to_cpu(rec->payload_len));
		role = RAIZN_LOG_PARTIAL_PARITY;
		break;
	default:
		return 0;
	}
	raizn_record_seal(rec, 42, 5, slot, role);
	return raizn_record_bytes(rec);
}

#endif /* RAIZN_UNIT_H */
