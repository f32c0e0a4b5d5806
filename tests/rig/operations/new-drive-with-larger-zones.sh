#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a new drive whose zones hold more than those of the others, full zones are not full before
# they are finished: they are finished, so that they are not active for ever.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "zone 4 is written" zone_write 4 0 68
check "and finished" zone_finish 4
check "a drive whose zones hold more" simulated_drive op5 zone_capacity_kib=1804
check "replace a member that works" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
rebuild_ends
check "the array is whole" whole
check_equal "zone 3, which is not full, is active there" "$(zones_in_part op5)" 1
errors=$(write_errors)
# More of them than drives let be active.
for zone in 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do
	check "zone $zone is filled" zone_write $zone 0 $CAPACITY
done
check_equal "none of them is active there" "$(zones_in_part op5)" 1
check_equal "no write failed" "$(write_errors)" "$errors"
check "stop" raizn stop $VOLUME
check "nothing is left to do" raizn check $VOLUME
check "start" start
check "the array is whole" whole
check "another member fails" raizn fail $VOLUME 1 --force
check "data are right" data_are_right
check "of the new zones, too" eval \
	"zone_holds 5 0 $CAPACITY && zone_holds 11 0 $CAPACITY && zone_holds 18 0 $CAPACITY"
check "zone 18 is reset" zone_reset 18
check "and filled without the member" zone_write 18 0 $CAPACITY
check "the member is back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
check "zones are reset" zone_reset 4 14
check "a drive like the others in its place" raizn replace --no-copy $VOLUME 0 /dev/op0 --force
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "those of zone 18, too" zone_holds 18 0 $CAPACITY
check "parity is right" raizn scrub $VOLUME --wait
finish
