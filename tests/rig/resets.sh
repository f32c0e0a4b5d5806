#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The machine is reset in the middle of work, again and again; whatever an
# fsync() had returned for is still there, in raw zones and in files on f2fs.
#
# Runs in a QEMU guest, whose drives keep their state over a reset of the
# machine. LAB_DIR is outside and knows what was synced. RAIZN_TEST_SCALE=100 is
# 20 resets.
# lab: own-boot
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/boots.sh"
scenario
boots_begin

VOLUME=resets
DEV=/dev/mapper/$VOLUME
CONV=$(readlink -f /dev/lab/conv0)
MOUNT=$TMP/mount
mkdir -p "$MOUNT"
RESETS=$(scaled 20 3)

# The first zones for raw writes, then some for fio, the rest for f2fs.
RAW_ZONES=2
FIO_ZONES=3

# Output of earlier boots is on the screen already; their sums are in a file.
COUNTS=$LAB_DIR/resets.counts

sectors()
{
	blockdev --getsz "$DEV"
}

# f2fs has the zones behind the others, and a conventional device.
f2fs_devices()
{
	local first=$(((RAW_ZONES + FIO_ZONES) * $(zone_sectors)))

	dmsetup create resets-f2fs --table \
		"0 $(($(sectors) - first)) linear $DEV $first" &&
		dmsetup create resets-conv --table \
			"0 $((128 * 2048)) linear $CONV 0"
}

mount_f2fs()
{
	mount -t f2fs /dev/mapper/resets-conv "$MOUNT"
}

first_boot()
{
	must "create" raizn create $VOLUME "${ZNS[@]}"
	must "devices for f2fs" f2fs_devices
	must "mkfs.f2fs" mkfs.f2fs -q -f -m -c /dev/mapper/resets-f2fs \
		/dev/mapper/resets-conv
	must "mount" mount_f2fs
	: >"$LAB_DIR/zones"
	: >"$LAB_DIR/files"
}

verify()
{
	must "start" raizn start $VOLUME
	dmesg | grep -o 'raizn: array.*recovered.*' | tail -n 1 |
		sed "s/^.*recovered/# boot $LAB_BOOT: recovered/"
	must "zones" fsynced zones-check "$DEV" "$LAB_DIR/zones"
	sed "s/^/# boot $LAB_BOOT: /" "$TMP/out"
	must "devices for f2fs" f2fs_devices
	must "mount" mount_f2fs
	must "files" fsynced files-check "$MOUNT" "$LAB_DIR/files"
	sed "s/^/# boot $LAB_BOOT: /" "$TMP/out"
	echo "$LAB_BOOT" >>"$COUNTS"
}

# Zones that are full begin anew, so that every boot has work to do.
make_room()
{
	local zone

	for zone in $(seq 0 $((RAW_ZONES - 1))); do
		blkzone report -o $((zone * $(zone_sectors))) -c 1 "$DEV" |
			grep -q '(fu)' || continue
		blkzone reset -f -o $((zone * $(zone_sectors))) -c 1 "$DEV" &&
			sed -i "/^$zone /d" "$LAB_DIR/zones"
	done
	blkzone reset -f -o $((RAW_ZONES * $(zone_sectors))) -c $FIO_ZONES "$DEV"
}

work_and_reset()
{
	local begin end

	must "empty zones" make_room
	sync
	fsynced zones "$DEV" "$LAB_DIR/zones" 0 $RAW_ZONES $BOOT_SEED &
	fsynced files "$MOUNT" "$LAB_DIR/files" $BOOT_SEED 96 &
	begin=$((RAW_ZONES * $(zone_sectors) * 512))
	end=$((FIO_ZONES * $(zone_sectors) * 512))
	fio --name=load --filename="$DEV" --zonemode=zbd --direct=1 \
		--rw=randwrite --bs=32k --iodepth=16 --ioengine=libaio \
		--offset=$begin --size=$end --max_open_zones=2 \
		--time_based --runtime=600 >/dev/null 2>&1 &
	sleep "1.$(printf %03d $((RANDOM % 1000)))"
	echo "# boot $LAB_BOOT: $(grep -c . "$LAB_DIR/zones") and" \
		"$(grep -c . "$LAB_DIR/files") syncs noted, reset"
	machine_reset
}

load_module || fail "load the module"
at_exit "jobs_end; umount $MOUNT; dmsetup remove resets-f2fs resets-conv; raizn stop $VOLUME"
if [ "$LAB_BOOT" = 1 ]; then
	first_boot
	work_and_reset
fi
verify
[ "$LAB_BOOT" -gt "$RESETS" ] || work_and_reset

check_equal "machine resets survived" "$(wc -l <"$COUNTS")" "$RESETS"
note "machine resets: $RESETS"
check "unmount" umount "$MOUNT"
check "remove the devices for f2fs" dmsetup remove resets-f2fs resets-conv
check "stop" raizn stop $VOLUME
check "start after a clean stop" raizn start $VOLUME
check "zones after a clean stop" fsynced zones-check "$DEV" "$LAB_DIR/zones"
check "stop for good" raizn stop $VOLUME
check "unload the module" unload_module
finish
