#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A stripe becomes full while a flush wants its first units: that needs no record, but its
# parity has to be written before the drives are flushed.
. "$(dirname "$0")/harness.sh"

array_up
# The drive has the parity of this zone's first stripe.
WP=([2]=0)
END=()
check "a unit, durable" eval "put 2 $UNIT && WP[2]=$UNIT && sync $DEV"
check "another one" eval "put 2 $UNIT && WP[2]=$((2 * UNIT))"
attribute stall 1
later write put 2 $((STRIPE - 2 * UNIT))
sleep 1
check "the rest of the stripe waits for its parity" all_wait
attribute counters 0
later flush sync $DEV
sleep 1
check "so does a flush" all_wait
attribute stall 0
WP[2]=$STRIPE
check "both end" all_end
check "the drive was flushed after its parity was written" \
	grep -q '^flush [1-9]' "$GROUP/st$STALLED/counters"
check "data are right" all_right
array_down
finish
