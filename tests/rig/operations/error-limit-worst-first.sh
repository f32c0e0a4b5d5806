#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two drives have more errors than a new error_limit allows while a third one is rebuilt: when
# that is there the worst is failed first, and the other one when the worst is back.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "no limit" raizn set $VOLUME error_limit=0
for zone in 0 1 2; do
	check "a drive cannot read a sector of zone $zone" simulated_set op1 bad_sectors \
		"$(($(home $zone) * 4096)) 8"
	check "data are right" data_are_right
done
check "three errors" await 30 status_is action idle member1 '3,*'
check "good sectors again" good_sectors op1
for zone in 0 1 2 3; do
	check "another one cannot read some sectors of zone $zone" bad_stripes op4 $zone
	check "data are right" data_are_right
	check "it is one error, and healed" await 30 status_is action idle \
		member4 "$((zone + 1)),0,$((zone + 1))"
	check "the zone that it was in is reset for the next" eval \
		"dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
done
check "good sectors again" good_sectors op4

check "a third member fails" raizn fail $VOLUME 3 --force
check "a limit of two errors" raizn set $VOLUME error_limit=2
check "the third member is rebuilt" raizn add $VOLUME /dev/op3
check "it is there, and the worst drive failed" await 30 letters_are AAAAF
check "data are right" data_are_right
check "take it back" raizn add $VOLUME /dev/op4
check "it is there, and the other one failed" await 30 letters_are AFAAA
check "data are right" data_are_right
check "take it back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
finish
