#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone that is written cannot be rebuilt because another drive cannot read: it is tried once in
# each pass over the zones, not once for each zone that is rebuilt.
. "$(dirname "$0")/harness.sh"

# Jobs for the zone that have failed since the kernel log began.
failed_jobs()
{
	dmesg | grep -c 'logical zone 3 cannot be rebuilt on member 0 now'
}

fill_more()
{
	local zone

	for zone in {4..11}; do
		zone_write "$zone" 0 $CAPACITY || return
	done
}

array_up
fill_zones
check "zones 4 to 11 are full" fill_more
check "a drive cannot read a sector of zone 3" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 3) + 64)) 8"
check "nor its logs" blind op3
check "a new drive" simulated_drive op5
before=$(failed_jobs)
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
says "all but zone 3 are rebuilt" 'nothing is rebuilt, but 1 zone lacks a column'
tries=$(($(failed_jobs) - before))
note "zone 3 was tried $tries times"
check_true "zone 3 was tried, and not for each of the others" "1 <= $tries && $tries <= 5"
check "the sector can be read again" good_sectors op3
check "rebuild tries again" raizn rebuild $VOLUME --wait
check "the array is whole" whole
check "data are right" data_are_right
finish
