#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A volume that is open, mapped or mounted is not stopped; stop says by whom.
. "$(dirname "$0")/harness.sh"

# mounted_elsewhere: $TMP/mnt, in the mount namespace of the process CONTAINER only
mounted_elsewhere()
{
	unshare -m sleep infinity &
	CONTAINER=$!
	check "a process has a mount namespace of its own" await 10 eval \
		"[ \$(cat /proc/$CONTAINER/comm) = sleep ]"
	check "unmounted for all others" umount "$TMP/mnt"
}

six_drives
GUARDED=()
load_module
check "an array" create --force
dmsetup mknodes tank

check "a process opens the volume" ask hold /dev/mapper/tank
refused "stop of a volume that is open" 3 \
	"tank: in use: opened by process $DRIVE_EDITOR_PID .python3" raizn stop tank
check "it closes the volume" ask release

read -r LENGTH <"/sys/block/$(sysfs_name /dev/mapper/tank)/size"
if mapped above /dev/mapper/tank; then
	refused "stop of a volume that is mapped" 3 \
		'tank: in use: part of the mapped device above' raizn stop tank
	unmapped above
fi

modprobe -q loop
loop=$(losetup --show --find --direct-io=off /dev/mapper/tank 2>"$TMP/loop")
if [ "$loop" ]; then
	refused "stop of a volume with a loop device" 3 \
		"tank: in use: opened by the loop device ${loop#/dev/};" raizn stop tank
	losetup --detach "$loop"
else
	skip "stop of a volume with a loop device" "$(cat "$TMP/loop")"
fi

config=/sys/kernel/config/nvmet/subsystems
modprobe -q nvmet
mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
if [ -d $config ]; then
	mkdir -p $config/tested/namespaces/1
	readlink -f /dev/mapper/tank >$config/tested/namespaces/1/device_path
	echo 1 >$config/tested/namespaces/1/enable
	refused "stop of a volume that is exported" 3 \
		'tank: in use: opened by a namespace of the NVMe target tested' raizn stop tank
	rmdir $config/tested/namespaces/1 $config/tested
else
	skip "stop of a volume that is exported" "no nvmet"
fi

modprobe -q btrfs
mkdir "$TMP/mnt"
at_exit "umount $TMP/mnt"
if mkfs.btrfs -q -f -O zoned -d single -m single /dev/mapper/tank \
   >"$TMP/mkfs" 2>&1 && mount -t btrfs /dev/mapper/tank "$TMP/mnt"; then
	refused "stop of a mounted volume" 3 "tank: in use: mounted on $TMP/mnt" \
		raizn stop tank
	mounted_elsewhere &&
		refused "stop of a volume that is mounted in a container" 3 \
			"tank: in use: mounted on $TMP/mnt in the mount namespace of process $CONTAINER .sleep." \
			raizn stop tank
	kill $CONTAINER
	wait $CONTAINER
else
	skip "stop of a mounted volume" "no zoned btrfs here"
	rig_show "$TMP/mkfs"
fi
check "stop after that" raizn stop tank
finish
