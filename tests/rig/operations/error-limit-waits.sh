#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive with too many errors stays in use while it is needed: for an empty zone, which could
# take no writes without it, though another drive's unreadable data were reset.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
free=$(free_zones op1)
lost=$(home 11)
check "a drive has no free zones" simulated_zones_turn op1 readonly $free
check "it cannot read a block" bad_blocks op1 8
check_equal "all can be read" "$(unreadable 44)" 0
check "the error was seen" await 30 status_is action idle member1 '1,*'
check "a limit of two errors" raizn set $VOLUME error_limit=2
for zone in 0 1 2; do
	check "another drive cannot read some sectors" bad_stripes op2 $zone
	check "data are right" data_are_right
done
check "all is healed, and the drive used" await 30 status_is action idle \
	member2 '*,3' letters AAAAA
check "a zone of the first one fails" simulated_zones_turn op1 offline "$lost"
check "an empty zone lacks it for good" eval 'zone_write 11 0 256 && zone_reset 11'
check "the array lacks nothing else" await 30 status_is action idle degraded 1
check "the data that cannot be read are reset" zone_reset 9
sleep 1
check "the drive is used" letters_are AAAAA
check "the empty zone takes writes" zone_write 11 0 256
check "it is reset" zone_reset 11
check "good sectors again" good_sectors op1
check "and good zones" simulated_zones_turn op1 empty $free "$lost"
check "a restart" restart
check "good sectors again" good_sectors op2
check "the array is whole" whole
check "data are right" data_are_right
finish
