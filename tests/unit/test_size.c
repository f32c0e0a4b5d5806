// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes as raizn(8) writes and reads them.
 */
#include <string.h>

#include "../../tools/size.h"
#include "unit.h"
#include <cmocka.h>

#define MIB	(2048ULL)	/* in sectors */

static void sizes_are_exact_or_rounded(void **state)
{
	(void)state;
	assert_string_equal(size_text(64 << 10).s, "64 KiB");
	assert_string_equal(size_text(1536).s, "1.5 KiB");
	assert_string_equal(sectors_text(1077 * MIB).s, "1.05 GiB");
	assert_string_equal(sectors_text(1).s, "512 bytes");
}

static void different_sizes_look_different(void **state)
{
	static const struct {
		u64 a, b;
		const char *text_a, *text_b;
	} cases[] = {
		{ 1077 * MIB, 1076 * MIB, "1077 MiB", "1076 MiB" },
		{ 1077 * MIB, 1077 * MIB, "1.05 GiB", "1.05 GiB" },
		{ 1077 * MIB, 2048 * MIB, "1.05 GiB", "2 GiB" },
		{ 1077 * MIB + 8, 1077 * MIB, "1102852 KiB", "1102848 KiB" },
		{ 1077 * MIB + 1, 1077 * MIB, "1129316864 bytes", "1129316352 bytes" },
		{ (1ULL << 42) + 1, 1ULL << 42, "2251799813685760 bytes",
		  "2251799813685248 bytes" },
	};
	struct size_pair pair;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		pair = sectors_apart(cases[i].a, cases[i].b);
		assert_string_equal(pair.a.s, cases[i].text_a);
		assert_string_equal(pair.b.s, cases[i].text_b);
	}
}

static void sizes_are_read(void **state)
{
	u64 bytes;

	(void)state;
	assert_true(parse_size("64K", &bytes) && bytes == 64 << 10);
	assert_true(parse_size("1MiB", &bytes) && bytes == 1 << 20);
	assert_true(parse_size("65536", &bytes) && bytes == 65536);
	assert_false(parse_size("64X", &bytes));
	assert_false(parse_size("", &bytes));
	assert_false(parse_size("16777216T", &bytes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_exact_or_rounded),
		cmocka_unit_test(different_sizes_look_different),
		cmocka_unit_test(sizes_are_read),
	};

	return cmocka_run_group_tests_name("size", tests, NULL, NULL);
}
