#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The main job from beginning to end, told to whoever watches: five emulated
# NVMe ZNS drives become one redundant zoned volume, f2fs and btrfs live on it,
# the machine reboots, everything is still there.
#
# Runs in a QEMU guest (scripts/lab run GUEST -- tests/rig/demo.sh). The guest
# reboots once: LAB_BOOT tells the boots apart, LAB_DIR outlives them.
# lab: own-boot
. "$(dirname "$0")/../lib/rig.sh"
scenario

ZNS=()
for i in 0 1 2 3 4; do
	ZNS+=("$(readlink -f "/dev/lab/zns$i")")
done
CONV=$(readlink -f /dev/lab/conv0)
MOUNT=$TMP/mount
SUMS=$LAB_DIR/sums
mkdir -p "$MOUNT"

say()
{
	printf '# \n# == %s\n' "$*"
}

# show COMMAND...: as a person would type it, with what it prints.
show()
{
	echo "# \$ $*"
	"$@" 2>&1 | sed 's/^/#   /'
	return "${PIPESTATUS[0]}"
}

# step WHAT COMMAND...: show, and a check.
step()
{
	local what=$1
	shift
	if show "$@"; then
		ok "$what"
	else
		not_ok "$what"
		finish
	fi
}

# f2fs fills its conventional device first: with no more of it than the metadata
# needs, the files go to the volume.
small_device()
{
	dmsetup create small --table "0 $((128 * 2048)) linear $CONV 0"
}

write_files()
{
	local i

	for i in $(seq 20); do
		head -c $((i * 200000)) /dev/urandom >"$MOUNT/file$i" || return 1
	done
	mkdir -p "$MOUNT/small" || return 1
	for i in $(seq 200); do
		echo "small file $i" >"$MOUNT/small/$i" || return 1
	done
	(cd "$MOUNT" && find . -type f -exec sha256sum {} +) >"$SUMS.$1"
	sync
}

# Sectors of data the volume wrote since it was started.
volume_data()
{
	VOLUME=demo status_field data
}

files_are_right()
{
	[ "$(wc -l <"$SUMS.$1")" = 220 ] &&
		(cd "$MOUNT" && sha256sum --quiet -c "$SUMS.$1")
}

first_boot()
{
	local before

	say "Linux $(uname -r), five zoned NVMe drives"
	lsblk -o NAME,SIZE,ZONED,SERIAL "${ZNS[@]}" 2>&1 | sed 's/^/#   /'

	say "One redundant volume of them"
	step "create" raizn create demo "${ZNS[@]}"
	step "status" raizn status demo
	check_equal "the volume is host-managed zoned" \
		"$(cat "/sys/block/$(sysfs_name /dev/mapper/demo)/queue/zoned")" \
		host-managed

	say "btrfs on it"
	step "mkfs.btrfs" mkfs.btrfs -q -f -m single -d single /dev/mapper/demo
	step "mount btrfs" mount /dev/mapper/demo "$MOUNT"
	step "write files" write_files btrfs
	step "unmount" umount "$MOUNT"
	step "stop" raizn stop demo
	step "start" raizn start demo
	step "mount btrfs again" mount /dev/mapper/demo "$MOUNT"
	step "btrfs: files are right" files_are_right btrfs
	step "unmount btrfs" umount "$MOUNT"
	step "reset all zones" blkzone reset /dev/mapper/demo

	say "f2fs on it (with a small conventional device for its metadata)"
	step "a small conventional device" small_device
	before=$(volume_data)
	step "mkfs.f2fs" mkfs.f2fs -q -f -m -c /dev/mapper/demo /dev/mapper/small
	step "mount f2fs" mount -t f2fs /dev/mapper/small "$MOUNT"
	step "write more files" write_files f2fs
	step "unmount f2fs" umount "$MOUNT"
	check_true "the files went to the volume" \
		"$(volume_data) - before > 40000000 / 512"
	step "status after use" raizn status demo
	step "stop before the reboot" raizn stop demo

	say "Reboot"
	reboot -f
	sleep 60
	not_ok "the guest reboots"
	finish
}

second_boot()
{
	say "Booted again: what did the drives keep?"
	step "list" raizn list
	step "start after the reboot" raizn start demo
	step "the small conventional device again" small_device
	step "mount f2fs again" mount -t f2fs /dev/mapper/small "$MOUNT"
	step "f2fs: files are right" files_are_right f2fs
	step "unmount for good" umount "$MOUNT"
	check "the small conventional device goes" dmsetup remove small
	step "status at the end" raizn status demo
	step "stop for good" raizn stop demo
	check "unload the module" unload_module
	finish
}

load_module || { not_ok "load the module"; finish; }
if [ "$LAB_BOOT" = 1 ]; then
	first_boot
else
	second_boot
fi
