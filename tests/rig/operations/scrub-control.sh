#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A scrub in the background is paused, resumed and stopped; a process that waits for it hears
# where it was stopped, and a start does not begin it again.
. "$(dirname "$0")/harness.sh"

array_up
check "a full zone" zone_write 0 0 $CAPACITY
check "slowly" raizn set $VOLUME speed_max=64K
shows "scrub in the background" 'ops: check begun' raizn scrub $VOLUME
refused "a second one" 3 'a check is running already' \
	raizn scrub $VOLUME repair --force
shows "pause" 'scrub paused' raizn scrub $VOLUME pause
check "it is paused" json_is '[.operation.kind,.operation.paused]' '["check",true]'
shows "resume" 'scrub goes on' raizn scrub $VOLUME resume
check "it is not paused" json_is '.operation.paused' false
background waits raizn scrub $VOLUME --wait
check "a process waits for it" await 30 listens $BACKGROUND
shows "stop" 'raizn scrub ops check --from [0-9]' raizn scrub $VOLUME stop
wait $BACKGROUND
check_equal "the process that waits ends: exit code" $? 1
check "and says where the scrub was" grep -q \
	'stopped before its end; .raizn scrub ops --from [0-9]' "$TMP/waits" ||
	rig_show "$TMP/waits"
check "it is stopped" await 30 status_is action idle
check "at full speed" raizn set $VOLUME speed_max=0
check "a restart" restart
check "no scrub begins" json_is '.operation.kind' idle
finish
