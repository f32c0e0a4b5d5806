#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The zones of a member that works are copied to the drive that takes its place: the other drives
# are hardly read, whether users write and reset zones meanwhile or not, the member has sectors that
# it cannot read, or another member fails. A copy that is interrupted changes nothing.
. "$(dirname "$0")/harness.sh"

# sectors_read DRIVE
sectors_read()
{
	awk '$1 == "read" { print $3 }' "$GROUP/$1/counters"
}

# fresh DRIVE: blank, with good zones
fresh()
{
	simulated_zones_turn "$1" empty $((FIRST + 5)) && blkzone reset "/dev/$1"
}

counters_begin()
{
	local drive

	for drive in "$GROUP"/op?; do
		echo 0 >"$drive/counters"
	done
}

array_up
fill_zones
# Each has an incomplete stripe, the parity of which is on another member.
check "zones are finished early" eval 'for zone in 4 12 13 14 15 16; do
	zone_write $zone 0 1000 8 && zone_finish $zone || return; done'
check "a column is at another place" eval 'simulated_zones_turn op1 readonly $((FIRST + 5)) &&
	zone_write 5 0 4096 && await 30 whole'
check "two drives" eval 'simulated_drive op5 nr_zones=32 && simulated_drive op6'

counters_begin
# The column that is at another place was rebuilt, too, of as much as was written by then.
before=$(json .bytes.rebuild_written)
check "replace a member that works" eval \
	"raizn replace $VOLUME 1 /dev/op5 --progress >'$TMP/replace' 2>&1"
check "it showed how far it was" grep -q 'copying /dev/op1 to /dev/op5: 100.0%' "$TMP/replace" ||
	rig_show "$TMP/replace"
check "no question was asked" grep -q '/dev/op5 is in slot 1 now' "$TMP/replace"
rebuild_ends
check "the array is whole" whole
check_equal "the drive is in the slot" "$(json '.members[1].device')" /dev/op5
note "sectors read: $(for d in op0 op1 op2 op3 op4; do sectors_read $d; done | xargs)"
after=$(json .bytes.rebuild_written)
note "bytes rebuilt: $before, $after"
check_true "next to nothing was rebuilt" "after >= before && after - before < 100000" || json . >&2
check_true "the member was read" "$(sectors_read op1) > 10000"
for drive in op0 op2 op3 op4; do
	check_true "$drive was hardly read" "$(sectors_read $drive) < 2000"
done
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0
check "a restart" restart
check "the array is whole" whole
check_equal "the old drive is known as replaced" \
	"$(json '[.members[]|.device]|contains(["/dev/op1"])')" false

# With users at work.
load_begin
check "writers are at work" await 30 load_is_past 1
check "slowly" raizn set $VOLUME speed_max=4M
check "a blank drive" fresh op1
background copying raizn replace $VOLUME 2 /dev/op1
check "writers reset zones meanwhile" eval 'load_goes_on && load_goes_on'
check "the member takes part" status_is letters AAAAA
check "other commands are not held up" raizn set $VOLUME speed_max=0
check "the copy ends" await 60 json_is '.members[2].device' /dev/op1 || rig_show "$TMP/copying"
check "writers go on" load_goes_on
rebuild_ends
check "the array is whole" whole
check "writers end" load_end || rig_show "$TMP/load"
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0

# Sectors that the member cannot read are computed.
check "bad sectors" bad_stripes op3 2
check "a blank drive" fresh op2
refused "zones that cannot be copied want --force" 3 '1 zones of the member cannot be read' \
	raizn replace $VOLUME 3 /dev/op2
check "nothing has changed" whole
check "a blank drive" fresh op2
check "replace" raizn replace $VOLUME 3 /dev/op2 --force
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right

# A zone that was copied is reset, and other data is written to it.
check "good sectors again" eval 'good_sectors op3 && fresh op3'
counters_begin
check "slowly" raizn set $VOLUME speed_max=2M
background copying raizn replace $VOLUME 0 /dev/op3
check "zone 4 is copied" await 30 eval '(($(sectors_read op0) > 12000))'
check "other data is written there" eval 'zone_reset 4 && SHIFT=512 zone_write 4 0 4096'
check "at full speed" raizn set $VOLUME speed_max=0
check "the copy ends" await 60 json_is '.members[0].device' /dev/op3 || rig_show "$TMP/copying"
rebuild_ends
SHIFT=512 check "the new data is right" zone_holds 4 0 4096
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0
check "data are right" data_are_right

# Interrupted, and with another failure meanwhile.
counters_begin
check "slowly" raizn set $VOLUME speed_max=1M
check "a blank drive" fresh op0
background copying raizn replace $VOLUME 4 /dev/op0
check "the copy is made" await 30 eval '(($(sectors_read op4) > 2000))'
kill -9 $BACKGROUND
check "nothing has changed" whole
check "a blank drive" fresh op0
counters_begin
background copying raizn replace $VOLUME 4 /dev/op0
check "the copy is made" await 30 eval '(($(sectors_read op4) > 2000))'
check "another member fails" raizn fail $VOLUME 0 --force
check "at full speed" raizn set $VOLUME speed_max=0
check "the member is not given up" eval 'wait $BACKGROUND; [ $? = 3 ]' || rig_show "$TMP/copying"
check "and the reason is told" grep -q 'it works without member 0 .* already' "$TMP/copying"
check "it takes part" status_is letters FAAAA
check "data are right" data_are_right
finish
