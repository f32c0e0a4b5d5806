// SPDX-License-Identifier: GPL-2.0
/*
 * Who uses a block device.
 */
#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "holders.h"
#include "text.h"
#include "tool.h"

/* More mount namespaces are not looked at. */
#define MOST_NAMESPACES	1024

static bool read_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	bool read;

	if (!file)
		return false;
	read = fgets(line, size, file);
	fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

/* UUID of the mapped device @node; empty if it has none; false if @node is not
 * a mapped device.
 */
static bool map_uuid(const char *node, char *uuid, size_t size)
{
	char path[320];

	snprintf(path, sizeof(path), "/sys/block/%s/dm", node);
	if (access(path, F_OK))
		return false;
	snprintf(path, sizeof(path), "/sys/block/%s/dm/uuid", node);
	if (!read_line(path, uuid, size))
		*uuid = '\0';
	return true;
}

static bool is_array_uuid(const char *uuid)
{
	return !strncmp(uuid, "RAIZN-", strlen("RAIZN-"));
}

bool map_without_table(const char *node)
{
	char path[320], uuid[160], size[32];

	snprintf(path, sizeof(path), "/sys/block/%s/size", node);
	return map_uuid(node, uuid, sizeof(uuid)) && read_line(path, size, sizeof(size)) &&
	       !strcmp(size, "0");
}

/* Is the device @node below a mapped device that is an array's, or is none? */
static bool held_by_map(const char *node, bool of_array)
{
	char path[320], uuid[160];
	struct dirent *entry;
	bool held = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/block/%s/holders", node);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!held && (entry = readdir(dir)))
		held = entry->d_name[0] != '.' &&
		       map_uuid(entry->d_name, uuid, sizeof(uuid)) &&
		       is_array_uuid(uuid) == of_array &&
		       (of_array || !map_without_table(entry->d_name));
	closedir(dir);
	return held;
}

bool held_by_other_map(const char *node)
{
	return held_by_map(node, false);
}

bool held_by_array(const char *node)
{
	return held_by_map(node, true);
}

static bool find_stacked(dev_t dev, char *text, size_t size)
{
	char path[320], uuid[160], name[160];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/holders", major(dev),
		 minor(dev));
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		found = true;
		if (!map_uuid(entry->d_name, uuid, sizeof(uuid))) {
			snprintf(text, size, "part of %s", entry->d_name);
			continue;
		}
		snprintf(path, sizeof(path), "/sys/block/%s/dm/name",
			 entry->d_name);
		if (!read_line(path, name, sizeof(name)))
			snprintf(name, sizeof(name), "%.100s", entry->d_name);
		snprintf(text, size, "part of the %s %s",
			 is_array_uuid(uuid) ? "running array" :
			 "mapped device", name);
	}
	closedir(dir);
	return found;
}

static bool is_device(const char *path, dev_t dev)
{
	struct stat st;

	return !stat(path, &st) && S_ISBLK(st.st_mode) && st.st_rdev == dev;
}

/* Users can make up sources in namespaces of their own, also such as no stat() returns from. */
static bool is_below_dev(const char *path)
{
	return !strncmp(path, "/dev/", strlen("/dev/")) && !strstr(path, "..");
}

/* Undo the octal escapes of mountinfo, in place. */
static void unescape(char *text)
{
	char *from = text;

	while (*from) {
		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
			*text++ = (from[1] - '0') << 6 | (from[2] - '0') << 3 |
				  (from[3] - '0');
			from += 4;
		} else {
			*text++ = *from++;
		}
	}
	*text = '\0';
}

/*
 * A line of mountinfo: ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [FIELD...]
 * - TYPE SOURCE SUPER-OPTIONS.  File systems of several devices have a device
 * number of their own, so the source is compared as well.
 */
static bool mount_uses(char *line, dev_t dev, char **point)
{
	unsigned int major_nr, minor_nr;
	char *word, *rest, *save;
	int field;

	rest = strstr(line, " - ");
	if (!rest)
		return false;
	*rest = '\0';
	rest += strlen(" - ");
	word = strtok_r(line, " ", &save);
	for (field = 0; word && field < 2; field++)
		word = strtok_r(NULL, " ", &save);
	if (!word || sscanf(word, "%u:%u", &major_nr, &minor_nr) != 2)
		return false;
	strtok_r(NULL, " ", &save);
	*point = strtok_r(NULL, " ", &save);
	if (!*point)
		return false;
	unescape(*point);
	if (makedev(major_nr, minor_nr) == dev)
		return true;
	strtok_r(rest, " ", &save);
	word = strtok_r(NULL, " ", &save);
	if (!word)
		return false;
	unescape(word);
	return is_below_dev(word) && is_device(word, dev);
}

/* @pid: of a process, or "self" */
static bool find_mount_of(const char *pid, dev_t dev, char *text, size_t size)
{
	char path[320], *line = NULL, *point;
	size_t line_size = 0;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%s/mountinfo", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &line_size, file) > 0) {
		found = mount_uses(line, dev, &point);
		if (found)
			snprintf(text, size, "mounted on %s", point);
	}
	free(line);
	fclose(file);
	return found;
}

static bool is_process(const struct dirent *entry)
{
	return strspn(entry->d_name, "0123456789") == strlen(entry->d_name);
}

/**
 * struct process_text - a process for people
 * @s:	"process 1 (init)"
 */
struct process_text {
	char s[340];
};

static struct process_text process_text(const char *pid)
{
	char path[320], line[64], name[64] = "?";
	struct process_text text;

	snprintf(path, sizeof(path), "/proc/%s/comm", pid);
	if (read_line(path, line, sizeof(line)))
		text_printable(name, sizeof(name), line, sizeof(line));
	snprintf(text.s, sizeof(text.s), "process %s (%s)", pid, name);
	return text;
}

/**
 * struct namespaces - mount namespaces that were looked at
 * @nr:		how many
 * @inodes:	which ones
 */
struct namespaces {
	u32 nr;
	ino_t inodes[MOST_NAMESPACES];
};

/* The mount namespace of a process, the first time that it is met; there is room for it. */
static bool is_new_namespace(const char *pid, struct namespaces *seen)
{
	char path[320];
	struct stat st;
	u32 i;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", pid);
	if (stat(path, &st))
		return false;
	for (i = 0; i < seen->nr; i++)
		if (seen->inodes[i] == st.st_ino)
			return false;
	seen->inodes[seen->nr++] = st.st_ino;
	return true;
}

/* Containers have namespaces of their own.  A process may end at any time. */
static bool find_mount_elsewhere(dev_t dev, char *text, size_t size)
{
	struct namespaces seen = { };
	struct dirent *entry;
	bool found = false;
	size_t at;
	DIR *dir;

	dir = opendir("/proc");
	if (!dir)
		return false;
	is_new_namespace("self", &seen);
	while (!found && seen.nr < MOST_NAMESPACES && (entry = readdir(dir))) {
		if (!is_process(entry) || !is_new_namespace(entry->d_name, &seen) ||
		    !find_mount_of(entry->d_name, dev, text, size))
			continue;
		found = true;
		at = strlen(text);
		snprintf(text + at, size - at, " in the mount namespace of %s",
			 process_text(entry->d_name).s);
	}
	closedir(dir);
	return found;
}

static bool find_swap(dev_t dev, char *text, size_t size)
{
	char line[512];
	bool found = false;
	FILE *file;

	file = fopen("/proc/swaps", "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		found = is_device(line, dev);
	}
	fclose(file);
	if (found)
		snprintf(text, size, "used as swap space");
	return found;
}

static bool process_opens(const char *pid, dev_t dev)
{
	char path[600];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid,
			 entry->d_name);
		found = is_device(path, dev);
	}
	closedir(dir);
	return found;
}

bool find_process(dev_t dev, char *text, size_t size)
{
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir("/proc");
	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (!is_process(entry) || atoi(entry->d_name) == getpid() ||
		    !process_opens(entry->d_name, dev))
			continue;
		found = true;
		snprintf(text, size, "opened by %s", process_text(entry->d_name).s);
	}
	closedir(dir);
	return found;
}

/**
 * struct export - what in the kernel opens devices whose paths it keeps in files
 * @pattern:	glob(7) of these files
 * @folders:	how many folders above the file has the name of the user
 * @what:	what the user is
 */
struct export {
	const char *pattern;
	u32 folders;
	const char *what;
};

static const struct export exports[] = {
	{ "/sys/block/loop*/loop/backing_file", 2, "the loop device" },
	{ "/sys/kernel/config/nvmet/subsystems/*/namespaces/*/device_path", 3,
	  "a namespace of the NVMe target" },
	{ "/sys/kernel/config/target/core/iblock_*/*/udev_path", 1,
	  "the SCSI target's backstore" },
};

/* The name of the folder that is @folders above @path, which is changed. */
static const char *folder_above(char *path, u32 folders)
{
	char *slash;

	while ((slash = strrchr(path, '/')) && folders--)
		*slash = '\0';
	return slash ? slash + 1 : path;
}

static bool find_export(dev_t dev, char *text, size_t size)
{
	char line[PATH_MAX];
	bool found = false;
	glob_t files;
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(exports) && !found; i++) {
		if (glob(exports[i].pattern, 0, NULL, &files))
			continue;
		for (j = 0; j < files.gl_pathc && !found; j++) {
			found = read_line(files.gl_pathv[j], line, sizeof(line)) &&
				is_device(line, dev);
			if (found)
				snprintf(text, size, "opened by %s %s",
					 exports[i].what,
					 folder_above(files.gl_pathv[j],
						      exports[i].folders));
		}
		globfree(&files);
	}
	return found;
}

bool find_owner(dev_t dev, char *text, size_t size)
{
	char raw[4200];

	if (!find_mount_of("self", dev, raw, sizeof(raw)) &&
	    !find_stacked(dev, raw, sizeof(raw)) &&
	    !find_swap(dev, raw, sizeof(raw)) &&
	    !find_export(dev, raw, sizeof(raw)) &&
	    !find_mount_elsewhere(dev, raw, sizeof(raw)))
		return false;
	text_printable(text, size, raw, sizeof(raw));
	return true;
}
