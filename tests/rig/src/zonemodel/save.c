// SPDX-License-Identifier: GPL-2.0
/*
 * The model in a file, for the time after a restart.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <stdio.h>
#include <string.h>

#include "zonemodel.h"

#define SAVE_MAGIC	0x314c444d454e4f5aULL

struct saved_head {
	u64 magic, seed, nr_zones, first_zone, zone_size;
};

struct saved_zone {
	u64 wp, gen, state, cap;
};

void save(void)
{
	struct saved_head head = { SAVE_MAGIC, set.seed, nr_zones, set.first_zone,
				   dev.zone_size };
	FILE *f = fopen(set.save_file, "w");
	u32 i;

	if (!f || fwrite(&head, sizeof(head), 1, f) != 1)
		die("%s: %s", set.save_file, strerror(errno));
	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[i];
		struct saved_zone s = { z->wp, z->gen, z->state, z->cap };

		if (fwrite(&s, sizeof(s), 1, f) != 1)
			die("%s: %s", set.save_file, strerror(errno));
	}
	if (fclose(f))
		die("%s: %s", set.save_file, strerror(errno));
}

void load(void)
{
	struct saved_head head;
	FILE *f = fopen(set.load_file, "r");
	struct blk_zone r;
	u32 i;

	if (!f || fread(&head, sizeof(head), 1, f) != 1 ||
	    head.magic != SAVE_MAGIC)
		die("%s holds no model", set.load_file);
	if (head.nr_zones != nr_zones || head.first_zone != set.first_zone ||
	    head.zone_size != dev.zone_size)
		die("%s is a model of %llu zones of %llu sectors from %llu on",
		    set.load_file, (unsigned long long)head.nr_zones,
		    (unsigned long long)head.zone_size,
		    (unsigned long long)head.first_zone);
	set.seed = head.seed;
	for (i = 0; i < nr_zones; i++) {
		struct zone *z = &zones[i];
		struct saved_zone s;

		if (fread(&s, sizeof(s), 1, f) != 1)
			die("%s is too short", set.load_file);
		if (s.cap != z->cap)
			fail(z, "capacity of zone %u was %llu, is %llu", i,
			     (unsigned long long)s.cap,
			     (unsigned long long)z->cap);
		z->wp = s.wp;
		z->gen = s.gen;
		z->state = s.state;
		record(z, "restart (%s before)", state_name[z->state]);
		/* A restart closes what was open. */
		if (is_active(z)) {
			z->state = z->wp ? CLOSED : EMPTY;
			report_zone(z, &r);
			if (!z->wp && r.cond == BLK_ZONE_COND_CLOSED)
				z->state = CLOSED;
		}
		if (is_active(z))
			nr_active++;
		data_sectors += z->wp;
		atomic_store(&z->seen_gen, z->gen);
		atomic_store(&z->seen_wp, z->wp);
	}
	fclose(f);
}
