#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive finishes a zone by itself while the array is stopped: a start with all members does
# not believe what the zone holds beyond what was written, and has computed the column anew
# before another drive can fail. At level 6 neither does a start without a drive.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
for one in op1 op3; do
	check "slowly" raizn set $VOLUME speed_max=64K
	check "a zone with room" eval \
		'zone_reset 3 && zone_write 3 0 1792 && zone_write 3 1792 28 4'
	at=$(zone_at $one 3)
	check "stop" raizn stop $VOLUME
	check "$one finishes its part of the zone" blkzone finish -o "$at" -c 1 /dev/$one
	check "start" start
	check "the array is whole at once" whole
	check "at full speed" raizn set $VOLUME speed_max=0
	check "data are right" data_are_right
	check "the column is elsewhere" test "$(zone_at $one 3)" != "$at"
	check "parity is right" raizn scrub $VOLUME --wait
	check "another drive fails" raizn fail $VOLUME 2 --force
	check "data are right without it" data_are_right
	check "it is back" raizn add $VOLUME /dev/op2
	rebuild_ends
	check "the zone is filled" eval \
		'zone_write 3 1820 36 4 && zone_write 3 1856 4288 64'
	check "another start" restart
	check "the array is whole" whole
	check "data are right" data_are_right
	check "parity is right" raizn scrub $VOLUME --wait
	# For the other drive zone 3 begins anew.
	truncate -s $((3 * ZONE / 2))K "$TMP/volume"
	truncate -s $((4 * ZONE / 2))K "$TMP/volume"
done

check "stop" raizn stop $VOLUME
check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 5"
array_of /dev/op{0..4} --level 6
check "a zone with room" zone_write 3 0 700 4
check "a drive fails" raizn fail $VOLUME 4 --force
for one in op0 op1; do
	at=$(zone_at $one 3)
	check "stop" raizn stop $VOLUME
	check "$one finishes its part of the zone" blkzone finish -o "$at" -c 1 /dev/$one
	check "start" start
	check "the column is elsewhere" test "$(zone_at $one 3)" != "$at"
	check "data are right" zone_holds 3 0 700
done
check "another drive fails" raizn fail $VOLUME 2 --force
check "data are right" zone_holds 3 0 700
finish
