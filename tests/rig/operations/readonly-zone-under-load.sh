#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone of a drive turns read-only under load: nobody hears of it, the zone is rebuilt
# elsewhere, and the drive's error is counted and reported.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
events_begin
load_begin
check "the load goes on" load_goes_on
simulated_zones_turn op3 readonly "$(home 3)"
check "a write that meets it" zone_write 3 1792 512 "" dsync
check "the load goes on without a zone of a drive" load_goes_on
check "the load ends without an error" load_end || rig_show "$TMP/load"
check "the zone is rebuilt without a command" await 30 whole
check "the member is not failed" letters_are AAAAA
check "its error is counted" await 30 json_is \
	'.members[3]|.write_errors > 0 and .healed > 0' true
seen "its error" ' ops errors 3 \(op3\): 0 -> [1-9][0-9]*$'
shows "status: advice" \
	'action: member 3 .op3. had errors, which were made up for: watch it' \
	raizn status $VOLUME
check "a new drive" simulated_drive op5
advice_helps $VOLUME errors active NEW-DRIVE=/dev/op5
check "data are right" data_are_right
advice_is $VOLUME none
finish
