// SPDX-License-Identifier: GPL-2.0
/*
 * Progress as raizn(8) shows it: the smoothing of rates, and what people read.
 */
#include <math.h>

#include "../../tools/amount.h"
#include "../../tools/meter.h"
#include "unit.h"
#include <cmocka.h>

static bool about(double a, double b)
{
	return fabs(a - b) <= fabs(b) / 100 + 0.001;
}

/* Look at work of @rate units a second every @step ms until @end. */
static void run(struct meter *meter, double rate, u64 step, u64 end)
{
	double done = meter->done;

	while (meter->seen + step <= end) {
		done += rate * step / 1000;
		meter_update(meter, (u64)done, meter->seen + step);
	}
}

static void no_rate_at_the_beginning(void **state)
{
	struct meter meter;
	double rate;

	(void)state;
	meter_begin(&meter, 5000, 100);
	assert_false(meter_rate(&meter, &rate));
	assert_false(meter_mean(&meter, &rate));
	meter_update(&meter, 1000000, 110);
	assert_false(meter_rate(&meter, &rate));
	meter_update(&meter, 2000000, 2100);
	assert_true(meter_rate(&meter, &rate));
	check(about(rate, 997500), "rate %f", rate);
	/* Work that has not begun has none, however long that takes. */
	meter_begin(&meter, 5000, 100);
	meter_update(&meter, 5000, 60000);
	assert_false(meter_rate(&meter, &rate));
}

static void even_work_has_its_rate(void **state)
{
	static const u64 steps[] = { 1, 20, 500, 1000, 7000, 60000 };
	struct meter meter;
	double rate, mean;
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		meter_begin(&meter, 123, 7);
		run(&meter, 20000, steps[i], 200000);
		assert_true(meter_rate(&meter, &rate));
		assert_true(meter_mean(&meter, &mean));
		check(about(rate, 20000) && about(mean, 20000),
		      "steps of %llu ms: rate %f, mean %f",
		      (unsigned long long)steps[i], rate, mean);
	}
}

static void uneven_work_is_smoothed(void **state)
{
	struct meter meter;
	double rate, most = 0, least = 1000000;
	u64 done = 0, now;

	(void)state;
	/* A thousand at once in every second, looked at twice a second. */
	meter_begin(&meter, 0, 0);
	for (now = 500; now < 120000; now += 500) {
		if (now % 1000 == 0)
			done += 1000;
		meter_update(&meter, done, now);
		if (now < 30000)
			continue;
		assert_true(meter_rate(&meter, &rate));
		most = rate > most ? rate : most;
		least = rate < least ? rate : least;
	}
	check(least > 900 && most < 1100, "%f to %f", least, most);
}

static void a_change_is_followed(void **state)
{
	struct meter meter;
	double rate, mean;

	(void)state;
	meter_begin(&meter, 0, 0);
	run(&meter, 100000, 500, 600000);
	run(&meter, 1000, 500, 601000);
	assert_true(meter_rate(&meter, &rate));
	check(rate > 50000, "rate %f: it jumps", rate);
	run(&meter, 1000, 500, 660000);
	assert_true(meter_rate(&meter, &rate) && meter_mean(&meter, &mean));
	check(rate < 1200, "rate %f: it does not follow", rate);
	check(mean > 80000, "mean %f", mean);
}

static void other_work_begins_anew(void **state)
{
	struct meter meter;
	double rate;

	(void)state;
	meter_begin(&meter, 0, 0);
	run(&meter, 100000, 500, 60000);
	meter_update(&meter, 10, 60500);
	assert_false(meter_rate(&meter, &rate));
	run(&meter, 10, 500, 70000);
	assert_true(meter_rate(&meter, &rate));
	check(about(rate, 10), "rate %f", rate);
	/* Twice at one time is one look. */
	meter_update(&meter, 1000, 70000);
	assert_true(meter_rate(&meter, &rate));
	check(about(rate, 10), "rate %f", rate);
}

static void durations(void **state)
{
	(void)state;
	assert_string_equal(duration_text(0).s, "0:00:00");
	assert_string_equal(duration_text(59).s, "0:00:59");
	assert_string_equal(duration_text(3600).s, "1:00:00");
	assert_string_equal(duration_text(100 * 3600 + 61).s, "100:01:01");
}

static void amounts(void **state)
{
	struct amount a = { .unit = AMOUNT_BYTES, .total = 3 << 20 };
	u64 left;

	(void)state;
	assert_string_equal(amount_text(&a).s,
			    "  0.0%  0 bytes of 3 MiB, rate unknown, time left unknown");
	a.done = 1 << 20;
	a.rate = 512 << 10;
	assert_false(amount_left(&a, &left));
	a.rate_known = true;
	assert_string_equal(amount_text(&a).s,
			    " 33.3%  1 MiB of 3 MiB, 512 KiB/s, 0:00:04 left");
	a.paused = true;
	assert_string_equal(amount_text(&a).s, " 33.3%  1 MiB of 3 MiB, paused");
	a.paused = false;
	a.done = a.total;
	assert_string_equal(amount_end_text(&a).s,
			    "100.0%  3 MiB of 3 MiB, 512 KiB/s");

	a = (struct amount) {
		.unit = AMOUNT_ZONES, .done = 30, .total = 40,
		.rate_known = true, .rate = 0.5,
	};
	assert_string_equal(amount_text(&a).s,
			    " 75.0%  30 of 40 zones, 0.5 zones/s, 0:00:20 left");
	a.unit = AMOUNT_STEPS;
	a.rate = 10;
	assert_string_equal(amount_text(&a).s,
			    " 75.0%  30 of 40 steps, 10 steps/s, 0:00:01 left");
}

static void nonsense_is_not_told(void **state)
{
	struct amount a = { .unit = AMOUNT_DRIVES, .rate_known = true };
	u64 left;

	(void)state;
	assert_string_equal(amount_text(&a).s,
			    "100.0%  0 of 0 drives, 0.0 drives/s, time left unknown");
	/* More than all: the work grew while it was looked at. */
	a.done = 5;
	a.total = 4;
	a.rate = 1;
	assert_false(amount_left(&a, &left));
	check(amount_percent(&a) == 100, "%f", amount_percent(&a));
	/* Years are no answer. */
	a.unit = AMOUNT_BYTES;
	a.done = 1 << 10;
	a.total = 1ULL << 60;
	a.rate = 100;
	assert_false(amount_left(&a, &left));
	assert_string_equal(amount_text(&a).s,
			    "  0.0%  1 KiB of 1 EiB, 100 bytes/s, time left unknown");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_rate_at_the_beginning),
		cmocka_unit_test(even_work_has_its_rate),
		cmocka_unit_test(uneven_work_is_smoothed),
		cmocka_unit_test(a_change_is_followed),
		cmocka_unit_test(other_work_begins_anew),
		cmocka_unit_test(durations),
		cmocka_unit_test(amounts),
		cmocka_unit_test(nonsense_is_not_told),
	};

	return cmocka_run_group_tests_name("progress", tests, NULL, NULL);
}
