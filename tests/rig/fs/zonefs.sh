#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# zonefs files are appended to, truncated, and right after remounts and a restart of the
# array.
. "$(dirname "$0")/harness.sh"

SHARE=$(scaled 100 25)

mount_zonefs()
{
	mount -t zonefs -o explicit-open "$DEV" "$MNT"
}

# Debian 12 has no mkzonefs. It wants a node of the kernel's, or a link to one.
mkfs_zonefs()
{
	if command -v mkzonefs >/dev/null; then
		mkzonefs "/dev/$(lsblk -dnro KNAME "$1")"
	else
		"$HERE/mkzonefs.py" "$1"
	fi
}

# Some stable kernels take every synchronous write for a misplaced one: zonefs
# moves its write pointer before it compares. A plain drive tells.
zonefs_works_here()
{
	local status=0

	plain_drive || return 1
	mkfs_zonefs /dev/plain &&
		mount -t zonefs /dev/plain "$MNT" &&
		dd if=/dev/zero of="$MNT/seq/0" bs=4k count=2 oflag=direct,sync \
		   conv=notrunc || status=1
	umount "$MNT"
	drive_gone plain
	return $status
}

zone_files()
{
	"$HERE/zonefs_io.py" "$1" "$MNT" "$2" "$SHARE"
}

needs_fs zonefs
zonefs_works_here >"$TMP/output" 2>&1 || not_here "zonefs" "$FAILS_ON_DRIVES"
fs_volume
must "mkfs" mkfs_zonefs "$DEV"
must "mount" mount_zonefs
check "append, truncate, verify" zone_files write 1
must "unmount" umount "$MNT"
must "mount again" mount_zonefs
check "verify" zone_files verify 1
check "rewrite all" zone_files write 2
must "unmount again" umount "$MNT"
members_and_volume_agree
must "restart of the array" volume_restart
must "mount after restart" mount_zonefs
check "verify after restart" zone_files verify 2
check "write after restart" zone_files write 3
check "last unmount" umount "$MNT"
fs_end
