// SPDX-License-Identifier: GPL-2.0
/*
 * The drives and the array of a chain: all that can be different.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../lib/permute.h"
#include "powercut.h"

struct shape shape;

void print_shape(FILE *out)
{
	fprintf(out, "level %u, %u members of %u zones, every second of %u more, %u KiB of %u KiB%s; blocks of %u bytes, stripe unit %u KiB, limit %u; %s, drives %s cache%s%s, commands %u KiB; write_cache=%s%s%s; latency %u+%u us, %s; %u threads%s%s%s; %u conventional zones, %u KiB of debris stay%s",
		shape.level, shape.members, shape.drive_zones, shape.surplus, shape.cap_kib, shape.zone_kib,
		shape.spare_cap_kib > shape.cap_kib ? ", more on the spare drive" : "",
		shape.block * SECTOR, shape.su / 2, shape.limit,
		shape.fill ? "filled" : "zeroed",
		shape.cached ? "with" : "without", shape.fua ? ", FUA" : "",
		shape.finish_flushes ? "" : ", finish does not flush",
		shape.max_io_kib, shape.through ? "through" : "back",
		shape.through_by_table ? " by table" : "",
		shape.trusting ? ", buffers are trusted" : "", shape.latency_us,
		shape.jitter_us, shape.completion, shape.threads,
		shape.serial ? ", one command at a time" : "",
		shape.enumerated ? ", every command in turn" : "",
		shape.renewed ? ", always a new array" : "",
		shape.nr_conventional, shape.debris_kib,
		shape.permuted ? "; columns are on members of other slots" : "");
}

/* Slot of the member that a column of a zone belongs to. */
u32 slot_of(u32 zone, u32 column)
{
	u32 slots[MAX_MEMBERS];

	if (!shape.permuted)
		return column;
	permute_slots(shape.permuted, zone, shape.members, slots);
	return slots[column];
}

/* What follows from the rest. */
void shape_complete(void)
{
	u32 data;

	shape.parity = !shape.level ? 0 : shape.level == 1 ? shape.members - 1 :
		       shape.level == 6 ? 2 : 1;
	data = shape.members - shape.parity;
	shape.nr_zones = shape.drive_zones - shape.nr_conventional -
			 LOG_ZONES - shape.spares;
	shape.stripe = (u64)data * shape.su;
	shape.cap = data * (shape.cap_kib * 2 - shape.cap_kib * 2 % shape.su);
	for (shape.zone_size = 1; shape.zone_size < shape.cap;)
		shape.zone_size *= 2;
}

/* Draws all of it, so that an option changes only what it is about. */
void choose_shape(struct rng *r)
{
	static const char * const completions[] = {
		"direct", "softirq", "irq", "mixed"
	};
	static const u32 zone_kib[] = { 512, 512, 1024, 1024, 2048 };
	static const u32 latency[] = { 0, 0, 20, 50, 100 };
	/* Of 1 KiB, all is moved. */
	static const u32 debris_kib[] = { 0, 0, 8, 1 };
	static const u32 levels[] = { 5, 5, 5, 6, 6, 6, 1, 0 };
	u32 permutation;

	memset(&shape, 0, sizeof(shape));
	shape.spares = 2;
	shape.members = 3 + below(r, 3);
	shape.drive_zones = 16 + below(r, 9);
	shape.zone_kib = zone_kib[below(r, 5)];
	shape.cap_kib = shape.zone_kib - 4 * below(r, shape.zone_kib / 16);
	shape.block = percent(r, 50) ? 1 : 8;
	shape.su = 8 << below(r, 3);
	shape.limit = percent(r, 15) ? 0 : 8 + below(r, 5);
	shape.cached = percent(r, 75);
	shape.fua = percent(r, 75);
	shape.finish_flushes = percent(r, 60);
	shape.fill = percent(r, 50) ? 0xa5 : 0;
	shape.max_io_kib = 128 << below(r, 4);
	shape.latency_us = latency[below(r, 5)];
	shape.jitter_us = shape.latency_us ? below(r, 300) : 0;
	shape.completion = completions[below(r, 4)];
	shape.through = percent(r, 35);
	shape.through_by_table = percent(r, 25);
	shape.threads = 1 + below(r, 4);
	shape.enumerated = percent(r, 15) || set.enumerate;
	shape.renewed = percent(r, 20);
	shape.nr_conventional = percent(r, 15) ? 1 + below(r, 3) : 0;
	shape.trusting = percent(r, 30);
	shape.level = levels[below(r, 8)];
	shape.surplus = percent(r, 30) ? 2 + below(r, 3) : 0;
	permutation = 1 + below(r, 1000000);
	shape.permuted = percent(r, 40) ? permutation : 0;
	shape.debris_kib = debris_kib[below(r, 4)];

	if (set.members >= 0)
		shape.members = set.members;
	if (set.level >= 0)
		shape.level = set.level;
	if (shape.level == 6 && shape.members < 4)
		shape.members = 4;
	if (shape.level == 1 && set.members < 0)
		shape.members = 2 + shape.members % 3;
	if (set.cached >= 0)
		shape.cached = set.cached;
	if (set.through >= 0)
		shape.through = set.through;
	if (set.threads >= 0)
		shape.threads = set.threads;
	if (set.permute >= 0)
		shape.permuted = set.permute ? permutation : 0;
	if (shape.enumerated)
		shape.threads = 1;
	shape.renewed &= shape.enumerated && !set.lossless;
	shape.drive_zones += shape.nr_conventional;
	shape.serial = shape.threads == 1;
	if (shape.serial) {
		shape.latency_us = 0;
		shape.jitter_us = 0;
	}
	shape_complete();
}
