#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power cuts while a rebuild leaves out blocks that another drive cannot read: after each start
# it goes on, no placeholder is ever taken for data, and the same blocks are lost in the end.
# Another zone was just written, so that it may end anywhere after the power cut.
. "$(dirname "$0")/harness.sh"

SPARES=(/dev/op0 /dev/op5)

# bad_rows ZONE: blocks of some stripes
bad_rows()
{
	local first stripe

	first=$(zone_at op3 "$1")
	for stripe in 0 1 40 41 42 95; do
		simulated_set op3 bad_sectors "$((first + 32 * stripe + 8)) 8" || return 1
	done
}

# written: blocks of zone 4 below its write pointer
written()
{
	echo $(($(blkzone report -o $((4 * ZONE)) -c 1 $DEV |
		sed 's/.*wptr \(0x[0-9a-f]*\).*/\1/') / 8))
}

# wrong: blocks of zones 0 to 2, and of zone 4, that are read and are not what was written
wrong()
{
	local zone

	for zone in 0 1 2 4; do
		what_is_read "$TMP/data" 4096 \
			$((zone == 4 ? $(written) : CAPACITY / 4)) $((zone * ZONE)) |
			sed 's/.*, \([0-9]*\) wrong/\1/'
	done | awk '{ sum += $1 } END { print sum }'
}

# write_more: 16 stripes of zone 4; then blocks of the last ones cannot be read.
write_more()
{
	local first stripe

	zone_write 4 0 1024 16 || return 1
	first=$(zone_at op3 4)
	for stripe in 9 13 14 15; do
		simulated_set op3 bad_sectors "$((first + 32 * stripe)) 16" || return 1
	done
}

lost_by_status()
{
	json '[.lost_blocks[]|[.sector,.sectors,.slot]]|sort'
}

array_up
fill_zones
for zone in 0 1 2; do
	check "a drive cannot read some blocks of zone $zone" bad_rows $zone
done
check "a new drive" simulated_drive op5
expected=
for round in 1 2 3 4 5 6; do
	drive=${SPARES[round % 2]}
	check "the next drive is blank" blkzone reset "$drive"
	check "replace a member, slowly" eval "raizn set $VOLUME speed_max=$((round * 2))M &&
		raizn replace --no-copy $VOLUME 0 $drive --force"
	check "zone 4 is written meanwhile" write_more
	sleep "0.$((round - 1))"
	power_cut
	check "a start" start
	check_equal "no placeholder is taken for data" "$(wrong)" 0
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" await 30 whole
	check_equal "no placeholder is taken for data" "$(wrong)" 0
	check "zone 4 is reset" zone_reset 4
	: "${expected:=$(lost_by_status)}"
	check_equal "the same blocks are lost" "$(lost_by_status)" "$expected"
done
check "all can be read again" good_sectors op3
check "scrub" raizn scrub $VOLUME --wait
check "all that was left out is computed" await 30 status_is lost 0 action idle
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
