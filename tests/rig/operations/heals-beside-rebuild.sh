#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive with as many active zones as the others has one zone rebuilt at a time. A zone behind those
# that wait for that is healed on another drive meanwhile.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
for zone in 4 5 6 7; do
	check "zone $zone is full" zone_write $zone 0 $CAPACITY
done
check "slowly" raizn set $VOLUME speed_max=512K
check "a new drive" simulated_drive op5
check "takes the place of one that works" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "zones are being rebuilt" await 30 status_is letters RAAAA action rebuild
check "a new zone is full, and whole" zone_write 8 0 $CAPACITY "" fsync
check "another drive cannot read blocks of it" bad_stripes op2 8
check "they are decoded" zone_holds 8 0 $CAPACITY
check "its part is rewritten" await 60 status_is member2 '*,1'
check "before the rebuild is done" status_is letters RAAAA degraded '[2-9]'
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check "the zone holds what was written" zone_holds 8 0 $CAPACITY
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json .mismatches)" 0
finish
