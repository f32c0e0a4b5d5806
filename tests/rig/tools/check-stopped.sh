#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# check of a stopped array, new or with data, by its name, its UUID or its drives.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/copies.sh"
six_drives
new_array tank "${FIVE[@]}"
checked "check of a new array" 0 '[.result,.clean,.parity.stripes,.records]' \
	'["clean",true,0,10]' "${FIVE[@]}"
check "check for people" raizn check "${FIVE[@]}"
check_equal "it says the result" "$(grep '^result:' "$TMP/output")" \
	"result:   clean and consistent"
refused "check of a drive that is no member" 3 "$SPARE: not a member of any array" \
	raizn check "${FIVE[@]}" "$SPARE"
refused "check of the same drive twice" 3 'name each drive once' \
	raizn check "${FIVE[@]}" "${FIVE[0]}"

checked "check by name and drives" 0 '[.name,.result]' '["tank","clean"]' \
	tank "${FIVE[@]}"
refused "check by name, with a drive that is no member" 3 \
	"$SPARE: not a member of any array; leave it out" \
	raizn check tank "${FIVE[@]}" "$SPARE"
refused "check by another name than that of the drives" 3 'pool: no array of this name' \
	raizn check pool "${FIVE[@]}"
three_drives
new_array other "${THREE[@]}"
refused "check by name, with a drive of another array" 3 \
	"${THREE[0]}: a member of array 'other' (.*), not of 'tank'; leave it out" \
	raizn check tank "${FIVE[@]}" "${THREE[@]}"

check "an array to check" array_to_check
check "stop it" raizn stop tank
checked "check by name, of a stopped array" 0 \
	'[.name,.result,.clean,.parity.stripes,.parity.tails,.parity.mismatches]' \
	'["tank","clean",true,14,4,0]' tank
checked "check by UUID" 0 .name tank "$(superblock .array_uuid)"
copy_drives
read_logs
copies 1 "cut=$(log_zone 1 "partial-parity log"):8"
GUARDED=("${COPIES[@]}")
checked "check: partial parity of a stopped array is gone" 2 '.nr_problems' 2 \
	"${COPIES[@]}"
finish
