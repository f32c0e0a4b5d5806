#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which members an array that lacks one takes: none of another array, no fewer than
# parity allows, and the one that it went on without only as a failed one.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/degraded-array.sh"
array_with_zones
without_second
refused "a member that was there" \
	"member 1 .* is missing: connect it, or start with .* degraded" \
	"$(table_of 1)"
check "start" start_table "$(table_of 1 degraded)" || finish
check "write on in tails" write_in_tails
STATE=$(volume_state 9)
check "stop" stop_table
refused "a second missing member" "missing" "$(table_of "1 4")"
refused "a second missing member, degraded" "2 members are missing" \
	"$(table_of "1 4" degraded)"

kept=("${DRIVES[@]}")
drives other 3 "${RIG_MEMBER_SETTINGS[@]}"
foreign=${DRIVES[1]}
check "another array" raizn create other "${DRIVES[@]}" --no-start
DRIVES=("${kept[@]}")
refused "a member of another array" "belongs to array" \
	"$(table_of 1 | sed "s: - : $foreign :")"
refused "a member of another array, degraded" "belongs to array" \
	"$(table_of 1 degraded | sed "s: - : $foreign :")"
drive_gone other{0..2}

before=$(fingerprint "${ALL[1]}")
refused "a stale member in place of a good one" "2 members are missing" \
	"$(table_of 3 degraded)"
log_from_here
check "start with the stale member" start_table "$(table_of "")" || finish
check_true "the kernel log says that it is stale" "$(logged 'member 1 is stale') == 1"
check_equal "its state with the stale member" \
	"$(status_field state) $(status_field letters)" "degraded AFAAA"
check_equal "all data with the stale member" "$(volume_state 9)" "$STATE"
parity "members and volume with the stale member" --degraded --volume "$DEV"
check "write with the stale member" write_on 0 20
check "stop with the stale member" stop_table
check_equal "the stale member is as it was" "$(fingerprint "${ALL[1]}")" "$before"
finish
