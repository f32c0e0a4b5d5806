#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The message "degraded" answers in pieces, which map puts together: every second zone lacks
# a column, more than one answer tells of.
. "$(dirname "$0")/harness.sh"
SIMULATED_SETTINGS+=(nr_zones=120)

# degraded_of_status: what the status line says
degraded_of_status()
{
	raizn status $VOLUME --json | jq '.arrays[0].degraded_zones'
}

array_up
fill_zones
nr=$(raizn map $VOLUME --json | jq .nr_zones)
homes=()
for ((zone = 1; zone < nr; zone += 2)); do
	homes+=("$(home $zone)")
done
check "no spare zones for op1" simulated_zones_turn op1 offline {5..8}
check "stop" raizn stop $VOLUME
check "op1 loses every second zone" simulated_zones_turn op1 offline "${homes[@]}"
check "start" start
check "zones lack a column" await 30 eval '[ "$(degraded_of_status)" -gt 40 ]'

raizn map $VOLUME --json >"$TMP/json"
status=$(degraded_of_status)
note "$status of $nr zones lack a column"
check_equal "the map has as many as the status" "$(jq .degraded_zones "$TMP/json")" "$status"
check_equal "each is a run of one zone that lacks that of slot 1" \
	"$(jq -c '[.zones[]|select(.lacks != [])|[.count,.lacks]]|unique' "$TMP/json")" \
	'[[1,[1]]]'
check_equal "they are every second one" \
	"$(jq -c '[.zones[]|select(.lacks != [])|.first % 2]|unique' "$TMP/json")" '[1]'
read -ra first < <(dmsetup message $VOLUME 0 degraded)
check_equal "an answer has 32 runs and where to go on" ${#first[@]} 33
check_true "that is behind them" "${first[32]} > ${first[31]%%,*} && ${first[32]} < $nr"
read -ra second < <(dmsetup message $VOLUME 0 degraded "${first[32]}")
check_equal "the next answer has the others" $((32 + ${#second[@]} - 1)) "$status"
check_equal "and is the last one" "${second[-1]}" "$nr"
check "data are right" data_are_right
check "stop it" raizn stop $VOLUME
finish
