#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# While a member is copied, a zone of it has another column for a moment, and then the former one
# again: what was read of it meanwhile does not count.
. "$(dirname "$0")/harness.sh"

# moves ZONE: to the free zone of the drive
moves()
{
	local was

	was=$(zone_at op1 "$1")
	check "a drive cannot read some sectors of zone $1" bad_stripes op1 "$1"
	check "they are computed" zone_holds "$1" 0 $CAPACITY
	check "its column is elsewhere" await 30 eval "whole && [ \$(zone_at op1 $1) != $was ]"
}

# holds_read PLACE
holds_read()
{
	simulated_set op1 fault "read 1 zone=$1 status=ok then=hold"
}

# is_held: a command is
is_held()
{
	! grep -q . "$GROUP/op1/fault"
}

array_up
fill_zones
mapfile -t free < <(free_zones op1)
check "a drive has one free zone only" simulated_zones_turn op1 offline "${free[@]:1}"
check "a restart" restart
check "a new drive" simulated_drive op5

holds_read "$(home 0)"
background copying raizn replace $VOLUME 1 /dev/op5 --force
check "the first zone is being copied" await 30 is_held
moves 0
moves 1
check "another column is there" eval "[ $(zone_at op1 1) = $(($(home 0) * 4096)) ]"
holds_read "$(home 2)"
check "the copy goes on" simulated_set op1 stall 0
check "up to another zone" await 30 is_held
for zone in 0 1 0; do
	moves $zone
done
check "the former column is there" eval "[ $(zone_at op1 0) = $(($(home 0) * 4096)) ]"
check "the copy goes on" simulated_set op1 stall 0
check "the drive is replaced" wait $BACKGROUND || rig_show "$TMP/copying"
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "nothing is wrong" raizn scrub $VOLUME --wait
check_equal "in any stripe" "$(json .mismatches)" 0
finish
