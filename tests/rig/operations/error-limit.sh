#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive with more errors than error_limit allows is failed; without a limit, no number of
# errors is too large.
. "$(dirname "$0")/harness.sh"

# error ZONE: a read error of member 1 in this zone, which users do not see
error()
{
	check "a drive cannot read a sector of zone $1" simulated_set op1 bad_sectors \
		"$(zone_at op1 "$1") 8"
	check "data are right" data_are_right
}

array_up
fill_zones
check "a limit of two errors" raizn set $VOLUME error_limit=2
for zone in 0 1; do
	error $zone
	check "it is counted and healed" await 30 status_is action idle \
		member1 "$((zone + 1)),0,$((zone + 1))"
	check "the drive is used" letters_are AAAAA
done
error 2
check "the third error is counted" await 30 json_is '.members[1].read_errors' 3
check "the drive is failed" await 30 letters_are AFAAA
check "good sectors again" good_sectors op1

check "no limit" raizn set $VOLUME error_limit=0
check "take it back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
for zone in 0 1 2; do
	error $zone
done
check "three errors" await 30 status_is action idle member1 '3,*'
check "the drive is used" letters_are AAAAA
finish
