// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels before 6.10 keep writes of a zone in order only under mq-deadline.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "scheduler.h"
#include "tool.h"

#define SCHEDULER "mq-deadline"

bool scheduler_needed(void)
{
	unsigned int version, patchlevel;
	struct utsname system;

	if (uname(&system) ||
	    sscanf(system.release, "%u.%u", &version, &patchlevel) != 2)
		return false;
	return version < 6 || (version == 6 && patchlevel < 10);
}

/* @sysfs is the directory of a block device.  Some take the name and do nothing. */
static bool set_one(const char *sysfs)
{
	char path[600], now[200] = "";
	ssize_t written;
	int fd;

	snprintf(path, sizeof(path), "%s/queue/scheduler", sysfs);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, SCHEDULER, strlen(SCHEDULER));
	if (written > 0 && pread(fd, now, sizeof(now) - 1, 0) > 0 &&
	    !strstr(now, "[" SCHEDULER "]")) {
		errno = EOPNOTSUPP;
		written = 0;
	}
	close(fd);
	return written > 0;
}

/* An NVMe namespace with several paths, nvme0n1, has them in nvme0c0n1, nvme0c1n1, ... */
static bool set_paths(const char *node)
{
	unsigned int system, space, a, b, c;
	struct dirent *entry;
	bool found = false, set = true;
	char path[600];
	DIR *dir;

	if (sscanf(node, "nvme%un%u", &system, &space) != 2)
		return false;
	dir = opendir("/sys/block");
	while (dir && set && (entry = readdir(dir))) {
		if (sscanf(entry->d_name, "nvme%uc%un%u", &a, &b, &c) != 3 ||
		    a != system || c != space)
			continue;
		found = true;
		snprintf(path, sizeof(path), "/sys/block/%s", entry->d_name);
		set = set_one(path);
	}
	if (dir)
		closedir(dir);
	return found && set;
}

/* @sysfs is the directory of a block device: below it, if it is made of others. */
static bool set_below(const char *sysfs, const char *node)
{
	char path[600];
	struct dirent *entry;
	bool stacked = false, set = true;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/slaves", sysfs);
	dir = opendir(path);
	while (dir && set && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		stacked = true;
		snprintf(path, sizeof(path), "/sys/block/%s", entry->d_name);
		set = set_below(path, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return stacked ? set : set_one(sysfs) || set_paths(node);
}

int scheduler_set(const struct drive *drive)
{
	bool set = set_below(drive->sysfs, drive->node);

	if (!set)
		return fail(TOOL_FAILED,
			    "%s: the scheduler mq-deadline cannot be set: %m; this kernel needs it to keep writes in order",
			    drive->path);
	return TOOL_OK;
}
