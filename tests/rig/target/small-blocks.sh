#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Blocks of 512 bytes, written one and a few at a time, some with FUA, beside buffers that
# change meanwhile: all that others wrote is right after a power cut that a member does not
# survive, after another one takes its place, and without yet another one.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

# Pieces of so many KiB in each zone, and the memory that changes. Three blocks do not divide
# a unit: known pieces share rows with those that change.
PIECES=(0.5 1.5 1.5 4.5 1.5 0.5)
FROM=(anonymous anonymous "$TMP/mapped" anonymous anonymous "$TMP/mapped")
# Neither the last pair nor the one before is a FUA write: the last flush has a tail to log.
NR=299

write_pieces()
{
	local zone

	for zone; do
		check "write pieces of ${PIECES[zone]} KiB beside such of ${FROM[zone]##*/} memory" \
			changing_buffers write $DEV $((zone * ZONE)) "${PIECES[zone]}" "$NR" \
			"${FROM[zone]}" durable
	done
}

# verify_pieces WHEN ZONE...
verify_pieces()
{
	local when=$1 zone
	shift

	for zone; do
		check "pieces of ${PIECES[zone]} KiB in zone $zone, $when" changing_buffers \
			verify $DEV $((zone * ZONE)) "${PIECES[zone]}" "$NR"
	done
}

simulated_group small || exit 1
check "drives" simulated_drives sb 6 block_size=512 nr_zones=24 || finish
VOLUME=small
DEV=/dev/mapper/$VOLUME
DRIVES=(/dev/sb{0..4})
check "an array" raizn create --stripe-unit 16K $VOLUME "${DRIVES[@]}" || finish
at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
dmsetup mknodes $VOLUME
DEV_NAME=$(sysfs_name $DEV)
ZONE=$(queue chunk_sectors)
check_equal "bytes of a block" "$(queue logical_block_size)" 512

write_pieces 0 1 2 3
parity "parity and data agree" --volume $DEV
check "the power is off" simulated_set . power 0
check "the array ends" dmsetup remove --retry $VOLUME
for i in 0 1 3 4; do
	check "drive $i is on again" simulated_set sb$i power 1
done
check "start without member 2" raizn start --degraded $VOLUME /dev/sb{0,1,3,4} || finish
dmsetup mknodes $VOLUME
verify_pieces "without member 2" 0 1 2 3
write_pieces 4 5
check "the new drive is on" simulated_set sb5 power 1
check "replace member 2" raizn replace --no-copy $VOLUME 2 /dev/sb5
check "rebuild it" timeout 60 raizn rebuild $VOLUME --wait
check "the array is whole" status_is state active letters AAAAA degraded 0
DRIVES[2]=/dev/sb5
parity "parity and data agree with the new member" --volume $DEV
check "member 0 fails" raizn fail $VOLUME 0 --force
verify_pieces "without member 0" "${!PIECES[@]}"
check "stop" raizn stop $VOLUME
finish
