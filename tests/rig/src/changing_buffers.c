// SPDX-License-Identifier: GPL-2.0
/*
 * Direct writes from a buffer that another thread changes meanwhile, beside those of a
 * careful writer.
 *
 *	changing_buffers write DEVICE SECTOR KIB NR anonymous [durable]
 *	changing_buffers write DEVICE SECTOR KIB NR FILE [durable]
 *	changing_buffers verify DEVICE SECTOR KIB NR
 *
 * From SECTOR on, where an empty zone begins, NR pairs of pieces of KIB are written and
 * flushed: first a piece whose content is known, then one from a buffer that changes all the
 * time. That is anonymous memory, or a mapping of FILE. With "durable" the pieces of every
 * third pair are FUA writes, and there is a flush behind every fifth. "write" reads all known
 * pieces back; "verify" does only that. KIB may be 0.5.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/common.h"

#define WORDS_OF_SECTOR	(SECTOR / sizeof(u64))

static atomic_bool stop;
static atomic_ulong rounds;
static u64 *changing;
static size_t bytes;
static int fd;

/* A word of each sector, one after the other, for ever. */
static void *change(void *arg)
{
	_Atomic u64 *word = (_Atomic u64 *)changing;
	size_t i;
	u64 n;

	(void)arg;
	for (n = 2; !atomic_load(&stop); n++) {
		for (i = 0; i < bytes / sizeof(*word); i += WORDS_OF_SECTOR)
			atomic_store_explicit(&word[i], n, memory_order_relaxed);
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

static void write_piece(u64 *buffer, u64 at, int flags)
{
	struct iovec piece = { buffer, bytes };

	if (pwritev2(fd, &piece, 1, at, flags) != (ssize_t)bytes)
		err(1, "write at %" PRIu64, at);
}

static void flush(void)
{
	if (fsync(fd))
		err(1, "fsync");
}

static void *memory(const char *file)
{
	int backing = -1;
	void *p;

	if (file) {
		backing = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (backing < 0 || ftruncate(backing, bytes))
			err(1, "%s", file);
	}
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		 backing < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, backing, 0);
	if (p == MAP_FAILED)
		err(1, "mmap of %zu bytes", bytes);
	memset(p, 1, bytes);
	return p;
}

static void write_all(u64 start, unsigned int nr, const char *file, bool durable)
{
	u64 *known = memory(NULL);
	pthread_t thread;
	unsigned int i;
	u64 at = start;
	int flags;

	changing = memory(file);
	if (pthread_create(&thread, NULL, change, NULL))
		errx(1, "no thread");
	while (!atomic_load(&rounds))
		usleep(100);
	for (i = 0; i < nr; i++) {
		flags = durable && i % 3 == 2 ? RWF_DSYNC : 0;
		content(known, bytes, at);
		write_piece(known, at, flags);
		write_piece(changing, at + bytes, flags);
		if (durable && i % 5 == 4)
			flush();
		at += 2 * bytes;
	}
	flush();
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	if (atomic_load(&rounds) < nr)
		errx(1, "the buffer changed %lu times only", atomic_load(&rounds));
}

static void verify_all(u64 start, unsigned int nr)
{
	u64 *known = memory(NULL), *got = memory(NULL);
	unsigned int i, wrong = 0;
	u64 at = start;

	for (i = 0; i < nr; i++, at += 2 * bytes) {
		content(known, bytes, at);
		if (pread(fd, got, bytes, at) != (ssize_t)bytes)
			err(1, "read at %" PRIu64, at);
		wrong += !!memcmp(got, known, bytes);
	}
	if (wrong)
		errx(1, "%u of %u known pieces read wrong", wrong, nr);
}

int main(int argc, char **argv)
{
	bool writing = (argc == 7 || argc == 8) && !strcmp(argv[1], "write");
	unsigned int nr;
	u64 start;

	if (!writing && (argc != 6 || strcmp(argv[1], "verify")))
		errx(2, "usage: changing_buffers write|verify DEVICE SECTOR KIB NR [MEMORY [durable]]");
	start = strtoull(argv[3], NULL, 0) * SECTOR;
	bytes = strtod(argv[4], NULL) * 1024;
	nr = strtoul(argv[5], NULL, 0);
	fd = open(argv[2], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[2]);
	if (writing)
		write_all(start, nr, strcmp(argv[6], "anonymous") ? argv[6] : NULL,
			  argc == 8);
	verify_all(start, nr);
	return 0;
}
