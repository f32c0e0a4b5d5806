// SPDX-License-Identifier: GPL-2.0
/*
 * Writes, and notes what is durable where a reset of the machine does not reach.
 *
 *	fsynced zones DEVICE LOG FIRST NR SEED	write to zones until killed
 *	fsynced zones-fill DEVICE LOG FIRST NR	write zones to their ends
 *	fsynced zones-check DEVICE LOG		is everything noted there?
 *	fsynced zones-right DEVICE LOG		is everything that is there right?
 *	fsynced files DIR LOG SEED MIB		write files until killed
 *	fsynced files-check DIR LOG		is everything noted there?
 *
 * After each fsync() a line goes to LOG, and is synced itself, with what that
 * fsync() made durable.  All data is a function of where it is, so that any part
 * of it can be checked: what is noted must be there, and what is there beyond it
 * must be what was written.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blkzoned.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_WRITE	(512 << 10)
#define BLOCK		4096
#define MAX_ZONES	4096
#define MAX_FILES	100000

static uint64_t random_state;
static char *buffer, *wanted;
static int log_fd = -1;

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ULL;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static uint64_t chance(uint64_t below)
{
	random_state = mix(random_state);
	return random_state % below;
}

/* Data of place @byte, a multiple of 8, of object @what. */
static void fill(char *to, uint64_t what, uint64_t byte, size_t len)
{
	uint64_t word;
	size_t i;

	for (i = 0; i < len; i += 8) {
		word = mix(mix(what) ^ (byte + i));
		memcpy(to + i, &word, 8);
	}
}

static void open_log(const char *path)
{
	log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (log_fd < 0)
		err(1, "%s", path);
}

static void note(uint64_t what, uint64_t bytes)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%llu %llu\n",
			   (unsigned long long)what,
			   (unsigned long long)bytes);

	if (write(log_fd, line, len) != len || fsync(log_fd))
		err(1, "log");
}

/* The last note of each object; a line cut short is not one. */
static void read_log(const char *path, uint64_t *bytes, uint64_t nr)
{
	unsigned long long what, n;
	FILE *file = fopen(path, "r");
	char line[128];

	if (!file)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), file)) {
		if (!strchr(line, '\n') ||
		    sscanf(line, "%llu %llu", &what, &n) != 2 || what >= nr)
			continue;
		bytes[what] = n;
	}
	fclose(file);
}

/*
 * Files are written and noted one after the other: a note that is missing before
 * others was lost, and the log says nothing about what the array lost.
 */
static void read_files_log(const char *path, uint64_t *bytes)
{
	uint64_t number = MAX_FILES;

	read_log(path, bytes, MAX_FILES);
	while (number && !bytes[number - 1])
		number--;
	while (number && bytes[number - 1])
		number--;
	if (number)
		errx(1, "%s: no note of file %llu, but of later ones: the log is not whole",
		     path, (unsigned long long)number - 1);
}

static struct blk_zone report(int fd, uint32_t zone)
{
	static uint32_t zone_sectors;
	struct {
		struct blk_zone_report head;
		struct blk_zone zone;
	} one = { 0 };
	int failed;

	if (!zone_sectors && ioctl(fd, BLKGETZONESZ, &zone_sectors))
		err(1, "BLKGETZONESZ");
	one.head.sector = (uint64_t)zone * zone_sectors;
	one.head.nr_zones = 1;
	/* The volume is suspended for a moment when a member is replaced. */
	while ((failed = ioctl(fd, BLKREPORTZONE, &one.head)) && errno == EAGAIN)
		usleep(1000);
	if (failed || one.head.nr_zones != 1)
		err(1, "BLKREPORTZONE");
	return one.zone;
}

/* Bytes written to a zone. */
static uint64_t written(const struct blk_zone *z)
{
	return z->cond == BLK_ZONE_COND_FULL ? z->capacity << 9 :
					       (z->wp - z->start) << 9;
}

static void write_zones(int fd, uint32_t first, uint32_t nr)
{
	struct blk_zone z;
	uint64_t at, left;
	size_t len;
	uint32_t zone;

	for (;;) {
		zone = first + (uint32_t)chance(nr);
		z = report(fd, zone);
		at = written(&z);
		left = (z.capacity << 9) - at;
		if (!left)
			continue;
		len = (1 + chance(MAX_WRITE / BLOCK)) * BLOCK;
		if (chance(2))
			len = (1 + chance(8)) * BLOCK;
		if (len > left)
			len = left;
		fill(buffer, zone, at, len);
		if (pwrite(fd, buffer, len, (z.start << 9) + at) != (ssize_t)len)
			err(1, "write");
		if (chance(4))
			continue;
		if (fsync(fd))
			err(1, "fsync");
		note(zone, at + len);
	}
}

static void fill_zones(int fd, uint32_t first, uint32_t nr)
{
	struct blk_zone z;
	uint64_t at, left;
	uint32_t zone;
	size_t len;

	for (zone = first; zone < first + nr; zone++) {
		z = report(fd, zone);
		for (at = written(&z); at < z.capacity << 9; at += len) {
			left = (z.capacity << 9) - at;
			len = left < MAX_WRITE ? left : MAX_WRITE;
			fill(buffer, zone, at, len);
			if (pwrite(fd, buffer, len, (z.start << 9) + at) !=
			    (ssize_t)len)
				err(1, "write");
		}
		if (fsync(fd))
			err(1, "fsync");
		note(zone, at);
	}
}

static int check_bytes(int fd, uint64_t offset, uint64_t what, uint64_t bytes)
{
	uint64_t at, i;
	size_t len;

	for (at = 0; at < bytes; at += len) {
		len = bytes - at < MAX_WRITE ? bytes - at : MAX_WRITE;
		if (pread(fd, buffer, len, offset + at) != (ssize_t)len) {
			warn("%llu: read at %llu", (unsigned long long)what,
			     (unsigned long long)at);
			return 1;
		}
		fill(wanted, what, at, len);
		if (!memcmp(buffer, wanted, len))
			continue;
		for (i = 0; buffer[i] == wanted[i]; i++)
			;
		warnx("%llu: wrong data at byte %llu of %llu",
		      (unsigned long long)what, (unsigned long long)(at + i),
		      (unsigned long long)bytes);
		return 1;
	}
	return 0;
}

static int check_zones(int fd, const char *log, int all)
{
	static uint64_t durable[MAX_ZONES];
	uint64_t bytes = 0, zones = 0, beyond = 0, there;
	struct blk_zone z;
	uint32_t zone;
	int wrong = 0;

	read_log(log, durable, MAX_ZONES);
	for (zone = 0; zone < MAX_ZONES; zone++) {
		if (!durable[zone])
			continue;
		z = report(fd, zone);
		there = written(&z);
		if (all && there < durable[zone]) {
			warnx("zone %u: write pointer at %llu, %llu bytes were synced",
			      zone, (unsigned long long)there,
			      (unsigned long long)durable[zone]);
			wrong = 1;
		}
		wrong |= check_bytes(fd, z.start << 9, zone, there);
		zones++;
		bytes += durable[zone];
		if (there > durable[zone])
			beyond += there - durable[zone];
	}
	printf("%llu zones, %llu bytes synced and right, %llu beyond\n",
	       (unsigned long long)zones, (unsigned long long)bytes,
	       (unsigned long long)beyond);
	return wrong;
}

static int open_file(const char *dir, uint64_t number, int flags)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof(path), "%s/f%llu", dir,
		 (unsigned long long)number);
	fd = open(path, flags, 0644);
	if (fd < 0)
		warn("%s", path);
	return fd;
}

static void write_files(const char *dir, const char *log, uint64_t limit)
{
	static uint64_t size[MAX_FILES];
	uint64_t number, total = 0;
	size_t len;
	int fd;

	/* Go on behind the files of earlier runs. */
	read_files_log(log, size);
	for (number = 0; number < MAX_FILES && size[number]; number++)
		total += size[number];
	for (; number < MAX_FILES && total < limit; number++) {
		fd = open_file(dir, number, O_WRONLY | O_CREAT | O_TRUNC);
		if (fd < 0)
			exit(1);
		do {
			len = (1 + chance(64)) * 1024;
			fill(buffer, number, size[number], len);
			if (write(fd, buffer, len) != (ssize_t)len)
				err(1, "write");
			size[number] += len;
			total += len;
			if (chance(2)) {
				if (fsync(fd))
					err(1, "fsync");
				note(number, size[number]);
			}
		} while (chance(6));
		if (fsync(fd))
			err(1, "fsync");
		note(number, size[number]);
		close(fd);
	}
}

static int check_files(const char *dir, const char *log)
{
	static uint64_t durable[MAX_FILES];
	uint64_t number, files = 0, bytes = 0;
	struct stat st;
	int wrong = 0;
	int fd;

	read_files_log(log, durable);
	for (number = 0; number < MAX_FILES; number++) {
		if (!durable[number])
			continue;
		fd = open_file(dir, number, O_RDONLY);
		if (fd < 0 || fstat(fd, &st)) {
			wrong = 1;
			continue;
		}
		if ((uint64_t)st.st_size < durable[number]) {
			warnx("file %llu: %llu bytes, %llu were synced",
			      (unsigned long long)number,
			      (unsigned long long)st.st_size,
			      (unsigned long long)durable[number]);
			wrong = 1;
		} else {
			wrong |= check_bytes(fd, 0, number, durable[number]);
		}
		close(fd);
		files++;
		bytes += durable[number];
	}
	printf("%llu files, %llu bytes synced and right\n",
	       (unsigned long long)files, (unsigned long long)bytes);
	return wrong;
}

static int open_device(const char *path, int flags)
{
	int fd = open(path, flags | O_DIRECT);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

int main(int argc, char **argv)
{
	const char *what = argc > 3 ? argv[1] : "";

	if (posix_memalign((void **)&buffer, BLOCK, MAX_WRITE) ||
	    posix_memalign((void **)&wanted, BLOCK, MAX_WRITE))
		err(1, "memory");
	if (!strcmp(what, "zones-check"))
		return check_zones(open_device(argv[2], O_RDONLY), argv[3], 1);
	if (!strcmp(what, "zones-right"))
		return check_zones(open_device(argv[2], O_RDONLY), argv[3], 0);
	if (!strcmp(what, "files-check"))
		return check_files(argv[2], argv[3]);
	if (!strcmp(what, "zones-fill") && argc == 6) {
		open_log(argv[3]);
		fill_zones(open_device(argv[2], O_RDWR), atoi(argv[4]),
			   atoi(argv[5]));
		return 0;
	}
	if (!strcmp(what, "zones") && argc == 7) {
		random_state = strtoull(argv[6], NULL, 0);
		open_log(argv[3]);
		write_zones(open_device(argv[2], O_RDWR), atoi(argv[4]),
			    atoi(argv[5]));
	}
	if (!strcmp(what, "files") && argc == 6) {
		random_state = strtoull(argv[4], NULL, 0);
		open_log(argv[3]);
		write_files(argv[2], argv[3], strtoull(argv[5], NULL, 0) << 20);
		return 0;
	}
	errx(2, "see the head of fsynced.c");
}
