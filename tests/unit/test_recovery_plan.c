// SPDX-License-Identifier: GPL-2.0
/*
 * The planner where the crash models do not go: zones that lack more than parity makes
 * up for, now or at a start before.
 */
#include "../../raizn/core/recovery_plan.h"
#include "unit.h"
#include <cmocka.h>

#define RESETTING RAIZN_ZONE_RESETTING
#define FINISHED RAIZN_ZONE_FINISHED
#define TRUNCATED RAIZN_ZONE_TRUNCATED
#define UNLOGGED RAIZN_ZONE_UNLOGGED
#define ZONE 3

static struct raizn_geometry geo;
static struct raizn_zone_facts facts;

/* A zone of one of the unit arrays, written to @wp, with all columns in place. */
static void zone_with(u32 array, u32 wp, u32 flags)
{
	u32 c;

	unit_geometry(&unit_arrays[array], &geo);
	memset(&facts, 0, sizeof(facts));
	facts.zone = ZONE % geo.nr_zones;
	facts.state.flags = flags;
	for (c = 0; c < geo.nr_members; c++)
		facts.extents[c] = raizn_column_extent(&geo, facts.zone, c, wp);
}

/* Column of the zone's first data. */
static u32 first_data(void)
{
	return raizn_data_column(&geo, raizn_parity_column(&geo, facts.zone, 0), 0);
}

static u32 first_parity(u32 nth)
{
	return raizn_parity_column_nth(&geo, raizn_parity_column(&geo, facts.zone, 0),
				       nth);
}

static void lose(u32 column)
{
	facts.missing |= 1U << column;
	facts.extents[column] = 0;
}

static bool is_empty(bool logged, u32 absent)
{
	facts.unlogged = absent;
	return raizn_zone_is_empty(&geo, &facts, logged);
}

static void nothing_there(void **state)
{
	u32 array;

	(void)state;
	for (array = 0; array < ARRAY_SIZE(unit_arrays); array++) {
		zone_with(array, 0, 0);
		assert_true(is_empty(false, 0));
		zone_with(array, 0, TRUNCATED);
		assert_true(is_empty(false, 0));
		zone_with(array, 0, UNLOGGED);
		assert_true(is_empty(false, 0));
		zone_with(array, 0, RESETTING);
		assert_false(is_empty(false, 0));
		zone_with(array, 0, FINISHED);
		assert_false(is_empty(false, 0));
		zone_with(array, geo.block, 0);
		assert_false(is_empty(false, 0));
		zone_with(array, geo.zone_cap, 0);
		assert_false(is_empty(false, 0));
	}
}

/* Without the column of the first data the log of the first parity's member tells. */
static void first_data_missing(void **state)
{
	u32 parity;

	(void)state;
	zone_with(0, 0, 0);
	parity = 1U << first_parity(0);
	lose(first_data());
	assert_true(is_empty(false, 0));
	assert_false(is_empty(true, 0));
	assert_false(is_empty(false, parity));
	/* Of a member that is there the log tells, also if its zone is lost. */
	lose(first_parity(0));
	assert_true(is_empty(false, 0));
	/* Once that log has begun anew, it does not. */
	facts.state.flags = UNLOGGED;
	assert_false(is_empty(false, 0));

	/* With two parities one log is enough. */
	zone_with(1, 0, 0);
	lose(first_data());
	assert_true(is_empty(false, 1U << first_parity(0)));
	assert_true(is_empty(false, 1U << first_parity(1)));
	assert_false(is_empty(false, 1U << first_parity(0) |
			      1U << first_parity(1)));
}

static void other_data_missing(void **state)
{
	u32 other;

	(void)state;
	zone_with(0, 0, 0);
	other = raizn_data_column(&geo,
				  raizn_parity_column(&geo, facts.zone, 0), 1);
	lose(other);
	lose(first_parity(0));
	assert_true(is_empty(true, 1U << first_parity(0)));
	facts.state.flags = UNLOGGED;
	assert_true(is_empty(true, 1U << first_parity(0)));
}

/* Of two copies nothing is logged: only the copy that is there tells. */
static void mirrored(void **state)
{
	(void)state;
	zone_with(2, 0, 0);
	lose(first_data());
	assert_true(is_empty(false, 0));
	lose(first_parity(0));
	assert_false(is_empty(false, 0));
}

static enum raizn_zone_action plan(u32 *wp)
{
	struct raizn_zone_plan result;

	raizn_plan_zone(&geo, &facts, &result);
	*wp = result.wp;
	return result.action;
}

/* Column of the first data of a stripe. */
static u32 begins_stripe(u32 stripe)
{
	return raizn_data_column(&geo, raizn_parity_column(&geo, facts.zone, stripe),
				 0);
}

/* Without partial parity a zone that lacks a column may end behind what can be seen. */
static void end_unknown(void **state)
{
	u32 c, wp, end, more;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	end = 2 * geo.stripe;
	/* What ends a unit may go on in the next one. */
	zone_with(0, end + geo.su, UNLOGGED);
	lose(raizn_data_column(&geo, raizn_parity_column(&geo, facts.zone, 2), 1));
	assert_int_equal(plan(&wp), RAIZN_ZONE_DAMAGED);
	assert_int_equal(wp, end + geo.su);
	for (more = 0; more <= geo.block; more += geo.block) {
		zone_with(0, end + more, UNLOGGED);
		assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
		assert_int_equal(wp, end + more);
		for (c = 0; c < geo.nr_members; c++) {
			zone_with(0, end + more, 0);
			lose(c);
			assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
			facts.state.flags = UNLOGGED;
			assert_int_equal(plan(&wp), c == begins_stripe(2) ?
					 RAIZN_ZONE_DAMAGED : RAIZN_ZONE_LEAVE);
			assert_int_equal(wp, c == begins_stripe(2) ?
					 end : end + more);
		}
	}
	zone_with(0, 0, UNLOGGED);
	lose(first_data());
	assert_int_equal(plan(&wp), RAIZN_ZONE_DAMAGED);
	assert_int_equal(wp, 0);
}

/*
 * So it may when the member with the parity of the stripe lost its log; with another one's
 * log nothing is lost.
 */
static void log_lost(void **state)
{
	u32 more, next, log, wp, member;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	for (more = 0; more < geo.su; more += geo.block) {
		zone_with(0, 2 * geo.stripe + more, 0);
		next = begins_stripe(2);
		log = raizn_parity_column(&geo, facts.zone, 2);
		for (member = 0; member < geo.nr_members; member++) {
			zone_with(0, 2 * geo.stripe + more, 0);
			facts.unlogged = 1U << member;
			assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
			assert_int_equal(wp, 2 * geo.stripe + more);
			lose(next);
			assert_int_equal(plan(&wp), member == log ?
					 RAIZN_ZONE_DAMAGED : RAIZN_ZONE_LEAVE);
		}
	}
	/* Of two copies nothing is logged. */
	zone_with(2, geo.su, 0);
	facts.unlogged = 1U << first_parity(0);
	lose(first_data());
	assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
}

/* Rows of one stripe of a column are spoilt, and in no log. */
static void spoil(u32 column, u32 stripe)
{
	static struct raizn_spoilt_rows rows;

	rows.column = column;
	rows.from = stripe << geo.su_shift;
	rows.end = rows.from + geo.su;
	facts.spoilt = &rows;
	facts.nr_spoilt = 1;
}

/*
 * Beside a missing column, spoilt rows in a log that is lost end the data that can be had, and not
 * the data that was promised.
 */
static void log_of_spoilt_lost(void **state)
{
	struct raizn_relocated_rows there = { 0 };
	u32 spoilt, wp;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	for (spoilt = 1; spoilt < 3; spoilt++) {
		zone_with(0, 6 * geo.stripe, 0);
		spoil(spoilt, 2);
		assert_int_equal(plan(&wp), RAIZN_ZONE_REPAIR);
		assert_int_equal(wp, 6 * geo.stripe);
		facts.unlogged = 1U << spoilt;
		assert_int_equal(plan(&wp), RAIZN_ZONE_REPAIR);
		assert_int_equal(wp, 6 * geo.stripe);
		lose(0);
		assert_int_equal(plan(&wp), RAIZN_ZONE_DAMAGED);
		/* A start has dropped the partial parity since then. */
		zone_with(0, 6 * geo.stripe, UNLOGGED);
		spoil(spoilt, 2);
		facts.extents[0] = 2 * geo.su;
		assert_int_equal(plan(&wp), RAIZN_ZONE_DAMAGED);
		lose(0);
		there.column = spoilt;
		there.row = 2 * geo.su;
		there.nr_rows = geo.su;
		facts.relocated = &there;
		facts.nr_relocated = 1;
		facts.unlogged = 0;
		assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
		assert_int_equal(wp, 6 * geo.stripe);
	}
}

/* The columns of a finished zone are full, but may lack rows that are spoilt. */
static void finished_with_spoilt(void **state)
{
	u32 wp;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	zone_with(0, 6 * geo.stripe, FINISHED);
	facts.state.wp = 6 * geo.stripe;
	facts.full = (u32)((1ULL << geo.nr_members) - 1);
	assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
	spoil(1, 2);
	assert_int_equal(plan(&wp), RAIZN_ZONE_FINISH);
	assert_int_equal(wp, 6 * geo.stripe);
	spoil(1, 7);
	assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
}

/* Of the records of a row the newest counts that has nothing behind the write pointer. */
static void row_parity(void **state)
{
	struct raizn_pp_entry pp[3] = { { .seq = 3 }, { .seq = 2 }, { .seq = 1 } };
	u32 first, record, limit, i;

	(void)state;
	zone_with(0, 2 * geo.stripe + 2 * geo.su, 0);
	first = 2 * geo.stripe;
	facts.pp = pp;
	facts.nr_pp = 3;
	for (i = 0; i < 3; i++) {
		pp[i].start = first + (2 - i) * geo.su;
		pp[i].end = pp[i].start + geo.su;
		pp[i].nr_rows = geo.su;
	}
	/* Units 0 to 2 were logged, one after the other, and two of them survived. */
	assert_true(raizn_find_row_parity(&geo, &facts, first,
					  first + 2 * geo.su, 0, &record, &limit));
	assert_int_equal(record, 1);
	assert_int_equal(limit, first + 2 * geo.su);
	/* With a block of the third one, its rows are of all three. */
	assert_true(raizn_find_row_parity(&geo, &facts, first,
					  first + 2 * geo.su + geo.block, 0, &record,
					  &limit));
	assert_int_equal(record, 0);
	/* The rows behind that are not. */
	assert_true(raizn_find_row_parity(&geo, &facts, first + geo.block,
					  first + 2 * geo.su + geo.block, 0, &record,
					  &limit));
	assert_int_equal(record, 1);
	/* Nothing was logged of another stripe. */
	assert_false(raizn_find_row_parity(&geo, &facts, first + geo.stripe,
					   first + geo.stripe + geo.su, 0, &record,
					   &limit));
	/* A full stripe has nothing behind it. */
	pp[0].end = first + geo.stripe;
	assert_true(raizn_find_row_parity(&geo, &facts, first, first + geo.stripe, 0,
					  &record, &limit));
	assert_int_equal(record, 0);
	/* A record has one of the parities. */
	pp[0].parity = 1;
	assert_true(raizn_find_row_parity(&geo, &facts, first, first + geo.stripe, 0,
					  &record, &limit));
	assert_int_equal(record, 1);
	assert_true(raizn_find_row_parity(&geo, &facts, first, first + geo.stripe, 1,
					  &record, &limit));
	assert_int_equal(record, 0);
}

/* What a damaged zone's last stripe can be decoded to by its planner is not what users read. */
static void readable_end(void **state)
{
	u32 pc, wp, end, pos;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	end = 2 * geo.stripe;
	zone_with(0, end + geo.su, UNLOGGED);
	pc = raizn_parity_column(&geo, facts.zone, 2);
	for (pos = 1; pos < geo.nr_data; pos++)
		facts.extents[raizn_data_column(&geo, pc, pos)] += geo.block;
	facts.extents[pc] += geo.block;
	lose(raizn_data_column(&geo, pc, 1));
	assert_int_equal(plan(&wp), RAIZN_ZONE_DAMAGED);
	assert_int_equal(wp, end + geo.su + geo.block);
	assert_int_equal(raizn_readable_end(&geo, &facts, wp), end + geo.su);

	/* With two columns lost their data is an error, and what is short is not there. */
	zone_with(0, end, 0);
	lose(raizn_data_column(&geo, pc, 0));
	lose(raizn_data_column(&geo, pc, 2));
	assert_int_equal(raizn_readable_end(&geo, &facts, 0), end + geo.su);

	/* The last stripe has units behind those that are lost: they can be read. */
	zone_with(0, end + 3 * geo.su + geo.block, 0);
	lose(raizn_data_column(&geo, pc, 0));
	lose(raizn_data_column(&geo, pc, 2));
	assert_int_equal(plan(&wp), RAIZN_ZONE_DAMAGED);
	assert_in_range(wp, 0, geo.stripe);
	assert_int_equal(raizn_readable_end(&geo, &facts, wp),
			 end + 3 * geo.su + geo.block);

	/* A finished zone is read up to its last whole stripe, whatever is in place behind it. */
	zone_with(0, end + geo.block, FINISHED);
	facts.state.wp = end + geo.block;
	lose(raizn_data_column(&geo, pc, 1));
	assert_int_equal(raizn_readable_end(&geo, &facts, end + geo.block), end);
}

/* A full zone, a finished one and one that is being reset have an end that is known. */
static void end_known(void **state)
{
	u32 c, wp, end;

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	end = 2 * geo.stripe;
	for (c = 0; c < geo.nr_members; c++) {
		zone_with(0, geo.zone_cap, UNLOGGED);
		lose(c);
		assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
		assert_int_equal(wp, geo.zone_cap);

		zone_with(0, end, UNLOGGED | FINISHED);
		facts.state.wp = end;
		facts.full = (1U << geo.nr_members) - 1;
		lose(c);
		assert_int_equal(plan(&wp), RAIZN_ZONE_LEAVE);
		assert_int_equal(wp, end);

		zone_with(0, end, UNLOGGED | RESETTING);
		lose(c);
		assert_int_equal(plan(&wp), RAIZN_ZONE_RESET);
	}
}

/* Members that are being rebuilt count only where all others tell where columns end. */
static void rebuilt(void **state)
{
	u32 c, end, ends[RAIZN_MAX_MEMBERS];

	(void)state;
	unit_geometry(&unit_arrays[0], &geo);
	end = 2 * geo.stripe + geo.block;
	for (c = 1; c < geo.nr_members; c++) {
		zone_with(0, geo.zone_cap, 0);
		lose(0);
		assert_false(raizn_needs_missing(&geo, &facts, ends));
		lose(c);
		assert_true(raizn_needs_missing(&geo, &facts, ends));
		assert_int_equal(ends[0], geo.member_zone_cap);
		assert_int_equal(ends[c], geo.member_zone_cap);
		facts.state.flags = RESETTING;
		assert_false(raizn_needs_missing(&geo, &facts, ends));

		zone_with(0, geo.zone_cap - geo.block, 0);
		lose(0);
		lose(c);
		facts.extents[c % (geo.nr_members - 1) + 1] = geo.member_zone_cap - geo.block;
		assert_false(raizn_needs_missing(&geo, &facts, ends));

		zone_with(0, end, FINISHED);
		facts.state.wp = end;
		facts.full = (1U << geo.nr_members) - 1;
		lose(0);
		lose(c);
		assert_true(raizn_needs_missing(&geo, &facts, ends));
		facts.full &= ~(1U << (c % (geo.nr_members - 1) + 1));
		assert_false(raizn_needs_missing(&geo, &facts, ends));
	}
	/* The block behind two stripes, and its parity. */
	c = raizn_parity_column(&geo, facts.zone, 2);
	facts.full = (1U << geo.nr_members) - 1;
	assert_true(raizn_needs_missing(&geo, &facts, ends));
	assert_int_equal(ends[c], 2 * geo.su + geo.block);
	assert_int_equal(ends[raizn_data_column(&geo, c, 0)], 2 * geo.su + geo.block);
	assert_int_equal(ends[raizn_data_column(&geo, c, 1)], 2 * geo.su);
}

#define MAX_RECORDS	64U

/* A random record of one of two stripes at the write pointer. */
static void random_record(struct rng *rng, u32 stripe, struct raizn_pp_entry *e)
{
	u32 blocks = geo.stripe / geo.block, first = rnd_below(rng, blocks);
	u32 begin = (stripe + rnd_below(rng, 2)) * geo.stripe;

	memset(e, 0, sizeof(*e));
	e->start = begin + first * geo.block;
	e->end = e->start + (1 + rnd_below(rng, blocks - first)) * geo.block;
	e->row = rnd_below(rng, geo.su / geo.block) * geo.block;
	e->nr_rows = (1 + rnd_below(rng, geo.su / geo.block)) * geo.block;
	e->parity = (u8)rnd_below(rng, geo.nr_parity);
}

/* Put a record where its number belongs, newest first. */
static void insert(struct raizn_pp_entry *pp, u32 *nr, const struct raizn_pp_entry *e)
{
	u32 i = (*nr)++;

	for (; i && pp[i - 1].seq < e->seq; i--)
		pp[i] = pp[i - 1];
	pp[i] = *e;
}

/* Some data did not survive, and up to two columns are missing. */
static void damage(struct rng *rng)
{
	u32 c, less;

	for (c = 0; c < geo.nr_members; c++) {
		less = rnd_below(rng, 4) ? 0 : rnd_below(rng, 2 * geo.su / geo.block) * geo.block;
		facts.extents[c] -= less < facts.extents[c] ? less : facts.extents[c];
	}
	for (c = rnd_below(rng, geo.nr_parity + 1); c; c--)
		lose(rnd_below(rng, geo.nr_members));
}

/* Number of the newest record of a row, 0 if there is none. */
static u64 parity_of(const struct raizn_pp_entry *pp, u32 nr, u32 offset, u32 wp, u32 parity)
{
	u32 record, limit;

	facts.pp = pp;
	facts.nr_pp = nr;
	return raizn_find_row_parity(&geo, &facts, offset, wp, parity, &record, &limit) ?
	       pp[record].seq : 0;
}

/* All data, and the parity of the tail, as by all records. */
static void check_same(const struct raizn_pp_entry *all, u32 nr_all,
		       const struct raizn_pp_entry *some, u32 nr_some)
{
	struct raizn_zone_plan want, got;
	struct raizn_source source;
	u32 offset, parity;

	facts.pp = all;
	facts.nr_pp = nr_all;
	raizn_plan_zone(&geo, &facts, &want);
	facts.pp = some;
	facts.nr_pp = nr_some;
	raizn_plan_zone(&geo, &facts, &got);
	assert_memory_equal(&want, &got, sizeof(want));
	for (offset = raizn_whole_stripes(&geo, &facts) * geo.stripe; offset < got.wp;
	     offset += geo.block)
		assert_true(raizn_find_source(&geo, &facts, offset, &source));
	offset = got.wp - got.wp % geo.stripe;
	for (; offset < got.wp && offset % geo.stripe < geo.su; offset += geo.block)
		for (parity = 0; parity < geo.nr_parity; parity++)
			assert_int_equal(parity_of(all, nr_all, offset, got.wp, parity),
					 parity_of(some, nr_some, offset, got.wp, parity));
}

/* Records come in any order, and superseded ones are dropped at any time. */
static void nothing_needed_goes(void **state)
{
	struct raizn_pp_entry all[MAX_RECORDS], some[MAX_RECORDS], e;
	struct rng rng = { unit_seed() };
	u32 round, nr_all, nr_some, nr, stripe, blocks, i, dropped = 0;

	(void)state;
	for (round = 0; round < 3000; round++) {
		zone_with(round % 2, 0, 0);
		stripe = 2 + rnd_below(&rng, 3);
		blocks = geo.stripe / geo.block;
		zone_with(round % 2, stripe * geo.stripe + rnd_below(&rng, 2 * blocks) * geo.block,
			  0);
		damage(&rng);
		nr = 1 + rnd_below(&rng, MAX_RECORDS);
		nr_all = 0;
		nr_some = 0;
		for (i = 0; i < nr; i++) {
			random_record(&rng, stripe, &e);
			e.seq = rnd(&rng) / 2 + 1;
			insert(all, &nr_all, &e);
			insert(some, &nr_some, &e);
			facts.pp = some;
			facts.nr_pp = nr_some;
			if (!rnd_below(&rng, 4))
				nr_some = raizn_keep_needed(&geo, &facts, some);
		}
		dropped += nr_all - nr_some;
		check_same(all, nr_all, some, nr_some);
	}
	assert_true(dropped > 3000);
}

/* Of a stripe that is flushed after each block, the newest record of each row stays. */
static void superseded_records_go(void **state)
{
	struct raizn_pp_entry pp[MAX_RECORDS] = { 0 };
	u32 lost, i, nr;

	(void)state;
	for (lost = 0; lost < 5; lost++) {
		zone_with(0, 2 * geo.stripe, 0);
		zone_with(0, 3 * geo.stripe - geo.block, 0);
		if (lost)
			lose(raizn_data_column(&geo, raizn_parity_column(&geo, facts.zone, 2),
					       lost - 1));
		nr = geo.stripe / geo.block - 1;
		assert_true(nr < MAX_RECORDS);
		for (i = 0; i < nr; i++) {
			pp[i].seq = nr - i;
			pp[i].start = 2 * geo.stripe + (nr - 1 - i) * geo.block;
			pp[i].end = pp[i].start + geo.block;
			pp[i].row = pp[i].start % geo.su;
			pp[i].nr_rows = geo.block;
		}
		facts.pp = pp;
		facts.nr_pp = nr;
		assert_int_equal(raizn_keep_needed(&geo, &facts, pp), geo.su / geo.block);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_there),
		cmocka_unit_test(first_data_missing),
		cmocka_unit_test(other_data_missing),
		cmocka_unit_test(mirrored),
		cmocka_unit_test(end_unknown),
		cmocka_unit_test(log_lost),
		cmocka_unit_test(log_of_spoilt_lost),
		cmocka_unit_test(finished_with_spoilt),
		cmocka_unit_test(row_parity),
		cmocka_unit_test(readable_end),
		cmocka_unit_test(end_known),
		cmocka_unit_test(rebuilt),
		cmocka_unit_test(nothing_needed_goes),
		cmocka_unit_test(superseded_records_go),
	};

	return cmocka_run_group_tests_name("recovery_plan", tests, NULL, NULL);
}
