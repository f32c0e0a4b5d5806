// SPDX-License-Identifier: GPL-2.0
/*
 * Which file systems a volume can hold, and what makes them.
 */
#include <stdio.h>

#include "mkfs_advice.h"

/* In sectors. */
#define GIB			(2ULL << 20)
#define TIB			(2ULL << 30)

/* Open or active zones that each needs; a limit of 0 is none. */
#define BTRFS_LEAST_ACTIVE	8
#define BTRFS_DUP_ACTIVE	12
#define F2FS_LEAST_OPEN		6
#define XFS_LEAST_OPEN		2
#define ZENFS_LEAST_ACTIVE	6

/* Zones that it takes at least. */
#define ZENFS_LEAST_ZONES	32

static bool below(u32 limit, u32 least)
{
	return limit && limit < least;
}

static void btrfs(const char *name, const struct raizn_geometry *geo,
		  const struct limits *limits)
{
	if (geo->zone_size < GIB / 256 || geo->zone_size > 8 * GIB)
		puts("btrfs:    no, mkfs.btrfs takes zones from 4 MiB to 8 GiB");
	else if (below(limits->max_active, BTRFS_LEAST_ACTIVE))
		printf("btrfs:    no, it needs %u active zones\n",
		       BTRFS_LEAST_ACTIVE);
	else if (below(limits->max_active, BTRFS_DUP_ACTIVE))
		printf("btrfs:    mkfs.btrfs -m single /dev/mapper/%s\n"
		       "          with two copies of metadata, its default, it hangs with less than %u\n"
		       "          active zones\n", name, BTRFS_DUP_ACTIVE);
	else
		printf("btrfs:    mkfs.btrfs /dev/mapper/%s\n", name);
}

/*
 * Size of the device that mkfs.f2fs wants beside the zones, with some to spare, in GiB: it
 * holds a block for each segment of 2 MiB and tables of inodes, in whole zones.
 */
static u64 f2fs_beside(const struct raizn_geometry *geo)
{
	u64 sectors = (u64)geo->nr_zones * geo->zone_size / 400 + 2 * geo->zone_size;

	return (sectors + GIB - 1) / GIB;
}

static void f2fs(const char *name, const struct raizn_geometry *geo,
		 const struct limits *limits)
{
	/* Released versions compute the bytes of a zone in 32 bits. */
	if (geo->zone_size > 2 * GIB)
		puts("f2fs:     no, mkfs.f2fs (up to 1.16) fails on zones above 2 GiB");
	else if ((u64)geo->nr_zones * geo->zone_size >= 16 * TIB)
		puts("f2fs:     no, it takes less than 16 TiB, gaps included");
	else if (below(limits->max_open, F2FS_LEAST_OPEN))
		printf("f2fs:     no, it needs %u open zones\n", F2FS_LEAST_OPEN);
	else
		printf("f2fs:     mkfs.f2fs -m -c /dev/mapper/%s DEVICE\n"
		       "          DEVICE is a conventional one beside the volume, of %llu GiB and with the\n"
		       "          same logical blocks\n", name,
		       (unsigned long long)f2fs_beside(geo));
}

static void xfs(const char *name, const struct limits *limits)
{
	if (below(limits->max_open, XFS_LEAST_OPEN))
		printf("xfs:      no, it needs %u open zones\n", XFS_LEAST_OPEN);
	else
		printf("xfs:      mkfs.xfs -r zoned=1,rtdev=/dev/mapper/%s DEVICE\n"
		       "          from Linux and xfsprogs 6.15 on; DEVICE is a conventional one\n",
		       name);
}

static void zenfs(const char *name, const struct raizn_geometry *geo,
		  const struct limits *limits, bool write_through)
{
	if (!write_through)
		puts("ZenFS:    no, it never flushes: it needs --write-cache through");
	else if (below(limits->max_active, ZENFS_LEAST_ACTIVE))
		printf("ZenFS:    no, it needs %u active zones\n", ZENFS_LEAST_ACTIVE);
	else if (geo->nr_zones < ZENFS_LEAST_ZONES)
		printf("ZenFS:    no, it needs %u zones\n", ZENFS_LEAST_ZONES);
	else
		printf("ZenFS:    on zonefs: mkzonefs, then mount -t zonefs -o explicit-open with\n"
		       "          /dev/dm-N, the target of the link /dev/mapper/%s\n", name);
}

void mkfs_advice(const char *name, const struct raizn_geometry *geo,
		 const struct limits *limits, bool write_through)
{
	btrfs(name, geo, limits);
	f2fs(name, geo, limits);
	xfs(name, limits);
	printf("zonefs:   mkzonefs /dev/mapper/%s\n", name);
	zenfs(name, geo, limits, write_through);
}
