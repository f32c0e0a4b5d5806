// SPDX-License-Identifier: GPL-2.0
/*
 * Two block devices that are one drive.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/sysmacros.h>

#include "same_drive.h"
#include "text.h"

/* Of a map of more, or maps that lie deeper, the rest does not count. */
#define MOST_DRIVES	64
#define MOST_LEVELS	8

/**
 * struct bottom - drives that a device is made of
 * @nr:		how many
 * @drives:	the drives: number, kernel's name, world-wide identifier or empty
 */
struct bottom {
	u32 nr;
	struct {
		dev_t dev;
		char node[64];
		char wwid[128];
	} drives[MOST_DRIVES];
};

static bool read_attribute(dev_t dev, const char *attribute, char *value, size_t size)
{
	struct drive drive = { .dev = dev };

	snprintf(drive.sysfs, sizeof(drive.sysfs), "/sys/dev/block/%u:%u",
		 major(dev), minor(dev));
	return drive_attribute(&drive, attribute, value, size);
}

static void add_drive(struct bottom *bottom, dev_t dev)
{
	u32 nr = bottom->nr;

	if (nr == MOST_DRIVES ||
	    !drive_node(dev, bottom->drives[nr].node, sizeof(bottom->drives[nr].node)))
		return;
	bottom->drives[nr].dev = dev;
	if (!read_attribute(dev, "wwid", bottom->drives[nr].wwid,
			    sizeof(bottom->drives[nr].wwid)))
		read_attribute(dev, "device/wwid", bottom->drives[nr].wwid,
			       sizeof(bottom->drives[nr].wwid));
	bottom->nr++;
}

static void find_bottom(struct bottom *bottom, dev_t dev, u32 level)
{
	unsigned int major_nr, minor_nr;
	char path[320], number[32];
	struct dirent *entry;
	bool leaf = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/slaves", major(dev),
		 minor(dev));
	dir = level < MOST_LEVELS ? opendir(path) : NULL;
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "slaves/%s/dev", entry->d_name);
		if (!read_attribute(dev, path, number, sizeof(number)) ||
		    sscanf(number, "%u:%u", &major_nr, &minor_nr) != 2)
			continue;
		leaf = false;
		find_bottom(bottom, makedev(major_nr, minor_nr), level + 1);
	}
	if (dir)
		closedir(dir);
	if (leaf)
		add_drive(bottom, dev);
}

bool drive_shared(dev_t a, dev_t b, char *node, size_t size)
{
	struct bottom of_a = { }, of_b = { };
	u32 i, j;

	find_bottom(&of_a, a, 0);
	find_bottom(&of_b, b, 0);
	for (i = 0; i < of_a.nr; i++)
		for (j = 0; j < of_b.nr; j++) {
			if (of_a.drives[i].dev != of_b.drives[j].dev &&
			    (!*of_a.drives[i].wwid ||
			     strcmp(of_a.drives[i].wwid, of_b.drives[j].wwid)))
				continue;
			text_copy(node, size, of_a.drives[i].node);
			return true;
		}
	return false;
}
