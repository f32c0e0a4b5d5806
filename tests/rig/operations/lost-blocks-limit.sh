#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive with many bad sectors: the list of lost blocks is full, a zone lacks a column then, and
# the kernel log says why. The list has room again when a zone is reset.
. "$(dirname "$0")/harness.sh"

# bad_rows ZONE: a block of each stripe
bad_rows()
{
	local first stripe

	first=$(zone_at op3 "$1")
	for ((stripe = 0; stripe < 96; stripe++)); do
		simulated_set op3 bad_sectors "$((first + 32 * stripe + 8)) 8" || return 1
	done
}

# zone_reads ZONE
zone_reads()
{
	what_is_read "$TMP/data" 4096 $((CAPACITY / 4)) $(($1 * ZONE))
}

# listed: entries in the list of the newest record that member 1 has
listed()
{
	raizn inspect /dev/op1 log --json |
		jq '[.log[].records[]|select(.type=="bad blocks")]|max_by(.seq).entries|length'
}

array_up
fill_zones
check "a drive cannot read a block of each stripe of zone 0" bad_rows 0
check "nor of zone 1" bad_rows 1
check "nor of zone 2" bad_rows 2
check "a new drive" simulated_drive op5
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
says "it says what is left" 'nothing is rebuilt, but 1 zone lacks a column'
check "the kernel log says why" eval \
	"dmesg | grep -q 'no more lost blocks can be recorded: reset zones that have some'"
check_true "the list is almost full" "510 <= $(listed) && $(listed) <= 512"
before=$(json .lost_sectors)
check_true "that many sectors are lost" "2 * 2 * 76 * 8 <= $before && $before <= 512 * 8"
check_equal "zone 0 is read, but for these" "$(zone_reads 0 | sed 's/.*, //')" "0 wrong"
check_equal "status lists all that it counts" "$(json '[.lost_blocks[].sectors]|add')" "$before"
check "a power cut" power_cut
check "a start" start
check_equal "the array knows them" "$(json .lost_sectors)" "$before"

check "a reset of zone 1" zone_reset 1
rebuild_ends
check "the array is whole" await 30 whole
check_true "sectors of zones 0 and 2 are lost" "$(json .lost_sectors) >= 2 * 2 * 76 * 8"
check "the sectors can be read again" good_sectors op3
check "scrub" raizn scrub $VOLUME --wait
check "all that was left out is computed" await 30 status_is lost 0 action idle
check "zone 1 is written again" zone_write 1 0 $CAPACITY
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
