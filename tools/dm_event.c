// SPDX-License-Identifier: GPL-2.0
/*
 * Waiting until something changes about mapped devices.
 */
#include <errno.h>
#include <fcntl.h>
#include <libdevmapper.h>
#include <linux/dm-ioctl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dm_event.h"
#include "tool.h"

#define CONTROL	"/dev/mapper/control"

int dm_event_open(void)
{
	char version[64];
	int fd;

	/* libdevmapper makes the node if nobody else did. */
	dm_driver_version(version, sizeof(version));
	fd = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		fail(TOOL_FAILED, "%s: cannot be opened: %m", CONTROL);
	return fd;
}

void dm_event_close(int fd)
{
	close(fd);
}

int dm_event_arm(int fd)
{
	struct dm_ioctl control = {
		.version = { DM_VERSION_MAJOR, 0, 0 },
		.data_size = sizeof(control),
	};

	if (ioctl(fd, DM_DEV_ARM_POLL, &control))
		return fail(TOOL_FAILED, "%s: device mapper tells no events: %m",
			    CONTROL);
	return TOOL_OK;
}

int dm_event_wait(int fd, int timeout)
{
	struct pollfd event = { .fd = fd, .events = POLLIN };

	if (poll(&event, 1, timeout) < 0 && errno != EINTR)
		return fail(TOOL_FAILED, "%s: cannot be waited for: %m",
			    CONTROL);
	return TOOL_OK;
}
