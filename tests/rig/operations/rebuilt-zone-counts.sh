#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone that is whole on a new drive counts, though the rebuild of that drive goes on: it may
# lose another column, and is not damaged by that.
. "$(dirname "$0")/harness.sh"

zone_0_is_rebuilt()
{
	[ "$(on_drive op5 0)" = 3072 ]
}

array_up
fill_zones
check "slowly" raizn set $VOLUME speed_max=1M
check "a new drive" simulated_drive op5
check "replace a member that works" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "zone 0 is rebuilt" await 60 zone_0_is_rebuilt
check "more slowly" raizn set $VOLUME speed_max=16K
check "other zones are not" letters_are RAAAA
check "zone 0 is lost on another drive" simulated_zones_turn op4 offline "$(home 0)"
check "a restart" restart
check "zone 0 is right" zone_holds 0 0 $CAPACITY
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
