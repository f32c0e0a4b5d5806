#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A new drive that allows more active zones than the others has many rebuilt at once, also after
# a restart and a suspend, while users have all of theirs active: no write fails.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
for zone in 4 5 6; do
	check "zone $zone is full" zone_write $zone 0 $CAPACITY
done
check "a drive with larger limits" simulated_drive op5 max_open=18 max_active=18
check "slowly" raizn set $VOLUME speed_max=64K
check "replace a member that works" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "it is being rebuilt" await 30 letters_are RAAAA
errors=$(write_errors)
check "four zones at once" await 60 eval '[ "$(zones_in_part op5)" -ge 4 ]'
for zone in 7 8 9 10 11 12 13 14; do
	check "a user writes zone $zone" zone_write $zone 0 68 "" fsync
done
check_equal "no write failed" "$(write_errors)" "$errors"
check "stop" raizn stop $VOLUME
check_true "four zones are not whole yet" "$(zones_in_part op5) >= 12"
check "start" start
check "all of them go on" await 60 eval '[ "$(zones_in_part op5)" -ge 12 ]'
check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "they do so again" await 60 eval '[ "$(zones_in_part op5)" -ge 12 ]'
check "faster" raizn set $VOLUME speed_max=1M
check "some are whole" await 90 status_is degraded '[0-3]'
check "two of the others are reset" zone_reset 4 2
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check_equal "no write has failed" "$(write_errors)" 0
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
