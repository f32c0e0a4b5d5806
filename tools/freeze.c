// SPDX-License-Identifier: GPL-2.0
/*
 * File systems that have to rest while an array is suspended.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/btrfs.h>
#include <linux/fs.h>
#include <mntent.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "freeze.h"
#include "text.h"

/* File systems, and mapped devices on each other, that are thought of. */
#define MAX_USERS	16
#define MAX_DEPTH	8

/* For an operation of btrfs that has to end before, until all is written, and until nobody
 * writes any more.
 */
#define BUSY_MS		10000
#define SYNC_MS		300000
#define PATIENCE_MS	60000

struct user {
	int fd;
	char fsid[UUID_STR_LEN];
};

/*
 * Those that are being frozen, and the pipes to the process that has them frozen: it tells
 * on @keeper which are, and that they are thawed, which begins with the end of @release.
 */
static struct {
	struct user users[MAX_USERS];
	bool frozen[MAX_USERS];
	u32 nr;
	int keeper;
	int release;
	char suspended[64];
} rest = { .release = -1 };

/* Does this kernel's btrfs ask for reports of zones at work? */
static bool btrfs_asks(void)
{
	struct utsname system;
	u32 major = 0, minor = 0;

	return uname(&system) || sscanf(system.release, "%u.%u", &major, &minor) != 2 ||
	       major < 6 || (major == 6 && minor < 15);
}

static bool first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, size, file);

	if (file)
		fclose(file);
	line[read ? strcspn(line, "\n") : 0] = '\0';
	return read;
}

/* Is a device of the file system @fsid the device in @path, or mapped on it? */
static bool lies_on(const char *fsid, const char *path, u32 depth)
{
	char below[PATH_MAX], name[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (!realpath(path, name))
		return false;
	snprintf(below, sizeof(below), "/sys/fs/btrfs/%s/devices/%.255s", fsid,
		 strrchr(name, '/') + 1);
	if (!access(below, F_OK))
		return true;
	snprintf(below, sizeof(below), "%.255s/holders", path);
	dir = depth ? opendir(below) : NULL;
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(below, sizeof(below), "/sys/class/block/%s", entry->d_name);
		found = lies_on(fsid, below, depth - 1);
	}
	closedir(dir);
	return found;
}

static bool is_known(const char *fsid)
{
	u32 i;

	for (i = 0; i < rest.nr; i++)
		if (!strcmp(rest.users[i].fsid, fsid))
			return true;
	return false;
}

static void wait_a_while(void)
{
	const struct timespec a_while = { .tv_nsec = 100000000 };

	nanosleep(&a_while, NULL);
}

/* A balance and a scrub write from begin to end: to freeze means to wait for that. */
static bool is_busy(const struct user *user, u64 max_devid)
{
	struct btrfs_ioctl_scrub_args scrub;
	char path[128], what[64];
	u64 devid;

	snprintf(path, sizeof(path), "/sys/fs/btrfs/%s/exclusive_operation", user->fsid);
	if (first_line(path, what, sizeof(what)) && strcmp(what, "none") &&
	    !strstr(what, "paused"))
		return true;
	for (devid = 1; devid <= max_devid; devid++) {
		memset(&scrub, 0, sizeof(scrub));
		scrub.devid = devid;
		if (!ioctl(user->fd, BTRFS_IOC_SCRUB_PROGRESS, &scrub))
			return true;
	}
	return false;
}

/* btrfs reclaims a zone now and then, which is a balance to it, and short. */
static bool stays_busy(const struct user *user, u64 max_devid)
{
	u32 ms;

	for (ms = 0; ms < BUSY_MS; ms += 100) {
		if (!is_busy(user, max_devid))
			return false;
		wait_a_while();
	}
	return true;
}

/* Remember the file system that is mounted at @point, if it is one of these. */
static void add_user(const char *point, const char *device)
{
	struct btrfs_ioctl_fs_info_args info = { 0 };
	struct user *user = &rest.users[rest.nr];

	user->fd = open(point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (user->fd < 0)
		return;
	if (!ioctl(user->fd, BTRFS_IOC_FS_INFO, &info)) {
		uuid_unparse_lower(info.fsid, user->fsid);
		if (!is_known(user->fsid) && lies_on(user->fsid, device, MAX_DEPTH) &&
		    !stays_busy(user, info.max_id)) {
			rest.frozen[rest.nr++] = false;
			return;
		}
	}
	close(user->fd);
}

static void find_users(dev_t dev)
{
	char device[64], line[4096];
	struct mntent *mount, space;
	FILE *file;

	snprintf(device, sizeof(device), "/sys/dev/block/%u:%u", major(dev), minor(dev));
	snprintf(rest.suspended, sizeof(rest.suspended), "%.40s/dm/suspended", device);
	rest.nr = 0;
	file = setmntent("/proc/self/mounts", "re");
	if (!file)
		return;
	while (rest.nr < MAX_USERS &&
	       (mount = getmntent_r(file, &space, line, sizeof(line))))
		if (!strcmp(mount->mnt_type, "btrfs"))
			add_user(mount->mnt_dir, device);
	endmntent(file);
}

static bool is_suspended(void)
{
	char line[8];

	return first_line(rest.suspended, line, sizeof(line)) && line[0] == '1';
}

static void thaw(void)
{
	u32 i;

	for (i = 0; i < rest.nr; i++)
		if (rest.frozen[i])
			ioctl(rest.users[i].fd, FITHAW, 0);
}

static void forget_users(void)
{
	while (rest.nr)
		close(rest.users[--rest.nr].fd);
}

static bool is_needed(int fd, int keeper, int release)
{
	u32 i;

	for (i = 0; i < rest.nr; i++)
		if (fd == rest.users[i].fd)
			return true;
	return fd == keeper || fd == release;
}

/* Nobody is to wait for what else this process has open: locks, drives, a terminal. */
static void keep_only(int keeper, int release)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fd;

	for (fd = 0; null >= 0 && fd < 3; fd++)
		if (!is_needed(fd, keeper, release))
			dup2(null, fd);
	while (dir && (entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		if (fd > 2 && fd != dirfd(dir) && !is_needed(fd, keeper, release))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

static bool is_released(int release)
{
	struct pollfd end = { .fd = release, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

/*
 * Freeze, and thaw when the other end of @release is closed and the volume goes on.  One
 * that somebody else has frozen is left to him.  What is to be written is written before
 * anybody has to wait.
 */
static void keep_frozen(int keeper, int release)
{
	char byte = 0;
	u32 i;

	setsid();
	keep_only(keeper, release);
	for (i = 0; i < rest.nr; i++)
		syncfs(rest.users[i].fd);
	if (write(keeper, &byte, 1) != 1)
		return;
	for (i = 0; i < rest.nr && !is_released(release); i++)
		rest.frozen[i] = !ioctl(rest.users[i].fd, FIFREEZE, 0);
	if (write(keeper, rest.frozen, sizeof(rest.frozen)) > 0)
		while (read(release, &byte, 1) < 0 && errno == EINTR)
			;
	while (is_suspended())
		wait_a_while();
	thaw();
	forget_users();
	if (write(keeper, &byte, 1) < 0)
		return;
}

/* Read @size bytes from the keeper.  Returns whether it had them to tell. */
static bool hear(void *what, size_t size, int ms)
{
	struct pollfd keeper = { .fd = rest.keeper, .events = POLLIN };
	int ret;

	do {
		ret = poll(&keeper, 1, ms);
	} while (ret < 0 && errno == EINTR);
	return ret > 0 && read(rest.keeper, what, size) == (ssize_t)size;
}

/* In a grandchild, for which nobody has to wait; its end is its own, whatever is sent. */
static void begin(void)
{
	int keeper[2], release[2];
	sigset_t all, before;
	pid_t child;
	char byte;

	if (pipe2(keeper, O_CLOEXEC))
		return;
	if (pipe2(release, O_CLOEXEC)) {
		close(keeper[0]);
		close(keeper[1]);
		return;
	}
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	child = fork();
	if (!child) {
		close(keeper[0]);
		close(release[1]);
		if (!fork())
			keep_frozen(keeper[1], release[0]);
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(keeper[1]);
	close(release[0]);
	rest.keeper = keeper[0];
	rest.release = release[1];
	if (hear(&byte, 1, SYNC_MS)) {
		hear(rest.frozen, sizeof(rest.frozen), PATIENCE_MS);
		return;
	}
	/* It has nobody to tell, and does not begin. */
	close(rest.keeper);
	close(rest.release);
	rest.release = -1;
}

void freeze_users(dev_t dev)
{
	if (!btrfs_asks())
		return;
	find_users(dev);
	if (rest.nr)
		begin();
	if (rest.release < 0)
		forget_users();
}

void thaw_users(void)
{
	char byte;

	if (rest.release < 0)
		return;
	close(rest.release);
	rest.release = -1;
	/* If the volume does not go on, that may take long.  The keeper may have been killed. */
	if (!is_suspended() && !hear(&byte, 1, PATIENCE_MS))
		thaw();
	close(rest.keeper);
	forget_users();
}
