#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive with too many errors is needed for another one's unreadable data, and is failed as
# soon as these are reset.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
free=$(free_zones op1)
check "a drive has no free zones" simulated_zones_turn op1 readonly $free
check "it cannot read a block" bad_blocks op1 8
check_equal "all can be read" "$(unreadable 44)" 0
check "the error was seen" await 30 status_is action idle member1 '1,*'
check "a limit of one error" raizn set $VOLUME error_limit=1
for zone in 0 1; do
	check "another drive cannot read some sectors" bad_stripes op2 $zone
	check "data are right" data_are_right
done
check "all is healed, and the drive used" await 30 status_is action idle \
	member2 '*,2' letters AAAAA
check "the data that cannot be read are reset" zone_reset 9
check "the drive is failed" await 30 letters_are AAFAA
check "good sectors again" good_sectors op1 op2
check "and good zones" simulated_zones_turn op1 empty $free
check "no limit" raizn set $VOLUME error_limit=20
check "take it back" raizn add $VOLUME /dev/op2
rebuild_ends
check "a restart" restart
check "the array is whole" whole
check "data are right" data_are_right
finish
