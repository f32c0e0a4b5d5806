#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Damaged zones that are partly written are active on their members, and take places of zones that
# users may have active: logs switch, and starts succeed, with as many others active as there are
# places. When the missing drive is back, they are whole and active. With a blank drive in its place
# they stay damaged, and take no place of that drive.
. "$(dirname "$0")/harness.sh"

# zones_are_written FIRST LAST
zones_are_written()
{
	local zone

	for ((zone = $1; zone <= $2; zone++)); do
		zone_write $zone 0 256 || return
	done
}

zones_hold()
{
	local zone

	for zone; do
		zone_holds $zone 0 256 || return
	done
}

# part_is_lost ZONE: that of op3, which the end of none of zones 0 to 2 is in
part_is_lost()
{
	simulated_zones_turn op3 offline $(($(zone_at op3 "$1") / 4096))
}

switches()
{
	status_field log_switches
}

array_up
for zone in 0 1 2; do
	check "zone $zone is written" zone_write $zone 0 256 "" fsync
	check "op3 loses its part" part_is_lost $zone
done
check "stop" raizn stop $VOLUME
check "another drive is away" simulated_set op4 unplug 1
check "start" raizn start $VOLUME --degraded
dmsetup mknodes $VOLUME
check "three zones are damaged, and take places" status_is damaged 3 active 0 max_active 9 places 6
check_equal "the volume says so" \
	"$(cat "/sys/block/$(sysfs_name $DEV)/queue/max_active_zones")" 6
check "many records are in the general logs" zone_resets $DEV 4 1 40
check "as many zones as there are places" zones_are_written 3 8
check_fails "no other one" "" zone_write 9 0 256
shows "status tells why" '; 1 active or damaged zone must become full or be reset before new' \
	raizn status $VOLUME
shows "and what damaged zones take" '6 of 9 active; damaged zones take 3$' raizn status $VOLUME
check "programs are told, too" json_is '[.limits.places,.limits.too_many]' '[6,1]'
before=$(switches)
check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check_true "the general logs have switched" "$(switches) >= $before + 4"
check "the partial-parity logs switch" zone_write 3 256 4096 4 dsync
check "the array works" status_is state degraded letters AAAA- damaged 3 active 6
check "a restart" restart
check "the same places" status_is damaged 3 active 6 places 6
power_cut
check "start" start
check "the same after a power cut" status_is letters AAAA- damaged 3 active 6 places 6
check "one is given up" zone_reset 0
check "its place is free" status_is damaged 2 places 7
check "another zone can be written" zone_write 9 0 256
check_fails "one" "" zone_write 10 0 256

check "the missing drive is back" simulated_set op4 power 1
check "it is taken back" raizn add $VOLUME /dev/op4
check "places are the same" status_is damaged 2 active 7 places 7
check "so is what the others hold" zones_hold 4 5 6 7 8 9
check "a restart" restart
check "the zones are whole, and active" status_is damaged 0 active 9 places 9
check "they hold what was written" zones_hold 1 2
rebuild_ends
check "the array is whole" whole
check_fails "no other zone can be written" "" zone_write 10 0 256
check "that is as usual" json_is '[.limits.places,.limits.too_many]' '[9,0]'
check "one of them is finished" zone_finish 1
check "another one is written" zone_write 10 0 256 "" fsync
check "zone 4 is full" zone_write 4 256 $((CAPACITY - 256))

# Once more; a blank drive takes the place of the missing one.
check "op3 loses its part of zone 2" part_is_lost 2
check "the drive fails" raizn fail $VOLUME 4 --force
check "a restart" restart
check "the zone is damaged" status_is damaged 1 active 7 places 8
check "as many others as there are places" zone_write 11 0 256 "" fsync
check "a blank drive" simulated_drive op5
check "takes the place of the other one" raizn replace $VOLUME 4 /dev/op5 --force
check "only the damaged zone lacks columns" await 60 status_is letters AAAAR degraded 1 action idle
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
check "it takes the same place" status_is damaged 1 active 8 places 8
check_fails "no other zone can be written" "" zone_write 12 0 256
check "it is given up" zone_reset 2
rebuild_ends
check "the array is whole" whole
check "all places are free" status_is active 8 places 9
check "another zone can be written" zone_write 12 0 256
check "the zones hold what was written" zones_hold 4 5 6 7 8 9 10 11
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json .mismatches)" 0
finish
