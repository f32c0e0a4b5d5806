#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A damaged zone that is not full stays damaged with the returned member, as nothing tells how
# much that lacks; status advises a reset, which makes the zone usable again.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
events_begin
check "a member fails" raizn fail $VOLUME 1 --force
check "the zone that is not full is lost on another drive" \
	simulated_zones_turn op3 offline "$(home 3)"
check "a restart" restart
seen "the damaged zone" ' ops damaged: 0 -> 1$'
check "take the member back" raizn add $VOLUME /dev/op1
check "a restart" restart
advice_helps $VOLUME damaged-rebuild:3 active
seen "the zone is not damaged" ' ops damaged: 1 -> 0$'
rebuild_ends
check "the array is whole" whole
check "the zone is written anew" zone_write 3 0 1792
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check "a restart" restart
check "the array is whole" whole
check "data are right" data_are_right
finish
