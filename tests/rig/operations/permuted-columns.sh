#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The columns of each zone are on members of other slots, as a zone map says that no module writes
# yet: what an array does with columns and what it does with members are different things. Members
# fail, are rebuilt, copied, left out and taken back, columns fail, data and parity turn wrong, blocks
# are lost and power is cut; each time the right drives are named, and data are right.
. "$(dirname "$0")/harness.sh"

UNIT=16

# map FILTER: what jq finds in the map
map()
{
	raizn map $VOLUME --json | jq -c "$1"
}

# column_of DRIVE ZONE
column_of()
{
	raizn inspect "/dev/$1" zones --json | jq ".zones[] | select(.logical_zone == $2).column"
}

# others_on DRIVE: how many zones have another column there than the one of its slot's number
others_on()
{
	raizn inspect "/dev/$1" --json | jq '.superblock.slot as $slot |
		[.zones[] | select(.column != null and .column != $slot)] | length'
}

# marked .slot|.zone: of the columns that some record marks as whole
marked()
{
	raizn inspect /dev/op0 log --json | jq -c "[.log[].records[]?.entries[]? | select(.whole) |
		.slot = (.column + .distance) % 5 | $1] | unique"
}

right()
{
	data_are_right && zone_holds 5 0 640
}

is_whole()
{
	status_is state active letters AAAAA degraded 0 action idle
}

# whole_again WHAT: it was rebuilt, and parity matches data.
whole_again()
{
	rebuild_ends
	check "$WHAT: $1" await 30 is_whole || {
		note "$(dmsetup status $VOLUME)"
		finish
	}
	check "$WHAT: data are right" right || finish
	check "$WHAT: a scrub finds nothing" raizn scrub $VOLUME --wait || finish
}

# stopped DRIVE...: nothing is wrong on the drives.
stopped()
{
	check "$WHAT: stop" raizn stop $VOLUME
	check "$WHAT: check finds nothing wrong" raizn check "$@" || {
		rig_show "$TMP/output"
		finish
	}
	check "$WHAT: nor does another program" parity_check --min-stripes 0 "$@" ||
		rig_show "$TMP/output"
}

# The drives are empty, and all of their zones work.
fresh_drives()
{
	local drive

	[ -z "$PLACE" ] || simulated_zones_turn op0 empty "$PLACE"
	for drive in /dev/op{0..5}; do
		blkzone reset $drive
	done
}

begins()
{
	fresh_drives
	truncate -s 0 "$TMP/volume"
	truncate -s $((4 * ZONE / 2))K "$TMP/volume"
	check "$WHAT: an array" array_permuted $VOLUME "$SEED" /dev/op{0..4} --level "$LEVEL" \
		--stripe-unit ${UNIT}K --spare-zones 4 --force || finish
	dmsetup mknodes $VOLUME
	check_true "$WHAT: a drive has columns of other numbers" "$(others_on op1) > 5"
	check_equal "$WHAT: older modules refuse it" \
		"$(raizn inspect /dev/op0 superblock --json | jq .superblock.incompat)" 2
	check "$WHAT: zones are full, finished, open with a tail" eval "
		zone_write 0 0 $CAPACITY && zone_write 1 0 1000 8 && zone_finish 1 &&
		zone_write 2 0 $CAPACITY && zone_write 3 0 1796 4 && zone_write 5 0 640 64 fsync" ||
		finish
	check "$WHAT: data are right" right || finish
	stopped /dev/op{0..4}
	check "$WHAT: start" start || finish
	check "$WHAT: data are right" right || finish
	check "$WHAT: the tail goes on" zone_write 3 1796 260 4
}

# columns_are_marked: those that are rebuilt before others, on the drive of slot 1
columns_are_marked()
{
	local whole

	check "$WHAT: some zones are whole" await 60 eval '(($(status_field degraded) <= 4))'
	whole=$(($(map .nr_zones) - $(status_field degraded)))
	check_equal "$WHAT: columns are marked as whole, all of them of slot 1" \
		"$(marked '.slot')" '[1]'
	check_true "$WHAT: one of each zone that is whole" "$(marked .zone | jq length) >= $whole"
	check "$WHAT: a restart" restart || finish
	check_equal "$WHAT: and these are marked again" "$(marked '.slot')" '[1]'
	check_true "$WHAT: the rebuilt columns count" "$(status_field degraded) <= 4"
	check "$WHAT: at full speed" raizn set $VOLUME speed_max=0
}

# a_member_fails: in each zone another column
a_member_fails()
{
	local before

	check "$WHAT: member 1 fails" raizn fail $VOLUME 1 --force
	check_equal "$WHAT: all zones lack the column of slot 1" \
		"$(map '[.zones[].lacks]|unique')" '[[1]]'
	check "$WHAT: data are right" right || finish
	check "$WHAT: an empty zone and a tail are written" eval "
		zone_write 6 0 200 4 && zone_write 3 2056 212 4 fsync" || finish
	check "$WHAT: data are right" eval 'right && zone_holds 6 0 200'
	[ $LEVEL != 5 ] || check "$WHAT: slowly" raizn set $VOLUME speed_max=128K
	check "$WHAT: another drive is rebuilt" raizn replace $VOLUME 1 /dev/op5 --no-copy --force ||
		rig_show "$TMP/output"
	[ $LEVEL != 5 ] || columns_are_marked
	whole_again "it is whole"
	before=$(json .bytes.rebuild_written)
	check "$WHAT: a working one is copied" eval "blkzone reset /dev/op1 &&
		raizn replace $VOLUME 2 /dev/op1 --force" || rig_show "$TMP/output"
	whole_again "it is whole"
	check_true "$WHAT: next to nothing was rebuilt" \
		"$(json .bytes.rebuild_written) - $before < 100000"
}

# a_member_is_away: the array starts without it, and goes on.
a_member_is_away()
{
	stopped /dev/op{0,5,1,3,4}
	check "$WHAT: the drive of member 3 is off" simulated_set op3 power 0
	exits "$WHAT: check does without it" 1 raizn check /dev/op{0,5,1,4}
	says "$WHAT: and finds nothing wrong" 'the data that is there is consistent'
	check "$WHAT: a start without it" eval \
		"raizn start $VOLUME --degraded --force && dmsetup mknodes $VOLUME"
	check_equal "$WHAT: all zones lack the column of slot 3" \
		"$(map '[.zones[].lacks]|unique')" '[[3]]'
	check "$WHAT: data are right" right || finish
	check "$WHAT: more is written" eval "zone_write 3 2268 132 4 && zone_write 6 200 56 4 fsync"
	check "$WHAT: data are right" eval 'right && zone_holds 6 0 256'
	check "$WHAT: the drive is on again" simulated_set op3 power 1
	check "$WHAT: it is taken back" raizn add $VOLUME /dev/op3 || rig_show "$TMP/output"
	whole_again "it is whole"
}

# a_reset_fails: on one drive, whose column is another zone then.
a_reset_fails()
{
	local place places drive
	places=$(for drive in op0 op5 op1 op3; do zone_at $drive 6; done)
	place=$(zone_at op4 6)

	check "$WHAT: a reset is about to fail on member 4" simulated_set op4 fault \
		"reset 1 zone=$((place / 4096))"
	check "$WHAT: the zone is reset" zone_reset 6
	rebuild_ends
	check "$WHAT: the column is elsewhere" await 30 eval "is_whole && ! zone_is_at op4 $place"
	check_equal "$WHAT: and no other one" \
		"$(for drive in op0 op5 op1 op3; do zone_at $drive 6; done)" "$places"
	check "$WHAT: the zone is written" zone_write 6 0 256 4 fsync
	check "$WHAT: and right" zone_holds 6 0 256
}

# zone_is_at DRIVE SECTOR: zone 6
zone_is_at()
{
	[ "$(zone_at "$1" 6)" = "$2" ]
}

# a_column_fails: a zone of a drive cannot be written, and only its column moves.
a_column_fails()
{
	local column
	PLACE=$(($(zone_at op0 5) / 4096))
	column=$(column_of op0 5)

	check "$WHAT: a zone of member 0 turns read-only" simulated_zones_turn op0 readonly "$PLACE"
	check "$WHAT: it is written to" zone_write 5 640 640 64
	check "$WHAT: the column is elsewhere" await 30 is_whole || {
		note "$(dmsetup status $VOLUME)"
		finish
	}
	check_true "$WHAT: on the same drive" "$(zone_at op0 5) / 4096 != $PLACE"
	check_equal "$WHAT: and is the same column" "$(column_of op0 5)" "$column"
	check "$WHAT: data are right" zone_holds 5 0 1280
}

# a_unit_is_wrong DRIVE SLOT: data or parity of a stripe changes silently.
a_unit_is_wrong()
{
	check "$WHAT: a unit of member $2 changes" simulated_set "$1" flip \
		"$(($(zone_at "$1" 3) + 3 * 2 * UNIT)) 8"
	check_fails "$WHAT: a scrub finds it" '1 stripe did not match' \
		raizn scrub $VOLUME --wait
	((LEVEL == 5)) || check_equal "$WHAT: and whose it is" \
		"$(json '.mismatches_at|map([.zone,.slot])')" "[[3,$2]]"
	check_true "$WHAT: at level 5 the slot of the parity is told" \
		"$LEVEL == 6 || $(json '.mismatches_at[0]|.slot') == $(parity_slot 3 3)"
	check_equal "$WHAT: and where the parity is" \
		"$(json '.mismatches_at[0].parity_slot')" "$(parity_slot 3 3)"
	simulated_set "$1" flip "$(($(zone_at "$1" 3) + 3 * 2 * UNIT)) 8"
	check "$WHAT: it is right again" raizn scrub $VOLUME --wait
}

# parity_slot ZONE STRIPE: slot of the drive with the first parity
parity_slot()
{
	local slot=0 drive column=$((4 - ($1 + $2) % 5))

	for drive in "${DRIVE[@]}"; do
		[ "$(column_of "$drive" "$1")" != $column ] || echo $slot
		slot=$((slot + 1))
	done
}

# rows_are_bad: on the drive of $slot, in its part of zone 0
rows_are_bad()
{
	simulated_set "${DRIVE[slot]}" bad_sectors "$((place[slot] + 336)) 24"
}

# blocks_are_lost: a member is rebuilt beside others that cannot read some rows.
blocks_are_lost()
{
	local slot place=()

	for ((slot = 1; slot <= LEVEL - 4; slot++)); do
		place[slot]=$(zone_at "${DRIVE[slot]}" 0)
		check "$WHAT: member $slot cannot read some rows" rows_are_bad
	done
	((LEVEL == 6)) || check "$WHAT: nor its logs" blind "${DRIVE[1]}"
	check "$WHAT: member 0 is rebuilt" eval \
		"blkzone reset /dev/op2 && raizn replace --no-copy $VOLUME 0 /dev/op2 --force" ||
		rig_show "$TMP/output"
	DRIVE[0]=op2
	if ((LEVEL == 5)); then
		slot=1
		exits "$WHAT: the rebuild of zone 0 waits" 1 \
			timeout 60 raizn rebuild $VOLUME --wait
		check "$WHAT: so the member is not whole" letters_are RAAAA
		check "$WHAT: member 1 can read its logs" eval \
			'good_sectors "${DRIVE[1]}" && rows_are_bad'
	fi
	rebuild_ends
	check_true "$WHAT: blocks are lost" "$(json .lost_sectors) >= 24"
	check_equal "$WHAT: of these members" \
		"$(json "[.lost_blocks[].slot]|unique|map(select(. > $((LEVEL - 4))))")" '[]'
	for ((slot = 1; slot <= LEVEL - 4; slot++)); do
		simulated_set "${DRIVE[slot]}" bad_sectors clear
	done
	check "$WHAT: a scrub" raizn scrub $VOLUME --wait
	check "$WHAT: nothing is lost" await 30 status_is lost 0 action idle
	check "$WHAT: data are right" data_are_right
}

# power_fails: while zones are written; all that was flushed is there.
power_fails()
{
	check "$WHAT: zones are written" eval "zone_write 7 0 700 4 fsync && zone_write 8 0 $CAPACITY"
	zone_write 7 700 500 4 &
	sleep 0.2
	power_cut
	wait
	exits "$WHAT: check tells of work" 1 raizn check $VOLUME
	check "$WHAT: start" start || finish
	check "$WHAT: data are right" eval 'data_are_right && zone_holds 7 0 700' || finish
	check "$WHAT: a scrub finds nothing" raizn scrub $VOLUME --wait
	stopped "${DRIVE[@]/#//dev/}"
	check "$WHAT: start" start || finish
	power_cut
	check "$WHAT: the drive of member 4 is off" simulated_set "${DRIVE[4]}" power 0
	check "$WHAT: a start without it" eval \
		"raizn start $VOLUME --degraded --force && dmsetup mknodes $VOLUME"
	check "$WHAT: data are right" eval 'data_are_right && zone_holds 7 0 700' || finish
	check "$WHAT: the drive is on again" simulated_set "${DRIVE[4]}" power 1
	check "$WHAT: it is taken back" raizn add $VOLUME "/dev/${DRIVE[4]}" || rig_show "$TMP/output"
	rebuild_ends
	check "$WHAT: it is whole" await 30 is_whole
	stopped "${DRIVE[@]/#//dev/}"
}

# no_feature: a map that the superblocks do not allow
no_feature()
{
	fresh_drives
	check "an array" raizn create $VOLUME /dev/op{0..4} --stripe-unit 16K --no-start --force
	check "its map has distances without the feature" permute --seed "$SEED" --no-feature \
		/dev/op{0..4}
	check_fails "no start" '' raizn start $VOLUME
	check "the kernel log tells why" eval \
		"dmesg | tail -n 20 | grep -q 'members of other slots, which the newest superblock does not allow'"
	exits "check" 2 raizn check /dev/op{0..4}
	says "check tells why" 'zone map has columns on members of other slots'
}

PLACE=
drives_up 6
for LEVEL in 5 6; do
	WHAT="level $LEVEL"
	DRIVE=(op0 op5 op1 op3 op4)
	CAPACITY=$((1536 * (9 - LEVEL)))
	begins
	a_member_fails
	if ((LEVEL == 5)); then
		a_member_is_away
		a_reset_fails
		a_column_fails
	fi
	a_unit_is_wrong op1 2
	a_unit_is_wrong op4 4
	blocks_are_lost
	power_fails
done
no_feature
finish
