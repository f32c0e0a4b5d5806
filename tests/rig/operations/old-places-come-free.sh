#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The member zone that a column left is emptied and used again while the array runs, also while
# a read of it is under way.
. "$(dirname "$0")/harness.sh"

# is_empty ZONE: of the first drive
is_empty()
{
	grep -Eq "^ *$1 EMPTY " "$GROUP/op1/zones"
}

# moves ZONE: a column of this zone has bad sectors, and another place soon.
moves()
{
	check "a drive cannot read some sectors of zone $1" bad_stripes op1 "$1"
	check "data are right" data_are_right
	check "the column is elsewhere" await 30 eval "whole && ! zone_is_at $1 $(home "$1")"
}

# zone_is_at ZONE PLACE
zone_is_at()
{
	[ "$(zone_at op1 "$1")" = $(($2 * 4096)) ]
}

array_up
fill_zones
mapfile -t free < <(free_zones op1)
check "a drive has one free zone only" simulated_zones_turn op1 offline "${free[@]:1}"
check "a restart" restart

simulated_set op1 fault "read 1 zone=$(home 0) status=ok then=hold"
zone_holds 0 0 1024 &
reader=$!
check "a read of this drive is under way" await 10 eval '! grep -q . "$GROUP/op1/fault"'
moves 0
check "its old place is empty" await 10 is_empty "$(home 0)"
moves 1
check "it is the place of another column" zone_is_at 1 "$(home 0)"
check "the read is still under way" kill -0 $reader
check "it goes on" simulated_set op1 stall 0
check "its data are right" wait $reader

moves 2
check "good sectors again" good_sectors op1
simulated_set op1 fault "write 1 zone=$(home 3)"
check "a write to zone 3 fails on this drive" zone_write 3 1792 256
check "its column is elsewhere" await 30 eval "whole && ! zone_is_at 3 $(home 3)"
check "the old place is empty" await 10 is_empty "$(home 3)"
check "data are right" data_are_right

check "the drive has no free zone any more" simulated_zones_turn op1 offline \
	$(free_zones op1)
for zone in 0 1 2; do
	check "it cannot read some sectors of zone $zone" bad_stripes op1 $zone
done
check "data are right" data_are_right
check "the rebuild comes to rest" await 30 status_is action idle
good_sectors op1
power_cut none
check "a start" start
check "the array is whole" await 30 whole
check "data are right" data_are_right
check "nothing is wrong" raizn scrub $VOLUME --wait
finish
