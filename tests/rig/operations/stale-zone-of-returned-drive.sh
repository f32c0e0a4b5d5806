#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive is back while a zone of it cannot be used, and still holds what was there before a
# reset that did not reach it, because the drive was away or because the zone was unusable. That
# is not believed when the zone works again.
. "$(dirname "$0")/harness.sh"

# new_life SHIFT: zone 9 is reset, and gets other data.
new_life()
{
	check "a reset" zone_reset 9
	SHIFT=$1 check "data" zone_write 9 0 5120 16
}

array_up
check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
for when in away back; do
	at=$(($(zone_at op1 9) / 4096))
	free=$(free_zones op1)
	new_life 16
	check "a drive fails" raizn fail $VOLUME 1 --force
	[ $when = away ] && new_life 0
	check "its part of the zone turns read-only" simulated_zones_turn op1 readonly $at
	# For an empty zone there would be another one at once.
	[ $when = back ] && check "and has no free zones" \
		simulated_zones_turn op1 offline $free
	check "the drive is back" raizn add $VOLUME /dev/op1
	[ $when = back ] && new_life 0
	check "a column is missing" status_is degraded '[1-9]*'
	check "stop" raizn stop $VOLUME
	check "the drive's zone works again" simulated_zones_turn op1 closed $at
	check "start" start
	check "data are right" zone_holds 9 0 5120
	check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
	rebuild_ends
	check "the array is whole" await 30 whole
	check "data are still right" zone_holds 9 0 5120
	check "parity is right" raizn scrub $VOLUME --wait
	check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
done
check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
check "the free zones work again" simulated_zones_turn op1 empty $free
check "a restart" restart
check "the array is whole" await 30 whole
finish
