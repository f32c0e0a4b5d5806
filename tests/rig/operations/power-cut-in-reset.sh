#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power fails when a full zone is reset on all drives but one: the start completes the reset
# or finds the zone as it was, and does not mistake the full zone for one that its drive has
# finished by itself.
. "$(dirname "$0")/harness.sh"

# places: where each drive has its part of zone 5
places()
{
	local i

	for i in 0 1 2 3 4; do
		zone_at op$i 5
	done | xargs
}

array_up
fill_zones
before=$(places)
check "a full zone" zone_write 5 0 $CAPACITY
check "all is durable" sync $DEV
check "power fails at the fourth reset" eval \
	'simulated_set . keep all && simulated_set . cut_kinds reset &&
	 simulated_set . mark 1 && simulated_set . cut_at 4'
check_fails "reset" 'error' zone_reset 5
check "the array ends" dmsetup remove --retry $VOLUME
check "the power is back" eval \
	'simulated_set . cut_at 0 && simulated_set . power 1'
check "start" start
check "the array is whole" whole
check_equal "all columns are where they were" "$(places)" "$before"
check "data are right" data_are_right
finish
