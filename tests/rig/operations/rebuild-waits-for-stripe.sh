#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A block of an incomplete stripe can be read from no drive, so that a new drive is not rebuilt: when
# the stripe is complete, or the zone is finished, the rebuild goes on by itself, without the block.
. "$(dirname "$0")/harness.sh"

# rebuild_waits SLOT DRIVE: the rebuild of another drive for the slot ends before that.
rebuild_waits()
{
	check "a drive cannot read a block of the tail" bad_blocks op0 72
	check "another one is replaced" raizn replace --no-copy $VOLUME "$1" "/dev/$2" --force
	check "one zone lacks a column, and nothing is under way" await 30 status_is \
		state degraded degraded 1 action idle
	check_equal "the drive was given the zone, which is empty again" \
		"$(awk -v n="$(home 9)" '$1 == n { print $3, ($6 > 0) }' "$GROUP/$2/zones")" "0 1"
	check "status advises to try again, or to write on" advice_given $VOLUME rebuild-again
}

# all_but_the_block BLOCKS: can be read, and the array is whole.
all_but_the_block()
{
	check "the array is whole" await 30 whole
	check_equal "two blocks cannot be read" "$(unreadable "$1")" 2
	check_equal "they are listed" "$(json '[.lost_blocks[]|.sectors] | add')" 16
	check "zone 0 is right" zone_holds 0 0 $CAPACITY
}

array_up
check "zone 0 is full" zone_write 0 0 $CAPACITY
check "new drives" eval 'simulated_drive op5 && simulated_drive op6'
write_tail
rebuild_waits 4 op5
timeout 60 raizn rebuild $VOLUME --wait
check "it is tried again in vain" await 30 status_is state degraded degraded 1 action idle
check "a part of the last unit is written" zone_write 9 176 8
check "the stripe is complete" zone_write 9 184 8
all_but_the_block 48
check "good sectors again, and an empty zone" eval 'good_sectors op0 && zone_reset 9'

check "two stripes and three units" zone_write 9 0 176 16
rebuild_waits 4 op6
check "the zone is finished" zone_finish 9
all_but_the_block 44
finish
