// SPDX-License-Identifier: GPL-2.0
/*
 * Kernels before 6.10 keep writes of a zone in order only under mq-deadline.
 */
#include <dirent.h>
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

/* @sysfs is the directory of a block device. */
static bool set_one(const char *sysfs)
{
	char path[600];
	ssize_t written;
	int fd;

	snprintf(path, sizeof(path), "%s/queue/scheduler", sysfs);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, SCHEDULER, strlen(SCHEDULER));
	close(fd);
	return written > 0;
}

int scheduler_set(const struct drive *drive)
{
	char path[600];
	struct dirent *entry;
	bool stacked = false, set = true;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/slaves", drive->sysfs);
	dir = opendir(path);
	while (dir && set && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		stacked = true;
		snprintf(path, sizeof(path), "/sys/block/%s", entry->d_name);
		set = set_one(path);
	}
	if (dir)
		closedir(dir);
	if (!stacked)
		set = set_one(drive->sysfs);
	if (!set)
		return fail(TOOL_FAILED,
			    "%s: the scheduler mq-deadline can not be set: %m; this kernel needs it to keep writes in order",
			    drive->path);
	return TOOL_OK;
}
