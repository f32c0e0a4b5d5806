#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The log zone with a drive's newest checkpoint turns offline while the array is stopped: a start
# names the drive, and with --degraded does without it. The drive is not taken back with its data.
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
finish
