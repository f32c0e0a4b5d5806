#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut a drive holds more than the array can use, and has no zone left to move the
# rest to, with data of an incomplete stripe: its column is given up, and rebuilt.
. "$(dirname "$0")/harness.sh"

what_was_written()
{
	check "what was written is there" zone_holds 5 0 5144
}

array_up
debris_stays 0
fill_zones
check "slowly" raizn set $VOLUME speed_max=64K
check "80 stripes, a unit and a half" zone_write 5 0 5144 8
check "all is durable" sync $DEV
check_equal "member 0 has the unit" "$(on_drive op0 5)" 2592
free=$(free_zones op0)
check "its free zones cannot be used" simulated_zones_turn op0 readonly $free
power_cut
check "more than belongs there" debris op0 5
check "start" start
check_equal "a column was given up" "$(status_field degraded)" 1
what_was_written
check "the zone goes on" zone_write 5 5144 512 8
check "at full speed" raizn set $VOLUME speed_max=0
check "the column is rebuilt" await 30 whole
what_was_written
check "data are right" data_are_right
check "the free zones work again" simulated_zones_turn op0 empty $free
check "a restart" restart
check "the array is whole" whole
check "parity is right" raizn scrub $VOLUME --wait
finish
