#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of two units of an incomplete stripe one is on a failed drive, and the other one cannot be
# read: an older parity record, from when there was only the first one, has that.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "two stripes and a unit, which is member 4's" zone_write 9 0 144 16
check "all is durable" sync $DEV
check "a second unit, which is member 0's" zone_write 9 144 16
check "all is durable" sync $DEV
check_equal "it is there" "$(on_drive op4 9) $(on_drive op0 9)" "96 96"
check "the drive with the first one fails" raizn fail $VOLUME 4 --force
check "stop" raizn stop $VOLUME
check "the other one cannot read a block" bad_blocks op0 72
check "start" start
check_equal "this block cannot be read, and all others can" "$(unreadable 40)" 1
check "good sectors again" good_sectors op0
check_equal "all can be read" "$(unreadable 40)" 0
check "the drive is back" raizn add $VOLUME /dev/op4
rebuild_ends
tail_is_right 40
check "data are right" data_are_right
finish
