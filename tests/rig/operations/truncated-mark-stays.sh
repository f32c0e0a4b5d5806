#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone was recovered without a drive, whose column was rebuilt since, but not all others. Another
# drive loses its column of the zone, and the first one is away over a start: when it is back, its
# data of the zone is thrown away, though it is right, and needed.
. "$(dirname "$0")/harness.sh"

start_without_op1()
{
	check "the drive has no power" simulated_set op1 power 0
	check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
}

op1_is_back()
{
	check "the drive is back" eval "simulated_set op1 power 1 && raizn add $VOLUME /dev/op1"
}

# has_the_mark: zone 3, of a recovery without a member
has_the_mark()
{
	check_equal "the zone has the mark" "$(raizn inspect /dev/op0 zones --json |
		jq '.zones[]|select(.logical_zone == 3).truncated')" true
}

array_up
fill_zones
check "all is durable" sync $DEV
power_cut none
start_without_op1
check "a zone is filled without it" zone_write 4 0 $CAPACITY
check "slowly" raizn set $VOLUME speed_max=1M
op1_is_back
check "the active zone is rebuilt first" await 30 eval \
	"raizn inspect /dev/op0 log | grep -q 'column 1 of zone 3 in [0-9]* whole'"
check "the other one hardly" raizn set $VOLUME speed_max=1K
check "the rebuild goes on" status_is letters ARAAA
has_the_mark
check "another drive loses its part of zone 3, and has no other zone for it" \
	simulated_zones_turn op2 offline $(free_zones op2) "$(home 3)"
check "that is noticed" zone_write 3 1792 256 "" fsync
check "the first drive loses power again" simulated_set op1 power 0
check_fails "that is noticed" 'Input/output error' zone_write 3 2048 256 "" fsync
check "stop" raizn stop $VOLUME
start_without_op1
check "the zone is damaged" status_is damaged 1
has_the_mark
check_equal "the first drive had all of its part" "$(on_drive op1 3)" 1024
op1_is_back
check_equal "and has nothing of it now" "$(on_drive op1 3)" 0
check "a restart" restart
check "the zone is damaged still" status_is damaged 1
finish
