#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut a column has to be moved, of which the drive cannot read some blocks of data
# and parity: these are computed, and other sectors of the same units stay as they are, also
# where data and parity contradict each other.
. "$(dirname "$0")/harness.sh"

# flip DRIVE SECTOR...: they change silently in its part of the zone, or change back.
flip()
{
	local drive=$1 at sector
	at=$(zone_at "$drive" 9)
	shift

	for sector; do
		simulated_set "$drive" flip "$((at + sector)) 1" || return 1
	done
}

FLIPPED="16 48 80 112 144"

array_up
debris_stays 0
check "80 stripes" zone_write 9 0 5120 16
for drive in op2 op3 op4 op0; do
	check "all is durable" sync $DEV
	power_cut none
	at=$(zone_at $drive 9)
	check "$drive has more than the others" dd if="$TMP/data" bs=16k count=1 \
		of=/dev/$drive status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$(((at + 2560) * 512))
	check "$drive cannot read a block of each stripe" \
		bad_blocks $drive 8 40 72 104 136 1200
	[ $drive != op2 ] ||
		check "$drive: sectors change silently" flip $drive $FLIPPED
	check "$drive: start" start
	check "$drive: the column is elsewhere" test "$(zone_at $drive 9)" != "$at"
	check "$drive: good sectors again" good_sectors $drive
	check "$drive: the array is whole" await 30 whole
	[ $drive != op2 ] || {
		check_fails "nothing is covered up" '5 stripes did not match' \
			raizn scrub $VOLUME --wait
		check "the sectors change back" flip $drive $FLIPPED
		check "that was all" raizn scrub $VOLUME --wait
	}
	check "$drive: data are right" zone_holds 9 0 5120
done
check "parity is right" raizn scrub $VOLUME --wait

# The bad block is in the incomplete stripe, whose parity is in the logs that a start ends.
check "an empty zone" zone_reset 9
check "two stripes and two units" zone_write 9 0 160 16
check "all is durable" sync $DEV
for drive in op0 op1 op2 op3 op4; do
	[ "$(written_at $drive 9)" != 96 ] || tail=$drive
done
power_cut none
at=$(zone_at $tail 9)
check "$tail has more than it should" dd if="$TMP/data" bs=4k count=1 of=/dev/$tail \
	status=none conv=notrunc oflag=direct,seek_bytes seek=$(((at + 96) * 512))
check "$tail cannot read a block of the end" bad_blocks $tail 72
check "start" start
check "the array is whole" await 30 whole
check "data are right" zone_holds 9 0 160
check "parity is right" raizn scrub $VOLUME --wait

# The same, and another drive is missing.
check "an empty zone" zone_reset 9
check "two stripes and two units" zone_write 9 0 160 16
check "a drive without a part of the third stripe fails" raizn fail $VOLUME 2 --force
check "all is durable" sync $DEV
power_cut none
at=$(zone_at $tail 9)
check "$tail has more than it should" dd if="$TMP/data" bs=4k count=1 of=/dev/$tail \
	status=none conv=notrunc oflag=direct,seek_bytes seek=$(((at + 96) * 512))
check "$tail cannot read a block of the end" bad_blocks $tail 72
for degraded in "" --degraded; do
	# shellcheck disable=SC2086
	exits "a start${degraded:+ $degraded}" 1 raizn start $VOLUME $degraded
	says "it is refused" 'its column of logical zone 9 cannot be moved'
done
check "good sectors again" good_sectors $tail
check "start" start
check "data are right" zone_holds 9 0 160
finish
