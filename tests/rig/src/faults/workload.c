// SPDX-License-Identifier: GPL-2.0
/*
 * What is done to the volume: the same each time, one thing after the other, and
 * something of everything.
 */
#include <string.h>

#include "faults.h"
#include "../powercut/model.h"

static void write_one(u32 zone, u64 nr, bool fua)
{
	work_write(zone, &nr, 1, fua);
}

/* Fills the zone with writes that are under way together. */
void workload_fill(u32 zone)
{
	while (zones[zone].issued < shape.cap && !work_was_stopped()) {
		u64 room = shape.cap - zones[zone].issued;
		u64 lengths[] = { shape.stripe + 3, 2 * shape.stripe - 1, 5 };
		int n;

		for (n = 0; n < 3 && lengths[n] <= room; n++)
			room -= lengths[n];
		if (!n) {
			lengths[0] = room;
			n = 1;
		}
		work_write(zone, lengths, n, false);
	}
}

/* An earlier workload may have left data, but for the first one. */
static void begin_anew(void)
{
	if (!zones[7].issued)
		write_one(7, shape.su + 1, true);
	work_reset_all();
}

/* Writes of all sizes, around blocks, stripe units and stripes. */
static void some_writes(void)
{
	u64 several[] = { shape.su, shape.stripe, 3, shape.stripe + 8 };

	write_one(0, 1, false);
	write_one(0, shape.su - 1, false);
	write_one(0, shape.su, true);
	write_one(1, 3 * shape.stripe + 5, true);
	work_write(2, several, 4, false);
	work_flush();
	write_one(1, 1, false);
	write_one(2, shape.stripe, false);
}

/* Zones that end in every way, and begin another life. */
static void zone_operations(void)
{
	workload_fill(0);
	work_flush();
	work_reset(1);
	write_one(1, 10, true);
	work_finish(2);
	work_open(3);
	write_one(3, shape.stripe + 1, false);
	work_close(3);
	write_one(4, shape.su + 4, false);
	work_finish(4);
	work_reset(4);
	work_reset(2);
	write_one(2, 2 * shape.stripe, false);
	workload_fill(4);
	work_reset(0);
}

/* A stripe unit with its record, all of them on the same member: its log moves. */
static void records(void)
{
	static const u32 same[] = { 2, 5, 8 };
	u32 i;

	for (i = 0; i < 3; i++) {
		u32 zone = same[i];

		work_reset(zone);
		while (zones[zone].issued + 3 * shape.stripe <= shape.cap &&
		       !work_was_stopped()) {
			write_one(zone, shape.su, true);
			write_one(zone, 3 * shape.stripe - shape.su, false);
		}
	}
}

void workload_reads(void)
{
	u32 i;

	for (i = 0; i < shape.nr_zones; i++) {
		const struct zone *z = &zones[i];

		if (!z->acked)
			continue;
		work_read(i, 0, z->acked);
		work_read(i, z->acked / 2, 1);
	}
}

/* Every member gets writes: none fails without being noticed. */
static void last_writes(void)
{
	static const u32 active[] = { 1, 3, 6 };
	u32 i;

	for (i = 0; i < 3; i++)
		write_one(active[i], 2 * shape.stripe, false);
	work_flush();
}

void workload_run(void)
{
	static void (* const parts[])(void) = {
		begin_anew, some_writes, zone_operations, workload_reads, records,
		last_writes,
	};
	u32 i;

	work_alone();
	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!work_was_stopped())
			parts[i]();
}
