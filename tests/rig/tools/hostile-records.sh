#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Records of a log full of strange values, with the right checksums, crash neither check
# nor inspect.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/copies.sh"
six_drives
copy_drives
check "an array to check" array_to_check
read_logs
copies
note "seed $SEED"

failed=0
for ((n = $(scaled 30 6); n > 0; n--)); do
	slot=$((n % 5)) seed=$((SEED + n))
	recopy $slot "noise=$(log_zone $slot "general log"):$seed" \
		"noise=$(log_zone $slot "partial-parity log"):$seed"
	for words in "check ${COPIES[*]}" "check --json --no-parity ${COPIES[*]}" \
		     "inspect ${COPIES[slot]}"; do
		# shellcheck disable=SC2086
		raizn $words >"$TMP/out" 2>&1
		! crashed 5 $? "$words" || failed=1
	done
	recopy $slot
done
check_equal "hostile records do not crash check" $failed 0
finish
