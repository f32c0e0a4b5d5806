// SPDX-License-Identifier: GPL-2.0
/*
 * Data that are a function of where and when they were written.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "zonemodel.h"

/* First word of a sector: 0x5a, zone, resets, sector in the zone. */
#define TAG_ZONE_BITS	16
#define TAG_GEN_BITS	14
#define TAG_SECTOR_BITS	26

u64 tag(const struct zone *z, u64 gen, u64 sector)
{
	return 0x5aULL << 56 |
	       (u64)(z->number & ((1U << TAG_ZONE_BITS) - 1)) <<
			(TAG_GEN_BITS + TAG_SECTOR_BITS) |
	       (gen & ((1U << TAG_GEN_BITS) - 1)) << TAG_SECTOR_BITS |
	       (sector & ((1U << TAG_SECTOR_BITS) - 1));
}

void describe(char *text, size_t size, const u64 *words)
{
	u64 w = words[0];
	unsigned int i;

	for (i = 0; i < SECTOR / sizeof(*words) && !words[i]; i++)
		;
	if (i == SECTOR / sizeof(*words))
		snprintf(text, size, "zeros");
	else if (w >> 56 != 0x5a)
		snprintf(text, size, "foreign data %016" PRIx64, w);
	else
		snprintf(text, size, "data of zone %u, reset %u, sector %u",
			 (u32)(w >> (TAG_GEN_BITS + TAG_SECTOR_BITS)) &
			 ((1U << TAG_ZONE_BITS) - 1),
			 (u32)(w >> TAG_SECTOR_BITS) & ((1U << TAG_GEN_BITS) - 1),
			 (u32)w & ((1U << TAG_SECTOR_BITS) - 1));
}

void make_sector(u64 *words, const struct zone *z, u64 gen, u64 sector)
{
	u64 h = mix(set.seed ^ mix(((u64)z->number << 32 | (u32)gen) ^
			       sector * 0x9e3779b97f4a7c15ULL));
	unsigned int i;

	words[0] = tag(z, gen, sector);
	for (i = 1; i < SECTOR / sizeof(*words); i++) {
		h += 0x9e3779b97f4a7c15ULL;
		words[i] = h ^ h >> 29;
	}
}

void make_data(void *buf, const struct zone *z, u64 sector, u64 nr)
{
	u64 words[SECTOR / sizeof(u64)];
	u8 *out = buf;

	/* The buffer may be aligned to nothing. */
	for (; nr; nr--, sector++, out += SECTOR) {
		make_sector(words, z, z->gen, sector);
		memcpy(out, words, SECTOR);
	}
}

/* What a plain drive answers where nothing was written, beside zeros. */
static bool is_fill(const u64 *words)
{
	unsigned int i;

	for (i = 0; i < SECTOR / sizeof(*words); i++)
		if (words[i] != UINT64_MAX)
			return false;
	return !dev.strict;
}

static void check_sector(const u8 *got, const struct zone *z, u64 sector,
			 const char *how)
{
	u64 want[SECTOR / sizeof(u64)] = { 0 };
	u64 copy[SECTOR / sizeof(u64)];
	char is[80];

	if (sector < z->wp)
		make_sector(want, z, z->gen, sector);
	if (!memcmp(got, want, SECTOR))
		return;
	memcpy(copy, got, SECTOR);
	if (sector >= z->wp && is_fill(copy))
		return;
	describe(is, sizeof(is), copy);
	fail(z, "%s: zone %u sector %" PRIu64 " should be %s, is %s%s", how,
	     z->number, sector, sector < z->wp ? "what was written" : "zeros",
	     is, copy[0] == want[0] && want[0] ? " with a wrong rest" : "");
}

/* Checks what was read of owned zones. */
void check_data(const u8 *buf, u64 sector, u64 nr, const char *how)
{
	for (; nr; nr--, sector++, buf += SECTOR) {
		struct zone *z = &zones[sector / dev.zone_size - set.first_zone];

		check_sector(buf, z, sector - z->start, how);
	}
}
