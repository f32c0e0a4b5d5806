#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The monitor replaces a drive that is gone by a blank spare; it refuses spares that hold data,
# also if they got them later, that are gone themselves, and drives of the array.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "spare drives" eval 'simulated_drive op5 && simulated_drive op6 && simulated_drive op7 &&
	simulated_drive op8'
check "data on one of them" dd if="$TMP/data" of=/dev/op7 bs=64k count=1 oflag=direct
background monitor raizn monitor $VOLUME --spare /dev/op7 --spare /dev/op3 \
	--spare /dev/op8 --spare /dev/op6 --spare /dev/op5
check "the monitor refuses a drive with data" await 30 \
	grep -q '/dev/op7: not used as a spare' "$TMP/monitor"
check "the monitor refuses a drive of the array" await 30 \
	grep -q '/dev/op3: in use: part of the running array ops' "$TMP/monitor"
check "a spare gets data later" dd if="$TMP/data" of=/dev/op6 bs=64k count=1 \
	oflag=direct
check "a spare is gone" rmdir "$GROUP/op8"
simulated_set op4 unplug 1
dd if=$DEV of=/dev/null bs=1M count=4 iflag=direct status=none
check "the blank spare is taken" await 30 json_is ".members[4] |
	.device == \"/dev/op5\" and .state != \"missing\"" true
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "the spare that got data is refused" await 30 grep -q \
	'/dev/op6: holds data in 1 of 28 sequential zones' "$TMP/monitor"
check "and that one is gone" await 30 grep -q '/dev/op8: ' "$TMP/monitor" ||
	rig_show "$TMP/monitor"
check "the monitor says which one it took" await 30 grep -q \
	'/dev/op5 is in slot 4 now' "$TMP/monitor"
background_ends $BACKGROUND
finish
