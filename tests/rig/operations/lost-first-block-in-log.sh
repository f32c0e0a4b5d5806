#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Only a partial-parity record is left of a zone's data, and each start begins new logs: the
# zone is damaged at the second and third start, too.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a zone with a little data" eval 'zone_reset 0 && zone_write 0 0 8 && sync $DEV'
check "a member without data of it fails" raizn fail $VOLUME 2 --force
check "the zone with the data is lost" simulated_zones_turn op0 offline "$(home 0)"
for start in first second third; do
	check "stop" raizn stop $VOLUME
	raizn check $VOLUME >"$TMP/out" 2>&1
	says "$start start: check says that it is damaged" 'zone 0: damaged'
	check "$start start" start
	check_fails "$start start: it is damaged" 'Input/output error' zone_reads 0 4
	check_fails "$start start: it is not written" 'Input/output error' \
		zone_write 0 0 4
	[ $start = second ] &&
		check "take the member back" raizn add $VOLUME /dev/op2
done
check "the mark is to be seen" eval "raizn inspect /dev/op2 zones --json |
	jq -e '.zones[]|select(.logical_zone == 0)|.unlogged'"
check "the zone is reset" zone_reset 0
rebuild_ends
check "the array is whole" whole
check "the zone is written anew" zone_write 0 0 $CAPACITY
check "a restart" restart
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
