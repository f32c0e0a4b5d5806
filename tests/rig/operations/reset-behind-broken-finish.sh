#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In an array without a drive a write fails on one drive, while it waits for another one. A finish
# of the zone waits behind it, and a reset comes: the finish fails, the reset does not.
. "$(dirname "$0")/harness.sh"

zone_is_empty()
{
	blkzone report -o $(($1 * ZONE)) -c 1 $DEV | grep -q '(em)'
}

# ended JOB: with which exit status
ended()
{
	timeout 30 tail --pid="$1" -f /dev/null || return 124
	wait "$1"
}

array_up
fill_zones
check "a member fails" raizn fail $VOLUME 0 --force
check "a zone is written" zone_write 4 0 256
at_exit "simulated_set op3 stall 0; simulated_set op4 stall 0"
check "a drive will fail a write" simulated_set op3 fault \
	"write 1 zone=$(home 4) effect=none status=ioerr"
check "it stalls before" simulated_set op3 stall 1
check "so does another one" simulated_set op4 stall 1
zone_write 4 256 256 2>"$TMP/write" &
write=$!
check "a write waits for both" await 30 eval \
	'[[ $(blkzone report -o $((4 * ZONE)) -c 1 $DEV) = *"wptr 0x000400"* ]]'
zone_finish 4 2>"$TMP/finish" &
finish=$!
check "a finish waits behind the write" await 30 zone_is_full 4
check "the first drive goes on" simulated_set op3 stall 0
check "it has failed the write" await 30 eval \
	'dmesg | grep -q "write in logical zone 4 failed"'
# The finish has the volume for itself.
blkzone reset --force -o $((4 * ZONE)) -c 1 $DEV 2>"$TMP/reset" &
reset=$!
check "the zone is reset" await 30 zone_is_empty 4
check "the other drive goes on" simulated_set op4 stall 0
ended $write
check_equal "the write failed" $? 1
ended $finish
check_equal "so did the finish" $? 1
ended $reset
check_equal "the reset did not" $? 0
check "the zone takes data" zone_write 4 0 512 "" fsync
check "they are there" zone_holds 4 0 512
check "the array works" status_is state degraded letters FAAAA unwritable 0
check "data are right" data_are_right
finish
