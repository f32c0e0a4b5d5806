#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The log zone with a drive's newest checkpoint turns offline while the array is stopped: a start
# names the drive, and with --degraded does without it. The drive is not taken back with its data.
# If the last drive of a mirror loses it, status does not advise a start from the one before.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "stop" raizn stop $VOLUME
log=$(raizn inspect /dev/op1 zones --json |
	jq '.zones[]|select(.role|test("general"))|.zone')
check "the zone of the general log turns offline" simulated_zones_turn op1 offline "$log"
exits "a start" 4 raizn start $VOLUME
says "it names the drive" 'it may be /dev/op1: its superblock is gone'
check "a start with --degraded" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "it goes on without the drive" status_is letters A-AAA
check "data are right" data_are_right
check "the zone works again" simulated_zones_turn op1 empty "$log"
refused "it is not taken back with the data" 3 'its superblock is gone, other metadata is there' \
	raizn add $VOLUME /dev/op1
check "it is taken as a new drive" raizn add $VOLUME /dev/op1 --force
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right

# can_be_read: what was written before and after the first drive was left behind
can_be_read()
{
	[ "$(what_is_read "$TMP/data" 4096 64 0)" = "64 right, 0 refused, 0 wrong" ]
}

check "stop" raizn stop $VOLUME
check "three drives less" rmdir "$GROUP"/op{2..4}
array_of --level 1 /dev/op0 /dev/op1 --force
check "data" eval 'zone_write 0 0 128 "" fsync && raizn fail $VOLUME 0 --force && zone_write 0 128 128 "" fsync'
simulated_set op1 power 0
zone_write 0 256 128 "" fsync >"$TMP/out" 2>&1
advice_by_hand $VOLUME failed-drives failed simulated_set op1 power 1
advice_helps $VOLUME failed degraded
check "data are right" can_be_read
log=$(raizn inspect /dev/op1 zones --json |
	jq '.zones[]|select(.role|test("general"))|.zone')
check "the zone of the last general log turns offline" simulated_zones_turn op1 offline "$log"
check_fails "its next record fails" 'nothing more is written' raizn set $VOLUME speed_min=20M
advice_is $VOLUME failed-drives
shows "it is not to be started from the other drive" 'now: only slot 0 can be used, without all that was written since the array left it behind' \
	raizn status $VOLUME
check "data are right" can_be_read
finish
