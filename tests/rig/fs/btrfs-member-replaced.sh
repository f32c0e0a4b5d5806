#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member is replaced, fails and is removed while btrfs is written, or frozen: btrfs
# loses nothing, and never waits for the volume while that waits for it.
. "$(dirname "$0")/harness.sh"

# From 6.17 on an fsync of btrfs may fail with EAGAIN while other files are written, on any
# zoned drive. So there a file is written again.
write_file()
{
	local out=$TMP/dd.$1 tries=1

	until dd if="$TMP/data" of="$MNT/$1" bs=1M conv=fsync status=none 2>"$out"; do
		cat "$out"
		kernel_at_least 6 17 && grep -q "fsync failed.*temporarily" "$out" || return 1
		((tries++ < 10)) || return 1
	done
}

# Eight at a time, so that block groups are begun while others are written.
write_block_groups()
{
	local n each all=()

	for ((n = 0; n < 40; n++)); do
		write_file $n &
		all+=($!)
		((n % 8 == 7)) || continue
		for each in "${all[@]}"; do
			wait "$each" || return 1
		done
		all=()
		# Fast machines would be done too early.
		! await 2 test -e "$TMP/enough" || return 0
	done
}

verify_block_groups()
{
	local file

	for file in "$MNT"/*; do
		cmp "$TMP/data" "$file" || return 1
	done
}

slow_drive()
{
	SLOW=$(nullblk create slow "${RIG_MEMBER_SETTINGS[@]}" irqmode=2 \
		completion_nsec=100000000) || return 1
	RIG_DRIVES+=(slow)
	rig_scheduler "$SLOW"
}

# Each file is more or less a zone, for which btrfs asks the volume, and device mapper has
# no answer while it is suspended: for long, as the new drive is slow.
volume_is_array || not_here "a member is replaced" "a drive has no members"
needs_fs btrfs
fs_volume
must "mkfs.btrfs" mkfs_btrfs
must "mount" mount_btrfs
must "a slow drive" slow_drive
head -c 25165824 /dev/urandom >"$TMP/data"
write_block_groups >"$TMP/load" 2>&1 &
load=$!
check "the load has begun" await 60 test -s "$MNT/7"
check "replace a member" raizn replace --no-copy "$VOLUME" 0 "$SLOW" --force
check "the load goes on meanwhile" kill -0 $load
touch "$TMP/enough"
check "all is written" wait $load || rig_show "$TMP/load"
note "writes that were repeated: $(wc -l <"$TMP/load")"
check "the slow drive fails" raizn fail "$VOLUME" 0 --force
check "another program freezes it" fsfreeze --freeze "$MNT"
check "the drive is removed" raizn remove "$VOLUME" 0
check "that program unfreezes it" fsfreeze --unfreeze "$MNT"
check "it can still be written" cp "$TMP/data" "$MNT/x"
check "unmount" umount "$MNT"
check "mount again" mount_btrfs
check "verify" verify_block_groups
check "last unmount" umount "$MNT"
check "the drive is gone" drive_gone slow
fs_end
