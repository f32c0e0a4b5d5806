#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive fails, and another one cannot read a block that it takes to compute the end of a
# zone: only two blocks cannot be read, the zone goes on, and all is had again. In a read-only array
# one drive that cannot read such a block is enough for an error.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
check "a drive cannot read a block of the incomplete stripe" bad_blocks op0 72
check "another drive fails" raizn fail $VOLUME 4 --force
check "the array goes on" status_is state degraded
check_equal "two blocks cannot be read" "$(unreadable 44)" 2
check "the zone goes on" zone_write 9 176 144 16
check_equal "they still cannot" "$(unreadable 80)" 2
check "the block can be read again" good_sectors op0
check_equal "and so can all" "$(unreadable 80)" 0
check "the drive is back" raizn add $VOLUME /dev/op4
rebuild_ends
tail_is_right 80
check "data are right" data_are_right

check "a unit more" zone_write 9 320 16
check "stop" raizn stop $VOLUME
check "a drive is read-only" blockdev --setro /dev/op4
at_exit "blockdev --setrw /dev/op4"
check "start" start
check "the array is read-only" status_is state read-only letters AAAAA
check "the drive of the unit cannot read a block" bad_blocks op1 168
check_equal "this block cannot be read" "$(unreadable 84)" 1
check "the other drive can be written" eval "raizn stop $VOLUME && blockdev --setrw /dev/op4"
check "start" start
check_equal "all can be read" "$(unreadable 84)" 0
finish
