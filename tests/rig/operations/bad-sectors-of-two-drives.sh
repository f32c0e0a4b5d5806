#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two drives cannot read sectors of the same stripes, but never in the same rows: a scrub
# heals both, and users who read before that get their data.
. "$(dirname "$0")/harness.sh"

# bad_rows: in five stripes of zone 1, different rows of members 1 and 2
bad_rows()
{
	local stripe first second

	first=$(zone_at op1 1)
	second=$(zone_at op2 1)
	for stripe in 0 1 2 3 4; do
		simulated_set op1 bad_sectors "$((first + 32 * stripe)) 8" &&
			simulated_set op2 bad_sectors \
				"$((second + 32 * stripe + 16)) 8" || return 1
	done
}

both_healed()
{
	status_is action idle member1 '*,[1-9]*' member2 '*,[1-9]*'
}

few_errors()
{
	json_is '[.members[].read_errors]|add<=4' true
}

array_up
fill_zones
check "two drives cannot read some sectors" bad_rows
check "scrub" raizn scrub $VOLUME --wait
check "both are healed" await 60 both_healed
check "the array is whole" whole
check "that took few errors" few_errors
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check "no drive fails to read now" few_errors
check "stop" raizn stop $VOLUME
check "good sectors again" good_sectors op1 op2
check "start" start

check "two drives cannot read some sectors again" bad_rows
check "users read: data are right" data_are_right
check "both are healed after that" await 60 both_healed
check "stop" raizn stop $VOLUME
check "good sectors again" good_sectors op1 op2
check "start" start
check "parity is right" raizn scrub $VOLUME --wait
finish
