#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone lacks a column, and is reset; a write waits behind the reset when a zone of another drive
# turns bad in it: the empty column gets another zone, and the write goes on. Without a free zone the
# array fails, though no data is at risk. The next start has all of it.
. "$(dirname "$0")/harness.sh"

# zone_9_has WORDS: its report does.
zone_9_has()
{
	[[ $(blkzone report -o $((9 * ZONE)) -c 1 $DEV) = *"$1"* ]]
}

# bad_zone_in_reset: of op1, under zone 9; a write waits behind the reset
bad_zone_in_reset()
{
	check "a device for the reset" eval "dmsetup create ops-reset --table \
		'0 $(blockdev --getsz $DEV) linear $DEV 0' && dmsetup mknodes ops-reset"
	check "another drive will retire the zone in a reset" simulated_set op1 fault \
		"reset 1 zone=$(($(zone_at op1 9) / 4096)) effect=none then=readonly"
	check "it stalls before" simulated_set op1 stall 1
	blkzone reset -f -o $((9 * ZONE)) -c 1 /dev/mapper/ops-reset 2>"$TMP/reset" &
	check "the reset is accepted" await 30 zone_9_has "(em)"
	zone_write 9 0 256 2>"$TMP/write" &
	write=$!
	check "a write waits behind it" await 30 zone_9_has "wptr 0x000200"
	check "the drive goes on" simulated_set op1 stall 0
}

array_up
fill_zones
check "zone 9 has data" zone_write 9 0 256 "" fsync
check "a drive fails" raizn fail $VOLUME 4 --force
at_exit "dmsetup remove --retry ops-reset"
at_exit "simulated_set op1 stall 0"
check "another drive retires a free zone, unnoticed" simulated_zones_turn op1 offline \
	"$(free_zones op1 | head -1)"
bad_zone_in_reset
check "the write succeeds" wait $write
check "remove the device" dmsetup remove --retry ops-reset
check "the array goes on" status_is state degraded letters AAAAF damaged 0
check_true "the column is in another zone" "$(zone_at op1 9) != $(home 9) * 4096"
check "the zone takes data" zone_write 9 256 256 "" fsync
check "the zone is right" zone_holds 9 0 512
check "data are right" data_are_right

check "the drive has no free zone" simulated_zones_turn op1 offline $(free_zones op1)
check "a restart" restart
bad_zone_in_reset
check_fails "the write fails" 'Input/output error' eval 'wait $write; cat "$TMP/write"; false'
check "the array fails" await 30 status_is state failed
check "data are right" data_are_right
check "remove the device" dmsetup remove --retry ops-reset
check "a restart" restart
check "the array works again" status_is state degraded letters 'AAAA[F-]'
check_fails "the zone takes no data" 'Input/output error' zone_write 9 0 256 "" fsync
check "data are right" data_are_right
finish
