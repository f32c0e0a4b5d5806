// SPDX-License-Identifier: GPL-2.0
/*
 * An array that waits for drives has a file, which the process that waits has locked.  Its age
 * says since when; once the array was started, its contents say without which slots.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"
#include "tool.h"
#include "waiting.h"

static void waiting_path(const u8 *uuid, char *path, size_t size)
{
	snprintf(path, size, "/run/raizn-%s.waiting", uuid_text(uuid).s);
}

int waiting_begin(const u8 *uuid)
{
	char path[80];
	int fd;

	waiting_path(uuid, path, sizeof(path));
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) || ftruncate(fd, 0)) {
		close(fd);
		return -1;
	}
	futimens(fd, NULL);
	return fd;
}

void waiting_for_late(int fd, u32 slots)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%08x\n", slots);

	if (fd >= 0 && pwrite(fd, text, len, 0) != len)
		complain("which drives are late cannot be noted in /run: %s",
			 strerror(errno));
}

int waiting_adopt(const u8 *uuid, u32 *slots)
{
	char path[80], text[16] = "";
	int fd;

	waiting_path(uuid, path, sizeof(path));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!flock(fd, LOCK_EX | LOCK_NB) &&
	    pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	    sscanf(text, "%8x", slots) == 1 && *slots)
		return fd;
	close(fd);
	return -1;
}

void waiting_end(int fd, const u8 *uuid)
{
	char path[80];

	if (fd < 0)
		return;
	waiting_path(uuid, path, sizeof(path));
	unlink(path);
	close(fd);
}

bool waiting_since(const u8 *uuid, time_t *since)
{
	bool waits = false;
	char path[80];
	struct stat st;
	int fd;

	waiting_path(uuid, path, sizeof(path));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (flock(fd, LOCK_SH | LOCK_NB) && !fstat(fd, &st)) {
		*since = st.st_mtime;
		waits = true;
	}
	close(fd);
	return waits;
}
