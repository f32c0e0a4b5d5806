#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive that can be read but not written fails during the start, which goes on without it;
# with a new cable it is taken back. One that fails some reads, and then no more, is not left out.
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

# starts: by the module alone, since tools read drives, too
starts()
{
	dmsetup create $VOLUME --table "$table" && dmsetup mknodes $VOLUME
}

table=$(dmsetup table $VOLUME)
for when in 1 2 4 5; do
	check "stop" dmsetup remove --retry $VOLUME
	dmesg --clear
	check "a drive fails some reads of a start" simulated_set op1 fault \
		"read $when times=6 status=ioerr"
	check "the array starts" starts
	check "with the drive" whole
	check "it says why that took long" eval "
		dmesg | grep -q 'op1: a command failed (-5) and is repeated'"
	check "data are right" data_are_right
done
check "stop" dmsetup remove --retry $VOLUME
check "a drive fails all reads" simulated_set op1 fault "read 1 times=100000 status=ioerr"
check "no start with it" eval '! starts'
check "it is well again" simulated_set op1 fault clear
check "the array starts" starts
check "the array is whole" whole
finish
