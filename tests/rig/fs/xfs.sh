#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# xfs with its realtime section on the volume keeps its files over remounts and a restart
# of the array, and xfs_repair finds nothing.
. "$(dirname "$0")/harness.sh"

mkfs_xfs()
{
	mkfs.xfs -f -r zoned=1,rtdev="$DEV" "$CONV"
}

mount_xfs()
{
	mount -t xfs -o rtdev="$DEV" "$CONV" "$MNT"
}

kernel_at_least 6 15 && has_fs xfs || not_here "xfs on zones" "not in this kernel"
! mkfs.xfs -N -r zoned=1,rtdev=/dev/null /dev/null 2>&1 | grep -q 'unknown option' ||
	not_here "xfs on zones" "mkfs.xfs knows no zones: $(mkfs.xfs -V)"
fs_volume
must "a conventional drive" conventional conv 512
must "mkfs" mkfs_xfs
lives mount_xfs "$(scaled 150 20)"
check "repair finds nothing" xfs_repair -n -r "$DEV" "$CONV"
fs_end
