#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A SCSI disk is deleted under load, and nobody notices; a scan of its host finds
# it, and it catches up. Another one is deleted, and a fresh disk takes its
# place. fio, which verifies all it writes, sees no error.
# lab: --drives 0
. "$(dirname "$0")/harness.sh"

# load ZONE: two zones, in the background; slow enough to be under way when
# something happens.
load()
{
	local zone

	zone=$(($(queue "$DEV_NAME" chunk_sectors) * 512))
	fio --name=load --filename=$DEV --direct=1 --zonemode=zbd --rw=write \
		--bs=64k --ioengine=libaio --iodepth=8 --offset=$(($1 * zone)) \
		--size=$((2 * zone)) --io_size=20m --max_open_zones=2 \
		--rate=1500k --fsync=32 --verify=crc32c --verify_fatal=1 \
		>"$TMP/load" 2>&1 &
	LOAD=$!
	load_works
}

loaded()
{
	wait $LOAD && grep -q 'READ: .*io=20' "$TMP/load"
}

# Errors of a disk that is gone are found with the next command for it.
has_failed()
{
	[[ "$(letters)" == "degraded "*F* ]]
}

note "disks of $FORMAT, seed $SEED"
check "five disks" scsi_disks 5 $FORMAT || finish
NEW=${DRIVES[4]}
DRIVES=("${DRIVES[@]:0:4}")
check "an array of four" volume_create || finish

check "a load" load 0
check "a disk is deleted" scsi_delete "${DRIVES[2]}"
check "the array goes on without it" await 60 has_failed
check_equal "the right one has failed" "$(letters)" "degraded AAFA"
check "fio, which verifies" loaded

check "a load again" load 2
check "a scan of the host finds the disk" scsi_rescan "${HOSTS[2]}"
check "it is added" raizn add $VOLUME "$FOUND"
DRIVES[2]=$FOUND
check "it catches up" timeout 300 raizn rebuild $VOLUME --wait
check_equal "all members are there" "$(letters)" "active AAAA"
check "fio, which verifies, during that" loaded

check "a load once more" load 4
check "another disk is deleted" scsi_delete "${DRIVES[0]}"
check "the array goes on without that" await 60 has_failed
check "a fresh disk takes its place" raizn replace --no-copy $VOLUME 0 "$NEW"
check "it is rebuilt" timeout 300 raizn rebuild $VOLUME --wait
check_equal "all members are there again" "$(letters)" "active AAAA"
check "fio, which verifies, during the rebuild" loaded
DRIVES[0]=$NEW
check "flush" sync $DEV
check "parity" parity_check --volume $DEV "${DRIVES[@]}"
check "stop" volume_stop
check "members agree" raizn check "${DRIVES[@]}"
check "start" volume_start
check "stop again" volume_stop
finish
