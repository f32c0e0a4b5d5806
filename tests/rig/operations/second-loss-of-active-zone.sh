#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones are being written, and not rebuilt yet on a new drive, when another drive is lost. The
# array fails: if the drive is back, a start finds all. If it is not, the owner may start the
# array without it: zones that lack both are read-only then, all others can be written. Later a
# new drive takes the place of the lost one.
. "$(dirname "$0")/harness.sh"

zones_hold()
{
	data_are_right && zone_holds 4 0 1792 && zone_holds 5 0 1808 && zone_holds 6 0 64
}

array_up
fill_zones
check "more zones are being written" eval \
	"zone_write 4 0 1792 && zone_write 5 0 1808 16 && zone_write 6 0 64 && sync $DEV"
check "hardly" raizn set $VOLUME speed_max=1K
check "a new drive" simulated_drive op5
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "nothing is rebuilt yet" status_is letters RAAAA degraded 7
check "another drive loses power" simulated_set op1 power 0
check_fails "a writer gets an error" 'Input/output error' zone_write 5 1808 256
check "the array fails" await 30 status_is state failed
check "the drive has power again" simulated_set op1 power 1
advice_helps $VOLUME failed degraded
check "all can be read" zones_hold
check "nothing was lost" status_is letters RAAAA damaged 0

check "the other drive loses power for good" simulated_set op1 power 0
check_fails "a writer gets an error" 'Input/output error' zone_write 4 1792 256
check "the array fails" await 30 status_is state failed
simulated_set op1 unplug 1
check "stop" raizn stop $VOLUME
check "it is taken out of the machine" rmdir "$GROUP/op1"
exits "a start" 4 raizn start $VOLUME
says "it is refused" 'what is not rebuilt on slot 0 yet cannot be read without slot 1'
advice_helps $VOLUME degraded degraded
check_equal "seven zones are read-only" "$(blkzone report -c 7 $DEV | grep -c '(ro)')" 7
check "status says so" status_is letters R-AAA damaged 7
check "a new zone is written" zone_write 7 0 $CAPACITY "" fsync
check "it can be read" zone_holds 7 0 $CAPACITY
for zone in 3 4 5; do
	read=$(what_is_read "$TMP/data" 16384 112 $((zone * ZONE)))
	check_equal "zone $zone: what is read is right ($read)" "${read##*refused, }" "0 wrong"
done
check "a zone is reset" zone_reset 5
check "it takes data" zone_write 5 0 256 "" fsync
check "more zones are being written" eval 'for zone in 8 9 10; do
	zone_write $zone 0 64 "" fsync || return; done'
power_cut
check "start" start
check "as before" status_is letters 'R-AAA' damaged 6
check "data are there" eval "zone_holds 7 0 $CAPACITY && zone_holds 5 0 256 &&
	zone_holds 8 0 64 && zone_holds 9 0 64 && zone_holds 10 0 64"

check "a new drive" simulated_drive op6
advice_helps $VOLUME needed-member degraded NEW-DRIVE=/dev/op6
check "at full speed" raizn set $VOLUME speed_max=0
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
check "zones that were damaged before need nobody: the new drive fails an append" \
	simulated_set op6 fault "append 1 status=ioerr"
check "a zone is reset" zone_reset 10
check "the array goes on without the drive" await 30 status_is state degraded letters RFAAA
check "it is taken back" raizn add $VOLUME /dev/op6
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
check "the damaged zones are given up" eval "zone_reset 0 5 && zone_reset 6"
rebuild_ends
check "the array is whole" whole
check "data are there" eval "zone_holds 7 0 $CAPACITY && zone_holds 5 0 256 &&
	zone_holds 8 0 64 && zone_holds 9 0 64"
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0
finish
