// SPDX-License-Identifier: GPL-2.0
/*
 * parity_check - reads an array's members behind its back
 *
 * Takes the numbers of the array from the members' superblocks and everything
 * else from the description of the format: where data and parity lie, how
 * parity is computed, what partial-parity records hold.  Nothing of the
 * module's own code for this is used, so that a mistake there is not repeated
 * here.
 *
 *  - Every complete stripe of every zone: do parity and data agree?
 *  - The incomplete stripe at the end of a zone: is its data the beginning of
 *    the stripe, and is there a partial-parity record for every row that would
 *    give back what any one member holds of it?
 *  - With --volume: do the volume's zone reports and data agree with what the
 *    members hold?
 *  - With --degraded: a member may be missing.  What it would hold is computed
 *    from parity and partial parity, and compared with the volume like the rest.
 *
 * The array must be stopped, or idle with everything flushed.
 * All quantities are sectors (512 bytes) unless a name says otherwise.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec.h"

#define SECTOR		512U
#define CHUNK_BYTES	(1U << 20)	/* read of one member at a time */
#define MAX_MESSAGES	20
#define NOWHERE		0xffffffffU	/* a column without a member zone */

/**
 * struct drive - one member
 * @path:	device
 * @fd:		open for direct reading; of a missing member: -1
 * @slot:	column it serves
 * @zones:	report of all its zones
 * @buf:	CHUNK_BYTES
 */
struct drive {
	const char *path;
	int fd;
	u32 slot;
	u32 nr_zones;
	struct blk_zone *zones;
	u8 *buf;
};

/* A partial-parity record; @rec is followed by its payload. */
struct partial {
	u64 seq;
	u32 zone;
	u64 generation;
	u32 slot;
	const struct raizn_record *rec;
};

static struct drive drives[RAIZN_MAX_MEMBERS];	/* as given */
static struct drive *column[RAIZN_MAX_MEMBERS];	/* by slot */
static u32 nr_drives;
static int volume_fd = -1;
static const char *volume;
static bool check_tails = true;
static bool degraded;
static int lost_member = -1;			/* that is missing */
static int lost = -1;				/* column, of the zone of now */
static u64 min_stripes = 1;

/* The array's numbers. */
static u8 array_uuid[RAIZN_UUID_SIZE];
static u64 sb_seq;
static u32 nr_members, nr_parity, nr_data, su, first_zone, nr_reserved;
static u32 nr_zones;
static u64 member_cap, stripe, zone_cap, zone_size;

static struct partial *partials;
static size_t nr_partials;

/* Columns that are not at home, by zone and column; of the newest version. */
static struct {
	u64 version;
	u32 physical;
} *map;

static u64 errors, stripes_checked, tails_checked, rows_checked, zones_used;
static u64 volume_bytes, columns_moved, columns_nowhere;

static void __attribute__((format(printf, 1, 2)))
wrong(const char *format, ...)
{
	va_list args;

	if (errors++ >= MAX_MESSAGES)
		return;
	fputs("parity_check: ", stdout);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void __attribute__((format(printf, 1, 2), noreturn))
die(const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fputs("parity_check: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

static void *pages(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

static void read_sectors(int fd, const char *path, void *buf, u64 sector,
			 u64 nr)
{
	ssize_t ret = pread(fd, buf, nr * SECTOR, sector * SECTOR);

	if (ret != (ssize_t)(nr * SECTOR))
		die("%s: read of %" PRIu64 " sectors at %" PRIu64 ": %s", path,
		    nr, sector, ret < 0 ? strerror(errno) : "short");
}

static struct blk_zone *report(int fd, const char *path, u32 *nr)
{
	struct blk_zone_report *rep;
	struct blk_zone *zones;
	u32 total, done = 0;

	if (ioctl(fd, BLKGETNRZONES, &total) || !total)
		die("%s is not a zoned device", path);
	zones = calloc(total, sizeof(*zones));
	rep = calloc(1, sizeof(*rep) + total * sizeof(*zones));
	if (!zones || !rep)
		die("out of memory");
	while (done < total) {
		rep->sector = done ? zones[done - 1].start +
				     zones[done - 1].len : 0;
		rep->nr_zones = total - done;
		if (ioctl(fd, BLKREPORTZONE, rep) || !rep->nr_zones)
			die("%s: zone report: %s", path, strerror(errno));
		memcpy(zones + done, rep->zones,
		       rep->nr_zones * sizeof(*zones));
		done += rep->nr_zones;
	}
	free(rep);
	*nr = total;
	return zones;
}

/* Sectors written in a zone; the whole capacity of a full one. */
static u64 written(const struct blk_zone *zone)
{
	switch (zone->cond) {
	case BLK_ZONE_COND_EMPTY:
		return 0;
	case BLK_ZONE_COND_IMP_OPEN:
	case BLK_ZONE_COND_EXP_OPEN:
	case BLK_ZONE_COND_CLOSED:
		return zone->wp - zone->start;
	default:
		return zone->capacity;
	}
}

/* ---- metadata ------------------------------------------------------------- */

static void take_superblock(struct drive *d, const struct raizn_record *rec)
{
	const struct raizn_superblock *sb = raizn_record_sb_const(rec);
	u64 capacity = le64_to_cpu(sb->zone_capacity);

	memcpy(array_uuid, rec->array_uuid, sizeof(array_uuid));
	sb_seq = le64_to_cpu(rec->seq);
	nr_members = sb->nr_members;
	nr_parity = sb->nr_parity;
	su = le32_to_cpu(sb->stripe_unit);
	first_zone = le32_to_cpu(sb->first_zone);
	nr_reserved = le32_to_cpu(sb->nr_reserved);
	nr_zones = le32_to_cpu(sb->nr_zones);
	if (!nr_members || nr_members > RAIZN_MAX_MEMBERS ||
	    nr_parity >= nr_members || nr_parity > 2 || !su || su > capacity)
		die("%s: the superblock says %u members, %u parity, stripe unit %u",
		    d->path, nr_members, nr_parity, su);
	nr_data = nr_members - nr_parity;
	member_cap = capacity - capacity % su;
	stripe = (u64)nr_data * su;
	zone_cap = nr_data * member_cap;
	for (zone_size = 1; zone_size < zone_cap; zone_size *= 2)
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
		if (sb_seq && memcmp(array_uuid, rec->array_uuid,
				     RAIZN_UUID_SIZE))
			die("%s belongs to another array", d->path);
		if (newest > sb_seq)
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

static void take_map(const struct raizn_record *rec)
{
	const struct raizn_map_entry *entry = (const void *)(rec + 1);
	u64 version = le64_to_cpu(rec->start);
	u32 i;

	for (i = 0; i < le32_to_cpu(rec->nr_zones); i++, entry++) {
		u32 zone = le32_to_cpu(entry->zone);
		u32 col = le16_to_cpu(entry->column);
		u32 physical = le32_to_cpu(entry->physical);

		if (zone >= nr_zones || col >= nr_members ||
		    (physical >= nr_reserved + nr_zones &&
		     physical != NOWHERE))
			die("a zone map says that column %u of zone %u is in member zone %u",
			    col, zone, physical);
		if (version >= map[zone * nr_members + col].version) {
			map[zone * nr_members + col].version = version;
			map[zone * nr_members + col].physical = physical;
		}
	}
}

/* All records of a log zone; what is none is stepped over. */
static void read_log_zone(struct drive *d, const struct blk_zone *zone)
{
	u64 bytes = written(zone) * SECTOR, at = 0;
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
		    memcmp(rec->array_uuid, array_uuid, RAIZN_UUID_SIZE)) {
			at += RAIZN_BLOCK_SIZE;
			continue;
		}
		if (le16_to_cpu(rec->type) == RAIZN_REC_PARTIAL_PARITY)
			keep_partial(rec);
		if (le16_to_cpu(rec->type) == RAIZN_REC_ZONE_MAP)
			take_map(rec);
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
static u32 member_zone(u32 col, u32 zone)
{
	if (map[zone * nr_members + col].version)
		return map[zone * nr_members + col].physical;
	return nr_reserved + zone;
}

static void check_map(void)
{
	u32 all = nr_reserved + nr_zones, zone, c;
	u8 *used = malloc(all);

	if (!used)
		die("out of memory");
	for (c = 0; c < nr_members; c++) {
		memset(used, 0, all);
		for (zone = 0; zone < nr_zones; zone++) {
			u32 at = member_zone(c, zone);

			if (at == NOWHERE)
				continue;
			if (used[at]++)
				wrong("zone %u: its member zone %u on member %u is used twice",
				      zone, at, c);
			columns_moved += at != nr_reserved + zone;
		}
	}
	free(used);
}

/*
 * The column of a zone that is nowhere, if any is.  It counts like a missing
 * member's, in this zone.
 */
static int lost_in_zone(u32 zone)
{
	u32 c;

	if (lost_member >= 0)
		return lost_member;
	for (c = 0; c < nr_members; c++) {
		if (member_zone(c, zone) != NOWHERE)
			continue;
		if (!degraded || !volume)
			die("zone %u: column %u is nowhere", zone, c);
		columns_nowhere++;
		return (int)c;
	}
	return -1;
}

/* The one that is not there gets a buffer for what is computed. */
static void find_lost_column(void)
{
	static struct drive none = { .path = "missing member", .fd = -1 };
	u32 c;

	for (c = 0; c < nr_members; c++) {
		if (column[c])
			continue;
		lost_member = (int)c;
		none.slot = c;
		none.buf = pages(CHUNK_BYTES);
		column[c] = &none;
	}
}

static void read_metadata(void)
{
	u32 i, j;

	for (i = 0; i < nr_drives; i++)
		read_superblock(&drives[i]);
	if (nr_drives != nr_members &&
	    !(degraded && nr_parity == 1 && nr_drives + 1 == nr_members))
		die("the array has %u members, %u were given", nr_members,
		    nr_drives);
	for (i = 0; i < nr_drives; i++) {
		struct drive *d = &drives[i];

		if (d->slot >= nr_members || column[d->slot])
			die("%s: slot %u is impossible or taken", d->path,
			    d->slot);
		if ((u64)first_zone + nr_reserved + nr_zones > d->nr_zones)
			die("%s has %u zones only", d->path, d->nr_zones);
		column[d->slot] = d;
	}
	map = calloc((size_t)nr_zones * nr_members, sizeof(*map));
	if (!map)
		die("out of memory");
	for (i = 0; i < nr_drives; i++)
		for (j = 0; j < RAIZN_NR_LOG_ZONES; j++)
			read_log_zone(&drives[i],
				      &drives[i].zones[first_zone + j]);
	qsort(partials, nr_partials, sizeof(*partials), newest_first);
	check_map();
	find_lost_column();
	if (lost_member >= 0 && !volume)
		die("without a member, --volume is needed");
}

/* ---- placement, from the description --------------------------------------- */

/* Column of the first parity of a stripe. */
static u32 parity_at(u32 zone, u64 s)
{
	return nr_members - 1 - (zone + s) % nr_members;
}

/* Column of data position @pos. */
static u32 data_at(u32 zone, u64 s, u32 pos)
{
	return (parity_at(zone, s) + nr_parity + pos) % nr_members;
}

static const struct blk_zone *data_zone(u32 col, u32 zone)
{
	u32 physical = member_zone(col, zone);

	return &column[col]->zones[first_zone + physical];
}

static bool is_lost(u32 col)
{
	return (int)col == lost;
}

/* Sectors of its usable capacity that a column holds. */
static u64 extent(u32 col, u32 zone)
{
	u64 n = written(data_zone(col, zone));

	return n < member_cap ? n : member_cap;
}

/*
 * A column that was rebuilt and holds nothing of a finished zone may be empty; the
 * next start finishes it.
 */
static bool is_finished(u32 zone)
{
	bool full = false;
	u32 c;

	for (c = 0; c < nr_members; c++) {
		if (is_lost(c))
			continue;
		if (data_zone(c, zone)->cond == BLK_ZONE_COND_FULL)
			full = true;
		else if (data_zone(c, zone)->cond != BLK_ZONE_COND_EMPTY)
			return false;
	}
	return full;
}

/* Sectors a column holds when the zone is written up to @wp. */
static u64 extent_at(u32 col, u32 zone, u64 wp)
{
	u64 n = wp / stripe * su, inside = wp % stripe;
	u32 nth = (col + nr_members - parity_at(zone, wp / stripe)) % nr_members;
	u64 before = (u64)(nth - nr_parity) * su;

	if (nth >= nr_parity && inside > before)
		n += inside - before < su ? inside - before : su;
	return n;
}

/* Reads a column; what is not written there counts as zeros. */
static void read_column(u32 col, u32 zone, void *buf, u64 sector, u64 nr)
{
	u64 have = is_lost(col) ? 0 : extent(col, zone);

	have = have > sector ? have - sector : 0;
	if (have > nr)
		have = nr;
	if (have)
		read_sectors(column[col]->fd, column[col]->path, buf,
			     data_zone(col, zone)->start + sector, have);
	memset((u8 *)buf + have * SECTOR, 0, (nr - have) * SECTOR);
}

/* ---- parity ------------------------------------------------------------------ */

static void xor_into(u8 *to, const u8 *from, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		to[i] ^= from[i];
}

/* Multiplies by 2 in GF(2^8) modulo x^8 + x^4 + x^3 + x^2 + 1. */
static void double_bytes(u8 *buf, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++)
		buf[i] = (u8)(buf[i] << 1) ^ (buf[i] & 0x80 ? 0x1d : 0);
}

/* What the missing member holds of a complete stripe. */
static void decode_unit(u64 offset)
{
	u32 c;

	if (lost < 0)
		return;
	memset(column[lost]->buf + offset, 0, su * SECTOR);
	for (c = 0; c < nr_members; c++)
		if (!is_lost(c))
			xor_into(column[lost]->buf + offset,
				 column[c]->buf + offset, su * SECTOR);
}

static u64 first_difference(const u8 *a, const u8 *b, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes && a[i] == b[i]; i++)
		;
	return i;
}

/* One complete stripe; every column's unit is at @offset of its buffer. */
static void check_stripe(u32 zone, u64 s, u64 offset)
{
	static u8 p[RAIZN_MAX_SU * SECTOR], q[RAIZN_MAX_SU * SECTOR];
	size_t bytes = su * SECTOR;
	u32 pc = parity_at(zone, s);
	const u8 *stored;
	int pos;

	memset(p, 0, bytes);
	memset(q, 0, bytes);
	/* Horner: q = sum of 2^pos * data */
	for (pos = nr_data - 1; pos >= 0; pos--) {
		const u8 *data = column[data_at(zone, s, pos)]->buf + offset;

		xor_into(p, data, bytes);
		if (nr_parity > 1) {
			double_bytes(q, bytes);
			xor_into(q, data, bytes);
		}
	}
	stored = column[pc]->buf + offset;
	if (nr_parity && memcmp(p, stored, bytes))
		wrong("zone %u stripe %" PRIu64 ": parity on member %u is wrong from row %" PRIu64 " of %u on",
		      zone, s, pc, first_difference(p, stored, bytes) / SECTOR,
		      su);
	if (nr_parity > 1) {
		pc = (pc + 1) % nr_members;
		stored = column[pc]->buf + offset;
		if (memcmp(q, stored, bytes))
			wrong("zone %u stripe %" PRIu64 ": second parity on member %u is wrong",
			      zone, s, pc);
	}
	stripes_checked++;
}

/* Compares the logical data in the columns' buffers with the volume. */
static void compare_volume(u32 zone, u64 first, u64 nr, u64 limit, u64 wp)
{
	static u8 *buf;
	u64 from = first * stripe, to = (first + nr) * stripe, s;
	u32 pos;

	if (volume_fd < 0)
		return;
	if (!buf)
		buf = pages(CHUNK_BYTES / (RAIZN_MIN_SU * SECTOR) *
			    RAIZN_MIN_SU * SECTOR * RAIZN_MAX_MEMBERS);
	if (to > limit)
		to = limit;
	if (from >= to)
		return;
	read_sectors(volume_fd, volume, buf, zone * zone_size + from,
		     to - from);
	for (s = first; s < first + nr; s++) {
		for (pos = 0; pos < nr_data; pos++) {
			u64 at = s * stripe + pos * su;
			u64 n = at < to ? to - at : 0;
			const u8 *got = buf + (at - from) * SECTOR;
			const u8 *want = column[data_at(zone, s, pos)]->buf +
					 (s - first) * su * SECTOR;

			if (n > su)
				n = su;
			if (!n || !memcmp(got, want, n * SECTOR))
				continue;
			wrong("zone %u stripe %" PRIu64 " position %u: the volume differs from member %u at row %" PRIu64 " (sector %" PRIu64 " of the zone, write pointer %" PRIu64 ")",
			      zone, s, pos, data_at(zone, s, pos),
			      first_difference(got, want, n * SECTOR) / SECTOR,
			      at + first_difference(got, want, n * SECTOR) /
			      SECTOR, wp);
		}
	}
	volume_bytes += (to - from) * SECTOR;
}

/* ---- the incomplete stripe ----------------------------------------------------- */

/*
 * Where does the zone end?  In stripe @s, which is not complete, the data must
 * be its beginning.
 */
static u64 tail_end(u32 zone, u64 s)
{
	u64 end = s * stripe;
	bool over = false;
	u32 pos, i;

	for (pos = 0; pos < nr_data; pos++) {
		u32 col = data_at(zone, s, pos);
		u64 have = extent(col, zone);

		have = have > s * su ? have - s * su : 0;
		if (have > su) {
			wrong("zone %u: member %u goes on behind the incomplete stripe %" PRIu64,
			      zone, col, s);
			have = su;
		}
		if (have && over)
			wrong("zone %u stripe %" PRIu64 ": position %u is written, those before it are not",
			      zone, s, pos);
		if (have < su)
			over = true;
		end += have;
	}
	for (i = 0; i < nr_parity; i++) {
		u32 col = (parity_at(zone, s) + i) % nr_members;

		if (extent(col, zone) > s * su)
			wrong("zone %u stripe %" PRIu64 ": parity on member %u is there before the data",
			      zone, s, col);
	}
	return end;
}

/* The newest record that holds parity @which of row @row of the stripe. */
static const struct raizn_record *find_partial(u32 zone, u64 s, u32 row,
					       u32 which, u64 generation)
{
	size_t i;

	for (i = 0; i < nr_partials; i++) {
		const struct raizn_record *rec = partials[i].rec;
		u64 end = le64_to_cpu(rec->end);

		if (partials[i].zone != zone || rec->parity != which ||
		    partials[i].generation != generation || !end ||
		    (end - 1) / stripe != s)
			continue;
		if ((row + su - le32_to_cpu(rec->row)) % su <
		    le32_to_cpu(rec->nr_rows))
			return rec;
	}
	return NULL;
}

static void check_tail(u32 zone, u64 s, u64 wp)
{
	u64 inside = wp - s * stripe, generation = 0;
	const u8 *parity;
	u8 p[SECTOR];
	u32 row, pos;
	size_t i;

	for (i = 0; i < nr_partials; i++)
		if (partials[i].zone == zone &&
		    partials[i].generation > generation)
			generation = partials[i].generation;
	for (row = 0; row < su; row++) {
		const struct raizn_record *rec;
		u8 *decoded = NULL;
		u64 end;
		u32 at;

		if (row >= inside)
			break;		/* no data in this row */
		rec = find_partial(zone, s, row, 0, generation);
		if (!rec && is_lost(parity_at(zone, s)))
			continue;	/* nobody could hold it */
		if (!rec) {
			wrong("zone %u stripe %" PRIu64 ": no partial parity of row %u (generation %" PRIu64 ", write pointer %" PRIu64 ")",
			      zone, s, row, generation, wp);
			return;
		}
		if (le16_to_cpu(rec->member) != parity_at(zone, s))
			wrong("zone %u stripe %" PRIu64 ": a partial parity is on member %u, not %u",
			      zone, s, le16_to_cpu(rec->member),
			      parity_at(zone, s));
		end = le64_to_cpu(rec->end) - s * stripe;
		memset(p, 0, sizeof(p));
		for (pos = 0; pos < nr_data; pos++) {
			u64 offset = (u64)pos * su + row;

			if (offset >= inside)
				break;
			if (offset >= end) {
				wrong("zone %u stripe %" PRIu64 " row %u: the newest partial parity ends at %" PRIu64 ", the data at %" PRIu64,
				      zone, s, row, end, inside);
				return;
			}
			if (is_lost(data_at(zone, s, pos)))
				decoded = column[lost]->buf + row * SECTOR;
			else
				xor_into(p, column[data_at(zone, s, pos)]->buf +
					 row * SECTOR, SECTOR);
		}
		at = (row + su - le32_to_cpu(rec->row)) % su;
		parity = (const u8 *)rec + RAIZN_BLOCK_SIZE + at * SECTOR;
		if (decoded) {
			xor_into(p, parity, SECTOR);
			memcpy(decoded, p, SECTOR);
		} else if (memcmp(p, parity, SECTOR)) {
			wrong("zone %u stripe %" PRIu64 ": partial parity of row %u is wrong (record %" PRIu64 ", up to %" PRIu64 ", write pointer %" PRIu64 ")",
			      zone, s, row, le64_to_cpu(rec->seq),
			      le64_to_cpu(rec->end), wp);
			return;
		}
		rows_checked++;
	}
	tails_checked++;
}

/* ---- zones ---------------------------------------------------------------------- */

static void check_volume_report(u32 zone, const struct blk_zone *v, u64 wp,
				bool finished)
{
	bool right;

	if (v->start != zone * zone_size || v->len != zone_size ||
	    v->capacity != zone_cap)
		wrong("zone %u: the volume reports start %llu, length %llu, capacity %llu",
		      zone, v->start, v->len, v->capacity);
	if (finished || wp == zone_cap)
		right = v->cond == BLK_ZONE_COND_FULL;
	else if (v->cond == BLK_ZONE_COND_EMPTY || !wp)
		right = !wp && (v->cond == BLK_ZONE_COND_EMPTY ||
				v->wp == v->start);
	else
		right = v->cond != BLK_ZONE_COND_FULL &&
			v->wp == v->start + wp;
	if (!right)
		wrong("zone %u: the volume reports condition %u, write pointer +%llu; the members hold %" PRIu64 "%s",
		      zone, v->cond, v->wp - v->start, wp,
		      finished ? " and are finished" : "");
}

/*
 * The volume's write pointer: without one member, the others may not tell.  What
 * they hold must be what that makes.
 */
static u64 volume_end(u32 zone, const struct blk_zone *v)
{
	u64 wp = v->cond == BLK_ZONE_COND_FULL ? zone_cap :
		 v->cond == BLK_ZONE_COND_EMPTY ? 0 : v->wp - v->start;
	u32 c;

	for (c = 0; c < nr_members; c++)
		if (!is_lost(c) && extent(c, zone) != extent_at(c, zone, wp))
			wrong("zone %u: member %u holds %" PRIu64 " sectors, write pointer %" PRIu64 " makes %" PRIu64,
			      zone, c, extent(c, zone), wp,
			      extent_at(c, zone, wp));
	return wp;
}

/* The write pointer, from what all members hold. */
static u64 members_end(u32 zone)
{
	u64 complete = member_cap / su;
	u32 c;

	for (c = 0; c < nr_members; c++)
		if (extent(c, zone) / su < complete)
			complete = extent(c, zone) / su;
	if (is_finished(zone))
		return zone_cap;
	if (complete < member_cap / su)
		return tail_end(zone, complete);
	return complete * stripe;
}

static void check_zone(u32 zone, const struct blk_zone *v)
{
	u64 complete, chunk, s, n, wp, limit;
	bool finished;
	u32 c, i;

	lost = lost_in_zone(zone);
	finished = is_finished(zone);
	wp = lost < 0 ? members_end(zone) : volume_end(zone, v);
	complete = wp / stripe;
	if (v)
		check_volume_report(zone, v, wp, finished);
	if (!wp)
		return;
	zones_used++;
	/* A finished zone is compared up to its end: zeros there. */
	limit = wp;
	chunk = CHUNK_BYTES / SECTOR / su;
	for (s = 0; s < complete; s += n) {
		n = complete - s < chunk ? complete - s : chunk;
		for (c = 0; c < nr_members; c++)
			read_column(c, zone, column[c]->buf, s * su, n * su);
		for (i = 0; i < n; i++) {
			decode_unit((u64)i * su * SECTOR);
			check_stripe(zone, s + i, (u64)i * su * SECTOR);
		}
		compare_volume(zone, s, n, limit, wp);
	}
	if (wp > complete * stripe) {
		for (c = 0; c < nr_members; c++)
			read_column(c, zone, column[c]->buf, complete * su, su);
		if (check_tails && nr_parity)
			check_tail(zone, complete, wp);
		compare_volume(zone, complete, 1, limit, wp);
	}
}

static void usage(FILE *out)
{
	fputs("usage: parity_check [--volume DEVICE] [--degraded] [--no-tails] [--min-stripes N] MEMBER...\n"
	      "Recomputes the parity of an array from its members.\n"
	      "  --volume DEVICE  compare the running, idle volume with them too\n"
	      "  --degraded       a member may be missing: compute what it holds\n"
	      "  --no-tails       ask for no partial parity: not everything was flushed\n"
	      "  --min-stripes N  fewer complete stripes are a failure (1)\n"
	      "Exit status: 0 all right, 1 something is wrong, 2 trouble.\n", out);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "volume", required_argument, NULL, 'v' },
		{ "degraded", no_argument, NULL, 'd' },
		{ "no-tails", no_argument, NULL, 'T' },
		{ "min-stripes", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL }
	};
	struct blk_zone *volume_zones = NULL;
	u32 volume_nr = 0, z;
	int c;

	while ((c = getopt_long(argc, argv, "v:m:h", options, NULL)) != -1) {
		switch (c) {
		case 'v':
			volume = optarg;
			break;
		case 'd':
			degraded = true;
			break;
		case 'T':
			check_tails = false;
			break;
		case 'm':
			min_stripes = strtoull(optarg, NULL, 0);
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			usage(stderr);
			return 2;
		}
	}
	for (; optind < argc; optind++) {
		struct drive *d = &drives[nr_drives++];

		if (nr_drives > RAIZN_MAX_MEMBERS)
			die("too many members");
		d->path = argv[optind];
		d->fd = open(d->path, O_RDONLY | O_DIRECT | O_CLOEXEC);
		if (d->fd < 0)
			die("%s: %s", d->path, strerror(errno));
		d->zones = report(d->fd, d->path, &d->nr_zones);
		d->buf = pages(CHUNK_BYTES);
	}
	if (!nr_drives) {
		usage(stderr);
		return 2;
	}
	read_metadata();
	if (volume) {
		volume_fd = open(volume, O_RDONLY | O_DIRECT | O_CLOEXEC);
		if (volume_fd < 0)
			die("%s: %s", volume, strerror(errno));
		volume_zones = report(volume_fd, volume, &volume_nr);
		if (volume_nr != nr_zones)
			die("%s has %u zones, the array %u", volume, volume_nr,
			    nr_zones);
	}
	for (z = 0; z < nr_zones; z++)
		check_zone(z, volume_zones ? &volume_zones[z] : NULL);

	printf("parity_check: %u+%u members, %" PRIu64 " zones with data: %" PRIu64 " complete stripes, %" PRIu64 " incomplete ones with %" PRIu64 " rows of partial parity",
	       nr_data, nr_parity, zones_used, stripes_checked, tails_checked,
	       rows_checked);
	if (columns_moved)
		printf(", %" PRIu64 " columns moved", columns_moved);
	if (lost_member >= 0)
		printf(", member %d computed", lost_member);
	if (columns_nowhere)
		printf(", %" PRIu64 " columns computed", columns_nowhere);
	if (volume)
		printf(", %" PRIu64 " MiB compared with the volume",
		       volume_bytes >> 20);
	printf(": %" PRIu64 " errors\n", errors);
	if (stripes_checked < min_stripes) {
		printf("parity_check: only %" PRIu64 " complete stripes\n",
		       stripes_checked);
		return 1;
	}
	return errors ? 1 : 0;
}
