#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array starts without one drive if that is asked for, and says what it lacks.
. "$(dirname "$0")/harness.sh"
six_drives
GUARDED=()
check "an array with data" array_with_data
check "stop it" raizn stop tank

shows "start --degraded" \
	'raizn: tank: degraded: it works without the member of slot 2 and survives no further failure; see .raizn status tank.' \
	raizn start tank --degraded "${FIVE[@]:0:2}" "${FIVE[@]:3}"
check "its data is there" has_data
json "status of a degraded array" '.arrays[0]|[.state,.members[2].state]' \
	'["degraded","missing"]' raizn status tank --json
shows "status says what that means" \
	'status: the array works without the member of slot 2 and survives no further failure' \
	raizn status tank
check "status says what to do" matches \
	"action: member 2 is missing, but its drive is there: if it works take it back: 'raizn add tank ${FIVE[2]}'" \
	"$TMP/out"
check "stop a degraded array" raizn stop tank
GUARDED=("${FIVE[@]}")
checked "check of a degraded array" 1 '[.degraded,.clean,.members[2].condition,.nr_problems]' \
	'[true,true,"failed",0]' "${FIVE[@]}"
json "list of a degraded array" '.arrays[]|select(.name=="tank")|.state' \
	stopped raizn list --json
shows "start of an array that knows what it lacks" \
	'raizn: tank: degraded: it works without the member of slot 2' \
	raizn start tank
check "its data is there still" has_data
check "stop it again" raizn stop tank
finish
