#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writes that are submitted by the completion of the one before them, in many zones, on drives
# that complete at once: few of them are inside each other, whatever their number.
. "$(dirname "$0")/harness.sh"
RIG_MEMBER_SETTINGS=("${SMALL_ZONES[@]}" irqmode=0)
up
check "writes to 8 zones in turns" insmod \
	"$(find "$RIG_TOP" -name write_chain.ko -print -quit)" device="$DEV"
note "$(dmesg | grep write_chain: | tail -n 1)"
check "unload" rmmod write_chain
check "flush" sync "$DEV"
parity "members and volume" --min-stripes 0 --volume "$DEV"
down
finish
