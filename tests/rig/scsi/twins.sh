#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two paths to one drive, which only its world-wide identifier or its serial number tells, are
# not taken for two drives: of a SCSI disk, of a map of one path, and of an NVMe drive.
. "$(dirname "$0")/harness.sh"

# empty DRIVE...: no sequential zone of them was written.
empty()
{
	local drive

	for drive; do
		[ "$(blkzone report "$drive" | grep -cvE 'zcond: [01]\(')" = 0 ] ||
			return
	done
}

# says DRIVE ATTRIBUTE OTHER: from now on the drive has the value of the other one.
says()
{
	cat "/sys/block/${3#/dev/}/$2" >"$TMP/value" &&
		mount --bind "$TMP/value" "/sys/block/${1#/dev/}/$2" &&
		at_exit "umount /sys/block/${1#/dev/}/$2"
}

says_so_no_more()
{
	umount "/sys/block/${1#/dev/}/$2"
}

at_exit "raizn stop $VOLUME"
# All disks of scsi_debug have one identifier then.
check "SCSI disks" scsi_disks 3 "$FORMAT" vpd_use_hostno=0 || finish
check_fails "create on three paths to a disk" \
	"${DRIVES[1]}: the same drive as ${DRIVES[0]}; name each drive once" \
	raizn create $VOLUME "${DRIVES[@]}" --force
check "a map of one path" dmsetup create path --table \
	"0 $(blockdev --getsz "${DRIVES[0]}") linear ${DRIVES[0]} 0"
at_exit "dmsetup remove --retry path"
udevadm settle
check_fails "create on a path, and a map of another one" \
	"/dev/mapper/path: on the drive ${DRIVES[0]#/dev/}, as is ${DRIVES[1]};" \
	raizn create $VOLUME "${DRIVES[1]}" /dev/mapper/path "${DRIVES[2]}" --force
check "nothing was written" empty "${DRIVES[@]}"
check "the map goes" dmsetup remove --retry path
check "the disks go" disks_gone || finish

for i in 0 1 2; do
	DRIVES+=("$(readlink -f "/dev/lab/zns$i")")
done
check "an NVMe drive has the identifier of another one" says "${DRIVES[2]}" wwid "${DRIVES[0]}"
check_fails "create on both" "${DRIVES[2]}: the same drive as ${DRIVES[0]};" \
	raizn create $VOLUME "${DRIVES[@]}" --force
says_so_no_more "${DRIVES[2]}" wwid
check "it has the serial number of another one" \
	says "${DRIVES[2]}" device/serial "${DRIVES[1]}"
check_fails "create on both" \
	"${DRIVES[2]}: has the serial number of ${DRIVES[1]} \(zns1\): name each drive once" \
	raizn create $VOLUME "${DRIVES[@]}"
check "nothing was written" empty "${DRIVES[@]}"
check "--force takes namespaces of one drive" \
	raizn create $VOLUME "${DRIVES[@]}" --force --dry-run
says_so_no_more "${DRIVES[2]}" device/serial
check "without that they are three drives" raizn create $VOLUME "${DRIVES[@]}" --dry-run
DRIVES=()
finish
