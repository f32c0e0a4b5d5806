#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mapped devices that are called arrays but are none hide no array: list, status and the
# monitor have one line about each, and tell of the others. stop removes them. A map that has
# no table hides no drive. An array whose map has an odd name blinds no metrics, and is in one
# line of list.
. "$(dirname "$0")/harness.sh"

# state NAME: as list has it.
state()
{
	raizn list --json | jq -r --arg name "$1" '.arrays[] | select(.name == $name) | .state'
}

array_up
simulated_drives oq 3 || exit 1
check "another array" raizn create other /dev/oq{0..2} --stripe-unit 16K --spare-zones 4
at_exit "raizn stop other"
telling_program
background monitor raizn monitor --program "$TMP/program" --prometheus "$TMP/prom"
check "the monitor has seen both" await 30 grep -qxF \
	'raizn_array_state{array="other",state="active"} 1' "$TMP/prom"

check "somebody wipes its table" dmsetup wipe_table other
check_equal "list: the other one" "$(state $VOLUME)" active
check_equal "list: this one" "$(state other)" unknown
shows "status has a word for it" 'is none of an array: its target is error' raizn status other
check_equal "status of all" "$(raizn status --json | jq -c '[.arrays[].state]|sort')" \
	'["active","unknown"]'
check "status of the other" raizn status $VOLUME
check "the monitor tells of it" await 30 grep -q \
	"other: is none of an array any more, its target is error; 'raizn stop other'" "$TMP/monitor"
check "and that its state is unknown" await 30 grep -q 'other state active unknown' "$TMP/told" || rig_show "$TMP/told"
check "a member of the other fails" raizn fail $VOLUME 1 --force
check "the monitor tells of that, too" await 30 grep -q 'ops state active degraded' "$TMP/told"
check_equal "it complains once" "$(grep -c 'is none of an array' "$TMP/monitor")" 1
background_ends $BACKGROUND
check "events goes on as well" eval \
	'timeout 3 raizn events >"$TMP/events"; [ $? = 124 ] && grep -q "ops state" "$TMP/events"'
advice_helps other foreign stopped
check "start" raizn start other
check_equal "it runs" "$(state other)" active

odd=$'o"d\\d\nn\033'
check "somebody gives its map an odd name" dmsetup rename other "$odd"
check_equal "list: the same array" "$(state "$odd")" active
check_equal "list for people: one line, without what controls a terminal" \
	"$(raizn list | grep -c '^o"d\\d?n?  .*  active ')" 1
check_equal "status: all lines begin as those of the other" \
	"$(raizn status "$odd" | cut -c 1-9 | head -n 5)" "$(raizn status $VOLUME | cut -c 1-9 | head -n 5)"
rm "$TMP/prom"
background monitor raizn monitor --program "$TMP/program" --prometheus "$TMP/prom"
check "metrics: the name is escaped" await 30 grep -qxF \
	'raizn_array_state{array="o\"d\\d\nn?",state="active"} 1' "$TMP/prom"
check_equal "metrics: all can be read" "$(grep -cvE \
	'^#|^raizn_[a-z_]+\{([a-z]+="([^"\\]|\\[\\"n])*",?)+\} [0-9]+$' "$TMP/prom")" 0
background_ends $BACKGROUND
check "its name again" dmsetup rename "$odd" other

check "a map whose UUID begins like ours" dmsetup create foo -u RAIZN-foo --table "0 8 zero"
check "a map with the UUID of an array" dmsetup create bar \
	-u RAIZN-0123456789abcdef0123456789abcdef --table "0 8 zero"
check_equal "list: what there is" "$(raizn list --json |
	jq -c '[.arrays[]|[.name,.state]]|sort')" \
	'[["bar","unknown"],["ops","degraded"],["other","active"]]'
check "list for people" raizn list
check "stop --all stops them all" raizn stop --all
check_equal "but the one that is not called an array" \
	"$(dmsetup ls | cut -f 1)" foo
check "remove that" dmsetup remove foo

check "a map with an inactive table, on a drive of an array that is stopped" eval '
	dmsetup create half --notable &&
	dmsetup load half --table "0 $(blockdev --getsz /dev/op1) linear /dev/op1 0"'
check_equal "list complains of nothing" "$(raizn list 2>&1 >/dev/null)" ""
check_equal "the drive is there" "$(raizn list --json |
	jq -c '.arrays[] | select(.name == "ops") | .nr_found')" 5
check "start" raizn start $VOLUME
check "stop" raizn stop $VOLUME
shows "check names the map" 'raizn: /dev/op1: in use: part of the mapped device half' \
	eval 'raizn check /dev/op{0..4} || true'
check "remove the map" dmsetup remove half
finish
