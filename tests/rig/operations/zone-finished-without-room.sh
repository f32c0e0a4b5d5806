#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive finishes a zone by itself and has no other zone for it: what the zone holds is not
# believed by the start after that either, also when the volume's zone is full by then.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a zone with room" zone_write 3 1792 28 4
check "slowly" raizn set $VOLUME speed_max=64K
free=$(free_zones op1)
check "stop" raizn stop $VOLUME
check "a drive finishes its part of the zone" \
	blkzone finish -o $(($(home 3) * 4096)) -c 1 /dev/op1
check "its free zones fail" simulated_zones_turn op1 offline $free
check "start" start
check_equal "a column is missing" "$(status_field degraded)" 1
check "the zone is filled" eval 'zone_write 3 1820 36 4 && zone_write 3 1856 4288 64'
check_equal "the column is missing still" "$(status_field degraded)" 1
check "a restart" restart
check "data are right" data_are_right
check_equal "the column is known to be missing" "$(status_field degraded)" 1
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check "the free zones work again" simulated_zones_turn op1 empty $free
check "a restart" restart
check "the array is whole" whole
finish
