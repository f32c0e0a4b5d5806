/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How fast some work goes, smoothed.
 *
 * At first the rate is the mean since the beginning, later one in which what is longer ago
 * than a quarter of a minute or so hardly counts: it does not jump with each look, and
 * follows when users begin or cease to use the drives.
 */
#ifndef METER_H
#define METER_H

#include <stdbool.h>

#include "../raizn/core/portable.h"

/**
 * struct meter - work under measurement
 * @begun:	when the measurement began (milliseconds of a clock that does not jump)
 * @seen:	when the work was looked at last
 * @first:	what was done at @begun
 * @done:	what was done at @seen
 * @rate:	units a second
 */
struct meter {
	u64 begun;
	u64 seen;
	u64 first;
	u64 done;
	double rate;
};

/**
 * meter_begin() - measure from now on
 * @meter:	to fill
 * @done:	what is done now
 * @now:	milliseconds
 */
void meter_begin(struct meter *meter, u64 done, u64 now);

/**
 * meter_update() - look at the work
 * @meter:	begun
 * @done:	what is done now; less than before means that other work has begun
 * @now:	milliseconds
 */
void meter_update(struct meter *meter, u64 done, u64 now);

/**
 * meter_rate() - the rate now
 * @meter:	begun
 * @rate:	units a second
 *
 * Return: whether it can be told: at the beginning it would say little.
 */
bool meter_rate(const struct meter *meter, double *rate);

/* The same over all the time that was measured. */
bool meter_mean(const struct meter *meter, double *rate);

#endif /* METER_H */
