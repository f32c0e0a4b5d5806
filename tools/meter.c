// SPDX-License-Identifier: GPL-2.0
/*
 * How fast some work goes, smoothed.
 */
#include "meter.h"

/* Before, a rate says little. */
#define LEAST	1500	/* milliseconds */

/* The weight of what was done before falls to a third in about this time. */
#define MEMORY	8000	/* milliseconds */

void meter_begin(struct meter *meter, u64 done, u64 now)
{
	*meter = (struct meter) {
		.begun = now, .seen = now, .first = done, .done = done,
	};
}

void meter_update(struct meter *meter, u64 done, u64 now)
{
	u64 passed, span;
	double latest;

	if (done < meter->done || now < meter->seen) {
		meter_begin(meter, done, now);
		return;
	}
	if (now == meter->seen)	/* counts with the next look */
		return;
	passed = now - meter->seen;
	latest = 1000.0 * (done - meter->done) / passed;
	/* While that is shorter: the mean since the beginning. */
	span = now - meter->begun;
	if (span > passed + MEMORY)
		span = passed + MEMORY;
	meter->rate += (latest - meter->rate) * passed / span;
	meter->seen = now;
	meter->done = done;
}

bool meter_rate(const struct meter *meter, double *rate)
{
	*rate = meter->rate;
	return meter->seen - meter->begun >= LEAST && meter->done > meter->first;
}

bool meter_mean(const struct meter *meter, double *rate)
{
	if (meter->seen == meter->begun)
		return false;
	*rate = 1000.0 * (meter->done - meter->first) /
		(meter->seen - meter->begun);
	return true;
}
