#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A superblock full of random bytes, with the right checksum, crashes no command.
. "$(dirname "$0")/harness.sh"
six_drives
new_array tank "${FIVE[@]}"
keep_superblocks "${FIVE[1]}"
note "seed $SEED"

tool=0 check=0
for ((n = $(scaled 40 8); n > 0; n--)); do
	forge "${FIVE[1]}" "noise=$((SEED + n))" || not_ok "noise"
	for words in "inspect ${FIVE[1]}" "inspect ${FIVE[1]} --json" \
		     "status" "start nobody" "list --json"; do
		# shellcheck disable=SC2086
		raizn $words >"$TMP/out" 2>&1
		! crashed 124 $? "$words" || tool=1
	done
	raizn check "${FIVE[@]}" >"$TMP/out" 2>&1
	! crashed 4 $? check || check=1
done
check_equal "hostile superblocks do not crash the tool" $tool 0
check_equal "hostile superblocks do not crash check" $check 0
finish
