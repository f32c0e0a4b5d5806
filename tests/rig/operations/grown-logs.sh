#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# General logs move to other zones when they have grown, not only when they are full, and at a clean
# stop. A log zone that a drive made unusable meanwhile costs nothing, and so does the last block of
# a log that moved at the stop.
. "$(dirname "$0")/harness.sh"

SIMULATED_SETTINGS+=(zone_size_kib=16384 zone_capacity_kib=16384)

# unused_log_zone DRIVE: one of its empty log zones, the first that a log would move to
unused_log_zone()
{
	awk '$1 < 5 && !$3 { print $1; exit }' "$GROUP/$1/zones"
}

# last_block_is_bad DRIVE: the last one of its general log
last_block_is_bad()
{
	local zone written

	read -r zone written < <(raizn inspect "/dev/$1" zones --json |
		jq -r '.zones[] | select(.role | test("general")) | "\(.zone) \(.written_sectors)"')
	simulated_set "$1" bad_sectors "$((zone * 16384 * 2 + written - 8)) 8 0"
}

array_up
before=$(status_field log_switches)
check "an unused log zone of op3 turns offline" \
	simulated_zones_turn op3 offline "$(unused_log_zone op3)"
check "4000 resets" zone_resets $DEV 5 3 4000
check_equal "each log moved for 4 MiB of records" \
	$(($(status_field log_switches) - before)) 35
check "the array is whole" whole
check "an unused log zone of op2 turns read-only" \
	simulated_zones_turn op2 readonly "$(unused_log_zone op2)"
for drive in op0 op4; do
	check "60 resets" zone_resets $DEV 5 3 60
	check "stop" raizn stop $VOLUME
	check "the last block of $drive's log cannot be read" last_block_is_bad $drive
	kernel_log_new >/dev/null
	check "start" start
	check_equal "the kernel log tells of that block" \
		"$(kernel_log_new | grep -c "$drive: member .*the drive cannot read 1 blocks")" 1
	check "the array is whole" whole
	check "it can be read" good_sectors $drive
done
finish
