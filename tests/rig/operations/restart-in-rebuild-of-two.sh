#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two members of an array with two parities are being rebuilt, each in the middle of another zone,
# when it is stopped: with drives that leave an active zone for one job of a member, the rebuild of
# both goes on after the start.
. "$(dirname "$0")/harness.sh"

# begun DRIVE ZONE: its part of the zone has been begun.
begun()
{
	[ "$(on_drive "$1" "$2")" -gt 0 ]
}

drives_up 5
CAPACITY=4608 ZONE=16384
array_of /dev/op{0..4} --level 6
fill_zones
check "blank drives" eval 'simulated_drive op5 && simulated_drive op6'
check "slowly" raizn set $VOLUME speed_max=256K
check "replace a member" raizn replace --no-copy $VOLUME 3 /dev/op5 --force
check "it is in the middle of the second zone" await 60 begun op5 1
check "replace another one" raizn replace --no-copy $VOLUME 0 /dev/op6 --force
check "it is in the middle of the first zone" await 60 begun op6 0
check_equal "both are rebuilt" "$(status_field letters)" RAARA
check "stop" raizn stop $VOLUME
check_equal "each drive has a zone in part, beside that of users" \
	"$(zones_in_part op5) $(zones_in_part op6)" "2 2"
check "start" start
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "in all stripes" "$(json .mismatches)" 0
finish
