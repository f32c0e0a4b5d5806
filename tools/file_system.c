// SPDX-License-Identifier: GPL-2.0
/*
 * The file system on a volume.
 */
#include <blkid/blkid.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "file_system.h"
#include "text.h"

/*
 * On a zoned device btrfs writes its superblock into the first two zones in turn, one copy
 * behind the other: the last one counts.  Elsewhere it is at 64 KiB.  See
 * Documentation/filesystems/btrfs.rst and "Zoned mode" of btrfs(5).
 */
#define BTRFS_SUPER_SIZE	4096U
#define BTRFS_SUPER_OFFSET	65536U
#define BTRFS_MAGIC_AT		64U
#define BTRFS_GENERATION_AT	72U
#define BTRFS_MAGIC		"_BHRfS_M"

static void value_of(blkid_probe probe, const char *name, char *value, size_t size)
{
	const char *found;
	size_t len;

	if (!blkid_probe_lookup_value(probe, name, &found, &len))
		text_printable(value, size, found, len);
}

/* @fd is not O_DIRECT: libblkid reads what is not aligned to blocks. */
static bool ask_libblkid(int fd, struct file_system *found)
{
	blkid_probe probe = blkid_new_probe();
	bool there;

	memset(found, 0, sizeof(*found));
	there = probe && !blkid_probe_set_device(probe, fd, 0, 0) &&
		!blkid_probe_enable_superblocks(probe, 1) &&
		!blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE |
						   BLKID_SUBLKS_UUID |
						   BLKID_SUBLKS_LABEL) &&
		!blkid_do_safeprobe(probe);
	if (there) {
		value_of(probe, "TYPE", found->type, sizeof(found->type));
		value_of(probe, "UUID", found->uuid, sizeof(found->uuid));
		value_of(probe, "UUID_SUB", found->uuid_sub, sizeof(found->uuid_sub));
		value_of(probe, "LABEL", found->label, sizeof(found->label));
	}
	blkid_free_probe(probe);
	return there && *found->type;
}

static u64 btrfs_generation(const u8 *super)
{
	__le64 generation;

	memcpy(&generation, super + BTRFS_GENERATION_AT, sizeof(generation));
	return le64_to_cpu(generation);
}

/* The newest superblock of btrfs, if the zones hold one. */
static bool read_btrfs_super(const struct drive *volume, u8 *super)
{
	struct zbd_zone zones[2];
	bool there = false;
	u8 *buffer;
	u64 end;
	u32 i;

	buffer = alloc_block_buffer(BTRFS_SUPER_SIZE);
	if (!buffer || drive_report(volume, 0, 2, zones)) {
		free(buffer);
		return false;
	}
	for (i = 0; i < 2; i++) {
		end = zone_written(&zones[i]);
		end -= end % BTRFS_SUPER_SIZE;
		if (!end || pread(volume->fd, buffer, BTRFS_SUPER_SIZE,
				  zones[i].start + end - BTRFS_SUPER_SIZE) !=
			    BTRFS_SUPER_SIZE)
			continue;
		if (memcmp(buffer + BTRFS_MAGIC_AT, BTRFS_MAGIC,
			   strlen(BTRFS_MAGIC)))
			continue;
		if (there && btrfs_generation(buffer) < btrfs_generation(super))
			continue;
		memcpy(super, buffer, BTRFS_SUPER_SIZE);
		there = true;
	}
	free(buffer);
	return there;
}

/* Have libblkid find it where it is elsewhere: in a file of nothing but that. */
static bool ask_about(const u8 *super, struct file_system *found)
{
	bool there;
	int fd;

	fd = memfd_create("superblock", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	there = !ftruncate(fd, 16 << 20) &&
		pwrite(fd, super, BTRFS_SUPER_SIZE, BTRFS_SUPER_OFFSET) ==
		BTRFS_SUPER_SIZE && ask_libblkid(fd, found);
	close(fd);
	return there;
}

bool file_system_find(const struct drive *volume, struct file_system *found)
{
	u8 super[BTRFS_SUPER_SIZE];
	bool there;
	int fd;

	fd = open(volume->opened, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	there = ask_libblkid(fd, found);
	close(fd);
	return there || (volume->nr_zones > 1 && read_btrfs_super(volume, super) &&
			 ask_about(super, found));
}
