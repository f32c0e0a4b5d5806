#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Resets of a drive fail for a while, until it has no free zone: when it works again, columns get
# places without a restart. A drive whose resets fail now and then does not keep the array busy.
. "$(dirname "$0")/harness.sh"

# resets: of op1, since it was made or counting began anew
resets()
{
	awk '$1 == "reset" { print $2 }' "$GROUP/op1/counters"
}

# fails_every_second: of the next 200 resets of op1
fails_every_second()
{
	local nth

	for nth in $(seq 1 2 199); do
		simulated_set op1 fault "reset $nth" || return 1
	done
}

# comes_to_rest NR: no more resets, after at most so many
comes_to_rest()
{
	check "the rebuild ends" await 30 status_is action idle
	sleep 1
	RESETS=$(resets)
	check_true "op1 got $RESETS resets" "RESETS <= $1"
	sleep 2
	check_equal "it gets no more of them" "$(resets)" "$RESETS"
}

array_up
fill_zones
check "no error limit" raizn set $VOLUME error_limit=0
for zone in 4 5 6 7 8; do
	check "write zone $zone" zone_write $zone 0 256
done
check "resets of a drive fail" simulated_set op1 fault "reset 1 times=100000"
for zone in 4 5 6 7 8; do
	check "reset zone $zone" zone_reset $zone
done
check "a zone lacks a column: no free zone is left" await 30 status_is \
	degraded 1 action idle letters AAAAA
check "the drive works again" simulated_set op1 fault clear
check "rebuild" raizn rebuild $VOLUME
check "the array is whole" await 30 whole
check "write the zone" zone_write 8 0 $CAPACITY
check "its data are right" zone_holds 8 0 $CAPACITY

check "another drive cannot read a sector of zone 3" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 3) + 64)) 8"
check "nor its logs: the column is not rebuilt without it" blind op3
check "every second reset of the first drive fails" fails_every_second
simulated_set op1 counters 0
simulated_set op1 fault "write 1 zone=$(home 3) then=offline"
check "its part of zone 3 turns offline" zone_write 3 1792 256
check "zone 3 lacks a column" await 30 status_is degraded 1 letters AAAAA
comes_to_rest 8
for i in 1 2 3 4; do
	simulated_set op1 counters 0
	raizn rebuild $VOLUME --wait >"$TMP/output" 2>&1
	comes_to_rest 8
done

mapfile -t zones < <(seq "$(home 4)" "$(home 8)")
check "the resets fail, and the drive calls the zones read-only" eval \
	'simulated_set op1 fault clear && simulated_zones_turn op1 readonly "${zones[@]}"'
simulated_set op1 fault "reset 1 times=100000"
raizn rebuild $VOLUME --wait >"$TMP/output" 2>&1
raizn rebuild $VOLUME --wait >"$TMP/output" 2>&1
simulated_set op1 counters 0
raizn rebuild $VOLUME --wait >"$TMP/output" 2>&1
check_equal "it was asked again: resets of retired zones" "$(resets)" 0
simulated_set op1 fault clear
check "all can be read again" good_sectors op3
power_cut
check "start" start
check "data are right" data_are_right
finish
