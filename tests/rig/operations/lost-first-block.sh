#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All that a zone held is lost with its drive's zone and a failed member: that looks like a zone
# without data, but is not called empty, also when the member is back, until it is reset.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a zone with a little data" eval 'zone_reset 0 && zone_write 0 0 8 && sync $DEV'
check "the member with its parity fails" raizn fail $VOLUME 4 --force
check "the zone with the data is lost" simulated_zones_turn op0 offline "$(home 0)"
check "a restart" restart
shows "status: it is damaged" '; 1 zone lost more than parity makes up for' \
	raizn status $VOLUME
check "take the member back" raizn add $VOLUME /dev/op4
check "a restart" restart
check_fails "it is damaged still: a read" 'Input/output error' zone_reads 0 4
check "the zone is reset" zone_reset 0
rebuild_ends
check "the array is whole" whole
check "the zone is written anew" zone_write 0 0 $CAPACITY
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
