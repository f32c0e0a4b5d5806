// SPDX-License-Identifier: GPL-2.0
/*
 * The list of rows that hold no data in place, and its records.
 */
#include "unit.h"
#include <cmocka.h>

static struct raizn_geometry geo;
static struct raizn_spoilt_list list;

static int setup(void **state)
{
	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	memset(&list, 0, sizeof(list));
	return 0;
}

/* Rows of column 2 of zone 3, in the member zone 10. */
static struct raizn_spoilt rows(u32 from, u32 end)
{
	return (struct raizn_spoilt) {
		.generation = 5, .zone = 3, .physical = 10, .column = 2, .from = from, .end = end,
	};
}

static int add(u32 from, u32 end)
{
	struct raizn_spoilt one = rows(from, end);

	return raizn_spoilt_add(&list, &one, RAIZN_SPOILT_MAX);
}

static void rows_are_joined(void **state)
{
	(void)state;
	assert_int_equal(add(8, geo.su), 0);
	assert_int_equal(add(3 * geo.su, 4 * geo.su), 0);
	assert_int_equal(list.nr, 2);
	/* inside, touching, across */
	assert_int_equal(add(16, geo.su), 0);
	assert_int_equal(list.nr, 2);
	assert_int_equal(add(geo.su, 2 * geo.su), 0);
	assert_int_equal(list.nr, 2);
	assert_int_equal(add(geo.su + 8, 5 * geo.su), 0);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.at[0].from, 8);
	assert_int_equal(list.at[0].end, 5 * geo.su);
}

static void other_columns_are_apart(void **state)
{
	struct raizn_spoilt one = rows(8, geo.su), other;

	(void)state;
	assert_int_equal(add(8, geo.su), 0);
	for (u32 i = 0; i < 4; i++) {
		other = one;
		other.zone += i == 0;
		other.column += i == 1;
		other.physical += i == 2;
		other.generation += i == 3;
		assert_int_equal(raizn_spoilt_add(&list, &other, RAIZN_SPOILT_MAX), 0);
		assert_int_equal(list.nr, i + 2);
	}
}

static void it_can_be_full(void **state)
{
	struct raizn_spoilt one = rows(8, geo.su);

	(void)state;
	assert_int_equal(raizn_spoilt_add(&list, &one, 1), 0);
	one.zone++;
	assert_int_equal(raizn_spoilt_add(&list, &one, 1), -ENOSPC);
	assert_int_equal(list.nr, 1);
	/* what extends an entry takes none */
	one.zone--;
	one.end = 2 * geo.su;
	assert_int_equal(raizn_spoilt_add(&list, &one, 1), 0);
	assert_int_equal(list.at[0].end, 2 * geo.su);
}

static bool is_of_even_zone(const struct raizn_spoilt *one, void *data)
{
	(*(u32 *)data)++;
	return !(one->zone % 2);
}

static void void_entries_go(void **state)
{
	struct raizn_spoilt one = rows(8, geo.su);
	u32 asked = 0;

	(void)state;
	for (one.zone = 0; one.zone < 5; one.zone++)
		assert_int_equal(raizn_spoilt_add(&list, &one, RAIZN_SPOILT_MAX), 0);
	assert_true(raizn_spoilt_keep(&list, is_of_even_zone, &asked));
	assert_int_equal(asked, 5);
	assert_int_equal(list.nr, 3);
	assert_false(raizn_spoilt_keep(&list, is_of_even_zone, &asked));
}

static void the_newest_list_counts(void **state)
{
	static struct unit_buffer full, none;
	struct raizn_spoilt_list read = { 0 };

	(void)state;
	assert_true(unit_record(&unit_arrays[0], KIND_SPOILT, &full));
	assert_true(unit_record(&unit_arrays[0], KIND_NOTHING_SPOILT, &none));
	raizn_spoilt_replay(&read, &full.rec);
	assert_int_equal(read.nr, unit_nr_spoilt(&geo));
	assert_int_equal(read.version, 9);
	assert_int_equal(read.at[1].zone, 1);
	assert_int_equal(read.at[1].column, 1);
	assert_int_equal(read.at[1].physical, RAIZN_NR_LOG_ZONES + 1);
	assert_int_equal(read.at[1].from, geo.block);
	assert_int_equal(read.at[1].end, geo.su);
	none.rec.start = cpu_to_le64(8);
	raizn_spoilt_replay(&read, &none.rec);
	assert_int_equal(read.nr, unit_nr_spoilt(&geo));
	none.rec.start = cpu_to_le64(10);
	raizn_spoilt_replay(&read, &none.rec);
	assert_int_equal(read.nr, 0);
	assert_int_equal(read.version, 10);
}

/* Each impossible field has the whole record refused. */
static void impossible_entries_are_refused(void **state)
{
	static struct unit_buffer buf;
	struct raizn_spoilt_entry *entry = (void *)buf.payload, good;

	(void)state;
	unit_record(&unit_arrays[0], KIND_SPOILT, &buf);
	good = *entry;
	assert_true(raizn_record_fits(&buf.rec, &geo, unit_uuid));
#define REFUSED(field, value)						\
	do {								\
		(field) = (value);					\
		assert_false(raizn_record_fits(&buf.rec, &geo, unit_uuid)); \
		*entry = good;						\
	} while (0)
	REFUSED(entry->zone, cpu_to_le32(geo.nr_zones));
	REFUSED(entry->column, cpu_to_le16((u16)geo.nr_members));
	REFUSED(entry->physical, cpu_to_le32(RAIZN_NR_LOG_ZONES - 1));
	REFUSED(entry->physical, cpu_to_le32(raizn_most_zones(&geo)));
	REFUSED(entry->physical, cpu_to_le32(RAIZN_NOWHERE));
	REFUSED(entry->generation, cpu_to_le64(~0ULL));
	REFUSED(entry->from, 0);
	REFUSED(entry->from, good.end);
	REFUSED(entry->from, cpu_to_le32(1));
	REFUSED(entry->end, cpu_to_le32(geo.su - geo.block));
	REFUSED(entry->end, cpu_to_le32(geo.member_zone_cap + geo.su));
#undef REFUSED
	assert_true(raizn_record_fits(&buf.rec, &geo, unit_uuid));
}

static void impossible_rows_are_refused(void **state)
{
	static struct unit_buffer buf;
	struct raizn_record good;

	(void)state;
	unit_record(&unit_arrays[0], KIND_RELOCATED, &buf);
	good = buf.rec;
	assert_true(raizn_record_fits(&buf.rec, &geo, unit_uuid));
#define REFUSED(field, value)						\
	do {								\
		(field) = (value);					\
		assert_false(raizn_record_fits(&buf.rec, &geo, unit_uuid)); \
		buf.rec = good;						\
	} while (0)
	REFUSED(buf.rec.zone, cpu_to_le32(geo.nr_zones));
	REFUSED(buf.rec.column, cpu_to_le16((u16)geo.nr_members));
	REFUSED(buf.rec.start, cpu_to_le64(1));
	REFUSED(buf.rec.start, cpu_to_le64(geo.su - geo.block));
	REFUSED(buf.rec.start, cpu_to_le64(geo.member_zone_cap));
	REFUSED(buf.rec.start, cpu_to_le64(~0ULL));
	REFUSED(buf.rec.nr_rows, cpu_to_le32(geo.su + geo.block));
	REFUSED(buf.rec.nr_rows, cpu_to_le32(1));
#undef REFUSED
	assert_true(raizn_record_fits(&buf.rec, &geo, unit_uuid));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(rows_are_joined, setup),
		cmocka_unit_test_setup(other_columns_are_apart, setup),
		cmocka_unit_test_setup(it_can_be_full, setup),
		cmocka_unit_test_setup(void_entries_go, setup),
		cmocka_unit_test_setup(the_newest_list_counts, setup),
		cmocka_unit_test_setup(impossible_entries_are_refused, setup),
		cmocka_unit_test_setup(impossible_rows_are_refused, setup),
	};

	return cmocka_run_group_tests_name("spoilt rows", tests, NULL, NULL);
}
