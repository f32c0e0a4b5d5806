// SPDX-License-Identifier: GPL-2.0
/*
 * How much of some work is done, how fast it goes and how long it will take, in words.
 */
#include <stdio.h>

#include "amount.h"
#include "size.h"

/* A time left that is longer tells only that the work does not get on. */
#define LONGEST_LEFT	(10000 * 3600.0)	/* seconds */

static const char *const unit_names[] = {
	[AMOUNT_BYTES] = "bytes",
	[AMOUNT_ZONES] = "zones",
	[AMOUNT_DRIVES] = "drives",
	[AMOUNT_STEPS] = "steps",
};

double amount_percent(const struct amount *amount)
{
	if (amount->done >= amount->total)
		return 100;
	return 100.0 * amount->done / amount->total;
}

bool amount_left(const struct amount *amount, u64 *seconds)
{
	double left;

	if (amount->paused || !amount->rate_known || amount->rate <= 0 ||
	    amount->done > amount->total)
		return false;
	left = (amount->total - amount->done) / amount->rate;
	if (left > LONGEST_LEFT)
		return false;
	*seconds = left + 0.5;
	return true;
}

struct duration_text duration_text(u64 seconds)
{
	struct duration_text text;

	snprintf(text.s, sizeof(text.s), "%llu:%02u:%02u",
		 (unsigned long long)seconds / 3600,
		 (unsigned int)(seconds / 60 % 60), (unsigned int)(seconds % 60));
	return text;
}

/* "1.2 GiB of 2.3 GiB" or "12 of 40 zones" */
static int done_text(char *text, size_t size, const struct amount *amount)
{
	if (amount->unit == AMOUNT_BYTES)
		return snprintf(text, size, "%s of %s", size_text(amount->done).s,
				size_text(amount->total).s);
	return snprintf(text, size, "%llu of %llu %s",
			(unsigned long long)amount->done,
			(unsigned long long)amount->total,
			unit_names[amount->unit]);
}

/* ", 210 MiB/s" or ", 0.4 zones/s" */
static int rate_text(char *text, size_t size, const struct amount *amount)
{
	if (!amount->rate_known)
		return snprintf(text, size, ", rate unknown");
	if (amount->unit == AMOUNT_BYTES)
		return snprintf(text, size, ", %s/s", size_text(amount->rate).s);
	return snprintf(text, size, ", %.*f %s/s", amount->rate < 10 ? 1 : 0,
			amount->rate, unit_names[amount->unit]);
}

static struct amount_text begin_text(const struct amount *amount, bool rate,
				     size_t *at)
{
	struct amount_text text;

	*at = snprintf(text.s, sizeof(text.s), "%5.1f%%  ",
		       amount_percent(amount));
	*at += done_text(text.s + *at, sizeof(text.s) - *at, amount);
	if (rate)
		*at += rate_text(text.s + *at, sizeof(text.s) - *at, amount);
	return text;
}

struct amount_text amount_text(const struct amount *amount)
{
	struct amount_text text;
	u64 seconds;
	size_t at;

	text = begin_text(amount, !amount->paused, &at);
	if (amount->paused)
		snprintf(text.s + at, sizeof(text.s) - at, ", paused");
	else if (amount_left(amount, &seconds))
		snprintf(text.s + at, sizeof(text.s) - at, ", %s left",
			 duration_text(seconds).s);
	else
		snprintf(text.s + at, sizeof(text.s) - at, ", time left unknown");
	return text;
}

struct amount_text amount_end_text(const struct amount *amount)
{
	size_t at;

	return begin_text(amount, amount->rate_known, &at);
}
