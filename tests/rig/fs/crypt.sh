#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dm-crypt on the volume: fio verifies what it wrote in one zone and in several at once,
# btrfs keeps its files, both also after a restart of the array.
. "$(dirname "$0")/harness.sh"

CRYPT=/dev/mapper/rig-crypt

crypt_up()
{
	dmsetup create rig-crypt --table "0 $(blockdev --getsz "$DEV") crypt \
		aes-xts-plain64 $(printf '%064d' 7) 0 $DEV 0" &&
		dmsetup mknodes rig-crypt
}

crypt_down()
{
	dmsetup remove --retry rig-crypt
}

crypt_fio()
{
	fio --name=crypt --filename=$CRYPT --zonemode=zbd --direct=1 \
	    --ioengine=libaio --iodepth=8 --offset=2z --size=4z \
	    --io_size="$(scaled 40 8)M" --verify=crc32c --verify_fatal=1 \
	    --verify_interval=4k --verify_state_save=0 --max_open_zones=4 "$@"
}

restart_under_crypt()
{
	crypt_down && volume_restart && crypt_up
}

btrfs_on_crypt()
{
	if ! has_fs btrfs; then
		skip "btrfs" "not in this kernel"
		return
	fi
	if btrfs_complains; then
		skip "btrfs on dm-crypt" "$FAILS_ON_DRIVES"
		return
	fi
	must "mkfs.btrfs" mkfs_btrfs $CRYPT
	must "mount" mount_btrfs $CRYPT
	must "write" write_files "$TMP/crypt" --seed 5 \
		--mib "$(scaled 40 10)" --churn
	must "unmount" umount "$MNT"
	must "second restart" restart_under_crypt
	must "mount after restart" mount_btrfs $CRYPT
	check "verify" verify_files "$TMP/crypt"
	check "last unmount" umount "$MNT"
}

modprobe -q dm-crypt
dmsetup targets | grep -q '^crypt' || not_here "dm-crypt" "not in this kernel"
fs_volume
at_exit crypt_down
at_exit 'umount "$MNT"'
must "up" crypt_up
check "fio, sequential" crypt_fio --rw=write --bs="$(odd_size 68)"
check "reset" blkzone reset $CRYPT
check "fio, zones in parallel" crypt_fio --rw=randwrite --bs=16k --fsync=32
check "fio, read back" crypt_fio --rw=read --bs=64k
must "restart of the array" restart_under_crypt
check "fio, read back after restart" crypt_fio --rw=read --bs=64k
btrfs_on_crypt
check "remove" crypt_down
fs_end
