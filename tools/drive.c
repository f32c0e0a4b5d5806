// SPDX-License-Identifier: GPL-2.0
/*
 * A block device as the system knows it, and its zones.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "drive.h"
#include "text.h"
#include "tool.h"

bool drive_attribute(const struct drive *drive, const char *attribute,
		     char *value, size_t size)
{
	char path[256], line[256];
	size_t skip, len;
	FILE *file;
	bool read;

	snprintf(path, sizeof(path), "%s/%s", drive->sysfs, attribute);
	file = fopen(path, "re");
	if (!file)
		return false;
	read = fgets(line, sizeof(line), file);
	fclose(file);
	if (!read)
		return false;
	len = strcspn(line, "\n");
	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	skip = strspn(line, " ");
	if (skip > len)
		skip = len;
	text_printable(value, size, line + skip, len - skip);
	return true;
}

static u64 numeric_attribute(const struct drive *drive, const char *attribute)
{
	char value[32];
	u64 number;

	if (!drive_attribute(drive, attribute, value, sizeof(value)) ||
	    !parse_number(value, UINT64_MAX, &number))
		return 0;
	return number;
}

static void read_identity(struct drive *drive)
{
	if (!drive_attribute(drive, "device/serial", drive->serial,
			     sizeof(drive->serial)))
		drive_attribute(drive, "serial", drive->serial,
				sizeof(drive->serial));
	drive_attribute(drive, "device/model", drive->model,
			sizeof(drive->model));
	if (!drive_attribute(drive, "wwid", drive->wwid, sizeof(drive->wwid)))
		drive_attribute(drive, "device/wwid", drive->wwid,
				sizeof(drive->wwid));
}

static void read_properties(struct drive *drive)
{
	char zoned[32];
	u64 max_bytes;

	drive->nr_sectors = numeric_attribute(drive, "size");
	drive->block_size = numeric_attribute(drive, "queue/logical_block_size");
	if (!drive->block_size)
		drive->block_size = 512;
	if (!drive_attribute(drive, "queue/zoned", zoned, sizeof(zoned)) ||
	    strcmp(zoned, "host-managed"))
		return;
	drive->zone_size = numeric_attribute(drive, "queue/chunk_sectors");
	drive->nr_zones = numeric_attribute(drive, "queue/nr_zones");
	drive->write_granularity =
		numeric_attribute(drive, "queue/zone_write_granularity");
	drive->max_open = numeric_attribute(drive, "queue/max_open_zones");
	drive->max_active = numeric_attribute(drive, "queue/max_active_zones");
	drive->max_append = numeric_attribute(drive, "queue/zone_append_max_bytes");
	max_bytes = numeric_attribute(drive, "queue/max_sectors_kb") << 10;
	if (drive->max_append > max_bytes)
		drive->max_append = max_bytes;
}

static void sysfs_link(dev_t dev, char *link, size_t size)
{
	snprintf(link, size, "/sys/dev/block/%u:%u", major(dev), minor(dev));
}

bool drive_node(dev_t dev, char *node, size_t size)
{
	char link[64], target[PATH_MAX];
	const char *name;
	ssize_t len;

	sysfs_link(dev, link, sizeof(link));
	len = readlink(link, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	name = strrchr(target, '/');
	return text_copy(node, size, name ? name + 1 : target);
}

void drive_node_path(const char *node, char *path, size_t size)
{
	char *slash;

	snprintf(path, size, "/dev/%s", node);
	for (slash = path; (slash = strchr(slash, '!')); )
		*slash = '/';
}

/* The node that is called as in sysfs, if it is there and the right one. */
static void find_node(struct drive *drive)
{
	char path[sizeof("/dev/") + sizeof(drive->node)];
	struct stat st;

	drive_node_path(drive->node, path, sizeof(path));
	if (!stat(path, &st) && S_ISBLK(st.st_mode) &&
	    st.st_rdev == drive->dev)
		text_copy(drive->opened, sizeof(drive->opened), path);
	else
		text_copy(drive->opened, sizeof(drive->opened), drive->path);
}

int drive_open_zones(const struct drive *drive, int flags)
{
	return zbd_open(drive->opened, flags | O_DIRECT | O_CLOEXEC, NULL);
}

int drive_open(struct drive *drive, const char *path)
{
	char partition[16];
	struct stat st;

	memset(drive, 0, sizeof(*drive));
	drive->fd = -1;
	if (!text_copy(drive->path, sizeof(drive->path), path))
		return fail(TOOL_USAGE, "%.64s...: the path is too long", path);
	if (stat(path, &st)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return fail(TOOL_NOT_FOUND, "%s: no such device; check the path",
				    path);
		return fail(TOOL_FAILED, "%s: cannot be examined: %m", path);
	}
	if (!S_ISBLK(st.st_mode))
		return fail(TOOL_REFUSED,
			    "%s: not a block device; give a zoned drive such as /dev/nvme0n1",
			    path);
	drive->dev = st.st_rdev;
	sysfs_link(drive->dev, drive->sysfs, sizeof(drive->sysfs));
	if (!drive_node(drive->dev, drive->node, sizeof(drive->node)))
		return fail(TOOL_FAILED,
			    "%s: the kernel does not list device %u:%u in /sys/dev/block",
			    path, major(st.st_rdev), minor(st.st_rdev));
	if (drive_attribute(drive, "partition", partition, sizeof(partition)))
		return fail(TOOL_REFUSED, "%s: a partition; give the whole drive",
			    path);
	find_node(drive);
	read_properties(drive);
	read_identity(drive);
	if (!drive_is_host_managed(drive))
		return TOOL_OK;
	drive->fd = drive_open_zones(drive, O_RDONLY);
	if (drive->fd < 0)
		return fail(TOOL_FAILED, "%s: cannot be opened: %m; check the drive",
			    path);
	return TOOL_OK;
}

void drive_close(struct drive *drive)
{
	if (drive->fd >= 0)
		zbd_close(drive->fd);
	drive->fd = -1;
}

void drive_tell_udev(const struct drive *drive)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/uevent", drive->sysfs);
	file = fopen(path, "we");
	if (!file)
		return;
	fputs("change", file);
	fclose(file);
}

int drive_report(const struct drive *drive, u32 first, u32 nr,
		 struct zbd_zone *zones)
{
	unsigned int got = nr;
	u64 start = first * (drive->zone_size << 9);

	if (zbd_report_zones(drive->fd, start, nr * (drive->zone_size << 9),
			     ZBD_RO_ALL, zones, &got))
		return fail(TOOL_FAILED, "%s: the zone report failed: %m; see the kernel log",
			    drive->path);
	if (got < nr || zones[0].start != start)
		return fail(TOOL_FAILED,
			    "%s: the zone report is incomplete: zones %u to %u asked, %u reported",
			    drive->path, first, first + nr - 1, got);
	return TOOL_OK;
}

struct zbd_zone *drive_report_all(const struct drive *drive)
{
	struct zbd_zone *zones;

	zones = calloc(drive->nr_zones, sizeof(*zones));
	if (!zones) {
		fail_memory();
		return NULL;
	}
	if (drive_report(drive, 0, drive->nr_zones, zones)) {
		free(zones);
		return NULL;
	}
	return zones;
}

u64 zone_written(const struct zbd_zone *zone)
{
	switch (zone->cond) {
	case ZBD_ZONE_COND_FULL:
	case ZBD_ZONE_COND_READONLY:
		return zone->capacity;
	case ZBD_ZONE_COND_IMP_OPEN:
	case ZBD_ZONE_COND_EXP_OPEN:
	case ZBD_ZONE_COND_CLOSED:
		if (zone->wp < zone->start ||
		    zone->wp - zone->start > zone->capacity)
			return 0;
		return zone->wp - zone->start;
	default:
		return 0;
	}
}

void *alloc_block_buffer(size_t size)
{
	void *buffer;

	if (posix_memalign(&buffer, RAIZN_BLOCK_SIZE, size)) {
		fail_memory();
		return NULL;
	}
	return buffer;
}
