// SPDX-License-Identifier: GPL-2.0
/*
 * Probe one drive: check its zones, find its superblock.  Trusts nothing it reads.
 */
#include <linux/delay.h>

#include "assemble.h"
#include "version.h"

/* Commands to one drive that a start repeats, and the time that it waits before each. */
#define PATIENCE_TRIES	10U
#define PATIENCE_MS	200

static int probe_zone(struct blk_zone *zone, unsigned int idx, void *data)
{
	struct raizn_probe *p = data;
	u32 written = zone->cond == BLK_ZONE_COND_EMPTY ? 0 :
		      zone->wp - zone->start;

	if (zone->type == BLK_ZONE_TYPE_CONVENTIONAL) {
		if (p->nr_zones > p->first_zone)
			p->bad = "conventional zones behind sequential ones";
		p->first_zone++;
		p->nr_zones++;
		return 0;
	}
	if (zone->type != BLK_ZONE_TYPE_SEQWRITE_REQ) {
		p->bad = "not all zones require sequential writes";
		return 0;
	}
	if (p->short_zone)
		p->bad = "zones of different capacities";
	if (!p->capacity)
		p->capacity = zone->capacity;
	if (zone->capacity != p->capacity) {
		/* Disks may end with a shorter zone; it is left out. */
		p->short_zone = true;
		return 0;
	}
	if (zone->cond == BLK_ZONE_COND_FULL || written > p->capacity)
		written = p->capacity;
	p->extents[idx] = written;
	p->conds[idx] = zone->cond;
	p->nr_zones++;
	return 0;
}

/**
 * struct note - a line for the kernel log
 * @next:	the next line
 * @level:	enum raizn_note_level
 * @text:	without a newline
 */
struct note {
	struct note *next;
	enum raizn_note_level level;
	char *text;
};

static void print_note(const struct note *note)
{
	switch (note->level) {
	case RAIZN_NOTE_ERROR:
		DMERR("%s", note->text);
		break;
	case RAIZN_NOTE_WARNING:
		DMWARN("%s", note->text);
		break;
	case RAIZN_NOTE_INFO:
		DMINFO("%s", note->text);
		break;
	}
}

static void free_note(struct note *note)
{
	kfree(note->text);
	kfree(note);
}

/**
 * raizn_probe_note() - note a line for the kernel log
 * @p:		drive
 * @level:	level of the line
 * @format:	as for printk(), without a newline
 *
 * Drives are read side by side; raizn_probe_tell() prints the lines drive by drive.
 *
 * Context: process.
 */
void raizn_probe_note(struct raizn_probe *p, enum raizn_note_level level,
		      const char *format, ...)
{
	struct note *note = kmalloc(sizeof(*note), GFP_KERNEL);
	va_list args;

	if (!note)
		return;
	va_start(args, format);
	note->text = kvasprintf(GFP_KERNEL, format, args);
	va_end(args);
	if (!note->text) {
		kfree(note);
		return;
	}
	note->level = level;
	note->next = NULL;
	if (p->last_note)
		p->last_note->next = note;
	else
		p->notes = note;
	p->last_note = note;
}

/**
 * raizn_probe_tell() - print the lines that were noted
 * @p:		drive that no other task reads
 *
 * Context: process.
 */
void raizn_probe_tell(struct raizn_probe *p)
{
	struct note *note;

	while ((note = p->notes)) {
		p->notes = note->next;
		print_note(note);
		free_note(note);
	}
	p->last_note = NULL;
}

/**
 * raizn_probe_free() - free the memory of a probe
 * @p:		probe, zeroed before its first use
 *
 * Lines that were not printed are dropped.
 */
void raizn_probe_free(struct raizn_probe *p)
{
	struct note *note;

	while ((note = p->notes)) {
		p->notes = note->next;
		free_note(note);
	}
	kvfree(p->map.entries);
	kvfree(p->bad_blocks);
	kvfree(p->spoilt);
	kvfree(p->zones);
	kvfree(p->extents);
	kvfree(p->conds);
	kfree(p->sb);
}

/**
 * raizn_refuse_unknown() - refuse an array of which newer code has written a record
 * @p:		drive that the record was read from
 * @zone:	reserved zone that it was read from
 * @unknown:	text of raizn_record_is_unknown()
 *
 * Return: -EOPNOTSUPP, after a note.
 */
int raizn_refuse_unknown(struct raizn_probe *p, u32 zone, const char *unknown)
{
	raizn_probe_error(p, "%pg: reserved zone %u has %s, which dm-raizn " RAIZN_VERSION " (format version %u) does not know: use the version that wrote it, or a newer one",
			  p->bdev, zone, unknown, RAIZN_FORMAT_VERSION);
	return -EOPNOTSUPP;
}

/**
 * raizn_probe_forbids_writing() - does a drive forbid writing to its array?
 * @p:		drive with a superblock
 *
 * Return: true, after a message, if the drive has unknown ro-compat features.
 */
bool raizn_probe_forbids_writing(const struct raizn_probe *p)
{
	u64 unknown = le64_to_cpu(raizn_probe_sb(p)->ro_compat) &
		      ~RAIZN_RO_COMPAT_SUPPORTED;

	if (unknown)
		DMWARN("%pg: has features (ro-compat 0x%llx) that dm-raizn " RAIZN_VERSION " cannot write: the array is read-only; use the version that wrote it, or a newer one, to write",
		       p->bdev, unknown);
	return unknown;
}

/* Errors that another try does not change: the medium, the command, or no drive any more. */
static bool is_lasting(int err)
{
	return err == -ENODATA || err == -ENODEV || err == -EREMOTEIO || err == -EOPNOTSUPP ||
	       err == -EINVAL || err == -EILSEQ || err == -EBADE || err == -ETIMEDOUT;
}

/*
 * Wait before a command that failed is repeated.  Returns false if there is no use in that, or if
 * the command took long: then the layers below had the patience.
 */
static bool has_patience(struct raizn_probe *p, int err, unsigned long begun)
{
	if (is_lasting(err) || p->failures >= PATIENCE_TRIES || time_after(jiffies, begun + HZ))
		return false;
	if (!p->failures++)
		raizn_probe_warn(p, "%pg: a command failed (%d) and is repeated", p->bdev, err);
	msleep(PATIENCE_MS);
	return true;
}

/**
 * raizn_probe_read() - read blocks of a drive, with patience
 * @p:		drive that has answered: it is not gone
 * @sector:	first sector
 * @buf:	physically contiguous buffer
 * @bytes:	length, a multiple of the logical block size
 *
 * A drive that has just got its power, or its link, may fail commands for a moment.  It is not left
 * out for that: reads that fail fast are repeated, for about two seconds of a start in all.
 *
 * Context: process.  Return: 0 or -errno.
 */
int raizn_probe_read(struct raizn_probe *p, sector_t sector, void *buf, u32 bytes)
{
	unsigned long begun;
	int err;

	do {
		begun = jiffies;
		err = raizn_member_read(p->bdev, sector, buf, bytes);
	} while (err && has_patience(p, err, begun));
	return err;
}

/* No log zone begins with a sound superblock.  Another format may have other checksums. */
static int tell_without_superblock(struct raizn_probe *p, u16 version)
{
	if (version) {
		raizn_probe_error(p, "%pg: its metadata is of format version %u, dm-raizn "
				  RAIZN_VERSION " knows version %u: use the version that wrote it, or a newer one",
				  p->bdev, version, RAIZN_FORMAT_VERSION);
		return -EOPNOTSUPP;
	}
	if (p->may_be_blank)
		return 0;
	raizn_probe_error(p, "%pg: no superblock found: not a member of an array", p->bdev);
	return -EINVAL;
}

/* Read the newest superblock of the log zones' first blocks. */
static int probe_superblock(struct raizn_probe *p, void *block)
{
	u64 zone_size = bdev_zone_sectors(p->bdev);
	enum raizn_record_verdict verdict;
	struct raizn_record *rec = block;
	char unknown[64];
	bool unreadable = false;
	u16 version = 0;
	u32 i, zone;
	int err;

	for (i = 0; i < RAIZN_NR_LOG_ZONES; i++) {
		zone = p->first_zone + i;
		if (zone >= p->nr_zones ||
		    p->conds[zone] == BLK_ZONE_COND_OFFLINE ||
		    p->extents[zone] < RAIZN_BLOCK_SECTORS)
			continue;
		err = raizn_probe_read(p, zone * zone_size, block, RAIZN_BLOCK_SIZE);
		/* Another log zone may tell. */
		if (err == -ENODATA) {
			unreadable = true;
			continue;
		}
		if (err) {
			raizn_probe_error(p, "%pg: cannot read the log zones: %d", p->bdev, err);
			return err;
		}
		verdict = raizn_record_verify(block, RAIZN_BLOCK_SIZE);
		if (raizn_record_is_unknown(rec, RAIZN_BLOCK_SIZE, verdict, unknown,
					    sizeof(unknown)))
			return raizn_refuse_unknown(p, i, unknown);
		if (verdict == RAIZN_RECORD_BAD_VERSION)
			version = le16_to_cpu(rec->version);
		if (verdict || le16_to_cpu(rec->type) != RAIZN_REC_SUPERBLOCK)
			continue;
		if (p->sb && le64_to_cpu(p->sb->seq) >= le64_to_cpu(rec->seq))
			continue;
		if (!p->sb)
			p->sb = kmalloc(RAIZN_BLOCK_SIZE, GFP_KERNEL);
		if (!p->sb)
			return -ENOMEM;
		memcpy(p->sb, block, RAIZN_BLOCK_SIZE);
	}
	if (p->sb)
		return 0;
	if (!unreadable)
		return tell_without_superblock(p, version);
	raizn_probe_error(p, "%pg: cannot read the log zones: %d", p->bdev, -ENODATA);
	return -ENODATA;
}

/**
 * raizn_probe_device() - read a drive's zone report and superblock
 * @p:		probe with bdev and may_be_blank set, the rest zeroed
 *
 * Context: process.  Return: 0, or -errno after a note, with p->error for ti->error.
 */
int raizn_probe_device(struct raizn_probe *p)
{
	u32 nr = bdev_nr_zones(p->bdev);
	void *block;
	int err;

	if (!raizn_bdev_is_host_managed(p->bdev)) {
		raizn_probe_error(p, "%pg: not a host-managed zoned drive", p->bdev);
		p->error = "Member is not a host-managed zoned drive";
		return -EINVAL;
	}
	p->error = "Member cannot be used, see the kernel log";
	block = kmalloc(RAIZN_BLOCK_SIZE, GFP_KERNEL);
	p->extents = kvcalloc(nr, sizeof(*p->extents), GFP_KERNEL);
	p->conds = kvcalloc(nr, sizeof(*p->conds), GFP_KERNEL);
	err = -ENOMEM;
	if (!block || !p->extents || !p->conds)
		goto out;

	err = blkdev_report_zones(p->bdev, 0, nr, probe_zone, p);
	if (err < 0) {
		raizn_probe_error(p, "%pg: zone report failed: %d", p->bdev, err);
		goto out;
	}
	err = -EINVAL;
	if (p->bad) {
		raizn_probe_error(p, "%pg: %s", p->bdev, p->bad);
		goto out;
	}
	err = probe_superblock(p, block);
out:
	kfree(block);
	return err;
}
