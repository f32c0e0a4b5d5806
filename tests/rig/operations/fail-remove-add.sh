#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member that works is taken out, after a question at a terminal, and let go of; the array
# goes on without it, and takes it back under load.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check_fails "fail asks at a terminal" 'nothing was changed' \
	terminal n raizn fail $VOLUME /dev/op1
check "after a no it is not failed" letters_are AAAAA
shows "fail, and somebody says yes" 'member 1 .op1. is called failed now' \
	terminal y raizn fail $VOLUME /dev/op1
check "it is failed" letters_are AFAAA
refused "fail it again" 3 'member 1 .op1. is not in use already' \
	raizn fail $VOLUME 1 --force
shows "remove" 'let go of /dev/op1; slot 1 is empty' raizn remove $VOLUME 1
check "it is gone" letters_are A-AAA
refused "remove it again" 3 'slot 1 has no drive' raizn remove $VOLUME 1
check "the drive is free" dd if=/dev/op1 of=/dev/null bs=4k count=1 iflag=direct
shows "status: advice" \
	'action: member 1 is missing, but its drive is there: if it works take it back: .raizn add ops /dev/op1.' \
	raizn status $VOLUME

load_begin
check "the load goes on" load_goes_on
shows "add takes it back without --force" '/dev/op1 is in slot 1 now' \
	raizn add $VOLUME /dev/op1
rebuild_ends
check "the load ends without an error" load_end || rig_show "$TMP/load"
check "the array is whole" whole
check "data are right" data_are_right
finish
