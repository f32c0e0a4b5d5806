#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone takes no more writes, and a start could read less of it than can be read now, because a
# drive has retired its part: status does not advise a restart. If the columns that the zone lacks
# are rebuilt, a restart loses nothing, and is advised.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "zone 9 ends in the first unit of its third stripe" zone_write 9 0 144 16 fsync
check "the drive with this unit fails" raizn fail $VOLUME 4 --force
check "another one retires its part of the zone" simulated_zones_turn op3 offline "$(home 9)"
check_fails "a write to it fails" 'Input/output error' zone_write 9 144 256
check "the zone takes no more writes, and a start would read less of it" await 30 status_is \
	unwritable 1 damaged 0 retired 1 retired_at 9
check "the unit can be read" zone_holds 9 128 16
before=$(unreadable 36)
check_true "not all others can" "$before > 0"
check "a new drive" simulated_drive op5
advice_helps $VOLUME failed-member degraded NEW-DRIVE=/dev/op5
raizn rebuild $VOLUME --wait >"$TMP/output" 2>&1
check "all but the zone is rebuilt" await 30 status_is letters AAAAR degraded 1 action idle \
	unwritable 1 retired 1
shows "status tells" 'less could be read of it after a start' raizn status $VOLUME
check "and so it does programs" json_is .retired_zones 1
check_equal "as much can be read as before" "$(unreadable 36)" "$before"
advice_helps $VOLUME retired active
check "the array is whole" await 30 whole
check "none is left" status_is unwritable 0 damaged 0 retired 0
check "the zone takes writes" zone_write 9 0 176 16
check "and holds that" zone_holds 9 0 176

check "zone 10 is written" zone_write 10 0 144 16 fsync
check "a drive fails" raizn fail $VOLUME 1 --force
check "another one retires its part, which can be read" simulated_zones_turn op3 readonly \
	"$(home 10)"
check_fails "a write to it fails" 'Input/output error' zone_write 10 144 256
check "a start would read less" await 30 status_is unwritable 1 damaged 0 retired 1 retired_at 10
check "the zone can be read" zone_holds 10 0 144
check "the first drive is taken back" raizn add $VOLUME /dev/op1
rebuild_ends
check "a start would read all of it" status_is unwritable 1 retired 0
advice_helps $VOLUME unwritable active
check "the zone can be read" zone_holds 10 0 144
rebuild_ends
check "the array is whole" await 30 whole
check "data are right" data_are_right
finish
