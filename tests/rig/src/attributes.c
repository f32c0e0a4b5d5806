// SPDX-License-Identifier: GPL-2.0
/*
 * attributes - one write with an I/O priority and a write hint
 *
 * attributes DEVICE SECTOR KIB CLASS LEVEL HINT writes KIB of zeros at SECTOR with O_DIRECT.
 * CLASS: 0 none, 1 real time, 2 best effort, 3 idle; LEVEL 0 to 7; HINT as in fcntl(2),
 * F_SET_RW_HINT.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/ioprio.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef F_SET_RW_HINT
#define F_SET_RW_HINT	1036
#endif

#define SECTOR		512U

int main(int argc, char **argv)
{
	uint64_t hint;
	size_t bytes;
	void *buffer;
	int fd;

	if (argc != 7)
		errx(2, "usage: attributes DEVICE SECTOR KIB CLASS LEVEL HINT");
	bytes = strtoul(argv[3], NULL, 0) << 10;
	hint = strtoul(argv[6], NULL, 0);
	fd = open(argv[1], O_RDWR | O_DIRECT);
	if (fd < 0)
		err(1, "%s", argv[1]);
	if (fcntl(fd, F_SET_RW_HINT, &hint))
		err(1, "hint %s", argv[6]);
	if (syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
		    IOPRIO_PRIO_VALUE(strtoul(argv[4], NULL, 0),
				      strtoul(argv[5], NULL, 0))))
		err(1, "priority %s %s", argv[4], argv[5]);
	buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (buffer == MAP_FAILED)
		err(1, "mmap");
	if (pwrite(fd, buffer, bytes, strtoull(argv[2], NULL, 0) * SECTOR) !=
	    (ssize_t)bytes)
		err(1, "write");
	return 0;
}
