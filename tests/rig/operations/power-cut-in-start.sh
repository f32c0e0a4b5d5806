#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Only a partial-parity record is left of a zone's data, and power fails in the start that finds
# that, at one moment or another: the zone is damaged at the next start, not empty.
. "$(dirname "$0")/harness.sh"

# Slot 1 has neither data nor parity of these.
ZONES="5 6 7 10 11"

array_up
for zone in $ZONES; do
	check "zone $zone: a little data" zone_write "$zone" 0 8
done
check "all is durable" sync $DEV
simulated_set op1 in_cut 0
simulated_set op1 unplug 1
check "a drive is gone" raizn monitor --once --program /bin/true
commands=0
nth=0
bad=()
for zone in $ZONES; do
	drive=op$(((5 - zone % 5) % 5))
	check_equal "zone $zone begins on $drive" "$(on_drive $drive "$zone")" 16
	simulated_zones_turn $drive offline "$(home "$zone")"
	bad+=("$drive $(home "$zone")")
	check "stop" raizn stop $VOLUME
	cuts=$(cat "$GROUP/cuts")
	simulated_set . mark 1
	simulated_set . cut_at $((commands * nth / 5))
	raizn start $VOLUME >"$TMP/out" 2>&1
	[ $nth -gt 0 ] || commands=$(cat "$GROUP/commands")
	check_equal "power fails at $((commands * nth / 5)) of $commands commands" \
		$(($(cat "$GROUP/cuts") - cuts)) $((nth++ > 0))
	[ ! -e $DEV ] || dmsetup remove --retry $VOLUME
	simulated_set . cut_at 0
	simulated_set . power 1
	check "start" start
	check_fails "zone $zone is not called empty" 'Input/output error' \
		zone_reads "$zone" 4
done
check "nor are the others" json_is '.zones."read-only"' 5
check "the drive is back" eval 'simulated_set op1 power 1 && simulated_set op1 in_cut 1'
check "take it back" eval "raizn remove $VOLUME 1; raizn add $VOLUME /dev/op1"
for zone in $ZONES; do
	check "zone $zone is reset" zone_reset "$zone"
done
rebuild_ends
check "the array is whole" whole
for zone in "${bad[@]}"; do
	simulated_zones_turn "${zone% *}" empty "${zone#* }"
done
check "a restart" restart
check "the array is whole" whole
finish
