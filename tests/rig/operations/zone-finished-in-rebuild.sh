#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive finishes by itself a zone that is being rebuilt: under way, and while the array is
# stopped. Nothing is missing when the rebuild ends.
. "$(dirname "$0")/harness.sh"

# zone_in_part DRIVE: the first zone behind its logs that is neither empty nor full: its
# start
zone_in_part()
{
	blkzone report -o $((5 * 4096)) "/dev/$1" | grep -v '(fu)\|(em)' |
		sed -n 's/^ *start: \(0x[0-9a-f]*\).*/\1/p' | grep -m 1 .
}

rebuild_is_right()
{
	check "at full speed" raizn set $VOLUME speed_max=0
	rebuild_ends
	check "the array is whole" whole
	check "data are right" data_are_right
	check "parity is right" raizn scrub $VOLUME --wait
}

array_up
fill_zones
check "new drives" eval 'simulated_drive op5 && simulated_drive op6'
check "slowly" raizn set $VOLUME speed_max=256K
check "replace a member that works" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "it is being rebuilt" await 30 letters_are RAAAA
check "one of its zones is written in part" await 30 eval 'at=$(zone_in_part op5)'
check "the drive finishes that" simulated_zones_turn op5 full $((at / 4096))
rebuild_is_right

check "slowly" raizn set $VOLUME speed_max=512K
check "replace it by another drive" raizn replace --no-copy $VOLUME 0 /dev/op6 --force
check "it is being rebuilt" await 30 letters_are RAAAA
check "one zone is whole" await 30 status_is degraded '[1-3]'
for try in 1 2 3 4 5; do
	check "another one is written in part" await 30 zone_in_part op6
	check "stop" raizn stop $VOLUME
	at=$(zone_in_part op6)
	# It may have become full while the array was stopped.
	[ -z "$at" ] || break
	note "try $try: no zone in part"
	check "start" start
done
check_true "one is" "${at:-0} > 0"
check "the drive finishes that" blkzone finish -o "$at" -c 1 /dev/op6
check "start" start
check "data are right" data_are_right
rebuild_is_right
finish
