#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The machine is rebooted by force while an array is written: the array is clean afterwards, and
# has all that was completed. A drive that hangs does not keep the machine from going down.
#
# Runs in a QEMU guest, whose drives keep their state over a reboot.
# lab: own-boot
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/boots.sh"
scenario
boots_begin

VOLUME=forced
DEV=/dev/mapper/$VOLUME
DATA=$LAB_DIR/data
# A map over the drive that will hang.
HANGS=forced-hangs

# state_is WORD: as raizn sees the array
state_is()
{
	check_equal "boot $LAB_BOOT: the array" \
		"$(raizn list --json | jq -r '.arrays[0].state')" "$1"
}

recoveries()
{
	dmesg | grep -c 'raizn.*: recovered: '
}

data_are_right()
{
	dd if=$DEV bs=256K count=16 iflag=direct status=none | cmp - "$DATA"
}

# Completed, and not flushed.
write_data()
{
	head -c 4M /dev/urandom >"$DATA" && dd if="$DATA" of=$DEV bs=256K oflag=direct status=none
}

writer()
{
	fio --name=writer --filename=$DEV --zonemode=zbd --direct=1 --rw=write --bs=32k \
		--iodepth=4 --ioengine=libaio --time_based --runtime=600 \
		--offset=$(($(zone_sectors) * 512 * $1)) --size=1z >"$TMP/writer" 2>&1 &
	sleep 3
}

force_reboot()
{
	sync -f "$LAB_DIR"
	reboot -f
	sleep 180
	fail "the guest reboots"
}

load_module || fail "load the module"
at_exit "jobs_end; raizn stop $VOLUME; dmsetup remove --force $HANGS"
case $LAB_BOOT in
1)
	check "create" raizn create $VOLUME "${ZNS[@]:0:4}"
	check "write without a flush" write_data
	writer 1
	force_reboot
	;;
2)
	state_is stopped
	check "start" raizn start $VOLUME
	check_equal "nothing was to be recovered" "$(recoveries)" 0
	check "what was completed is there" data_are_right
	check "stop" raizn stop $VOLUME
	check "a map over a drive" dmsetup create $HANGS --table \
		"0 $(blockdev --getsz "${ZNS[0]}") linear ${ZNS[0]} 0"
	check "start with it" raizn start $VOLUME /dev/mapper/$HANGS "${ZNS[@]:1:3}"
	check "the drive hangs" dmsetup suspend --nolockfs --noflush $HANGS
	writer 2
	force_reboot
	;;
3)
	state_is unclean
	check "start" raizn start $VOLUME
	check_equal "it was recovered" "$(recoveries)" 1
	check "what was completed is there still" data_are_right
	check "stop" raizn stop $VOLUME
	;;
esac
finish
