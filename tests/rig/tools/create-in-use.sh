#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create takes a drive with data only if forced, and a drive that is in use never.
. "$(dirname "$0")/harness.sh"
six_drives

dd if=/dev/urandom of="$SPARE" bs=4K count=1 oflag=direct status=none
refused "create on a drive with data" 3 \
	"$SPARE: holds data in 1 of 48 sequential zones; use --force" \
	raizn create tank "${FIVE[@]:0:4}" "$SPARE"
shows "a dry run says what would be lost" \
	"would destroy on $SPARE: data in 1 of 48" \
	raizn create tank "${FIVE[@]:0:4}" "$SPARE" --force --dry-run
blkzone reset "$SPARE"

# in_use WHAT REGEX: $SPARE is, also for --force.
in_use()
{
	refused "$1" 3 "$SPARE: in use: $2" \
		raizn create tank "${FIVE[@]:0:4}" "$SPARE" --force
}

if mapped lin "$SPARE"; then
	in_use "create on a drive of a mapped device" 'part of the mapped device lin'
	unmapped lin
else
	skip "create on a drive of a mapped device" "no dm-linear"
fi

check "a process opens a drive" ask hold "$SPARE"
in_use "create on a drive a process holds" \
	"opened by process $DRIVE_EDITOR_PID .python3"
check "it closes the drive" ask release

modprobe -q btrfs
if mkfs.btrfs -q -f -O zoned -d single -m single "$SPARE" >"$TMP/mkfs" 2>&1; then
	refused "create on a drive with a file system" 3 \
		"$SPARE: holds data in .* a signature .btrfs.; use --force" \
		raizn create tank "${FIVE[@]:0:4}" "$SPARE"
	mkdir "$TMP/mnt"
	at_exit "umount $TMP/mnt"
	if mount -t btrfs "$SPARE" "$TMP/mnt" 2>>"$TMP/mkfs"; then
		in_use "create on a mounted drive" "mounted on $TMP/mnt"
		umount "$TMP/mnt"
	else
		skip "create on a mounted drive" "btrfs does not mount it"
	fi
else
	skip "create on a drive with a file system" "mkfs.btrfs fails"
fi
finish
