#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array with two parities loses two drives at once; the monitor gives both slots a spare. A
# spare that does not take metadata is not used.
. "$(dirname "$0")/harness.sh"

CAPACITY=4608
drives_up 8
array_of /dev/op{0..4} --level 6
fill_zones
check "the first spare takes no metadata" simulated_set op5 fault \
	"append 1 times=100 status=ioerr"
check "two drives are pulled" eval 'simulated_set op1 unplug 1 && simulated_set op3 unplug 1'
background monitor raizn monitor $VOLUME --spare /dev/op5 --spare /dev/op6 --spare /dev/op7
dd if=$DEV of=/dev/null bs=1M count=4 iflag=direct status=none
check "both slots get a spare" await 60 json_is \
	'[.members[1,3] | .device, .state == "missing"]' \
	'["/dev/op6",false,"/dev/op7",false]' || rig_show "$TMP/monitor"
check "the monitor says why it did not use the first one" grep -q \
	'/dev/op5: does not take a zone append of metadata' "$TMP/monitor"
check "and that it is out" grep -q '/dev/op5: not used as a spare any more' "$TMP/monitor"
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
background_ends $BACKGROUND

check "faults end" simulated_set op5 fault clear
check "two drives are pulled again" eval \
	'simulated_set op0 unplug 1 && simulated_set op2 unplug 1 &&
	await 10 eval "[ ! -e /sys/block/op0 ] && [ ! -e /sys/block/op2 ]"'
check "the array has not seen that" status_is state active letters AAAAA
check "replace one of them" eval "raizn replace $VOLUME 0 /dev/op5 --force >'$TMP/replace'"
check "the other one is called failed" grep -q \
	'member 2 (.*) is called failed now, its drive is gone' "$TMP/replace"
check "one is in use, one is missing" await 30 status_is letters '[RA]A-AA'
check "the new one is rebuilt" await 30 status_is letters AA-AA action idle
check "data are right" data_are_right
finish
