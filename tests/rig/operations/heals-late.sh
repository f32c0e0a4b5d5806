#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A sector that a drive cannot read, in a zone with lost blocks, is healed late: if the second parity
# made up for it in the rebuild that lost the blocks, when it is read; if the zone lacked a column
# when it was read, when it is read once more.
. "$(dirname "$0")/harness.sh"

# bad DRIVE ROW: it cannot read a block of zone 0.
bad()
{
	check "$1 cannot read row $2" simulated_set "$1" bad_sectors "$(($(zone_at "$1" 0) + $2)) 8"
}

zone_0()
{
	what_is_read "$TMP/data" 4096 $((CAPACITY / 4))
}

# all_but_two: blocks can be read.
all_but_two()
{
	check_equal "all but two blocks can be read" "$(zone_0)" \
		"$((CAPACITY / 4 - 2)) right, 2 refused, 0 wrong"
}

# blocks_are_lost: in the rebuild of another drive for slot 0
blocks_are_lost()
{
	check "a member is replaced" eval "simulated_drive op5 &&
		raizn replace --no-copy $VOLUME 0 /dev/op5 --force"
	rebuild_ends
	check "two blocks are lost, and nothing is healed" await 30 status_is action idle lost 16 \
		member3 '*,0'
}

drives_up 5
array_of /dev/op{0..4} --level 6
CAPACITY=4608
check "zone 0 is full" zone_write 0 0 $CAPACITY
bad op3 64
bad op4 64
bad op3 320
blocks_are_lost
all_but_two
check "op3 is healed" await 30 healed 3

check "stop" raizn stop $VOLUME
check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 5"
array_of /dev/op{0..4}
CAPACITY=6144
check "zone 0 is full" zone_write 0 0 $CAPACITY
bad op3 64
blocks_are_lost
check "another drive fails" raizn fail $VOLUME 1 --lose --force
bad op3 640
check "the sector is read, and one of the other drive" eval '[[ $(zone_0) = *" 5 refused, 0 wrong" ]]'
check "that drive is back" raizn add $VOLUME /dev/op1
rebuild_ends
check "nothing is healed" await 30 status_is action idle member3 '*,0'
all_but_two
check "op3 is healed" await 30 healed 3
finish
