#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive that is pulled out of an array that nobody uses is noticed by status, by monitor
# --once and by a monitor that waits. If two are, either of them is enough for a start, and status
# advises to connect one before that.
. "$(dirname "$0")/harness.sh"

# drive_returns: and it takes its place again.
drive_returns()
{
	check "let go of it" raizn remove $VOLUME 4
	check "the drive is back" simulated_set op4 power 1
	check "take it back" raizn add $VOLUME /dev/op4
	rebuild_ends
	check "the array is whole" whole
}

array_up
fill_zones
telling_program
simulated_set op4 unplug 1
shows "status: the drive is gone" 'the drive of member 4 is gone' raizn status $VOLUME
check "the array has not noticed" letters_are AAAAA
shows "monitor --once sees it" \
	'ops: member 4 \(.*\) is called failed now, its drive is gone' \
	raizn monitor --once --program "$TMP/program"
check "the array goes on without it" letters_are AAAAF
drive_returns

simulated_set op4 unplug 1
advice_helps $VOLUME gone:1 degraded
drive_returns

check "data that no flush covers" zone_write 4 0 256
simulated_set op3 unplug 1
simulated_set op4 unplug 1
shows "status: two drives are gone" 'the drives of slots 3 and 4 are gone' raizn status $VOLUME
advice_by_hand $VOLUME failed-drives active simulated_set op3 power 1
advice_helps $VOLUME failed degraded
check "data are right" data_are_right
check "the other drive is back" simulated_set op4 power 1
advice_helps $VOLUME add-back active
check "the array is whole" await 30 whole

simulated_set op3 unplug 1
simulated_set op4 unplug 1
check_fails "the array is told of one, and fails for the other" 'member 4 does not answer' \
	raizn fail $VOLUME 3 --force
advice_by_hand $VOLUME failed-drives failed simulated_set op3 power 1
advice_helps $VOLUME failed degraded
check "data are right" data_are_right
check "the other drive is back" simulated_set op4 power 1
advice_helps $VOLUME add-back active
check "the array is whole" await 30 whole

background monitor raizn monitor --program "$TMP/program"
check "a monitor waits for events" await 30 listens $BACKGROUND
simulated_set op4 unplug 1
check "a monitor that waits sees it, too" await 30 letters_are AAAAF ||
	rig_show "$TMP/monitor"
check "and says so" await 30 grep -q \
	'ops: member 4 (.*) is called failed now, its drive is gone' "$TMP/monitor" ||
	rig_show "$TMP/monitor"
background_ends $BACKGROUND
drive_returns
check "data are right" data_are_right
finish
