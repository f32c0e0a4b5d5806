#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A scrub counts all stripes whose parity is wrong, and remembers 32 of them until the array is
# stopped. It does not count stripes that it cannot read.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
at=$(zone_at op1 1)
for ((stripe = 2; stripe < 42; stripe++)); do
	simulated_set op1 flip "$((at + stripe * 32)) 8"
done
check "two drives cannot read a block of another stripe" eval \
	'simulated_set op2 bad_sectors "$(($(zone_at op2 1) + 50 * 32)) 8" &&
	 simulated_set op3 bad_sectors "$(($(zone_at op3 1) + 50 * 32)) 8"'
check_fails "scrub counts 40 stripes" '40 stripes did not match' \
	raizn scrub $VOLUME check --wait
check_equal "it remembers 32 of them" "$(json '[.mismatches,(.mismatches_at|length)]')" '[40,32]'
check "a restart" restart
check_equal "and none after a restart" "$(json '.mismatches_at|length')" 0
finish
