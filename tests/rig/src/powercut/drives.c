// SPDX-License-Identifier: GPL-2.0
/*
 * The simulated drives, in configfs: tests/zonesim/config.c has the attributes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "powercut.h"

#define ROOT	"/sys/kernel/config/zonesim"
#define GROUP	ROOT "/powercut"

static u64 cuts_seen;

const char *drive_path(u32 member)
{
	static char path[MAX_MEMBERS][16];

	snprintf(path[member], sizeof(path[member]), "/dev/pcut%u", member);
	return path[member];
}

static const char *drive_dir(u32 member)
{
	static char dir[MAX_MEMBERS][sizeof(GROUP) + 16];

	snprintf(dir[member], sizeof(dir[member]), GROUP "/pcut%u", member);
	return dir[member];
}

static void __attribute__((format(printf, 3, 4)))
put(const char *dir, const char *name, const char *format, ...)
{
	char path[128], text[64];
	va_list args;
	int fd, n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, n) != n)
		die("can not write '%s' to %s: %s", text, path,
		    strerror(errno));
	close(fd);
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
		die("can not read %s: %s", path, strerror(errno));
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

static void configure(const char *dir)
{
	put(dir, "nr_zones", "%u", shape.drive_zones);
	put(dir, "nr_conventional", "%u", shape.nr_conventional);
	put(dir, "zone_size_kib", "%u", shape.zone_kib);
	put(dir, "zone_capacity_kib", "%u", shape.cap_kib);
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
		die("can not make %s: %s", GROUP, strerror(errno));
	for (i = 0; i < shape.members; i++) {
		if (mkdir(drive_dir(i), 0755))
			die("can not make %s: %s", drive_dir(i),
			    strerror(errno));
		configure(drive_dir(i));
	}
	put(GROUP, "power", "1");
}

void drives_gone(void)
{
	u32 i;

	for (i = 0; i < MAX_MEMBERS; i++)
		if (rmdir(drive_dir(i)) && errno != ENOENT)
			die("can not remove %s: %s", drive_dir(i),
			    strerror(errno));
	if (rmdir(GROUP) && errno != ENOENT)
		die("can not remove %s: %s", GROUP, strerror(errno));
}

/* Chance of the drives, and what the next cuts leave of data in flight. */
void drives_seed(u64 seed, const char *keep)
{
	put(GROUP, "seed", "%" PRIu64, seed);
	put(GROUP, "keep", "%s", keep);
	cuts_seen = 0;
}

/* All drives but a lost one. */
void drives_power_on(int lost)
{
	u32 i;

	for (i = 0; i < shape.members; i++)
		if ((int)i != lost)
			put(drive_dir(i), "power", "1");
	cuts_seen = get_number(GROUP, "cuts");
}

void drives_cut(void)
{
	put(GROUP, "power", "0");
}

/* The command with this number from now on is the last one. */
void drives_arm(u64 nth)
{
	put(GROUP, "mark", "1");
	put(GROUP, "cut_at", "%" PRIu64, nth);
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

static void dump(const char *dir, const char *name)
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
	fprintf(stderr, "%s:\n%s", path + sizeof(ROOT), text);
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
