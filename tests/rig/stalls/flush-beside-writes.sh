#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A flush of what is completed in a zone does not wait for writes that come behind it in the
# same zone.
. "$(dirname "$0")/harness.sh"

# There is nothing to flush in the drive that stalls.
STALLED_SETTINGS=(write_cache=0 fua=0)
array_up
WP=([3]=0)
END=()
check "whole stripes" eval "put 3 $((2 * STRIPE)) && WP[3]=$((2 * STRIPE))"
attribute stall 1
later write put 3 $((3 * STRIPE))
sleep 1
check "a write behind them waits for the drive" all_wait
check "a flush does not" soon sync $DEV
check "the write still waits" all_wait
attribute stall 0
WP[3]=$((5 * STRIPE))
check "the write ends" all_end
check "data are right" all_right
array_down
finish
