#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array with two parities lacks two members, and one of them is being rebuilt. Users reset the
# zones that the rebuild is at: it goes on with the next zone, though the empty ones still lack
# the other member.
. "$(dirname "$0")/harness.sh"
CAPACITY=4608

drives_up 6
array_of /dev/op{0..4} --level 6
for zone in 0 1 2 3 4 5 6 7; do
	check "zone $zone is full" zone_write $zone 0 $CAPACITY || finish
done
check "slowly" raizn set $VOLUME speed_max=1K
check "a member fails" raizn fail $VOLUME 3 --force
check "another one is replaced" raizn replace --no-copy $VOLUME 1 /dev/op5 --force
check "it is being rebuilt" await 30 status_is letters ARA[F-]A action rebuild
for zone in 0 1 2 3 4 5; do
	check "zone $zone is reset" zone_reset $zone
	check "the rebuild goes on" await 10 status_is letters ARA[F-]A action rebuild
done
check "at full speed" raizn set $VOLUME speed_max=0
check "only one member is missing then" await 60 status_is state degraded letters AAA[F-]A action idle
check "zone 6 is right" zone_holds 6 0 $CAPACITY
check "the other one is back" raizn add $VOLUME /dev/op3
rebuild_ends
check "the array is whole" whole

# The second member is lost in the rebuild of the first one.
check "slowly" raizn set $VOLUME speed_max=1K
check "a member is replaced" eval \
	"blkzone reset /dev/op1 && raizn replace --no-copy $VOLUME 4 /dev/op1 --force"
check "it is being rebuilt" await 30 status_is letters AAAAR action rebuild
check "zone 0 is rebuilt, or reset" zone_reset 0
check "another drive loses power" simulated_set op2 power 0
check "that is noticed" eval 'zone_write 1 0 64 "" fsync && letters_are AAFAR'
check "zone 6 is reset" zone_reset 6
check "the rebuild goes on" await 10 status_is letters AAFAR action rebuild
check "at full speed" raizn set $VOLUME speed_max=0
check "one member is missing then" await 60 status_is letters AAFAA action idle
check "zone 7 is right" zone_holds 7 0 $CAPACITY
check "the drive has power again" simulated_set op2 power 1
check "it is added" raizn add $VOLUME /dev/op2
rebuild_ends
check "the array is whole" whole
check "zone 1 is right" zone_holds 1 0 64
check "zone 7 is right" zone_holds 7 0 $CAPACITY
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0
finish
