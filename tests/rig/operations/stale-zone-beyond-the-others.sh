#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut a drive that is being rebuilt holds more of a zone than the others, and
# cannot use that zone; others write other data there. What it holds is not believed when its
# zone works again.
. "$(dirname "$0")/harness.sh"

array_up
at=$(home 9)
SHIFT=16 check "data" zone_write 9 0 1920 16
check "a drive fails" raizn fail $VOLUME 1 --force
check "another zone goes on" zone_write 10 0 5120 64
check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
check "it is back" raizn add $VOLUME /dev/op1
check "it is being rebuilt" letters_are ARAAA
check "all is durable" sync $DEV
SHIFT=16 check "more data" zone_write 9 1920 1920 16
check "durable on this drive" sync /dev/op1
power_cut none
check_true "it has more than the others" \
	"$(written_at op1 9) > $(written_at op0 9)"
check "its part of the zone turns read-only" simulated_zones_turn op1 readonly "$at"
check "start" start
check "other data in its place" zone_write 9 1920 3200 16
check "it is being rebuilt" letters_are ARAAA
check "stop" raizn stop $VOLUME
check "the drive's zone works again" simulated_zones_turn op1 closed "$at"
check "start" start
check "data are right" zone_holds 9 1920 3200
check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
rebuild_ends
check "the array is whole" await 30 whole
check "data are still right" zone_holds 9 1920 3200
SHIFT=16 check "those of before, too" zone_holds 9 0 1920
check "parity is right" raizn scrub $VOLUME --wait
finish
