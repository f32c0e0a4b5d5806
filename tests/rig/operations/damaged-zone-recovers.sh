#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone that lacks two columns is damaged: reads get errors, and check, status, events and
# metrics say so. When the member with one of them is back, a restart finds it whole.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
events_begin
check "a member fails" raizn fail $VOLUME 1 --force
check "a zone of another drive is lost" simulated_zones_turn op3 offline "$(home 0)"
check "stop" raizn stop $VOLUME
exits "check of a damaged array" 2 raizn check $VOLUME
says "check names the zone" 'zone 0: damaged'
check "start" start
check_fails "reads of the zone" 'Input/output error' zone_reads 0 64
shows "status says so" '; 1 zone lost more than parity makes up for' \
	raizn status $VOLUME
seen "the damaged zone" ' ops damaged: 0 -> 1$'
check "metrics" raizn monitor $VOLUME --once --prometheus "$TMP/metrics.prom"
check "the number of damaged zones" \
	grep -qx 'raizn_damaged_zones{array="ops"} 1' "$TMP/metrics.prom"

shows "take the member back" '/dev/op1 is in slot 1 now' raizn add $VOLUME /dev/op1
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
says "it says that one zone is left" 'nothing is rebuilt, but 1 zone lacks a column'
advice_helps $VOLUME damaged-rebuild:1,2 active
check "the zone is whole with what the returned member has" data_are_right
seen "the zone is not damaged" ' ops damaged: 1 -> 0$'
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
