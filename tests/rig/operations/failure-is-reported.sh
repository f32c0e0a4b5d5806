#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# raizn events, its JSON, the monitor's program and the monitor's metrics for Prometheus tell
# of a drive that fails and of its replacement; raizn events sleeps while nothing happens.
. "$(dirname "$0")/harness.sh"

metric_is()
{
	[ "$(grep -F "$1" "$TMP/ops.prom" | cut -d ' ' -f 2)" = "$2" ]
}

switches()
{
	awk '/ctxt_switches/ { n += $2 } END { print n }' "/proc/$1/status"
}

# sleeps PID: it does not run within a second.
sleeps()
{
	local before

	before=$(switches "$1")
	sleep 1
	[ "$before" ] && [ "$(switches "$1")" = "$before" ]
}

array_up
telling_program
check "a new drive" simulated_drive op5
check "some data" zone_write 4 0 256
events_begin
background events.json raizn events --json
JSON=$BACKGROUND
background monitor raizn monitor --program "$TMP/program" --prometheus "$TMP/ops.prom"
MONITOR=$BACKGROUND
check "the monitor writes its file" await 30 test -s "$TMP/ops.prom"
check "metrics: the array is active" \
	metric_is 'raizn_array_state{array="ops",state="active"}' 1
check "the others wait for events" await 30 eval "listens $JSON && listens $MONITOR"
check "raizn events sleeps while nothing happens" await 30 sleeps $EVENTS

simulated_set op2 power 0
check "a write while a drive is dead" zone_write 4 256 256 "" fsync
check "the drive is failed" await 30 letters_are AAFAA
seen "the member" '^20[-0-9]*T[0-9:]*[-+][0-9]* ops member 2 \(op2\): active -> failed$'
seen "the state" ' ops state: active -> degraded$'
check "events --json" await 30 eval "jq -se 'any(.[]; .array == \"ops\"
	and .what == \"member\" and .slot == 2 and .device == \"op2\" and
	.old == \"active\" and .new == \"failed\")' '$TMP/events.json'"
check "events --json: each event is one line" await 30 eval \
	"[ \$(wc -l <'$TMP/events.json') = \$(jq -s length '$TMP/events.json') ]"
check "the monitor runs the program" await 30 grep -qx \
	'ops member active failed ops member 2 op2 active failed degraded' \
	"$TMP/told"
check "metrics: the state" await 30 metric_is \
	'raizn_array_state{array="ops",state="degraded"}' 1
check "metrics: the member" await 30 metric_is \
	'raizn_member_state{array="ops",slot="2",device="op2",state="failed"}' 1

check "a slow rebuild" raizn set $VOLUME speed_max=1K
advice_helps $VOLUME failed-member degraded NEW-DRIVE=/dev/op5
seen "the rebuild begins" ' ops action: idle -> rebuild$'
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
seen "the member is back" ' ops member 2 \(op5\): rebuilding -> active$'
seen "the state is back" ' ops state: degraded -> active$'
background_ends $EVENTS $JSON $MONITOR
finish
