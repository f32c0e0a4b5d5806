// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated drives, in configfs: tests/zonesim/config.c has the attributes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/blkzoned.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "powercut.h"

#define ROOT	"/sys/kernel/config/zonesim"
#define GROUP	ROOT "/powercut"

static u64 cuts_seen;

/* There may be one drive more than members; who is in which slot? */
static u32 drive_of[MAX_DRIVES];

const char *drive_path(u32 member)
{
	static char path[MAX_DRIVES][16];

	snprintf(path[member], sizeof(path[member]), "/dev/pcut%u",
		 drive_of[member]);
	return path[member];
}

static const char *dir_of(u32 drive)
{
	static char dir[MAX_DRIVES][sizeof(GROUP) + 16];

	snprintf(dir[drive], sizeof(dir[drive]), GROUP "/pcut%u", drive);
	return dir[drive];
}

static const char *drive_dir(u32 member)
{
	return dir_of(drive_of[member]);
}

/* Return: false when the value is out of range. */
static bool try_put(const char *dir, const char *name, const char *text)
{
	ssize_t n = strlen(text);
	char path[128];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, text, n) == n;
	if (!done && errno != ERANGE)
		die("cannot write '%s' to %s: %s", text, path,
		    strerror(errno));
	close(fd);
	return done;
}

static void __attribute__((format(printf, 3, 4)))
put(const char *dir, const char *name, const char *format, ...)
{
	char text[160];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!try_put(dir, name, text))
		die("'%s' is out of range for %s/%s", text, dir, name);
}

static ssize_t get(const char *dir, const char *name, char *text, size_t size)
{
	char path[128];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, text, size - 1);
	if (n < 0)
		die("cannot read %s: %s", path, strerror(errno));
	close(fd);
	text[n] = '\0';
	return n;
}

static u64 get_number(const char *dir, const char *name)
{
	char text[64];

	get(dir, name, text, sizeof(text));
	return strtoull(text, NULL, 10);
}

/* Zones of a drive, by its own number. */
static u32 zones_of(u32 drive)
{
	return shape.drive_zones + (drive % 2 ? shape.surplus : 0);
}

static void configure(const char *dir, u32 nr_zones, u32 cap_kib)
{
	put(dir, "nr_zones", "%u", nr_zones);
	put(dir, "nr_conventional", "%u", shape.nr_conventional);
	put(dir, "zone_size_kib", "%u", shape.zone_kib);
	put(dir, "zone_capacity_kib", "%u", cap_kib);
	put(dir, "block_size", "%u", shape.block * SECTOR);
	put(dir, "max_open", "%u", shape.limit);
	put(dir, "max_active", "%u", shape.limit);
	put(dir, "max_io_kib", "%u", shape.max_io_kib);
	put(dir, "write_cache", "%u", shape.cached);
	put(dir, "fua", "%u", shape.fua);
	put(dir, "finish_flushes", "%u", shape.finish_flushes);
	put(dir, "fill", "%u", shape.fill);
	put(dir, "queues", "2");
	put(dir, "latency_us", "%u", shape.latency_us);
	put(dir, "jitter_us", "%u", shape.jitter_us);
	put(dir, "completion", "%s", shape.completion);
}

void drives_make(void)
{
	u32 i;

	if (access(ROOT, F_OK))
		die("%s is not there; is zonesim loaded?", ROOT);
	drives_gone();
	if (mkdir(GROUP, 0755))
		die("cannot make %s: %s", GROUP, strerror(errno));
	for (i = 0; i < MAX_DRIVES; i++)
		drive_of[i] = i;
	for (i = 0; i < shape.members + shape.has_spare; i++) {
		if (mkdir(drive_dir(i), 0755))
			die("cannot make %s: %s", drive_dir(i),
			    strerror(errno));
		configure(drive_dir(i), zones_of(i),
			  i < shape.members ? shape.cap_kib : shape.spare_cap_kib);
	}
	put(GROUP, "power", "1");
}

void drives_gone(void)
{
	u32 i;

	for (i = 0; i < MAX_DRIVES; i++)
		if (rmdir(dir_of(i)) && errno != ENOENT)
			die("cannot remove %s: %s", dir_of(i),
			    strerror(errno));
	if (rmdir(GROUP) && errno != ENOENT)
		die("cannot remove %s: %s", GROUP, strerror(errno));
}

/* Chance of the drives, and what the next cuts leave of data in flight. */
void drives_seed(u64 seed, const char *keep)
{
	put(GROUP, "seed", "%" PRIu64, seed);
	put(GROUP, "keep", "%s", keep);
	cuts_seen = 0;
}

/* All drives but a lost one. */
void drives_power_on(u32 lost)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		if (!(lost >> i & 1))
			put(drive_dir(i), "power", "1");
	cuts_seen = get_number(GROUP, "cuts");
}

void drives_cut(void)
{
	put(GROUP, "power", "0");
}

/*
 * The command with this number from now on is the last one, or a later one when a
 * rebuild was faster.
 */
void drives_arm(u64 nth)
{
	char text[24];

	do {
		put(GROUP, "mark", "1");
		snprintf(text, sizeof(text), "%" PRIu64, nth);
		nth *= 2;
	} while (!try_put(GROUP, "cut_at", text));
}

void drives_disarm(void)
{
	put(GROUP, "cut_at", "0");
}

/* Since the last drives_arm(). */
u64 drives_commands(void)
{
	return get_number(GROUP, "commands");
}

/* Since they were powered on. */
bool drives_were_cut(void)
{
	return get_number(GROUP, "cuts") != cuts_seen;
}

/* A drive that has no power any more never gets it again. */
void drives_lose(u32 member, bool unplug)
{
	if (unplug)
		put(drive_dir(member), "unplug", "1");
	else
		put(drive_dir(member), "power", "0");
	cuts_seen = get_number(GROUP, "cuts");
}

static const char *get_all(const char *dir, const char *name)
{
	static char text[1 << 17];
	char path[128];
	ssize_t n, all = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, text + all,
				    sizeof(text) - 1 - all)) > 0)
		all += n;
	if (fd >= 0)
		close(fd);
	text[all] = '\0';
	return text;
}

static int reset_all_zones(u32 member)
{
	struct blk_zone_range all = {
		.nr_sectors = zones_of(drive_of[member]) * shape.zone_kib * 2ULL,
	};
	int fd = open(drive_path(member), O_RDWR | O_CLOEXEC), err = 0;

	if (fd < 0 || ioctl(fd, BLKRESETZONE, &all))
		err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

/* A drive holds nothing any more, and nothing is wrong with it. */
void drives_empty(u32 member)
{
	int err;

	drives_mend(member, true);
	err = reset_all_zones(member);
	/* A power cut that was armed may have waited for just this command. */
	if (err && drives_armed_cut()) {
		drives_mend(member, true);
		err = reset_all_zones(member);
	}
	if (err)
		die("%s cannot be emptied: %s", drive_path(member),
		    strerror(-err));
}

/* The drive in no slot and a member's change places. */
void drives_exchange(u32 member)
{
	u32 old = drive_of[member];

	drive_of[member] = drive_of[shape.members];
	drive_of[shape.members] = old;
}

/* A blank drive takes the place of a member's, which will be the next one. */
void drives_swap(u32 member)
{
	put(drive_dir(member), "power", "0");
	drives_exchange(member);
	drives_empty(member);
}

/* The next cut of a group that was armed comes, or came. */
bool drives_armed_cut(void)
{
	return !get_number(GROUP, "cut_at");
}

/* A zone turns bad without a command, or its data do. */
void drives_spoil(u32 member, const char *attribute, const char *format, ...)
{
	char text[64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(drive_dir(member), attribute, "%s", text);
}

/* Of drives with surplus zones only these are left as spare zones. */
void drives_wear(void)
{
	u32 i, zone;

	for (i = 1; shape.surplus && i < shape.members; i += 2)
		for (zone = 0; zone < shape.spares; zone++)
			drives_spoil(i, "zone_cond", "%u readonly",
				     shape.nr_conventional + LOG_ZONES + zone);
}

static void dump(const char *dir, const char *name)
{
	const char *text = get_all(dir, name);

	fprintf(stderr, "%s/%s:\n%s", dir + sizeof(ROOT), name, text);
}

/* ---- faults ---------------------------------------------------------------- */

/* Plans a fault, in the words of the attribute. */
void drives_plan(u32 member, const char *format, ...)
{
	char text[128];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	put(drive_dir(member), "fault", "%s", text);
}

/* How many commands of this drive are still to fail. */
u64 drives_planned(u32 member)
{
	char text[4096];
	const char *at = text;
	u64 sum = 0;

	get(drive_dir(member), "fault", text, sizeof(text));
	while ((at = strstr(at, "times="))) {
		at += strlen("times=");
		sum += strtoull(at, NULL, 10);
	}
	return sum;
}

bool drives_are_on(u32 member)
{
	return get_number(drive_dir(member), "power");
}

static bool is_bad(const char *cond)
{
	return !strcmp(cond, "READONLY") || !strcmp(cond, "OFFLINE");
}

/* Zones that turned read-only or offline are as new then. */
static void heal_zones(const char *dir)
{
	const char *line = get_all(dir, "zones");
	char cond[16];
	u32 zone;

	for (; sscanf(line, "%u %15s", &zone, cond) == 2;
	     line = strchr(line, '\n') + 1)
		if (is_bad(cond))
			put(dir, "zone_cond", "%u empty", zone);
}

/* How many of a drive's first @nr zones are read-only or offline? */
u32 drives_bad_zones(u32 member, u32 nr)
{
	const char *line = get_all(drive_dir(member), "zones");
	u32 zone, bad = 0;
	char cond[16];

	for (; sscanf(line, "%u %15s", &zone, cond) == 2;
	     line = strchr(line, '\n') + 1)
		bad += zone < nr && is_bad(cond);
	return bad;
}

/*
 * A drive does what it is told again.  With @zones that includes those that had
 * turned bad, whose data are gone then.
 */
void drives_mend(u32 member, bool zones)
{
	const char *dir = drive_dir(member);

	put(dir, "fault", "clear");
	put(dir, "bad_sectors", "clear");
	put(dir, "power", "1");
	if (zones)
		heal_zones(dir);
	cuts_seen = get_number(GROUP, "cuts");
}

/* How many commands of a kind a drive was sent. */
u64 drives_count(u32 member, const char *kind)
{
	const char *line = get_all(drive_dir(member), "counters");
	char name[16];
	u64 nr;

	for (; sscanf(line, "%15s %" SCNu64, name, &nr) == 2;
	     line = strchr(line, '\n') + 1)
		if (!strcmp(name, kind))
			return nr;
	die("%s counts no command of the kind %s", drive_path(member), kind);
}

/* How many commands of a kind a drive has failed. */
u64 drives_errors(u32 member, const char *kind)
{
	const char *line = get_all(drive_dir(member), "counters");
	char name[16];
	u64 nr;

	for (; sscanf(line, "%15s %*s %*s %" SCNu64, name, &nr) == 2;
	     line = strchr(line, '\n') + 1)
		if (!strcmp(name, kind))
			return nr;
	die("%s counts no errors of the kind %s", drive_path(member), kind);
}

/* What they have done. */
void drives_print_counters(FILE *out)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		fprintf(out, "member %u:\n%s", i,
			get_all(drive_dir(i), "counters"));
}

/* For the report of a failure. */
void drives_dump(void)
{
	u32 i;

	dump(GROUP, "cuts");
	dump(GROUP, "last_cut");
	for (i = 0; i < shape.members; i++)
		dump(drive_dir(i), "zones");
}
