#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Several members that work are replaced at once, each by a command of its own.
. "$(dirname "$0")/harness.sh"

# is_read DRIVE: its zones are being copied.
is_read()
{
	awk '$1 == "read" { exit !($3 > 2000) }' "$GROUP/$1/counters"
}

# replace_both A DRIVE B DRIVE
replace_both()
{
	local first second a b

	a=$(json ".members[$1].device") b=$(json ".members[$3].device")
	for drive in "${a#/dev/}" "${b#/dev/}"; do
		echo 0 >"$GROUP/$drive/counters"
	done
	check "$WHAT: slowly" raizn set $VOLUME speed_max=1M
	background first raizn replace $VOLUME "$1" "$2" --force
	first=$BACKGROUND
	background second raizn replace $VOLUME "$3" "$4" --force
	second=$BACKGROUND
	check "$WHAT: both are copied" await 30 eval "is_read ${a#/dev/} && is_read ${b#/dev/}"
	check "$WHAT: all members work" status_is letters AAAAA
	check "$WHAT: at full speed" raizn set $VOLUME speed_max=0
	check "$WHAT: the first one is replaced" wait $first || rig_show "$TMP/first"
	check "$WHAT: the other one is replaced" wait $second || rig_show "$TMP/second"
	rebuild_ends
	check_equal "$WHAT: they have the slots" \
		"$(json "[.members[$1,$3].device]|@csv")" "\"$2\",\"$4\""
	check_equal "$WHAT: all members work" "$(json '[.members[].state]|unique|@csv')" '"active"'
	check "$WHAT: data are right" data_are_right
	check "$WHAT: nothing is wrong" raizn scrub $VOLUME --wait
	check_equal "$WHAT: in all stripes" "$(json .mismatches)" 0
}

drives_up 8
WHAT="level 6"
array_of /dev/op{0..4} --level 6
CAPACITY=4608 ZONE=16384
fill_zones
replace_both 0 /dev/op5 1 /dev/op6
check "the array is stopped" raizn stop $VOLUME
blkzone reset /dev/op0
blkzone reset /dev/op1
WHAT="level 5"
CAPACITY=6144
check "other drives" eval 'for d in 2 3 4 5 6; do blkzone reset /dev/op$d; done'
truncate -s 0 "$TMP/volume"
truncate -s $((4 * ZONE / 2))K "$TMP/volume"
array_of /dev/op{2..6} --force
fill_zones
replace_both 0 /dev/op0 1 /dev/op1
finish
