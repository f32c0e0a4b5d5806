// SPDX-License-Identifier: GPL-2.0
/*
 * Moves the columns of a new array to other members: nothing else does so far, but module and
 * tools have to work with any permutation of columns over slots, zone by zone.
 *
 * The array was created and never started, so nothing is in its zones. Its superblocks get the
 * feature, then its general logs get a zone map in which each zone has a permutation of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/options.h"
#include "../lib/permute.h"
#include "codec.h"
#include "replay.h"

static u64 seed;
static bool featureless;

static const struct opt opts[] = {
	OPT_SEED(&seed),
	{ .name = "no-feature", .kind = OPT_FLAG, .value = &featureless,
	  .help = "leave the feature out, which nobody may do" },
	{ .name = NULL }
};

static const struct command permute = {
	.summary = "Moves the columns of a new array, which was never started, to other members.\n",
	.operands = "MEMBER...", .nr_operands = -1, .opts = opts,
};

/**
 * struct log - general log of a member
 * @path:	the drive
 * @fd:		of that, open for writing
 * @at:		end of the log (bytes on the drive)
 * @seq:	of its last record
 * @sb:		its last superblock
 */
struct log {
	const char *path;
	int fd;
	u64 at;
	u64 seq;
	struct raizn_record sb;
};

__attribute__((format(printf, 1, 2), noreturn))
static void die(const char *format, ...)
{
	va_list args;

	fputs("permute: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

/* Room for a record, which drives can be read to and written from. */
static struct raizn_record *buffer(void)
{
	void *p = mmap(NULL, RAIZN_RECORD_MAX, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		die("out of memory");
	return p;
}

/* The first sequential zone of a drive. */
static struct blk_zone first_zone(const struct log *log)
{
	struct {
		struct blk_zone_report head;
		struct blk_zone zone;
	} report = { 0 };

	do {
		report.head.sector += report.zone.len;
		report.head.nr_zones = 1;
		if (ioctl(log->fd, BLKREPORTZONE, &report) || !report.head.nr_zones)
			die("%s: zone report: %s", log->path, strerror(errno));
	} while (report.zone.type == BLK_ZONE_TYPE_CONVENTIONAL);
	return report.zone;
}

static void read_log(struct log *log, const char *path)
{
	struct raizn_record *rec = buffer();
	struct blk_zone zone;

	log->path = path;
	log->fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC | O_EXCL);
	if (log->fd < 0)
		die("%s: %s", path, strerror(errno));
	zone = first_zone(log);
	for (log->at = zone.start * 512; log->at < zone.wp * 512;
	     log->at += raizn_record_bytes(rec)) {
		if (pread(log->fd, rec, RAIZN_BLOCK_SIZE, log->at) != RAIZN_BLOCK_SIZE ||
		    raizn_record_verify(rec, RAIZN_BLOCK_SIZE))
			die("%s: not the log of a new array", path);
		log->seq = le64_to_cpu(rec->seq);
		if (le16_to_cpu(rec->type) == RAIZN_REC_SUPERBLOCK)
			log->sb = *rec;
	}
	if (!log->seq || le64_to_cpu(raizn_record_sb(&log->sb)->start))
		die("%s: the array was started already", path);
	munmap(rec, RAIZN_RECORD_MAX);
}

static void append(struct log *log, struct raizn_record *rec)
{
	ssize_t bytes = raizn_record_bytes(rec);

	raizn_record_seal(rec, ++log->seq, le64_to_cpu(log->sb.epoch),
			  le16_to_cpu(log->sb.member), RAIZN_LOG_GENERAL);
	if (pwrite(log->fd, rec, bytes, log->at) != bytes || fsync(log->fd))
		die("%s: %s", log->path, strerror(errno));
	log->at += bytes;
}

/* All members get these before one has a distance. */
static void append_superblock(struct log *log, struct raizn_record *rec)
{
	struct raizn_superblock *sb = raizn_record_sb(rec);
	u32 i;

	*rec = log->sb;
	for (i = 0; i < sb->nr_members; i++)
		sb->members[i].event = sb->event;
	sb->event = cpu_to_le64(le64_to_cpu(sb->event) + 1);
	if (!featureless)
		sb->incompat |= cpu_to_le64(RAIZN_INCOMPAT_DISTANCE);
	append(log, rec);
}

/* Appends maps; each has all columns of some zones, and a version of its own. */
static void append_maps(struct log *log, struct raizn_record *rec, const struct raizn_geometry *geo)
{
	u32 most = RAIZN_ZONE_MAP_MAX / geo->nr_members, first, nr, zone, c;
	u32 slots[RAIZN_MAX_MEMBERS];
	u64 version = 0;

	for (first = 0; first < geo->nr_zones; first += nr) {
		nr = geo->nr_zones - first < most ? geo->nr_zones - first : most;
		memset(rec, 0, RAIZN_RECORD_MAX);
		raizn_record_init(rec, RAIZN_REC_ZONE_MAP, log->sb.array_uuid,
				  raizn_zone_map_payload(nr * geo->nr_members));
		rec->start = cpu_to_le64(++version);
		for (zone = first; zone < first + nr; zone++) {
			permute_slots(seed, zone, geo->nr_members, slots);
			for (c = 0; c < geo->nr_members; c++)
				raizn_zone_map_add(geo, rec, zone, c,
						   (slots[c] + geo->nr_members - c) %
						   geo->nr_members << RAIZN_PLACE_SHIFT);
		}
		append(log, rec);
	}
}

int main(int argc, char **argv)
{
	char **paths = options_parse(&permute, argc, argv);
	static struct log logs[RAIZN_MAX_MEMBERS];
	struct raizn_record *rec = buffer();
	struct raizn_geometry geo;
	const char *why;
	u32 nr = 0, i;

	for (; *paths; paths++) {
		if (nr == RAIZN_MAX_MEMBERS)
			die("too many members");
		read_log(&logs[nr++], *paths);
	}
	if (raizn_sb_geometry(raizn_record_sb(&logs[0].sb), &geo, &why) || geo.nr_members != nr)
		die("these are not all members of an array");
	for (i = 0; i < nr; i++)
		append_superblock(&logs[i], rec);
	for (i = 0; i < nr; i++)
		append_maps(&logs[i], rec, &geo);
	return 0;
}
