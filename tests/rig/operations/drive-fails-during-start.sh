#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive that can be read but not written fails during the start, which goes on without it;
# with a new cable it is taken back.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "stop" raizn stop $VOLUME
check "a drive takes no writes" simulated_set op1 fault \
	"write,append,reset,finish,flush 1 times=100000 status=ioerr"
shows "the array starts without it" \
	'the drive of slot 1 failed during the start' raizn start $VOLUME
dmsetup mknodes $VOLUME
check "it is failed" letters_are AFAAA
check "data are right" data_are_right
check "a new cable" simulated_set op1 fault clear
shows "take it back" '/dev/op1 is back in slot 1' raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
finish
