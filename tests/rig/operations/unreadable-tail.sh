#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive fails, and another one cannot read a block that it takes to compute the end of a
# zone: only two blocks cannot be read, the zone goes on, and all is had again.
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
finish
