#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An NVMe drive is pulled out of the machine under load, on raw zones and on f2fs, and
# put back under load: fio, which verifies all it writes, sees no error.
#
# Runs in a QEMU guest, whose drives have a PCI device each.
. "$(dirname "$0")/../lib/rig.sh"
suite pull

VOLUME=pull
DEV=/dev/mapper/$VOLUME
ZNS=()
for i in 0 1 2 3 4; do
	ZNS+=("$(readlink -f "/dev/lab/zns$i")")
done
CONV=$(readlink -f /dev/lab/conv0)
MOUNT=$TMP/mount
PULLED=2
mkdir -p "$MOUNT"

# Zones for raw writes; f2fs has those behind them, and a conventional device.
RAW_ZONES=8

zone_sectors()
{
	cat "/sys/block/$(sysfs_name "$DEV")/queue/chunk_sectors"
}

make_f2fs()
{
	local first=$((RAW_ZONES * $(zone_sectors)))

	dmsetup create pull-f2fs --table \
		"0 $(($(blockdev --getsz "$DEV") - first)) linear $DEV $first" &&
		dmsetup create pull-conv --table \
			"0 $((128 * 2048)) linear $CONV 0" &&
		mkfs.f2fs -q -f -m -c /dev/mapper/pull-f2fs \
			/dev/mapper/pull-conv &&
		mount -t f2fs /dev/mapper/pull-conv "$MOUNT"
}

drop_f2fs()
{
	umount "$MOUNT" && dmsetup remove --retry pull-f2fs &&
		dmsetup remove --retry pull-conv
}

# load NAME FIRST-ZONE: four raw zones and a file, in the background; slow enough to
# be under way when something happens.
load()
{
	local name=$1 first=$2 zone

	zone=$(($(zone_sectors) * 512))
	fio --name="$name" --filename="$DEV" --direct=1 --zonemode=zbd \
		--rw=write --bs=64k --ioengine=libaio --iodepth=8 \
		--offset=$((first * zone)) --size=$((4 * zone)) --io_size=96m \
		--max_open_zones=4 --rate=6m --verify=crc32c --verify_fatal=1 \
		--fsync=64 >"$TMP/$name.raw" 2>&1 &
	RAW=$!
	fio --name="$name" --directory="$MOUNT" --rw=write --bs=16k \
		--ioengine=psync --size=48m --rate=3m --fsync=32 \
		--verify=crc32c --verify_fatal=1 >"$TMP/$name.file" 2>&1 &
	FILE=$!
}

# unloaded NAME WHAT: both ended well, and did what they should.
unloaded()
{
	local name=$1 what=$2

	check "$what: fio on raw zones" wait_for $RAW "$TMP/$name.raw"
	check "$what: fio on f2fs" wait_for $FILE "$TMP/$name.file"
	check "$what: fio verified" grep -q 'READ: .*io=96' "$TMP/$name.raw"
}

wait_for()
{
	wait "$1" && return
	cat "$2"
	return 1
}

letters()
{
	dmsetup status $VOLUME | awk '{ print $4, $6 }'
}

# The drive's PCI device.
pci_device()
{
	readlink -f "/sys/block/${1#/dev/}/device/device"
}

# The drive is there again, by another name maybe.
drive_is_back()
{
	local i serial=$1 path

	echo 1 >/sys/bus/pci/rescan
	for ((i = 0; i < 100; i++)); do
		for path in /sys/block/nvme*n*; do
			[ "$(tr -d ' ' <"$path/device/serial" 2>/dev/null)" = \
				"$serial" ] || continue
			BACK=/dev/${path##*/}
			[ -b "$BACK" ] && return
		done
		sleep 0.1
	done
	return 1
}

load_module || exit 1
check "an array" raizn create $VOLUME "${ZNS[@]}"
check "f2fs on it" make_f2fs

serial=$(tr -d ' ' <"/sys/block/${ZNS[PULLED]#/dev/}/device/serial")
load pulled 0
sleep 4
check "the drive is pulled" eval \
	"echo 1 >'$(pci_device "${ZNS[PULLED]}")/remove'"
unloaded pulled "a drive is pulled"
check_equal "a drive is pulled: the array" "$(letters)" "degraded AAFAA"

check "the drive is back in the machine" drive_is_back "$serial"
load back 4
sleep 2
check "it is added" raizn add $VOLUME "$BACK"
check "it is rebuilt" timeout 120 raizn rebuild $VOLUME --wait
unloaded back "it is rebuilt"
check_equal "it is rebuilt: the array" "$(letters)" "active AAAAA"
check "down" eval "drop_f2fs && raizn stop $VOLUME"
check "all members agree" raizn check "${ZNS[@]:0:2}" "$BACK" "${ZNS[@]:3}"
finish
