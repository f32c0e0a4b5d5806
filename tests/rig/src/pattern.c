// SPDX-License-Identifier: GPL-2.0
/*
 * Writes a pattern to parts of a zoned device, or verifies it: each page of 4 KiB
 * repeats a word that tells where the page is.  Simulated drives keep such pages
 * without memory, and so do they the parity of them, so that zones of gigabytes can
 * be filled.
 *
 *	pattern write|verify DEVICE SALT START:SECTORS...
 *
 * Quantities are sectors of 512 bytes.  SALT, a number, makes the pattern another one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SECTOR		512ULL
#define PAGE_SECTORS	8
#define WORDS_OF_SECTOR	(SECTOR / sizeof(uint64_t))
#define MAX_SECTORS	8192U	/* of one read or write */

static const char *device;
static uint64_t salt;
static uint64_t *buffer;
static int fd;

/* The highest bit is 0: a drive can keep 63 bits in place of a page. */
static uint64_t word_at(uint64_t sector)
{
	return (salt << 40 ^ sector / PAGE_SECTORS) & INT64_MAX;
}

static void fill(uint64_t sector, unsigned int sectors)
{
	uint64_t *word = buffer;
	unsigned int i, j;

	for (i = 0; i < sectors; i++)
		for (j = 0; j < WORDS_OF_SECTOR; j++)
			*word++ = word_at(sector + i);
}

static void compare(uint64_t sector, unsigned int sectors)
{
	const uint64_t *word = buffer;
	unsigned int i, j;

	for (i = 0; i < sectors; i++) {
		for (j = 0; j < WORDS_OF_SECTOR; j++, word++) {
			if (*word == word_at(sector + i))
				continue;
			fprintf(stderr, "pattern: %s: sector %" PRIu64
				" holds %#" PRIx64 ", not %#" PRIx64 "\n",
				device, sector + i, *word, word_at(sector + i));
			exit(1);
		}
	}
}

static void transfer(bool writing, uint64_t sector, unsigned int sectors)
{
	size_t bytes = sectors * SECTOR;
	ssize_t done = writing ? pwrite(fd, buffer, bytes, sector * SECTOR) :
				 pread(fd, buffer, bytes, sector * SECTOR);

	if (done == (ssize_t)bytes)
		return;
	fprintf(stderr, "pattern: %s: %s of %u sectors at %" PRIu64 ": %s\n",
		device, writing ? "write" : "read", sectors, sector,
		done < 0 ? strerror(errno) : "cut off");
	exit(1);
}

static void extent(bool writing, uint64_t sector, uint64_t left)
{
	unsigned int sectors;

	for (; left; left -= sectors, sector += sectors) {
		sectors = left < MAX_SECTORS ? left : MAX_SECTORS;
		if (writing)
			fill(sector, sectors);
		transfer(writing, sector, sectors);
		if (!writing)
			compare(sector, sectors);
	}
}

int main(int argc, char **argv)
{
	uint64_t start, sectors;
	bool writing;
	int i;

	if (argc < 4 || (strcmp(argv[1], "write") && strcmp(argv[1], "verify"))) {
		fputs("usage: pattern write|verify DEVICE SALT START:SECTORS...\n",
		      stderr);
		return 2;
	}
	writing = !strcmp(argv[1], "write");
	device = argv[2];
	salt = strtoull(argv[3], NULL, 0);
	fd = open(device, (writing ? O_WRONLY : O_RDONLY) | O_DIRECT | O_CLOEXEC);
	buffer = mmap(NULL, MAX_SECTORS * SECTOR, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || buffer == MAP_FAILED) {
		perror(device);
		return 1;
	}
	for (i = 4; i < argc; i++) {
		if (sscanf(argv[i], "%" SCNu64 ":%" SCNu64, &start, &sectors) != 2) {
			fprintf(stderr, "pattern: '%s' is not START:SECTORS\n",
				argv[i]);
			return 2;
		}
		extent(writing, start, sectors);
	}
	return 0;
}
