#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A damaged zone is given up by a reset, which does not reach a drive's part of it: what that
# holds is not believed when it can be used again.
. "$(dirname "$0")/harness.sh"

array_up
SHIFT=16 check "data" zone_write 9 0 5120 16
free=$(free_zones op3)
check "a drive fails" raizn fail $VOLUME 1 --force
check "stop" raizn stop $VOLUME
check "another drive loses its part of the zone, and has no free zones" \
	simulated_zones_turn op3 offline "$(home 9)" $free
check "start" start
shows "a zone is damaged" '1 zone lost more than parity' raizn status $VOLUME
check "it is reset" zone_reset 9
check "the first drive is back" raizn add $VOLUME /dev/op1
timeout 60 raizn rebuild $VOLUME --wait >"$TMP/out" 2>&1
check "other data" await 60 zone_write 9 0 5120 16
check "stop" raizn stop $VOLUME
check "the other drive's zone works again" simulated_zones_turn op3 closed "$(home 9)"
check "start" start
check "data are right" zone_holds 9 0 5120
check "and its free zones" simulated_zones_turn op3 empty $free
check "a restart" restart
rebuild_ends
check "the array is whole" await 30 whole
check "data are still right" zone_holds 9 0 5120
check "parity is right" raizn scrub $VOLUME --wait
finish
