// SPDX-License-Identifier: GPL-2.0
/*
 * Which members are trusted: the claims of members that cannot read all of their logs.
 */
#include "../../raizn/core/claims.h"
#include "unit.h"
#include <cmocka.h>

/* So many members with the same superblock, the last of which cannot read all of its log. */
static void members_with(struct raizn_member_claim *claims, u32 nr, bool clean)
{
	u32 i;

	memset(claims, 0, nr * sizeof(*claims));
	for (i = 0; i < nr; i++) {
		claims[i].there = true;
		claims[i].clean = clean;
		claims[i].event = 8;
		claims[i].base = 7;
	}
	claims[nr - 1].partial = true;
}

/* Is the last of so many members trusted? */
static bool last_counts(const struct raizn_member_claim *claims, u32 nr, u32 nr_parity)
{
	struct raizn_trust trust;

	assert_int_equal(raizn_join_partial(claims, nr, nr_parity, &trust), 0);
	return !((trust.failed | trust.unproven) >> (nr - 1));
}

/* How many other logs a member needs that cannot read all of its own; see member_model, too. */
static void unreadable_logs(void **state)
{
	struct raizn_member_claim claims[RAIZN_MAX_MEMBERS];
	struct raizn_trust trust;

	(void)state;
	/* Its superblock is known: one log after a clean stop, or one more than may have failed. */
	members_with(claims, 2, true);
	assert_true(last_counts(claims, 2, 1));
	claims[0].partial = true;
	assert_false(last_counts(claims, 2, 1));
	members_with(claims, 2, false);
	assert_false(last_counts(claims, 2, 1));
	assert_true(last_counts(claims, 2, 0));
	members_with(claims, 3, false);
	assert_true(last_counts(claims, 3, 1));
	claims[0].there = false;
	assert_false(last_counts(claims, 3, 1));
	/* Not all show the stop: one more start may have begun. */
	members_with(claims, 2, true);
	claims[1].event = 9;
	claims[1].base = 8;
	claims[1].clean = false;
	assert_false(last_counts(claims, 2, 1));

	/* A newer superblock may be hidden: all logs that a start needs, never half of them. */
	members_with(claims, 3, true);
	claims[2].hidden = true;
	assert_true(last_counts(claims, 3, 1));
	assert_false(last_counts(claims, 3, 2));
	claims[2].event = 7;
	claims[2].base = 6;
	assert_true(last_counts(claims, 3, 1));
	claims[2].event = 6;
	claims[2].base = 5;
	assert_false(last_counts(claims, 3, 1));
	members_with(claims, 3, true);
	claims[2].hidden = true;
	claims[0].there = false;
	assert_false(last_counts(claims, 3, 1));
	/* Others go on without it, and so do all that can read their logs. */
	members_with(claims, 3, true);
	claims[2].hidden = true;
	claims[0].failed = 4;
	claims[1].failed = 4;
	assert_false(last_counts(claims, 3, 1));
	/* The next superblock gets a count that no hidden one has. */
	members_with(claims, 3, true);
	claims[2].hidden = true;
	assert_int_equal(raizn_join_partial(claims, 3, 1, &trust), 0);
	assert_true(trust.event > 10);
	/* Nothing is known for certain. */
	claims[0].there = false;
	claims[1].there = false;
	assert_int_equal(raizn_join_partial(claims, 3, 1, &trust), 0);
	assert_int_equal(trust.unproven, 4);
	/* No member is there. */
	claims[2].there = false;
	assert_int_equal(raizn_join_partial(claims, 3, 1, &trust),
			 raizn_join_claims(claims, 3, &trust));
	assert_true(raizn_join_partial(claims, 3, 1, &trust) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unreadable_logs),
	};

	return cmocka_run_group_tests_name("claims", tests, NULL, NULL);
}
