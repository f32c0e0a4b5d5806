// SPDX-License-Identifier: GPL-2.0
/*
 * Signatures of file systems, RAIDs and partition tables on a drive.
 */
#include <blkid/blkid.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "signature.h"
#include "text.h"
#include "tool.h"

static blkid_probe new_probe(int fd, const char *path)
{
	blkid_probe probe = blkid_new_probe();

	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) ||
	    blkid_probe_enable_superblocks(probe, 1) ||
	    blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE |
					      BLKID_SUBLKS_MAGIC) ||
	    blkid_probe_enable_partitions(probe, 1) ||
	    blkid_probe_set_partitions_flags(probe, BLKID_PARTS_MAGIC)) {
		fail(TOOL_FAILED, "%s: cannot be searched for signatures: %m",
		     path);
		blkid_free_probe(probe);
		return NULL;
	}
	return probe;
}

int signature_find(int fd, const char *path, bool *found, char *text,
		   size_t size)
{
	blkid_probe probe = new_probe(fd, path);
	char name[64];
	const char *type;
	size_t len;
	int ret;

	if (!probe)
		return TOOL_FAILED;
	ret = blkid_do_safeprobe(probe);
	*found = ret != 1;
	if (!ret && (!blkid_probe_lookup_value(probe, "TYPE", &type, &len) ||
		     !blkid_probe_lookup_value(probe, "PTTYPE", &type, &len))) {
		text_printable(name, sizeof(name), type, len);
		snprintf(text, size, "a signature (%s)", name);
	} else {
		snprintf(text, size, ret == -1 ? "sectors that the drive cannot read" :
						 "several signatures");
	}
	blkid_free_probe(probe);
	return TOOL_OK;
}

static int wipe(int fd, const char *path)
{
	blkid_probe probe = new_probe(fd, path);
	int ret = TOOL_OK;

	if (!probe)
		return TOOL_FAILED;
	while (!ret && !blkid_do_probe(probe))
		if (blkid_do_wipe(probe, 0))
			ret = fail(TOOL_FAILED, "%s: an old signature cannot be erased: %m",
				   path);
	blkid_free_probe(probe);
	return ret;
}

int signature_wipe(const char *path)
{
	int fd, ret;

	/* libblkid reads and writes what is not aligned to blocks. */
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail(TOOL_FAILED, "%s: cannot be opened for writing: %m",
			    path);
	ret = wipe(fd, path);
	if (!ret && fsync(fd))
		ret = fail(TOOL_FAILED, "%s: old signatures cannot be erased: %m",
			   path);
	close(fd);
	return ret;
}
