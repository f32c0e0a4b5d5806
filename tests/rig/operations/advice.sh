#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What status advises in states that no other scenario has: drives that are missing at a start
# or for good, more failures than parity makes up for, a suspended volume, a read-only drive,
# a module of another version, and a zone that is lost. Each advice is carried out as printed, and helps.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones

check "stop" raizn stop $VOLUME
simulated_set op3 unplug 1
simulated_set op4 unplug 1
advice_by_hand $VOLUME connect incomplete simulated_set op3 power 1
advice_helps $VOLUME degraded degraded
check "data are right" data_are_right
check "a new drive" simulated_drive op5
advice_helps $VOLUME missing:1 active DRIVE=/dev/op5
check "let go of a member" eval 'raizn fail $VOLUME 2 --force && raizn remove $VOLUME 2'
simulated_set op2 unplug 1
simulated_set op4 power 1
advice_helps $VOLUME missing:2 active NEW-DRIVE=/dev/op4
check "data are right" data_are_right
check "a drive less" rmdir "$GROUP/op2"

# Slots 0 to 4 have op0, op1, op4, op3 and op5.
simulated_set op0 power 0
simulated_set op1 power 0
zone_write 4 0 256 "" fsync >"$TMP/out" 2>&1
check "the array fails" await 30 json_is .state failed
check "it serves what it can" dd if=$DEV of=/dev/null bs=16k count=1 iflag=direct,skip_bytes \
	skip=$((2 * 16384))
advice_by_hand $VOLUME failed-drives failed simulated_set . power 1
advice_helps $VOLUME failed active
check "data are right" data_are_right

# A member that has failed is there and makes up for nothing, which only the newest superblocks say.
check "a member fails" raizn fail $VOLUME 1 --force
simulated_set op0 power 0
zone_write 5 0 256 "" fsync >"$TMP/out" 2>&1
check "the array fails" await 30 json_is .state failed
advice_by_hand $VOLUME failed-drives failed simulated_set op0 power 1
advice_helps $VOLUME failed degraded
check "take the member back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" await 30 whole
check "data are right" data_are_right

check "somebody suspends it" dmsetup suspend $VOLUME
advice_helps $VOLUME suspended active

LD_PRELOAD=$RIG_BIN/other_version.so raizn status $VOLUME --json >"$TMP/out" 2>"$TMP/err"
check_equal "a module of another version" "$(jq -r '.arrays[0].state' "$TMP/out")" unknown
export LD_PRELOAD=$RIG_BIN/other_version.so
advice_helps $VOLUME versions stopped
unset LD_PRELOAD
check "a drive is read-only" blockdev --setro /dev/op1
check "start" start
advice_helps $VOLUME write-protected active
check "data are right" data_are_right
advice_is $VOLUME none

for drive in op1 op3; do
	check "$drive loses its part of a zone" simulated_zones_turn $drive offline \
		"$(($(zone_at $drive 2) / 4096))"
done
check "a restart" restart
advice_helps $VOLUME damaged active
check "the zone can be written" zone_write 2 0 $CAPACITY
check "data are right" data_are_right
finish
