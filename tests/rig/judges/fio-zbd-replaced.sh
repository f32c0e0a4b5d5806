#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio's test script for zoned drives finds on an array whose members are
# replaced and rebuilt all the time what it finds on a plain drive of the same
# geometry.
# lab: --judge fio
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/fio_zbd.sh"

# One drive more than the array has slots: what leaves one goes to the next.
replace_all_the_time()
{
	local slot=0 spare=$1 next

	while [ ! -e "$TMP/enough" ]; do
		next=${DRIVES[slot]}
		raizn replace --no-copy "$VOLUME" $slot "$spare" --force &&
			raizn rebuild "$VOLUME" --wait || return 1
		echo "$slot" >>"$TMP/replacements"
		DRIVES[slot]=$spare
		spare=$next
		slot=$(((slot + 1) % RIG_MEMBERS))
		# Some zone reports are to get through.
		sleep 1
	done
}

# met_a_suspend TEST OUTPUT
met_a_suspend()
{
	grep -q "$MET_A_SUSPEND" "$(judge_log volume "$1")" ||
		awk -v test="$1" -v again="$MET_A_SUSPEND" '
			/^Running test / { at = $3 + 0 }
			at == test && $0 ~ again { found = 1 }
			END { exit !found }' "$2"
}

# Tests that failed for that reason run again, until they do not meet a suspend.
try_again()
{
	local test result output again=0

	mv "$TMP/volume/output" "$TMP/volume/first"
	while read -r test result; do
		output=$TMP/volume/first
		for _ in {1..10}; do
			[ "$result" = FAIL ] &&
				met_a_suspend "$test" "$output" || break
			again=$((again + 1))
			judge volume "$LINEAR" "$test"
			output=$TMP/volume/output
			result=$(tail -n 1 "$(judge_log volume "$test")")
		done
		[ "$result" != FAIL ] ||
			note "test $test:" "$(grep -A 1 "^Running test 0*$test " "$output")"
	done < <(results volume)
	note "met a suspend and ran again: $again"
}

check "the script is there" judge_is_there || finish
check "volume" judged_volume_up || finish
check "plain drive" plain_drive_up || finish
SPARE=$(nullblk create spare "${RIG_MEMBER_SETTINGS[@]}") || finish
RIG_DRIVES+=(spare)
rig_scheduler "$SPARE"

judges_begin || finish
check "the script begins" await 60 grep -q '^Running' "$TMP/volume/output"
replace_all_the_time "$SPARE" >"$TMP/replacing" 2>&1 &
REPLACING=$!
at_exit "touch '$TMP/enough'; wait $REPLACING"
judges_end
try_again
touch "$TMP/enough"
check "every member is replaced and rebuilt again and again" wait $REPLACING ||
	rig_show "$TMP/replacing"
note "replaced: $(wc -l <"$TMP/replacements")"
check_true "each slot got another drive more than once" \
	"$(wc -l <"$TMP/replacements") > 2 * RIG_MEMBERS"
compare replaced
judge_was_thorough

finish
