#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Read-only, without any one of its members, the array has all data and changes no
# member.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/degraded-array.sh"
array_with_zones
before=$(members_state)
for slot in "${!ALL[@]}"; do
	letters=AAAAA
	letters=${letters:0:slot}-${letters:slot+1}
	check "start without member $slot" start_table \
		"$(table_of "$slot" degraded)" --readonly || continue
	check_equal "its state without member $slot" \
		"$(status_field state) $(status_field letters)" "read-only $letters"
	check_equal "all data without member $slot" "$(volume_state 9)" "$STATE"
	check_fails "no write without member $slot" "." dd if=/dev/zero of="$DEV" \
		bs=4k count=1 oflag=direct seek=$((8 * ZONE / 8))
	check "stop without member $slot" stop_table
done
check_equal "no member was changed" "$(members_state)" "$before"
finish
