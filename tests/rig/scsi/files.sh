#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Five host-managed SCSI disks, of 512e and of 4Kn, become a volume; a file
# system lives on it, and is there after stop and start. All writes to the
# disks are whole physical blocks, and none goes to conventional zones.
# lab: --drives 0
. "$(dirname "$0")/harness.sh"

# Disks take nothing else than whole physical blocks: so every write pointer
# is at one.
pointers_are_whole()
{
	local disk

	for disk in "${DRIVES[@]}"; do
		blkzone report "$disk" >"$TMP/report" || return 1
		awk '
			/CONVENTIONAL/ { next }
			/zcond:14/ { next }
			{ sub(/.*wptr /, ""); sub(/ .*/, "")
			  if ($0 ~ /[1-7,9a-f]$/) { print; exit 1 } }' \
			"$TMP/report" || return 1
	done
}

conventional_zones_are_blank()
{
	local disk

	for disk in "${DRIVES[@]}"; do
		cmp -n $((NR_CONVENTIONAL * ZONE_MIB << 20)) "$disk" /dev/zero ||
			return 1
	done
}

# Files small and large, and a sync in between: parity of parts of stripes.
write_files()
{
	local i

	for i in 1 2 3 4 5 6; do
		head -c $((i * 300001)) /dev/urandom >"$MOUNT/file$i" || return 1
		sync -f "$MOUNT/file$i" || return 1
	done
	(cd "$MOUNT" && sha256sum file*) >"$TMP/sums"
}

files_are_right()
{
	(cd "$MOUNT" && sha256sum --quiet -c "$TMP/sums")
}

for format in 512e 4kn; do
	check "$format: five disks" scsi_disks 5 $format || finish
	check_equal "$format: they are host-managed" \
		"$(queue "${DRIVES[0]}" zoned)" host-managed
	check_equal "$format: blocks" \
		"$(queue "${DRIVES[0]}" logical_block_size) $(queue "${DRIVES[0]}" physical_block_size)" \
		"$([ $format = 512e ] && echo 512 || echo 4096) 4096"
	check "$format: create" volume_create || finish
	check_true "$format: create says what it does not use" \
		"$(grep -c "$NR_CONVENTIONAL conventional at the front that are not used" "$TMP/output") == 1"
	check_equal "$format: the volume is host-managed" \
		"$(queue "$DEV_NAME" zoned)" host-managed
	check_equal "$format: writes of the volume are whole physical blocks" \
		"$(queue "$DEV_NAME" zone_write_granularity)" 4096
	check "$format: mkfs.btrfs" mkfs.btrfs -q -f -m single -d single $DEV
	check "$format: mount" mount $DEV "$MOUNT"
	check "$format: write files" write_files
	check "$format: unmount" umount "$MOUNT"
	check "$format: stop" volume_stop
	check "$format: parity" parity_check "${DRIVES[@]}"
	check "$format: members agree" raizn check "${DRIVES[@]}"
	check "$format: start" volume_start
	check "$format: mount again" mount $DEV "$MOUNT"
	check "$format: files are right" files_are_right
	check "$format: unmount again" umount "$MOUNT"
	check "$format: stop again" volume_stop
	check "$format: write pointers are at physical blocks" pointers_are_whole
	check "$format: conventional zones are as they were" \
		conventional_zones_are_blank
	check "$format: disks go" disks_gone
done
finish
