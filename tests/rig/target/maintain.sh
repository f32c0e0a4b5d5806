#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The option "maintain" makes all generations of zones begin anew and keeps the data,
# through more work and a restart.
. "$(dirname "$0")/harness.sh"
RIG_MEMBER_SETTINGS=("${SMALL_ZONES[@]}")
up
check "zones in all states" zones_in_all_states
check "resets" resets 40
check "zone model" zonemodel --first 16 --threads 2 --ops "$(scaled 400 100)" \
	--budget 60 --save "$TMP/model" "$DEV"
state=$(volume_state 9)
check "stop" stop_table
log_from_here
check "start" start_table "$(table_of "" maintain)"
check_equal "the kernel log says so" "$(logged 'all generations are restarted')" 1
check_equal "the same data" "$(volume_state 9)" "$state"
check "write on" write_on 4 84
check "zone model goes on" zonemodel --first 16 --threads 2 --ops "$(scaled 200 50)" \
	--budget 60 --load "$TMP/model" --save "$TMP/model" "$DEV"
state=$(volume_state 9)
check "stop again" stop_table
check "restart" volume_start
check_equal "the same data after restart" "$(volume_state 9)" "$state"
check "zone model after restart" zonemodel --first 16 --load "$TMP/model" \
	--verify "$DEV"
check "flush" sync "$DEV"
parity "members and volume" --volume "$DEV" --min-stripes 0
down
finish
