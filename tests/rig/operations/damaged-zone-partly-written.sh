#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones that are partly written are damaged, because a drive is missing that they need. Nothing is
# written to them meanwhile, so the drive, when it is back, has all of them: after a restart they are
# right and take writes. A drive is not believed if the zone went on without it before: after it was
# recovered, reset, or rebuilt on the drive.
. "$(dirname "$0")/harness.sh"
CAPACITY=1536
ZONE=4096

# copies DRIVE...: an array of these, with data in zones 1 and 2
copies()
{
	array_of "${@/#//dev/}" --level 1
	check "zones 1 and 2 have data" eval 'zone_write 1 0 256 "" fsync &&
		zone_write 2 0 1024 "" fsync' || finish
}

# lost DRIVE...: what they hold of zone 1 cannot be read any more
lost()
{
	local drive

	for drive; do
		check "$drive loses its part of zone 1" simulated_zones_turn "$drive" offline \
			"$(($(zone_at "$drive" 1) / 4096))"
	done
}

# is_not_believed DRIVE: it has power again, and is the only one with data of zone 1, which are
# older.
is_not_believed()
{
	check "the last drive has power" simulated_set "$1" power 1
	check "it is taken back" raizn add $VOLUME "/dev/$1"
	timeout 60 raizn rebuild $VOLUME --wait
	check "a restart" restart
	check "zone 1 is damaged still" status_is damaged 1
	check_fails "reads of it are errors" 'Input/output error' zone_holds 1 0 512
	check "zone 2 is right" zone_holds 2 0 1024
}

# other_drives NR: instead of the former ones
other_drives()
{
	check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op $1"
}

drives_up 2

# The drive is missing at the start.
copies op0 op1
lost op0
power_cut
check "one drive has no power yet" simulated_set op1 power 0
advice_helps $VOLUME degraded degraded
check "zone 1 is damaged" status_is letters A- damaged 1
check "zone 2 can be written" zone_write 2 1024 256 "" fsync
check "a restart changes nothing" restart
check "zone 1 is damaged" status_is letters A- damaged 1
check "the drive has power" simulated_set op1 power 1
advice_helps $VOLUME add-back degraded
timeout 60 raizn rebuild $VOLUME --wait
advice_helps $VOLUME damaged-rebuild:1,2 active
check "zone 1 is right" zone_holds 1 0 256
check "it takes writes" zone_write 1 256 256 "" fsync
rebuild_ends
check "both copies are whole" status_is state active letters AA degraded 0 damaged 0

# The drive is lost while the array runs; the zone is finished.
check "slowly" raizn set $VOLUME speed_max=1K
lost op1
check "that is noticed by a finish" zone_finish 1
check "the zone lacks a column" await 30 status_is letters AA degraded 1
check "the other drive loses power" simulated_set op0 power 0
check "that is noticed" zone_write 2 1280 16 "" fsync
check "zone 1 is damaged" await 30 status_is letters FA damaged 1
check "the drive has power again" simulated_set op0 power 1
advice_helps $VOLUME add-back degraded
check "at full speed" raizn set $VOLUME speed_max=0
timeout 60 raizn rebuild $VOLUME --wait
advice_helps $VOLUME damaged-rebuild:1,2 active
check "zone 1 is right" zone_holds 1 0 512
rebuild_ends
check "both copies are whole" status_is state active letters AA degraded 0 damaged 0
check "zone 2 is right" zone_holds 2 0 1296
check "stop" raizn stop $VOLUME

# Of three copies, one loses its part of the zone, and the others are missing. One of these is
# back, and the zone goes on. Then the third is the only one left.
other_drives 3
copies op0 op1 op2
lost op0
power_cut
check "two drives have no power yet" eval 'simulated_set op1 power 0 && simulated_set op2 power 0'
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "zone 1 is damaged" status_is letters A-- damaged 1
check "a drive has power" simulated_set op1 power 1
check "it is taken back" raizn add $VOLUME /dev/op1
timeout 60 raizn rebuild $VOLUME --wait
check "a restart" restart
check "zone 1 is right" zone_holds 1 0 256
check "more is written" zone_write 1 256 256 "" fsync
check "one copy is missing" await 30 status_is letters AA- degraded 19 action idle
lost op0 op1
check "the others' copies of the zone are lost in a restart" restart
check "zone 1 is damaged" status_is letters AA- damaged 1
is_not_believed op2
check "it is given up" zone_reset 1
check "it takes writes" zone_write 1 0 256 "" fsync
rebuild_ends
check "all copies are whole" status_is state active letters AAA degraded 0 damaged 0
check "stop" raizn stop $VOLUME

# The zone is given up, and used again, before it is damaged once more.
other_drives 2
copies op0 op1
lost op0
power_cut
check "a drive has no power yet" simulated_set op1 power 0
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "zone 1 is damaged" status_is letters A- damaged 1
check "it is given up" zone_reset 1
SHIFT=16 check "and used again" zone_write 1 0 512 "" fsync
lost op0
check "a restart" restart
check "zone 1 is damaged" status_is letters A- damaged 1
is_not_believed op1
check "stop" raizn stop $VOLUME

# A new drive has the zone, but not all others, when it is lost: its column is marked. The zone goes
# on without it.
other_drives 4
copies op0 op1 op2
check "zone 0 is full" zone_write 0 0 $CAPACITY
check "slowly" raizn set $VOLUME speed_max=256K
check "a copy is replaced" raizn replace --no-copy $VOLUME 2 /dev/op3 --force
check "it has the zone" await 30 eval \
	"raizn inspect /dev/op0 log | grep -q 'column 2 of zone 1 in [0-9]* whole'"
check "it is being rebuilt still" status_is letters AAR
check "the new drive loses power" simulated_set op3 power 0
check "the zone goes on" zone_write 1 256 256 "" fsync
check "without it" status_is letters AAF
lost op0 op1
check "the others' copies of the zone are lost in a restart" restart
check "zone 1 is damaged" status_is letters AA- damaged 1
is_not_believed op3
check "stop" raizn stop $VOLUME
finish
