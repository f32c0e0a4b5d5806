#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# f2fs keeps its files over remounts and a restart of the array, and fsck.f2fs says of it
# what it says of f2fs on a plain drive.
. "$(dirname "$0")/harness.sh"

MIB=$(scaled 150 20)

mount_f2fs()
{
	mount -t f2fs "$CONV" "$MNT"
}

# What fsck.f2fs finds, without numbers. It complains about free segments on
# any device whose zones have less capacity than size, so its verdict on the
# array is compared with that on a plain drive of the same shape.
f2fs_findings()
{
	fsck.f2fs -f --dry-run "$1" >"$TMP/fsck" 2>&1
	echo "exit status $?"
	grep -E '\[Fail\]|ASSERT|ERR' "$TMP/fsck" | sed -E 's/[0-9]+|0x[0-9a-f]+/N/g' |
		sort -u
}

f2fs_on_plain_drive()
{
	plain_drive && mkfs.f2fs -f -m -c /dev/plain "$CONV" && mount_f2fs &&
		write_files "$TMP/plain" --seed 1 --mib "$MIB" --churn &&
		umount "$MNT" || return 1
	f2fs_findings "$CONV" >"$TMP/f2fs.plain"
	drive_gone plain
}

needs_fs f2fs
fs_volume
must "a conventional drive" conventional conv 256
check "a plain drive to compare with" f2fs_on_plain_drive
must "mkfs" mkfs.f2fs -f -m -c "$DEV" "$CONV"
lives mount_f2fs "$MIB" 400
f2fs_findings "$CONV" >"$TMP/f2fs.array"
check "fsck says what it says of a plain drive" \
	diff "$TMP/f2fs.plain" "$TMP/f2fs.array"
note "$(tr '\n' ';' <"$TMP/f2fs.array")"
fs_end
