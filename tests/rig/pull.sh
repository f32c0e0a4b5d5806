#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# NVMe drives are pulled out of the machine under load, on raw zones and on f2fs. One is
# replaced by another drive under load, one is put back under load: fio, which verifies
# all it writes, sees no error.
#
# Runs in a QEMU guest, whose drives have a PCI device each.
# lab: own-boot
. "$(dirname "$0")/../lib/rig.sh"
scenario

VOLUME=pull
DEV=/dev/mapper/$VOLUME
ZNS=()
for i in 0 1 2 3 4; do
	ZNS+=("$(readlink -f "/dev/lab/zns$i")")
done
CONV=$(readlink -f /dev/lab/conv0)
MOUNT=$TMP/mount
# The last drive takes the place of the first one that is pulled.
MEMBERS=("${ZNS[@]:0:4}")
NEW=${ZNS[4]}
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
	blkzone reset -f -o $((first * zone / 512)) -c 4 "$DEV"
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
	rm "$MOUNT/$name"*
}

wait_for()
{
	wait "$1" && return
	grep -E 'fio:|error|verify' "$2"
	dmesg | tail -n 20
	return 1
}

letters()
{
	dmsetup status $VOLUME | awk '{ print $4, $6 }'
}

# A load on raw zones from FIRST-ZONE on has begun to write.
has_begun()
{
	zones_begun "$DEV" $(($1 * $(zone_sectors))) 1
}

# A drive has been asked for something, and has not answered.
is_asked()
{
	[ "$(awk '{ print $1 + $2 }' "/sys/block/${1#/dev/}/inflight")" -gt 0 ]
}

# The drive's PCI device.
pci_device()
{
	readlink -f "/sys/block/${1#/dev/}/device/device"
}

# gone PCI-DEVICE: neither registers nor DMA, and the port that it was at finds nobody:
# there is no bus behind it.  What the drive was asked for is never answered.
#
# With a drive that only falls silent the kernel's own recovery would be tested: it hangs
# when the command that times out first is a flush (docs/failures.md).
gone()
{
	PORT=${1%/*}
	printf '\0\0' | dd of="$1/config" bs=2 seek=2 conv=notrunc status=none &&
		dd if="$PORT/config" of="$TMP/buses" bs=4 skip=6 count=1 status=none &&
		printf '\0\0\0\0' | dd of="$PORT/config" bs=4 seek=6 conv=notrunc \
			status=none
}

# drive_is_back SERIAL: where the last one was pulled, by another name maybe.
drive_is_back()
{
	local i serial=$1 path

	dd if="$TMP/buses" of="$PORT/config" bs=4 seek=6 conv=notrunc status=none || return 1
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

# pull SLOT NAME FIRST-ZONE: a drive is pulled under load, and nobody notices
pull()
{
	local slot=$1 what="the drive of slot $1 is pulled" letters device

	device=$(pci_device "${MEMBERS[slot]}")
	load "$2" "$3"
	check "$what: under load" await 120 has_begun "$3"
	sleep 2
	check "$what" gone "$device"
	check "$what: commands are under way" await 20 is_asked "${MEMBERS[slot]}"
	check "$what, and the kernel hears of it" eval "echo 1 >'$device/remove'"
	unloaded "$2" "$what"
	letters=AAAA
	check_equal "$what: the array" "$(letters)" \
		"degraded ${letters:0:slot}F${letters:slot+1}"
}

# rebuilt NAME WHAT: the rebuild ends, and the load that was begun before it
rebuilt()
{
	check "$2: it is rebuilt" timeout 600 raizn rebuild $VOLUME --wait
	unloaded "$1" "$2"
	check_equal "$2: the array" "$(letters)" "active AAAA"
}

# What a failure leaves at work, or mounted.
give_up()
{
	jobs_end
	umount "$MOUNT"
	dmsetup remove --retry pull-f2fs
	dmsetup remove --retry pull-conv
	! dmsetup info $VOLUME || raizn stop $VOLUME
}

load_module || exit 1
at_exit give_up
check "an array" raizn create $VOLUME "${MEMBERS[@]}"
check "f2fs on it" make_f2fs

pull 2 pulled 0
load replaced 4
check "under load" await 120 has_begun 4
check "another drive takes its place" raizn replace --no-copy $VOLUME 2 "$NEW"
rebuilt replaced "another drive takes its place"
MEMBERS[2]=$NEW

serial=$(tr -d ' ' <"/sys/block/${MEMBERS[1]#/dev/}/device/serial")
pull 1 again 0
check "the drive is back in the machine" drive_is_back "$serial"
MEMBERS[1]=$BACK
load back 4
check "under load" await 120 has_begun 4
check "it is added" raizn add $VOLUME "$BACK"
rebuilt back "it is added"
check "down" eval "drop_f2fs && raizn stop $VOLUME"
check "all members agree" raizn check "${MEMBERS[@]}"
finish
