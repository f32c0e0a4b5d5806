#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The target on host-managed SCSI disks: limits, writes at a depth and with
# FUA, zone append, finish, reset, reset of all, and what the members hold
# then. The kernel's SCSI layer emulates zone append there.
# lab: --drives 0
. "$(dirname "$0")/harness.sh"

write_zones()
{
	fio --name=w --filename=$DEV --zonemode=zbd --direct=1 --rw=write \
	    --ioengine=libaio "$@"
}

condition()
{
	blkzone report -o $(($1 * $(queue "$DEV_NAME" chunk_sectors))) -c 1 $DEV |
		grep -oE '\((em|oi|oe|cl|fu)\)'
}

note "disks of $FORMAT, seed $SEED"
check "disks" scsi_disks 4 $FORMAT || finish
check "create" volume_create --stripe-unit 16K || finish
zone=$(queue "$DEV_NAME" chunk_sectors)
check_equal "zone size" "$zone" $((4 * ZONE_MIB * 2048))
# Five of each disk's are the array's own.
check_equal "open zones" "$(queue "$DEV_NAME" max_open_zones)" \
	$(($(queue "${DRIVES[0]}" max_open_zones) - 5))
note "the disks have no limit of active zones, the volume" \
     "$(queue "$DEV_NAME" max_active_zones)"
check "write at depth 16, verified" write_zones --bs=128k --iodepth=16 \
	--size=2z --io_size=14M --verify=crc32c
check "small writes with FUA" write_zones --bs=4k --sync=1 --iodepth=1 \
	--offset=2z --size=1z --io_size=200k
check "random reads" fio --name=r --filename=$DEV --direct=1 --rw=randread \
	--zonemode=zbd --bs=4k --size=2z --io_size=1M --ioengine=libaio \
	--iodepth=8
check "zone model" zonemodel --first 8 --threads 2 --ops "$(scaled 300 60)" \
	--budget 40 --seed "$SEED" $DEV
note "seed $SEED"
check "reset of all" blkzone reset $DEV
check "zone append" append first=16 zones=3 threads=3 \
	appends=60 kib=64
check "reset of some" blkzone reset -o $((zone * 12)) -c 3 $DEV
check "a block" dd if=/dev/urandom of=$DEV bs=4k count=1 oflag=direct,seek_bytes \
	seek=$((zone * 512 * 12)) conv=notrunc status=none
check "finish" blkzone finish -o $((zone * 12)) -c 1 $DEV
check_equal "a finished zone is full" "$(condition 12)" "(fu)"
check "open and close" eval "blkzone open -o $((zone * 13)) -c 1 $DEV &&
	blkzone close -o $((zone * 13)) -c 1 $DEV"
check "flush" sync $DEV
check "parity" parity_check --volume $DEV "${DRIVES[@]}"
check "reset of all again" blkzone reset $DEV
check_equal "a zone that was reset is empty" "$(condition 12)" "(em)"
check "stop" volume_stop
check "members agree" raizn check "${DRIVES[@]}"
finish
