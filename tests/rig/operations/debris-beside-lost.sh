#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut a drive holds more of a zone than the array can use, and has no zone left to move
# the rest to, and the zone lacks another column: the start is refused. The array starts without the
# drive, and the zone is damaged; with the drive it is refused again, until that has a free zone. If
# debris may stay where it is, the start needs none.
. "$(dirname "$0")/harness.sh"

array_up
debris_stays 0
fill_zones
free=$(free_zones op3)
check "a drive loses its part of zone 5, and has no other zone for it" \
	simulated_zones_turn op3 offline $free "$(home 5)"
check "80 stripes, a unit and a half" zone_write 5 0 5144 8
check "all is durable" sync $DEV
check "the zone lacks a column" await 30 status_is degraded 1 action idle
free=$(free_zones op0)
check "free zones of another drive cannot be used" simulated_zones_turn op0 readonly $free
power_cut
check "that has more than belongs there" debris op0 5
for degraded in "" --degraded; do
	# shellcheck disable=SC2086
	exits "a start${degraded:+ $degraded}" 1 raizn start $VOLUME $degraded
	says "it is refused" 'op0: no free zone is left to move a column to'
done
check "the drive is left out" simulated_set op0 power 0
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "the zone is damaged" status_is letters -AAAA damaged 1
check "data of the others are right" data_are_right
check "the drive is back" eval "simulated_set op0 power 1 && raizn add $VOLUME /dev/op0"
exits "the zone is not rebuilt" 1 raizn rebuild $VOLUME --wait
check "stop" raizn stop $VOLUME
exits "a start" 1 raizn start $VOLUME
says "it is refused again" 'op0: no free zone is left to move a column to'
check "its free zones work again" simulated_zones_turn op0 empty $free
check "start" start
check "nothing was lost" eval 'status_is damaged 0 && zone_holds 5 0 5144 && data_are_right'
check "reset" zone_reset 5
check "80 stripes, a unit and a half" zone_write 5 0 5144 8
check "all is durable" sync $DEV
free=$(free_zones op0)
check "free zones of a drive cannot be used" simulated_zones_turn op0 readonly $free
power_cut
check "it has more than belongs there" debris op0 5
check "that may stay" debris_stays 1024
check "start" start
check "nothing was lost" eval 'status_is damaged 0 && zone_holds 5 0 5144 && data_are_right'
check "the zone goes on" zone_write 5 5144 512 8
check "all of it is there" zone_holds 5 0 5656
finish
