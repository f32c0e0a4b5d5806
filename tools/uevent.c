// SPDX-License-Identifier: GPL-2.0
/*
 * Waking up when devices come and go.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "uevent.h"

/* Those of the kernel; udev tells its own, later. */
#define FROM_KERNEL	1U

int uevent_open(void)
{
	struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = FROM_KERNEL,
	};
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

void uevent_close(int fd)
{
	if (fd >= 0)
		close(fd);
}

bool uevent_drain(int fd)
{
	bool heard = false;
	char some[256];

	/* The rest of each goes with it; an error says that some were missed. */
	while (fd >= 0 && (recv(fd, some, sizeof(some), 0) >= 0 || errno == ENOBUFS))
		heard = true;
	return heard;
}
