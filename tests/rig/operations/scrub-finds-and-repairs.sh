#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A scrub finds parity that changed silently, says where, and repairs it when it is told to.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "scrub finds nothing" raizn scrub $VOLUME --wait
flip_parity 1
check_fails "scrub from its zone on finds it" '1 stripe did not match' \
	raizn scrub $VOLUME --from 1 --wait
check "scrub from the next zone on does not" \
	raizn scrub $VOLUME check --from 2 --wait
refused "scrub from a zone beyond the last" 1 'it has [0-9]* zones' \
	raizn scrub $VOLUME --from 1000000
check_fails "scrub finds it" '1 stripe did not match, 0 repaired' \
	raizn scrub $VOLUME check --wait
check_equal "status counts it" "$(json '[.mismatches,.repaired]')" '[1,0]'
check_equal "and knows where it is" \
	"$(json '.mismatches_at|map([.zone,.parity_slot])')" "[[1,1]]"
shows "status: where" "zone 1, stripe [0-9]*: parity is in slot 1" \
	raizn status $VOLUME
shows "status: advice" 'action: the last scrub left 1 stripe whose parity does not match' \
	raizn status $VOLUME
advice_helps $VOLUME mismatches active
check "the repair ends" await 30 status_is action idle
check_equal "it is repaired" "$(json '[.mismatches,.repaired]')" '[1,1]'
check "nothing is left" raizn scrub $VOLUME --wait
check "data are right" data_are_right
finish
