#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A flush waits for what it sends to a drive that stalls, the record of parity or the flush of
# the drive's cache, and for no write that is still under way.
. "$(dirname "$0")/harness.sh"

# flush_waits WHAT: a flush does, until the drive goes on.
flush_waits()
{
	WAITING=()
	attribute stall 1
	later flush sync $DEV
	sleep 1
	check "a flush waits for $1" all_wait
	attribute stall 0
	check "it ends with $1" all_end
}

array_up
at=$((2 * STRIPE))
WP=([0]=0 [3]=0 [4]=0)
END=()

# The stripe's parity belongs to the drive: (0 + 2) % 5 from the last one.
check "data, all of it durable" \
	eval "put 0 $at && WP[0]=$at && sync $DEV"
check "data of other drives" \
	eval "put 0 $UNIT && WP[0]=$((at + UNIT))"
flush_waits "its record"
# (3 + 0) % 5 from the last one, and so the drive is the first behind it.
check "data of the drive" eval "put 3 $UNIT && WP[3]=$UNIT"
flush_waits "the drive's cache"

WAITING=()
attribute stall 1
later write put 3 $((STRIPE - UNIT + 2 * STRIPE))
sleep 1
check "a write waits for the drive" all_wait
check "others are written" eval "put 4 $UNIT && WP[4]=$UNIT"
check "a flush does not wait for that write" soon sync $DEV
check "the write still waits" all_wait
attribute stall 0
WP[3]=$((3 * STRIPE))
check "the write ends" all_end
check "data are right" all_right
array_down
finish
