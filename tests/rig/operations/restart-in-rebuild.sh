#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The array is stopped in the middle of a rebuild: check, list and status of the stopped array
# say so, and a start goes on with it. A rebuild keeps to its speed limit, no second member
# can be given up for it, and no spare is taken.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "slowly" raizn set $VOLUME speed_max=64K
check "blank drives" eval 'simulated_drive op5 && simulated_drive op6'
background monitor raizn monitor $VOLUME --spare /dev/op6
check "a monitor with a spare waits for events" await 30 listens $BACKGROUND
check "replace a member that works" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "it is being rebuilt" await 30 letters_are RAAAA
refused "a second drive has to wait" 3 'works without member 0 .op5. already' \
	raizn fail $VOLUME 1 --force
check "it takes its time" await 30 json_is '.operation |
	.kind == "rebuild" and .elapsed_ms >= 2000' true
# What is read ahead may be written at once.
check "it is no faster than it may be" json_is '.operation |
	.kind == "rebuild" and .done <= .elapsed_ms * 65.536 + 524288' true ||
	note "$(json .operation)"
check_equal "the spare is not taken for it" "$(cat "$TMP/monitor")" ""
background_ends $BACKGROUND

check "stop" raizn stop $VOLUME
check_equal "list" "$(raizn list --json | jq -rc \
	'.arrays[]|select(.name == "ops")|[.state,.nr_found]')" \
	'["stopped",5]'
exits "check" 1 raizn check $VOLUME
says "check says that a member is being rebuilt" 'slot 0 \(/dev/op5, .* is rebuilding'
shows "status of the stopped array" \
	'stopped cleanly while slot 0 was being rebuilt; a start goes on with that' \
	raizn status $VOLUME
shows "start" 'ops: the rebuild of slot 0 goes on' raizn start $VOLUME
dmsetup mknodes $VOLUME
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
