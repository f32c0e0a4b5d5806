#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A spare that the monitor refused because it holds data is taken as soon as it is emptied.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a blank drive" simulated_drive op5
background monitor raizn monitor $VOLUME --spare /dev/op5 --spare /dev/op1
check "the monitor has looked at spares" await 30 \
	grep -q 'in use: part of the running array' "$TMP/monitor"
check "the spare gets data" dd if="$TMP/data" of=/dev/op5 bs=64k count=1 oflag=direct
check "a member fails" raizn fail $VOLUME 2 --force
check "the spare is refused" await 30 grep -q \
	'/dev/op5: holds data in 1 of 28 sequential zones' "$TMP/monitor"
check "it is emptied" await 30 blkzone reset /dev/op5
# The monitor looks every 15 seconds.
check "it is taken" await 40 json_is ".members[2] |
	.device == \"/dev/op5\" and .state != \"missing\"" true ||
	{ rig_show "$TMP/monitor"; note "$(dmesg | tail -n 12)"; }
check_equal "it was refused in one line" "$(grep -c 'holds data' "$TMP/monitor")" 1
background_ends $BACKGROUND
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
finish
