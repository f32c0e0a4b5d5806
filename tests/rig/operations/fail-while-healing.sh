#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive is given up while another one's sectors wait to be written anew: it takes --lose, and
# the rebuild of its successor needs these sectors, and waits as long as that drive can read
# nothing at all; the successor can be given up freely.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
check "a drive cannot read two blocks" bad_blocks op0 8 40
check_equal "all can be read" "$(unreadable 44)" 0
check "they are to be healed" await 30 status_is member0 '[1-9]*,*,*'
refused "another drive cannot be spared" 1 'cannot be spared' \
	raizn fail $VOLUME 1 --force
check "it is given up all the same" raizn fail $VOLUME 1 --lose --force
check "that drive reads nothing" blind op0
check "a new drive" simulated_drive op5
check "replace" raizn replace --no-copy $VOLUME 1 /dev/op5 --force
check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
exits "it cannot be rebuilt" 1 timeout 60 raizn rebuild $VOLUME --wait
check "it can be given up again" raizn fail $VOLUME 1 --force
check "good sectors again" good_sectors op0
check "it is back" raizn add $VOLUME /dev/op5
rebuild_ends
tail_is_right 44
check "data are right" data_are_right
finish
