#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A start without a member, after a power cut, believes nobody who comes back of zones that may
# have been cut short; the zone that is not full is rebuilt first. What is rebuilt on a new drive
# by then counts at the next start.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "all is durable" sync $DEV
check "slowly" raizn set $VOLUME speed_max=128K
check "a member fails" raizn fail $VOLUME 2 --force
power_cut
check "start" start
check "the drive, emptied, takes its place again" eval \
	"blkzone reset /dev/op2 && raizn add $VOLUME /dev/op2"
check "it is being rebuilt" await 30 letters_are AARAA
check "a zone is whole" await 60 status_is degraded 3
check_equal "it is the one that is not full" "$(written_at op2 3)" 896
for zone in 0 1 2; do
	check_true "zone $zone is not" "$(written_at op2 $zone) < 3072"
done
check "a restart" restart
check_true "what was rebuilt counts" "$(status_field degraded) <= 3"
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
