#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive is missing, and another one retires a zone, read-only, that is partly written: it can be
# read, and is damaged if the array is started again before the first drive's columns are rebuilt.
# If it fails the finish of a full zone instead, its part stays active until the next start.
. "$(dirname "$0")/harness.sh"
# Zones of the drives go on behind the last stripe unit.
SIMULATED_SETTINGS+=(zone_capacity_kib=1540)

# part_of_zone_5_is CONDITION: on op3
part_of_zone_5_is()
{
	[ "$(awk -v n="$(home 5)" '$1 == n { print $2 }' "$GROUP/op3/zones")" = "$1" ]
}

array_up
fill_zones
check "zone 9 is written" zone_write 9 0 176 16 fsync
check "a drive fails" raizn fail $VOLUME 1 --force
check "another one retires its part" simulated_zones_turn op3 readonly "$(home 9)"
check_fails "a write to it fails" 'Input/output error' zone_write 9 176 256
check "the zone is read-only, and not damaged" await 30 status_is unwritable 1 damaged 0
check "it can be read" zone_holds 9 0 176
check "a restart" restart
check "it is damaged" status_is unwritable 0 damaged 1
check_true "and in parts it cannot be read" "$(unreadable 44) > 0"
check "it is given up" zone_reset 9

check "the other drive will fail the finish of a full zone" simulated_set op3 fault \
	"finish 1 zone=$(home 5) effect=none"
check "zone 5 is full" eval "zone_write 5 0 $CAPACITY && zone_is_full 5"
check "its part is active on the drive" part_of_zone_5_is IMP_OPEN
check "users do not have it active" status_is active 1 unwritable 0 damaged 0
check "it can be read" zone_holds 5 0 $CAPACITY
check "a restart" restart
check "its part is full" part_of_zone_5_is FULL
check "it can be read" eval "zone_holds 5 0 $CAPACITY && data_are_right"
finish
