// SPDX-License-Identifier: GPL-2.0
/*
 * The list of lost blocks.
 */
#include "unit.h"
#include <cmocka.h>

static struct raizn_geometry geo;
static struct raizn_bad_blocks list;

static int setup(void **state)
{
	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	memset(&list, 0, sizeof(list));
	return 0;
}

/* Rows of column 2 of zone 3, in the member zone 10. */
static struct raizn_bad_block rows(u32 sector, u32 nr, u16 flags)
{
	return (struct raizn_bad_block) {
		.generation = 5, .zone = 3, .physical = 10, .sector = sector, .nr = nr,
		.column = 2, .flags = flags,
	};
}

static int add(u32 sector, u32 nr, u16 flags)
{
	struct raizn_bad_block block = rows(sector, nr, flags);

	return raizn_bad_blocks_add(&list, &geo, &block);
}

static bool find(u32 sector, u32 nr, u16 flags)
{
	struct raizn_bad_block block = rows(sector, nr, flags);

	return raizn_bad_blocks_find(&list, &block);
}

static void rows_are_joined(void **state)
{
	(void)state;
	assert_int_equal(add(8, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(8, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(16, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(0, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.at[0].sector, 0);
	assert_int_equal(list.at[0].nr, 24);
	/* with other flags, apart, or of another stripe unit */
	assert_int_equal(add(24, 8, 0), 0);
	assert_int_equal(add(40, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(120, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(128, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(list.nr, 5);
}

static void nowhere_is_no_place(void **state)
{
	struct raizn_bad_block block = rows(8, 8, 0);

	(void)state;
	block.physical = RAIZN_NOWHERE;
	assert_int_equal(raizn_bad_blocks_add(&list, &geo, &block), 0);
	assert_int_equal(list.nr, 0);
}

static void rows_are_found(void **state)
{
	struct raizn_bad_block block;

	(void)state;
	assert_int_equal(add(8, 8, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(24, 8, 0), 0);
	assert_true(find(8, 8, RAIZN_BAD_PLACEHOLDER));
	assert_true(find(8, 8, 0));
	assert_true(find(0, 9, 0));
	assert_true(find(15, 1, RAIZN_BAD_PLACEHOLDER));
	assert_false(find(0, 8, 0));
	assert_false(find(16, 8, 0));
	assert_true(find(16, 9, 0));
	assert_false(find(24, 8, RAIZN_BAD_PLACEHOLDER));
	/* another place, life, column or zone */
	block = rows(8, 8, 0);
	block.physical++;
	assert_false(raizn_bad_blocks_find(&list, &block));
	block = rows(8, 8, 0);
	block.generation++;
	assert_false(raizn_bad_blocks_find(&list, &block));
	block = rows(8, 8, 0);
	block.column++;
	assert_false(raizn_bad_blocks_find(&list, &block));
	block = rows(8, 8, 0);
	block.zone++;
	assert_false(raizn_bad_blocks_find(&list, &block));
}

static void rows_are_cut(void **state)
{
	(void)state;
	assert_int_equal(add(8, 24, RAIZN_BAD_PLACEHOLDER), 0);
	assert_int_equal(add(40, 8, 0), 0);
	assert_false(raizn_bad_blocks_cut(&list, 3, 2, 10, 48));
	assert_false(raizn_bad_blocks_cut(&list, 3, 2, 11, 0));
	assert_false(raizn_bad_blocks_cut(&list, 3, 1, 10, 0));
	assert_false(raizn_bad_blocks_cut(&list, 2, 2, 10, 0));
	assert_true(raizn_bad_blocks_cut(&list, 3, 2, 10, 16));
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.at[0].sector, 8);
	assert_int_equal(list.at[0].nr, 8);
	assert_true(raizn_bad_blocks_cut(&list, 3, 2, 10, 0));
	assert_int_equal(list.nr, 0);
}

static void rows_are_readable_again(void **state)
{
	struct raizn_bad_block block = rows(16, 8, 0);

	(void)state;
	assert_int_equal(add(8, 24, 0), 0);
	assert_int_equal(add(8, 24, RAIZN_BAD_PLACEHOLDER), 0);
	assert_false(raizn_bad_blocks_shrink(&list, &block));
	block.sector = 8;
	assert_true(raizn_bad_blocks_shrink(&list, &block));
	assert_false(raizn_bad_blocks_shrink(&list, &block));
	assert_int_equal(list.at[0].sector, 16);
	assert_int_equal(list.at[0].nr, 16);
	block.sector = 24;
	assert_true(raizn_bad_blocks_shrink(&list, &block));
	assert_int_equal(list.at[0].sector, 16);
	assert_int_equal(list.at[0].nr, 8);
	block.sector = 16;
	block.physical++;
	assert_false(raizn_bad_blocks_shrink(&list, &block));
	block.physical--;
	assert_true(raizn_bad_blocks_shrink(&list, &block));
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.at[0].flags, RAIZN_BAD_PLACEHOLDER);
	assert_int_equal(list.at[0].nr, 24);
}

static bool is_generation_5(const struct raizn_bad_block *block, void *data)
{
	(void)data;
	return block->generation == 5;
}

static void what_counts_is_kept(void **state)
{
	struct raizn_bad_block block;

	(void)state;
	assert_int_equal(add(8, 8, RAIZN_BAD_PLACEHOLDER), 0);
	block = rows(8, 8, 0);
	block.column = 3;
	assert_int_equal(raizn_bad_blocks_add(&list, &geo, &block), 0);
	block = rows(8, 8, RAIZN_BAD_PLACEHOLDER);
	block.zone = 4;
	block.generation = 6;
	assert_int_equal(raizn_bad_blocks_add(&list, &geo, &block), 0);
	block.flags = 0;
	block.generation = 5;
	assert_int_equal(raizn_bad_blocks_add(&list, &geo, &block), 0);
	/* zone 3 is all right; in zone 4 the placeholder is void, and so is what goes with it */
	assert_false(raizn_bad_blocks_keep(&list, 3, is_generation_5, NULL));
	assert_int_equal(list.nr, 4);
	assert_true(raizn_bad_blocks_keep(&list, RAIZN_ZONE_ALL, is_generation_5, NULL));
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.at[0].zone, 3);
	assert_int_equal(list.at[1].zone, 3);
	/* without the placeholder the unreadable rows are a matter of their drive */
	assert_true(raizn_bad_blocks_cut(&list, 3, 2, 10, 0));
	assert_true(raizn_bad_blocks_keep(&list, 3, is_generation_5, NULL));
	assert_int_equal(list.nr, 0);
}

static void the_list_ends(void **state)
{
	u32 i;

	(void)state;
	for (i = 0; list.nr < RAIZN_BAD_BLOCKS_MAX; i++) {
		struct raizn_bad_block block = rows(0, 8, 0);

		block.zone = i + 4;
		assert_int_equal(raizn_bad_blocks_add(&list, &geo, &block), 0);
	}
	i = list.nr;
	assert_int_equal(add(3992, 8, RAIZN_BAD_PLACEHOLDER), -ENOSPC);
	assert_int_equal(list.nr, i);
	/* what is in the list can be added all the same */
	assert_int_equal(raizn_bad_blocks_add(&list, &geo, &list.at[7]), 0);
}

/* Each row of data is at the offset that raizn_place() takes to it; parity is at none. */
static void offsets(void **state)
{
	struct raizn_bad_block block = { .nr = 1 };
	struct raizn_place place;
	u32 a, zone, at, offset, c, found;

	(void)state;
	for (a = 0; a < ARRAY_SIZE(unit_arrays); a++) {
		unit_geometry(&unit_arrays[a], &geo);
		for (zone = 0; zone < geo.nr_zones && zone < 8; zone++)
			for (at = 0; at < geo.zone_cap; at += 1 + geo.zone_cap / 97) {
				raizn_place(&geo, zone, at, &place);
				block.zone = zone;
				block.sector = place.sector;
				for (c = 0, found = 0; c < geo.nr_members; c++) {
					block.column = (u16)c;
					if (!raizn_bad_block_offset(&geo, &block, &offset))
						continue;
					found++;
					if (c == place.column)
						assert_int_equal(offset, at);
				}
				assert_int_equal(found, raizn_is_mirror(&geo) ?
						 geo.nr_members : geo.nr_data);
			}
	}
}

static void copies_are_listed_once(void **state)
{
	struct raizn_bad_block block = rows(8, 8, RAIZN_BAD_PLACEHOLDER);
	u32 c, sum = 0;

	(void)state;
	unit_geometry(&unit_arrays[2], &geo);
	block.zone = 0;
	for (c = 0; c < geo.nr_members; c++) {
		block.column = (u16)c;
		assert_int_equal(raizn_bad_blocks_add(&list, &geo, &block), 0);
	}
	for (c = 0; c < list.nr; c++)
		sum += raizn_bad_blocks_lists_first(&list, &geo, c);
	assert_int_equal(sum, 1);
	assert_true(raizn_bad_blocks_lists_first(&list, &geo, 0));
}

static void placeholders(void **state)
{
	u8 buf[3 * 512];
	u32 i;

	(void)state;
	raizn_bad_blocks_placeholder(buf, sizeof(buf), 512);
	assert_memory_equal(buf, buf + 512, 512);
	assert_memory_equal(buf, buf + 1024, 512);
	/* unlike a sector that was never written */
	for (i = 1; i < 512 && buf[i] == *buf; i++)
		;
	assert_int_not_equal(i, 512);
}

static void records(void **state)
{
	static struct raizn_bad_blocks read;
	static struct unit_buffer buf;

	(void)state;
	unit_record(&unit_arrays[0], KIND_BAD_BLOCKS, &buf);
	raizn_bad_blocks_replay(&read, &buf.rec);
	assert_int_equal(read.version, 9);
	assert_int_equal(read.nr, RAIZN_BAD_BLOCKS_MAX);
	assert_int_equal(read.at[8].zone, 8);
	assert_int_equal(read.at[8].generation, 2);
	assert_int_equal(read.at[8].physical, RAIZN_NR_LOG_ZONES + 8);
	assert_int_equal(read.at[8].sector, geo.member_zone_cap - 8);
	assert_int_equal(read.at[8].nr, 8);
	assert_int_equal(read.at[8].column, 3);
	assert_int_equal(read.at[8].flags, 0);
	assert_int_equal(read.at[9].flags, RAIZN_BAD_PLACEHOLDER);
	/* an older version is void, a newer one replaces all */
	read.version = 10;
	unit_record(&unit_arrays[0], KIND_NO_BAD_BLOCKS, &buf);
	raizn_bad_blocks_replay(&read, &buf.rec);
	assert_int_equal(read.nr, RAIZN_BAD_BLOCKS_MAX);
	read.version = 8;
	raizn_bad_blocks_replay(&read, &buf.rec);
	assert_int_equal(read.nr, 0);
	assert_int_equal(read.version, 9);
}

/* Each field of an entry that is out of its range. */
static void impossible_entries(void **state)
{
	static struct unit_buffer buf;
	struct raizn_bad_entry *entry = (void *)buf.payload, good;
	u32 i;

	(void)state;
	unit_record(&unit_arrays[0], KIND_BAD_BLOCKS, &buf);
	good = entry[1];
	for (i = 0; i < 11; i++) {
		entry[1] = good;
		switch (i) {
		case 0:
			entry[1].zone = cpu_to_le32(geo.nr_zones);
			break;
		case 1:
			entry[1].column = cpu_to_le16((u16)geo.nr_members);
			break;
		case 2:
			entry[1].physical = cpu_to_le32(RAIZN_NR_LOG_ZONES - 1);
			break;
		case 3:
			entry[1].physical = cpu_to_le32(raizn_most_zones(&geo));
			break;
		case 4:
			entry[1].generation = cpu_to_le64(RAIZN_GENERATION_MAX + 1);
			break;
		case 5:
			entry[1].flags = cpu_to_le16(2);
			break;
		case 6:
			entry[1].nr = 0;
			break;
		case 7:
			entry[1].nr = cpu_to_le32(16);
			break;
		case 8:
			entry[1].nr = cpu_to_le32(~7U);
			break;
		case 9:
			entry[1].sector = cpu_to_le32(4);
			break;
		default:
			/* across the end of a stripe unit */
			entry[1].sector = cpu_to_le32(geo.su - 8);
			entry[1].nr = cpu_to_le32(16);
		}
		unit_seal(&buf.rec);
		check(!raizn_record_fits(&buf.rec, &geo, unit_uuid), "case %u", i);
	}
	entry[1] = good;
	unit_seal(&buf.rec);
	assert_true(raizn_record_fits(&buf.rec, &geo, unit_uuid));
	/* more entries than the payload has */
	buf.rec.nr_zones = cpu_to_le32(RAIZN_BAD_BLOCKS_MAX + 1);
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, sizeof(buf)), RAIZN_RECORD_BAD_FIELD);
	buf.rec.nr_zones = cpu_to_le32(1);
	unit_seal(&buf.rec);
	assert_int_equal(raizn_record_verify(&buf, sizeof(buf)), RAIZN_RECORD_BAD_FIELD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rows_are_joined, setup),
		cmocka_unit_test_setup(nowhere_is_no_place, setup),
		cmocka_unit_test_setup(rows_are_found, setup),
		cmocka_unit_test_setup(rows_are_cut, setup),
		cmocka_unit_test_setup(rows_are_readable_again, setup),
		cmocka_unit_test_setup(what_counts_is_kept, setup),
		cmocka_unit_test_setup(the_list_ends, setup),
		cmocka_unit_test_setup(offsets, setup),
		cmocka_unit_test_setup(copies_are_listed_once, setup),
		cmocka_unit_test_setup(placeholders, setup),
		cmocka_unit_test_setup(records, setup),
		cmocka_unit_test_setup(impossible_entries, setup),
	};

	return cmocka_run_group_tests_name("bad_blocks", tests, NULL, NULL);
}
