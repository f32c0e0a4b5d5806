#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones were recovered without a drive, whose columns were rebuilt since, but not all. Another drive
# loses its columns of these zones, and the first one is away over a start: when it is back, it keeps
# its data, and a zone that is full is whole with that. As long as a third drive is missing all the
# time, the data is thrown away.
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

# marks_are TRUE: those of zones 3 and 6, of a recovery without a member
marks_are()
{
	check_equal "the marks of the zones" "$(raizn inspect /dev/op0 zones --json |
		jq '.zones[]|select(.logical_zone == 3 or .logical_zone == 6).truncated' |
		xargs)" "$1 $1"
}

# recovered_without_op1 LETTERS: then op1 is back, and its columns of zones 3 and 6 are rebuilt first
recovered_without_op1()
{
	check "zone 6 has data" zone_write 6 0 1792
	check "all is durable" sync $DEV
	power_cut none
	start_without_op1
	check "a zone is filled without it" zone_write 4 0 $CAPACITY
	marks_are true
	check "slowly" raizn set $VOLUME speed_max=1M
	op1_is_back
	for zone in 3 6; do
		check "zone $zone, which is active, is rebuilt first" await 30 eval \
			"raizn inspect /dev/op0 log | grep -q 'column 1 of zone $zone in [0-9]* whole'"
	done
	check "the other one hardly" raizn set $VOLUME speed_max=1K
	check "the rebuild goes on" status_is letters "$1"
}

# damaged_without_op1: another drive loses its columns of the zones, and op1 is away over a start
damaged_without_op1()
{
	check "another drive loses its parts of zones 3 and 6, and has no other zones for them" \
		simulated_zones_turn op2 offline $(free_zones op2) "$(home 3)" "$(home 6)"
	check "that is noticed" zone_write 3 1792 256 "" fsync
	check "zone 6 is filled" zone_write 6 1792 $((CAPACITY - 1792)) "" fsync
	check "the first drive loses power again" simulated_set op1 power 0
	check_fails "that is noticed" 'Input/output error' zone_write 3 2048 256 "" fsync
	check "stop" raizn stop $VOLUME
	start_without_op1
	check "the zones are damaged" status_is damaged 2
}

array_up
fill_zones
recovered_without_op1 ARAAA
marks_are false
damaged_without_op1
op1_is_back
check_equal "the drive has its parts still" "$(on_drive op1 3) $(on_drive op1 6)" "1024 3072"
check "at full speed" raizn set $VOLUME speed_max=0
timeout 60 raizn rebuild $VOLUME --wait
check "a restart" restart
check "zone 3, which was not full, is damaged still" status_is damaged 1
check_equal "the drive has its part still" "$(on_drive op1 3)" 1024
check "zone 6 is right" zone_holds 6 0 $CAPACITY
check "zone 3 is given up" zone_reset 3
check "stop" raizn stop $VOLUME

# Two parities: the data of a drive that is missing all the time must not count.
check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 5 && rm '$TMP/volume'"
CAPACITY=4608
truncate -s $((4 * ZONE / 2))K "$TMP/volume"
array_of /dev/op{0..4} --level 6
fill_zones
check "a drive loses power" simulated_set op4 power 0
check "that is noticed" zone_write 5 0 256 "" fsync
recovered_without_op1 'ARAA[F-]'
marks_are true
damaged_without_op1
op1_is_back
check_equal "the first drive has nothing of its parts now" "$(on_drive op1 3) $(on_drive op1 6)" "0 0"
finish
