/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of some work is done, how fast it goes and how long it will take, in words.
 */
#ifndef AMOUNT_H
#define AMOUNT_H

#include <stdbool.h>

#include "../raizn/core/portable.h"

enum amount_unit {
	AMOUNT_UNKNOWN,		/* nothing can be counted */
	AMOUNT_BYTES,
	AMOUNT_ZONES,
	AMOUNT_DRIVES,
	AMOUNT_STEPS,
};

/**
 * struct amount - work under way
 * @unit:	of @done and @total
 * @done:	what is done
 * @total:	what there is to do
 * @paused:	the work waits, so that no time left can be told
 * @rate_known:	@rate has a meaning: it is too early for that at the beginning
 * @rate:	units a second
 */
struct amount {
	enum amount_unit unit;
	u64 done;
	u64 total;
	bool paused;
	bool rate_known;
	double rate;
};

/**
 * struct amount_text - an amount for people
 * @s:	"52.3%  1.2 GiB of 2.3 GiB, 210 MiB/s, 0:00:05 left"
 */
struct amount_text {
	char s[160];
};

/**
 * struct duration_text - a duration for people
 * @s:	hours, minutes and seconds: "27:04:05"
 */
struct duration_text {
	char s[32];
};

/**
 * amount_percent() - part that is done
 * @amount:	work under way
 *
 * Return: percent; 100 when there is nothing to do.
 */
double amount_percent(const struct amount *amount);

/**
 * amount_left() - time left at the rate of @amount
 * @amount:	work under way
 * @seconds:	result
 *
 * Return: whether that can be told: neither at the beginning, nor while the work is
 * paused or does not get on.
 */
bool amount_left(const struct amount *amount, u64 *seconds);

/* The whole of it in one line. */
struct amount_text amount_text(const struct amount *amount);

/* What is done of what, and how fast that was, behind its end: no time is left. */
struct amount_text amount_end_text(const struct amount *amount);

struct duration_text duration_text(u64 seconds);

#endif /* AMOUNT_H */
