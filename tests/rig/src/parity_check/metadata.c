// SPDX-License-Identifier: GPL-2.0
/*
 * The members' logs: superblocks, partial parity and maps.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "parity_check.h"

#define NOWHERE		0xffffffffU	/* a column without a member zone */

struct array array = { .lost_member = -1, .lost = -1 };
struct drive drives[RAIZN_MAX_MEMBERS];
u32 nr_drives;
struct drive *column[RAIZN_MAX_MEMBERS];
static struct drive *slots[RAIZN_MAX_MEMBERS];
struct partial *partials;
size_t nr_partials;

/* Entries of columns, by zone and column; of the newest version. */
static struct {
	u64 version;
	u32 physical;
	u32 distance;
} *map;

static void take_superblock(struct drive *d, const struct raizn_record *rec)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(rec);
	u64 capacity = le64_to_cpu(sb->zone_capacity);

	memcpy(array.uuid, rec->array_uuid, sizeof(array.uuid));
	array.sb_seq = le64_to_cpu(rec->seq);
	array.nr_members = sb->nr_members;
	array.nr_parity = sb->nr_parity;
	array.su = le32_to_cpu(sb->stripe_unit);
	array.first_zone = le32_to_cpu(sb->first_zone);
	array.nr_reserved = le32_to_cpu(sb->nr_reserved);
	array.nr_zones = le32_to_cpu(sb->nr_zones);
	if (!array.nr_members || array.nr_members > RAIZN_MAX_MEMBERS ||
	    array.nr_parity >= array.nr_members || array.nr_parity > 3 || !array.su || array.su > capacity)
		die("%s: the superblock says %u members, %u parity, stripe unit %u",
		    d->path, array.nr_members, array.nr_parity, array.su);
	array.nr_data = array.nr_members - array.nr_parity;
	array.member_cap = capacity - capacity % array.su;
	array.stripe = (u64)array.nr_data * array.su;
	array.zone_cap = array.nr_data * array.member_cap;
	for (array.zone_size = 1; array.zone_size < array.zone_cap; array.zone_size *= 2)
		;
}

static void read_superblock(struct drive *d)
{
	u8 *buf = pages(RAIZN_RECORD_MAX);
	u64 newest = 0;
	u32 first, i;

	for (first = 0; first < d->nr_zones &&
	     d->zones[first].type == BLK_ZONE_TYPE_CONVENTIONAL; first++)
		;
	for (i = first; i < first + RAIZN_NR_LOG_ZONES && i < d->nr_zones; i++) {
		const struct raizn_record *rec = (void *)buf;

		if (!written(&d->zones[i]) ||
		    d->zones[i].cond == BLK_ZONE_COND_OFFLINE)
			continue;
		read_sectors(d->fd, d->path, buf, d->zones[i].start,
			     RAIZN_RECORD_MAX / SECTOR);
		if (raizn_record_verify(buf, RAIZN_RECORD_MAX) !=
		    RAIZN_RECORD_OK ||
		    le16_to_cpu(rec->type) != RAIZN_REC_SUPERBLOCK)
			continue;
		if (newest && le64_to_cpu(rec->seq) < newest)
			continue;
		newest = le64_to_cpu(rec->seq);
		d->slot = le16_to_cpu(rec->member);
		if (array.sb_seq && memcmp(array.uuid, rec->array_uuid,
					   RAIZN_UUID_SIZE))
			die("%s belongs to another array", d->path);
		if (newest > array.sb_seq)
			take_superblock(d, rec);
	}
	if (!newest)
		die("%s has no superblock", d->path);
	munmap(buf, RAIZN_RECORD_MAX);
}

static void keep_partial(const struct raizn_record *rec)
{
	u32 bytes = raizn_record_bytes(rec);
	struct partial *p;
	void *copy;

	if (!(nr_partials % 256)) {
		partials = realloc(partials,
				   (nr_partials + 256) * sizeof(*partials));
		if (!partials)
			die("out of memory");
	}
	copy = malloc(bytes);
	if (!copy)
		die("out of memory");
	memcpy(copy, rec, bytes);
	p = &partials[nr_partials++];
	p->seq = le64_to_cpu(rec->seq);
	p->zone = le32_to_cpu(rec->zone);
	p->generation = le64_to_cpu(rec->generation);
	p->slot = le16_to_cpu(rec->member);
	p->rec = copy;
}

/* @features: incompat words of the superblocks before it. */
static void take_map(const struct raizn_record *rec, u64 features)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u64 version = le64_to_cpu(rec->start);
	u32 i;

	for (i = 0; i < le32_to_cpu(rec->nr_zones); i++, entry++) {
		u32 zone = le32_to_cpu(entry->zone);
		u32 col = le16_to_cpu(entry->column);
		u32 physical = le32_to_cpu(entry->physical);
		u32 distance = le16_to_cpu(entry->distance);

		if (zone >= array.nr_zones || col >= array.nr_members ||
		    (physical >= array.nr_reserved + 2 * array.nr_zones &&
		     physical != NOWHERE))
			die("a zone map says that column %u of zone %u is in member zone %u",
			    col, zone, physical);
		if (physical != NOWHERE && physical >= array.nr_reserved + array.nr_zones &&
		    !(features & RAIZN_INCOMPAT_SURPLUS))
			die("column %u of zone %u is in surplus zone %u, and no superblock before says so",
			    col, zone, physical);
		if (distance && !(features & RAIZN_INCOMPAT_DISTANCE))
			die("column %u of zone %u has a distance, and no superblock before says so",
			    col, zone);
		if (version >= map[zone * array.nr_members + col].version) {
			map[zone * array.nr_members + col].version = version;
			map[zone * array.nr_members + col].physical = physical;
			map[zone * array.nr_members + col].distance = distance;
		}
	}
}

/* All records of a log zone; what is none is stepped over. */
static void read_log_zone(struct drive *d, const struct blk_zone *zone)
{
	u64 bytes = written(zone) * SECTOR, at = 0, features = 0;
	u8 *log;

	if (!bytes || zone->cond == BLK_ZONE_COND_OFFLINE)
		return;
	log = pages(bytes);
	while (at < bytes) {
		u64 nr = bytes - at < CHUNK_BYTES ? bytes - at : CHUNK_BYTES;

		read_sectors(d->fd, d->path, log + at,
			     zone->start + at / SECTOR, nr / SECTOR);
		at += nr;
	}
	for (at = 0; at + RAIZN_BLOCK_SIZE <= bytes;) {
		const struct raizn_record *rec = (void *)(log + at);

		if (raizn_record_verify(rec, bytes - at) != RAIZN_RECORD_OK ||
		    memcmp(rec->array_uuid, array.uuid, RAIZN_UUID_SIZE)) {
			at += RAIZN_BLOCK_SIZE;
			continue;
		}
		if (le16_to_cpu(rec->type) == RAIZN_REC_PARTIAL_PARITY)
			keep_partial(rec);
		if (le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP)
			take_map(rec, features);
		if (le16_to_cpu(rec->type) == RAIZN_REC_SPOILT)
			take_spoilt(rec);
		if (le16_to_cpu(rec->type) == RAIZN_REC_RELOCATED)
			take_relocated(rec);
		if (le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK)
			features |= le64_to_cpu(raizn_record_sb_const(rec)->incompat);
		at += raizn_record_bytes(rec);
	}
	munmap(log, bytes);
}

static int newest_first(const void *a, const void *b)
{
	const struct partial *x = a, *y = b;

	if (x->seq != y->seq)
		return x->seq < y->seq ? 1 : -1;
	return 0;
}

/* Member zone of a column, counted from the first reserved one. */
u32 member_zone(u32 col, u32 zone)
{
	if (map[zone * array.nr_members + col].version)
		return map[zone * array.nr_members + col].physical;
	return array.nr_reserved + zone;
}

/* Slot of the member that a column belongs to. */
u32 slot_of(u32 col, u32 zone)
{
	return (col + map[zone * array.nr_members + col].distance) % array.nr_members;
}

/* The column of a zone that belongs to the member in a slot. */
static u32 column_on(u32 slot, u32 zone)
{
	u32 col, found = array.nr_members;

	for (col = 0; col < array.nr_members; col++) {
		if (slot_of(col, zone) != slot)
			continue;
		if (found < array.nr_members)
			die("zone %u: columns %u and %u belong to member %u", zone, found, col,
			    slot);
		found = col;
	}
	if (found == array.nr_members)
		die("zone %u: no column belongs to member %u", zone, slot);
	return found;
}

static void check_map(void)
{
	u32 all = array.nr_reserved + 2 * array.nr_zones, zone, slot;
	u8 *used = malloc(all);

	if (!used)
		die("out of memory");
	for (slot = 0; slot < array.nr_members; slot++) {
		memset(used, 0, all);
		for (zone = 0; zone < array.nr_zones; zone++) {
			u32 at = member_zone(column_on(slot, zone), zone);

			if (at == NOWHERE)
				continue;
			if (slots[slot] && array.first_zone + at >= slots[slot]->nr_zones)
				die("zone %u: member %u has no zone %u", zone, slot, at);
			if (used[at]++)
				wrong("zone %u: its member zone %u on member %u is used twice",
				      zone, at, slot);
			tally.columns_moved += at != array.nr_reserved + zone;
		}
	}
	free(used);
}

/* Look at the columns of a zone from now on. */
void enter_zone(u32 zone)
{
	u32 c;

	for (c = 0; c < array.nr_members; c++)
		column[c] = slots[slot_of(c, zone)];
}

/*
 * The column of a zone that is nowhere, if any is.  It counts like a missing
 * member's, in this zone.
 */
int lost_in_zone(u32 zone)
{
	u32 c;

	if (array.lost_member >= 0)
		return (int)column_on((u32)array.lost_member, zone);
	for (c = 0; c < array.nr_members; c++) {
		if (member_zone(c, zone) != NOWHERE)
			continue;
		if (!set.degraded || !set.volume)
			die("zone %u: column %u is nowhere", zone, c);
		tally.columns_nowhere++;
		return (int)c;
	}
	return -1;
}

/* The one that is not there gets a buffer for what is computed. */
static void find_lost_member(void)
{
	static struct drive none = { .path = "missing member", .fd = -1 };
	u32 slot;

	for (slot = 0; slot < array.nr_members; slot++) {
		if (slots[slot])
			continue;
		array.lost_member = (int)slot;
		none.slot = slot;
		none.buf = pages(CHUNK_BYTES);
		slots[slot] = &none;
	}
}

void read_metadata(void)
{
	u32 i, j;

	for (i = 0; i < nr_drives; i++)
		read_superblock(&drives[i]);
	if (nr_drives != array.nr_members &&
	    !(set.degraded && array.nr_parity == 1 && nr_drives + 1 == array.nr_members))
		die("the array has %u members, %u were given", array.nr_members,
		    nr_drives);
	for (i = 0; i < nr_drives; i++) {
		struct drive *d = &drives[i];

		if (d->slot >= array.nr_members || slots[d->slot])
			die("%s: slot %u is impossible or taken", d->path,
			    d->slot);
		if ((u64)array.first_zone + array.nr_reserved + array.nr_zones > d->nr_zones)
			die("%s has %u zones only", d->path, d->nr_zones);
		slots[d->slot] = d;
	}
	map = calloc((size_t)array.nr_zones * array.nr_members, sizeof(*map));
	if (!map)
		die("out of memory");
	for (i = 0; i < nr_drives; i++)
		for (j = 0; j < RAIZN_NR_LOG_ZONES; j++)
			read_log_zone(&drives[i],
				      &drives[i].zones[array.first_zone + j]);
	qsort(partials, nr_partials, sizeof(*partials), newest_first);
	sort_relocated();
	check_map();
	find_lost_member();
	if (array.lost_member >= 0 && !set.volume)
		die("without a member, --volume is needed");
}
