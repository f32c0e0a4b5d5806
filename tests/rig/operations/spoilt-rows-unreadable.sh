#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debris stayed in place behind the last stripe, and the drive cannot read sectors of it: users get
# them from parity in memory, the column goes to another member zone, where no row is spoilt, also when
# it comes back to the first one, and after a power cut.
. "$(dirname "$0")/harness.sh"

# fails_at SECTOR: op0 cannot read a block of its part of zone 5.
fails_at()
{
	simulated_set op0 bad_sectors "$(($(zone_at op0 5) + $1)) 8"
}

is_at_home()
{
	[ "$(zone_at op0 5)" = $(($(home 5) * 4096)) ]
}

array_up
debris_stays 1024
fill_zones
mapfile -t free < <(free_zones op0)
check "op0 has one free zone only" simulated_zones_turn op0 offline "${free[@]:1}"
check "a restart" restart
check "80 stripes, a unit and a half" zone_write 5 0 5144 8
check "all is durable" sync $DEV
power_cut
check "op0 has more than belongs there" debris op0 5
check "start" start
check "its next unit is spoilt" status_is spoilt 32
check "op0 cannot read a block of the last stripe" fails_at 2560
check "all can be read" zone_holds 5 0 5144
check "the array is whole" await 30 whole
check "the column is in another zone" eval '! is_at_home'
check "nothing is spoilt there" status_is spoilt 0
check "the zone goes on" zone_write 5 5144 552 8
check "all can be read" zone_holds 5 0 5696
check "op0 cannot read a block of complete stripes" fails_at 64
check "all can be read" zone_holds 5 0 5696
check "the column goes back" await 30 is_at_home
check "the array is whole" await 30 whole
check "parity is right" raizn scrub $VOLUME --wait
power_cut
check "op2 is not there" simulated_set op2 power 0
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "nothing is damaged" status_is letters AA-AA damaged 0 spoilt 0
check "all can be read" zone_holds 5 0 5696
check "data of other zones are right" data_are_right
finish
