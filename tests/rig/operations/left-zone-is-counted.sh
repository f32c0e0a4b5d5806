#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone that a rebuild has begun on a new drive is damaged by the loss of another one, and no job
# goes on with it: its part stays active on the new drive, and takes a place of users until the zone
# is whole again, or is reset.
. "$(dirname "$0")/harness.sh"

# is_begun DRIVE SECTORS: zone 0 has more than so many there, and is not whole.
is_begun()
{
	local written

	written=$(on_drive "$1" 0)
	((written > $2 && written < 3072))
}

array_up
fill_zones
check "slowly" raizn set $VOLUME speed_max=64K
check "a new drive" simulated_drive op5
check "takes the place of another one" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "zone 0 is begun" await 60 is_begun op5 128
check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "the rebuild goes on with it" await 60 is_begun op5 "$(on_drive op5 0)"
check "all places are free" status_is letters RAAAA places 9
check "another drive loses power" simulated_set op1 power 0
check "a new zone is written" zone_write 5 0 256 "" fsync
check "three zones are damaged" await 30 status_is letters RFAAA damaged 3 action idle
check_equal "of the new drive, as many zones are active" \
	"$(zones_in_part op5)" 3
check "the damaged one takes a place" await 30 status_is active 2 places 8
check "a restart" restart
check "it takes one still" status_is letters 'R[F-]AAA' damaged 3 active 2 places 8 ||
	note "$(dmsetup status $VOLUME)"
check "the drive has power again" simulated_set op1 power 1
check "it is taken back" raizn add $VOLUME /dev/op1
check "at full speed" raizn set $VOLUME speed_max=0
check "a restart" restart
rebuild_ends
check "the array is whole" await 30 whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
