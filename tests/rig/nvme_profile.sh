#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array of NVMe drives that QEMU emulates with the zones of a ZN540, but fewer of them:
# its limits and zones follow from theirs, and both ends of a zone can be written.
# lab: --profile zn540-1t --drives 4 --drive-zones 24
. "$(dirname "$0")/../lib/rig.sh"
scenario

VOLUME=profile
DEV=/dev/mapper/$VOLUME
DRIVES=(/dev/lab/zns{0..3})
# Of a volume of three data drives, in sectors
SIZE=$((4096 * 2048))
CAPACITY=$((3 * 1077 * 2048))

queue()
{
	cat "/sys/block/$(sysfs_name "$1")/queue/$2"
}

# block_at SECTOR: writes it, and reads it again
block_at()
{
	head -c 1M /dev/urandom >"$TMP/block" &&
		dd if="$TMP/block" of=$DEV bs=1M oflag=direct,seek_bytes \
			seek=$(($1 * 512)) conv=notrunc,fsync status=none &&
		dd if=$DEV bs=1M count=1 iflag=direct,skip_bytes \
			skip=$(($1 * 512)) status=none | cmp - "$TMP/block"
}

load_module || { not_ok "load the module"; finish; }
check_equal "the drive's zones" "$(queue "$(readlink -f /dev/lab/zns0)" nr_zones) $(
	blkzone report -c 1 /dev/lab/zns0 | grep -o 'cap 0x[0-9a-f]*')" \
	"24 $(printf 'cap 0x%06x' $((1077 * 2048)))"
check "create" raizn create $VOLUME "${DRIVES[@]}" || finish
at_exit "raizn stop $VOLUME"
check_equal "zone size" "$(queue $DEV chunk_sectors)" $SIZE
check_equal "active zones" "$(queue $DEV max_active_zones)" 9
check "the begin of the first zone" block_at 0
check "fill the second zone but for its end" fio --name=fill --filename=$DEV \
	--zonemode=zbd --rw=write --bs=1M --direct=1 --ioengine=libaio --iodepth=4 \
	--offset=1z --size=1z --io_size=$((3 * 1077 - 1))M
check "the end of the second zone" block_at $((SIZE + CAPACITY - 2048))
check "it is full" eval "blkzone report -o $SIZE -c 1 $DEV | grep -q '(fu)'"
check "finish the first zone" blkzone finish -o 0 -c 1 $DEV
check "reset both" blkzone reset -o 0 -c 2 $DEV
check "stop" raizn stop $VOLUME
check "start" raizn start $VOLUME
check "stop for good" raizn stop $VOLUME
check "members agree" raizn check "${DRIVES[@]}"
finish
