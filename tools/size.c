// SPDX-License-Identifier: GPL-2.0
/*
 * Sizes as people write and read them.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

static const char units[] = "KMGTPE";

struct size_text size_text(u64 bytes)
{
	struct size_text text;
	int unit = -1, decimals = 2;
	u64 scale = 1;

	while (bytes / scale >= 1024) {
		scale *= 1024;
		unit++;
	}
	if (unit < 0) {
		snprintf(text.s, sizeof(text.s), "%u bytes", (unsigned int)bytes);
		return text;
	}
	if (!(bytes % scale))
		decimals = 0;
	else if (!(bytes % scale * 2 % scale))
		decimals = 1;
	snprintf(text.s, sizeof(text.s), "%.*f %ciB", decimals,
		 (double)bytes / scale, units[unit]);
	return text;
}

struct size_text sectors_text(u64 sectors)
{
	return size_text(sectors << 9);
}

struct size_pair sectors_apart(u64 a, u64 b)
{
	struct size_pair pair = { sectors_text(a), sectors_text(b) };
	u64 scale = 1ULL << 60;
	int unit = 5;

	if (a == b || (a > b ? a - b : b - a) >= a / 128)
		return pair;
	/* The largest unit of which both are a multiple. */
	while (unit > 0 && ((a << 9) % scale || (b << 9) % scale)) {
		scale >>= 10;
		unit--;
	}
	if ((a << 9) % scale || (b << 9) % scale) {
		snprintf(pair.a.s, sizeof(pair.a.s), "%llu bytes", (unsigned long long)a << 9);
		snprintf(pair.b.s, sizeof(pair.b.s), "%llu bytes", (unsigned long long)b << 9);
		return pair;
	}
	snprintf(pair.a.s, sizeof(pair.a.s), "%llu %ciB", (unsigned long long)((a << 9) / scale),
		 units[unit]);
	snprintf(pair.b.s, sizeof(pair.b.s), "%llu %ciB", (unsigned long long)((b << 9) / scale),
		 units[unit]);
	return pair;
}

bool parse_size(const char *text, u64 *bytes)
{
	unsigned long long number;
	const char *unit;
	unsigned int shift;
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return false;
	*bytes = number;
	if (!*end)
		return true;
	unit = strchr(units, toupper((unsigned char)*end));
	if (!unit || (end[1] && strcmp(end + 1, "iB") && strcmp(end + 1, "B")))
		return false;
	shift = 10 * (unit - units + 1);
	*bytes = number << shift;
	return *bytes >> shift == number;
}
