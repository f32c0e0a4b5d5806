// SPDX-License-Identifier: GPL-2.0
/*
 * Walking through a log zone: made of sound records, torn records, foreign records and
 * nonsense, read in pieces of different sizes, with blocks that cannot be read.
 */
#include "unit.h"
#include <cmocka.h>

#define ZONE_BYTES	(3U * RAIZN_RECORD_MAX)
#define MAX_PARTS	400U
#define ARRAY		1	/* of unit_arrays; its blocks have 512 bytes */

/* A sound record of the log zone that a walk must find. */
struct part {
	u32 pos;
	u32 bytes;
};

static u8 zone[ZONE_BYTES];
static u8 buffer[16 * RAIZN_RECORD_MAX];
static struct part parts[MAX_PARTS];
static u32 nr_parts, zone_end;

/* A drive: reads end where @limit says, and one block cannot be read. */
static u32 limit, bad_pos;

static int read_zone(struct raizn_log_walk *walk, u64 pos, u32 bytes)
{
	u32 nr = bytes < limit ? bytes : limit;

	assert_true(pos % walk->block == 0 && bytes >= walk->block);
	assert_true(bytes <= walk->size && pos + bytes <= zone_end);
	if (pos == bad_pos)
		return -EIO;
	if (pos < bad_pos && pos + nr > bad_pos)
		nr = bad_pos - (u32)pos;
	nr -= nr % walk->block;
	memcpy(walk->buf, zone + pos, nr);
	/* Nothing that was read before counts any more. */
	memset((u8 *)walk->buf + nr, 0xee, walk->size - nr);
	return (int)nr;
}

/* An empty zone of a drive without faults. */
static int setup(void **state)
{
	(void)state;
	limit = UINT32_MAX;
	bad_pos = UINT32_MAX;
	zone_end = 0;
	return 0;
}

static void begin(struct raizn_log_walk *walk, u32 block, u32 size, u8 role)
{
	memset(walk, 0, sizeof(*walk));
	walk->read = read_zone;
	walk->end = zone_end;
	walk->block = block;
	walk->buf = buffer;
	walk->size = size;
	walk->known = true;
	memcpy(walk->uuid, unit_uuid, RAIZN_UUID_SIZE);
	walk->epoch = 5;
	walk->member = 1;
	walk->role = role;
}

static u32 add_record(enum unit_kind kind, u64 epoch)
{
	static struct unit_buffer buf;
	u32 bytes = unit_record(&unit_arrays[ARRAY], kind, &buf);

	raizn_record_seal(&buf.rec, 42, epoch, 1, buf.rec.role);
	memcpy(zone + zone_end, &buf, bytes);
	zone_end += bytes;
	return bytes;
}

static void add_nonsense(struct rng *rng, u32 bytes)
{
	u32 i;

	for (i = 0; i < bytes; i++)
		zone[zone_end++] = (u8)rnd(rng);
}

/* Records, with what a power cut or a hostile drive puts between them. */
static void make_zone(struct rng *rng, enum unit_kind kind)
{
	struct raizn_record *rec;

	nr_parts = 0;
	zone_end = 0;
	while (nr_parts < 100 && zone_end < ZONE_BYTES / 2) {
		switch (rnd_below(rng, 8)) {
		case 0:
			add_nonsense(rng, RAIZN_BLOCK_SIZE * (1 + rnd_below(rng, 3)));
			break;
		case 1:		/* torn: the header is there, the end is not */
			add_record(kind, 5);
			zone[zone_end - 1] ^= 1;
			break;
		case 2:		/* of the zone's life before */
			add_record(kind, 4);
			break;
		case 3:		/* an impossible length */
			rec = (struct raizn_record *)(zone + zone_end);
			add_record(KIND_RESET_DONE, 5);
			rec->payload_len = cpu_to_le32((u32)rnd(rng));
			break;
		default:
			parts[nr_parts].pos = zone_end;
			parts[nr_parts].bytes = add_record(kind, 5);
			nr_parts++;
		}
	}
}

/* A walk finds all of them and nothing else, however it reads. */
static void check_walk(u32 block, u32 size, u8 role)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;
	u32 found = 0, pos = 0;

	begin(&walk, block, size, role);
	while (raizn_log_walk_next(&walk, &entry)) {
		assert_int_equal(entry.pos, pos);
		assert_true(entry.bytes >= block && entry.bytes % block == 0);
		assert_int_equal(entry.error, 0);
		pos += entry.bytes;
		assert_int_equal(entry.verdict == RAIZN_RECORD_OK, !!entry.rec);
		if (!entry.rec || !raizn_log_walk_is_of(&walk, entry.rec))
			continue;
		assert_true(found < nr_parts);
		assert_int_equal(entry.pos, parts[found].pos);
		assert_int_equal(entry.bytes, parts[found].bytes);
		assert_memory_equal(entry.rec, zone + entry.pos, entry.bytes);
		found++;
	}
	assert_int_equal(found, nr_parts);
	assert_int_equal(pos, zone_end);
}

static void finds_all_sound_records(void **state)
{
	static const enum unit_kind kinds[] = {
		KIND_PARTIAL_PARITY, KIND_ZONE_TABLE, KIND_RESET_DONE,
	};
	static const u32 limits[] = {
		RAIZN_BLOCK_SIZE, 2 * RAIZN_BLOCK_SIZE, RAIZN_RECORD_MAX, UINT32_MAX
	};
	struct rng rng = { unit_seed() };
	u32 round, i;
	u8 role;

	(void)state;
	for (round = 0; round < 60; round++) {
		i = round % ARRAY_SIZE(kinds);
		role = kinds[i] == KIND_PARTIAL_PARITY ? RAIZN_LOG_PARTIAL_PARITY :
							 RAIZN_LOG_GENERAL;
		make_zone(&rng, kinds[i]);
		/* A walk finds a record only if the drive returns all of it at once. */
		for (i = 0; i < ARRAY_SIZE(limits); i++) {
			limit = limits[i];
			if (nr_parts && parts[0].bytes > limit)
				continue;
			check_walk(512, RAIZN_RECORD_MAX, role);
			check_walk(4096, RAIZN_RECORD_MAX, role);
			check_walk(4096, sizeof(buffer), role);
		}
	}
}

/* A record behind a block that cannot be read is found. */
static void bad_block_hides_nothing_else(void **state)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;
	u32 sound = 0, errors = 0;
	u32 i;

	(void)state;
	for (i = 0; i < 9; i++)
		add_record(KIND_RESET_DONE, 5);
	bad_pos = 4 * RAIZN_BLOCK_SIZE;
	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_GENERAL);
	while (raizn_log_walk_next(&walk, &entry)) {
		sound += !!entry.rec;
		errors += !!entry.error;
		assert_int_equal(!!entry.error, entry.pos == bad_pos);
	}
	assert_int_equal(sound, 8);
	assert_int_equal(errors, 1);
}

/* Payload of users that looks like a record, behind a torn header, is not one. */
static void payload_is_no_record(void **state)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;
	struct unit_buffer fake;
	u32 pos, bytes, sound = 0;

	(void)state;
	pos = add_record(KIND_PARTIAL_PARITY, 5) - RAIZN_BLOCK_SIZE;
	assert_true(pos >= RAIZN_BLOCK_SIZE);
	bytes = unit_record(&unit_arrays[ARRAY], KIND_SUPERBLOCK_PP_LOG, &fake);
	/* The record ends with a block of payload that is a record of this log. */
	memcpy(zone + zone_end - RAIZN_BLOCK_SIZE, &fake, bytes);
	add_record(KIND_PARTIAL_PARITY, 5);
	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_PARTIAL_PARITY);
	while (raizn_log_walk_next(&walk, &entry))
		sound += !!entry.rec;
	assert_int_equal(sound, 1);
}

/* The length of a record of another log is not trusted: it would hide what follows. */
static void foreign_record_hides_nothing(void **state)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;
	struct unit_buffer ours;
	u32 bytes, found = 0;

	(void)state;
	add_record(KIND_PARTIAL_PARITY, 4);
	bytes = unit_record(&unit_arrays[ARRAY], KIND_SUPERBLOCK_PP_LOG, &ours);
	memcpy(zone + zone_end - bytes, &ours, bytes);
	/* Sound again, with what it hides. */
	unit_seal((struct raizn_record *)zone);
	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_PARTIAL_PARITY);
	while (raizn_log_walk_next(&walk, &entry))
		found += entry.rec && raizn_log_walk_is_of(&walk, entry.rec);
	assert_int_equal(found, 1);
}

/* Without its identity, a log zone is what its first record says. */
static void first_record_identifies(void **state)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;

	(void)state;
	add_record(KIND_SUPERBLOCK, 5);
	add_record(KIND_RESET_DONE, 4);
	begin(&walk, 4096, RAIZN_RECORD_MAX, 0);
	walk.known = false;
	walk.epoch = 0;
	assert_true(raizn_log_walk_next(&walk, &entry) && entry.rec);
	assert_true(walk.known);
	assert_int_equal(walk.epoch, 5);
	assert_int_equal(walk.role, RAIZN_LOG_GENERAL);
	assert_true(raizn_log_walk_next(&walk, &entry) && entry.rec);
	assert_false(raizn_log_walk_is_of(&walk, entry.rec));
	assert_false(raizn_log_walk_next(&walk, &entry));
}

/* Records of newer code are told of, but not those of an earlier life of the zone. */
static void unknown_records(void **state)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;
	struct raizn_record *rec = (struct raizn_record *)zone;

	(void)state;
	add_record(KIND_RESET_DONE, 5);
	rec->type = cpu_to_le16(999);
	unit_seal(rec);
	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_GENERAL);
	assert_true(raizn_log_walk_next(&walk, &entry));
	assert_null(entry.rec);
	assert_true(*entry.unknown);
	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_GENERAL);
	walk.epoch = 6;
	assert_true(raizn_log_walk_next(&walk, &entry));
	assert_false(*entry.unknown);
}

/* A write pointer inside a block leaves a gap that is not read. */
static void part_of_a_block(void **state)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;

	(void)state;
	add_record(KIND_RESET_DONE, 5);
	zone_end += 512;
	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_GENERAL);
	assert_true(raizn_log_walk_next(&walk, &entry) && entry.rec);
	bad_pos = RAIZN_BLOCK_SIZE;
	assert_true(raizn_log_walk_next(&walk, &entry));
	assert_null(entry.rec);
	assert_int_equal(entry.error, 0);
	assert_int_equal(entry.bytes, 512);
	assert_false(raizn_log_walk_next(&walk, &entry));
}

/* Read a general log that begins at sequence number 42, or at an unreadable block. */
static void see(struct raizn_log_sight *sight, u64 epoch)
{
	struct raizn_log_walk walk;
	struct raizn_log_entry entry;
	bool own;

	begin(&walk, 4096, RAIZN_RECORD_MAX, RAIZN_LOG_GENERAL);
	walk.epoch = epoch;
	raizn_log_sight_init(sight, RAIZN_LOG_GENERAL, epoch, bad_pos ? 42 : 0);
	while (raizn_log_walk_next(&walk, &entry)) {
		own = entry.rec && raizn_log_walk_is_of(&walk, entry.rec);
		raizn_log_sight_add(sight, &entry, own ? entry.rec : NULL);
	}
}

/* A CHECKPOINT record for the log zone that begins with record 42. */
static void add_checkpoint(u64 epoch)
{
	u32 pos = zone_end;
	struct raizn_record *rec = (struct raizn_record *)(zone + pos);

	add_record(KIND_SUPERBLOCK, epoch);
	memset(rec, 0, RAIZN_BLOCK_SIZE);
	raizn_record_init(rec, RAIZN_REC_CHECKPOINT, unit_uuid, 0);
	rec->start = cpu_to_le64(42);
	raizn_record_seal(rec, 43, epoch, 1, RAIZN_LOG_GENERAL);
}

/* One superblock, a reset, and a complete checkpoint: does the log zone count? */
static void general_log(u64 epoch)
{
	zone_end = 0;
	add_record(KIND_SUPERBLOCK, epoch);
	add_record(KIND_ZONE_TABLE, epoch);
	add_checkpoint(epoch);
	add_record(KIND_RESET_DONE, epoch);
	add_record(KIND_SUPERBLOCK, epoch);
	add_record(KIND_RESET_DONE, epoch);
}

/* Which blocks of a log may hide its newest superblock, or that it is complete? */
static void unreadable_blocks(void **state)
{
	struct raizn_log_sight sight;
	u32 nr, newest, checkpoint;

	(void)state;
	general_log(5);
	nr = zone_end / RAIZN_BLOCK_SIZE;
	newest = nr - 2;
	checkpoint = nr - 4;
	see(&sight, 5);
	assert_true(sight.complete && sight.newest_known && !sight.unreadable);
	assert_int_equal(sight.top, 43);
	for (bad_pos = 0; bad_pos < zone_end; bad_pos += RAIZN_BLOCK_SIZE) {
		see(&sight, 5);
		assert_int_equal(sight.unreadable, 1);
		assert_true(sight.complete);
		assert_int_equal(sight.newest_known, bad_pos / RAIZN_BLOCK_SIZE < newest);
	}
	/* Nothing behind the checkpoint: only the CHECKPOINT itself can tell. */
	zone_end = (checkpoint + 1) * RAIZN_BLOCK_SIZE;
	for (bad_pos = 0; bad_pos < zone_end; bad_pos += RAIZN_BLOCK_SIZE) {
		see(&sight, 5);
		assert_int_equal(sight.complete, bad_pos / RAIZN_BLOCK_SIZE < checkpoint);
		assert_false(sight.newest_known);
	}
	/* Damage is not taken for a block that cannot be read. */
	bad_pos = UINT32_MAX;
	zone[RAIZN_BLOCK_SIZE] ^= 1;
	see(&sight, 5);
	assert_false(sight.complete);
	assert_true(sight.newest_known && sight.torn && !sight.unreadable);
	general_log(5);
	zone[checkpoint * RAIZN_BLOCK_SIZE] ^= 1;
	see(&sight, 5);
	assert_false(sight.complete);
}

/* Which log zone counts, and what the others may hide. */
static void log_zones(void **state)
{
	struct raizn_log_sight sights[3];
	struct raizn_log_sum sum;

	(void)state;
	memset(sights, 0, sizeof(sights));
	raizn_log_sum_up(sights, 3, &sum);
	assert_int_equal(sum.base, -1);
	general_log(5);
	see(&sights[1], 5);
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && !sum.partial && !sum.hidden && sum.top == 43);
	/* A partial-parity log, an older general log, one that is known to be incomplete */
	sights[0].role = RAIZN_LOG_PARTIAL_PARITY;
	sights[0].unreadable = 1;
	sights[0].epoch = 9;
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && !sum.partial && !sum.hidden);
	sights[0].role = RAIZN_LOG_GENERAL;
	sights[0].epoch = 4;
	sights[0].complete = true;
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && !sum.partial && !sum.hidden);
	sights[0].epoch = 6;
	sights[0].complete = false;
	sights[0].unreadable = 0;
	sights[0].top = 50;
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && !sum.partial && !sum.hidden && sum.top == 43);
	/* It may be complete. */
	sights[0].unreadable = 1;
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && sum.partial && sum.hidden && sum.top == 50);
	/* So may a zone of which nothing is known. */
	memset(&sights[0], 0, sizeof(sights[0]));
	sights[2].unreadable = 1;
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && sum.partial && sum.hidden);
	memset(&sights[2], 0, sizeof(sights[2]));
	/* Its own blocks */
	bad_pos = RAIZN_BLOCK_SIZE;
	see(&sights[1], 5);
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && sum.partial && !sum.hidden);
	bad_pos = zone_end - RAIZN_BLOCK_SIZE;
	see(&sights[1], 5);
	raizn_log_sum_up(sights, 3, &sum);
	assert_true(sum.base == 1 && sum.partial && sum.hidden);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(finds_all_sound_records, setup),
		cmocka_unit_test_setup(bad_block_hides_nothing_else, setup),
		cmocka_unit_test_setup(payload_is_no_record, setup),
		cmocka_unit_test_setup(foreign_record_hides_nothing, setup),
		cmocka_unit_test_setup(first_record_identifies, setup),
		cmocka_unit_test_setup(unknown_records, setup),
		cmocka_unit_test_setup(part_of_a_block, setup),
		cmocka_unit_test_setup(unreadable_blocks, setup),
		cmocka_unit_test_setup(log_zones, setup),
	};

	return cmocka_run_group_tests_name("log_walk", tests, NULL, NULL);
}
