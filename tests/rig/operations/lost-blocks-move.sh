#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Blocks of a zone that is being written are lost in a rebuild, and power cuts leave debris behind
# the column with the placeholder, and behind the one that its drive cannot read: a start moves
# both, and the blocks stay lost, no more and no less. They do so when generations restart, and
# while the zone is finished, its drive is away for a while, and comes back.
. "$(dirname "$0")/harness.sh"

BLOCKS=1280		# of 4 KiB, in zone 9: 80 stripes

# lost: the sectors of zone 9 that status lists, with slot, and p for a placeholder
lost()
{
	json '[.lost_blocks[]|"\(.sector - 9 * '$ZONE')+\(.sectors) \(.slot)" +
		if .placeholder then "p" else "u" end]|sort|join(", ")'
}

# still_lost WHAT LIST
still_lost()
{
	check_equal "$1: the same blocks are lost" "$(lost)" "$2"
	check_equal "$1: and nothing else" \
		"$(what_is_read "$TMP/data" 4096 $BLOCKS $((9 * ZONE)))" \
		"$((BLOCKS - 2)) right, 2 refused, 0 wrong"
}

# cut_with_debris DRIVE: it has more of zone 9 than the others after a power cut.
cut_with_debris()
{
	check "all is durable" sync $DEV
	power_cut none
	at=$(zone_at "$1" 9)
	check "$1 has more than the others" dd if="$TMP/data" bs=16k count=1 \
		of="/dev/$1" status=none conv=notrunc oflag=direct,seek_bytes \
		seek=$(((at + 2560) * 512))
}

array_up
debris_stays 0
check "a zone that was reset before" eval "zone_write 9 0 64 && zone_reset 9"
check "80 stripes" zone_write 9 0 5120 16
check "a drive cannot read a block" bad_blocks op3 96
check "a new drive" simulated_drive op5
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
rebuild_ends
check "the array is whole" await 30 whole
before=$(lost)
check "two blocks are lost" test "$before" = "384+8 3u, 448+8 0p" || note "$before"
still_lost "after the rebuild" "$before"

cut_with_debris op5
check "start" start
check "the column with the placeholder is elsewhere" test "$(zone_at op5 9)" != "$at"
still_lost "moved" "$before"
check "the array is whole" await 30 whole

cut_with_debris op3
check "start" start
check "the column with the bad sector is elsewhere" test "$(zone_at op3 9)" != "$at"
check "the array is whole" await 30 whole
moved=${before/3u/3p}
still_lost "moved, too" "$moved"
check "good sectors" good_sectors op3
check "scrub" raizn scrub $VOLUME --wait
still_lost "two placeholders" "$moved"
check "the other drive cannot read another block" bad_blocks op5 160
check "scrub" raizn scrub $VOLUME --wait
check "it is healed" await 30 healed 0
check "good sectors" good_sectors op5
still_lost "rewritten" "$moved"

check "stop" raizn stop $VOLUME
check "generations restart" raizn maintain /dev/op{5,1,2,3,4}
check "start" start
still_lost "after maintenance" "$moved"
check "the zone is written" zone_write 9 5120 16
check "a member goes" raizn fail $VOLUME 0 --force
check "the zone is finished" zone_finish 9
check "a restart" restart
check "the member is back" raizn add $VOLUME /dev/op5
rebuild_ends
check "the array is whole" await 30 whole
still_lost "after its return" "$moved"
check "a reset" zone_reset 9
check "nothing is lost" status_is lost 0
check "the zone is written again" zone_write 9 0 5120 16
check "and right" zone_holds 9 0 5120
check "parity is right" raizn scrub $VOLUME --wait
finish
