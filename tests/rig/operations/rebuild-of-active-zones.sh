#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A returned member lacks something of all zones that users have active. Users finish these and
# open others, which together is more than the member allows: no write fails.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
# With zone 3 users have all of theirs active.
for zone in 4 5 6 7 8 9 10 11; do
	check "zone $zone is active" zone_write $zone 0 68 "" fsync
done
check "slowly" raizn set $VOLUME speed_max=64K
check "a member fails" raizn fail $VOLUME 2 --force
for zone in 4 5 6 7 8 9 10 11; do
	check "zone $zone goes on without it" zone_write $zone 68 1028 "" fsync
done
check "the member is back" raizn add $VOLUME /dev/op2
check "it is being rebuilt" await 30 letters_are AARAA
errors=$(write_errors)
check "zones are finished" zone_finish 5 7
for zone in 12 13 14 15 16 17 18; do
	check "zone $zone is written instead" zone_write $zone 0 68 "" fsync
done
check_equal "no write failed" "$(write_errors)" "$errors"
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check_equal "no write has failed" "$(write_errors)" "$errors"
check "parity is right" raizn scrub $VOLUME --wait
check "data are right" data_are_right
check "those of active zones, too" zone_holds 4 0 1096
finish
