#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones that a drive has more than the smallest are its spare zones: more columns move there than the
# array's spare zones allow. That outlasts a restart, a power cut, replacement by a smaller drive and by a
# larger one, and a drive that is shorter at a start. Older modules refuse the array from then on.
. "$(dirname "$0")/harness.sh"

COMMON=28
LARGE=op1

# features: the incompat words of the other members
features()
{
	local drive

	for drive in op0 op2 op3 op4; do
		raizn inspect /dev/$drive --json | jq .superblock.incompat
	done | sort -u | xargs
}

# moved ZONE: the large drive makes its part of the empty zone read-only, then it is written to.
moved()
{
	check "zone $1 of $LARGE turns read-only" simulated_zones_turn $LARGE readonly \
		"$(($(zone_at $LARGE "$1") / 4096))"
	check "it is written to" zone_write "$1" 0 256
	check "its column is elsewhere" await 30 whole || note "$(dmsetup status $VOLUME)"
}

# nr_surplus DRIVE: columns that it has behind the zones that all drives have
nr_surplus()
{
	raizn inspect "/dev/$1" zones --json |
		jq "[.zones[] | select(has(\"logical_zone\") and .zone >= $COMMON)] | length"
}

# said_before_used: the newest superblock is older than the first map entry of a surplus zone.
said_before_used()
{
	raizn inspect /dev/op0 log --json | jq -e "[.log[].records[]?] |
		([.[] | select(.type == \"superblock\" and .role == 1).seq] | max) <
		([.[] | select(any(.entries[]?; .physical and .physical >= $COMMON)).seq] | min)"
}

all_is_right()
{
	local zone

	for zone in 4 5 6 7 8 9; do
		zone_holds $zone 0 256 || return 1
	done
	data_are_right
}

# cut_with_debris ZONE: the large drive gets more there while the array has no power.
cut_with_debris()
{
	power_cut
	check "more than belongs there" debris $LARGE "$1"
}

drives_up 1
debris_stays 0
check "a drive with more zones" simulated_drive op1 nr_zones=36
check "three like the first" eval 'for i in 2 3 4; do simulated_drive op$i || return; done'
shows "create says what the others are for" \
	'^note: 1 drive has more zones than the smallest; .* spare zones .*, up to 8$' \
	raizn create $VOLUME /dev/op{0..4} --stripe-unit 16K --spare-zones 4 --dry-run
array_of /dev/op{0..4}
check_equal "the drives have so many free zones" "$(json '[.members[].free_zones]')" "[4,12,4,4,4]"
fill_zones

# ---- more columns than spare zones -------------------------------------------------
for zone in 4 5 6 7; do
	moved $zone
done
check_equal "the array's spare zones are used" "$(json '[.members[].free_zones]')" "[4,8,4,4,4]"
check_equal "older modules still know the array" "$(features)" 0
for zone in 8 9; do
	moved $zone
done
check_equal "two columns are in surplus zones" "$(nr_surplus $LARGE)" 2
check_equal "older modules refuse it on all members" "$(features)" 1
check "that comes before the first entry of the map that needs it" said_before_used
check "data are right" all_is_right
check "stop" raizn stop $VOLUME
check "nothing is left to do" raizn check $VOLUME
check "start" start
check "the array is whole" whole
check "data are right" all_is_right

check "the large drive fails" raizn fail $VOLUME 1 --force
check "zone 9 is written without it" zone_write 9 256 8
check "it is back" raizn add $VOLUME /dev/$LARGE
rebuild_ends
check "the array is whole" whole
check_equal "its columns are where they were" "$(nr_surplus $LARGE)" 2
check "data are right" eval 'all_is_right && zone_holds 9 256 8'

check "zone 8 is written" zone_write 8 256 8
check "all is durable" sync $DEV
cut_with_debris 8
exits "check has nothing against the place" 1 raizn check $VOLUME
says "it says that the column moves" 'leave 16 sectors in place, or move'
check "start" start
check "the array is whole" whole
check_equal "the column is in another surplus zone" "$(nr_surplus $LARGE)" 2
check "data are right" eval 'all_is_right && zone_holds 8 256 8'
check "stop" raizn stop $VOLUME
check "nothing is left to do" raizn check $VOLUME
check "start" start

# ---- other drives ------------------------------------------------------------------
check "a smaller drive" simulated_drive op5
check "replace" raizn replace $VOLUME 1 /dev/op5
rebuild_ends
check "the array is whole" whole
check "data are right" all_is_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0
check "a restart" restart
check "the array is whole" whole

check "a larger drive" simulated_drive op6 nr_zones=36
check "replace" raizn replace --no-copy $VOLUME 1 /dev/op6 --force
rebuild_ends
check "the array is whole" whole
check "data are right" all_is_right
LARGE=op6
check "zones are reset" zone_reset 4 6
bad=()
for zone in 4 5 6 7 8 9; do
	bad+=("$(($(zone_at $LARGE $zone) / 4096))")
	moved $zone
done
check_true "columns are in surplus zones" "$(nr_surplus $LARGE) >= 2"
check "stop" raizn stop $VOLUME

# ---- a drive that is shorter than the map --------------------------------------------
check "zones work again" simulated_zones_turn $LARGE empty "${bad[@]}"
if ! dmsetup create short --table "0 $((COMMON * 4096)) linear /dev/$LARGE 0"; then
	skip "a drive that is shorter" "no dm-linear"
else
	at_exit "dmsetup remove --retry short"
	dmsetup mknodes short
	exits "check" 2 raizn check /dev/op0 /dev/mapper/short /dev/op{2..4}
	says "it names the drive and the columns" \
		'/dev/mapper/short: has 28 zones, and [2-6] columns are in zones behind these'
	check "the whole drive" dmsetup remove --retry short
	check "start" start
	check "another drive fails" raizn fail $VOLUME 2 --force
	check "stop" raizn stop $VOLUME
	check "the drive is shorter again" dmsetup create short \
		--table "0 $((COMMON * 4096)) linear /dev/$LARGE 0"
	dmsetup mknodes short
	check "a start that would lose columns for good is refused" eval \
		"! raizn start $VOLUME /dev/op0 /dev/mapper/short /dev/op{3,4} >'$TMP/out' 2>&1"
	says "it says why" 'data behind the end of a drive that has fewer zones than before'
	check "the whole drive" dmsetup remove --retry short
	check "start" start
	check "data are right" all_is_right
	check "the other drive is back" raizn add $VOLUME /dev/op2
	rebuild_ends
	check "the array is whole" await 30 whole
	check "stop" raizn stop $VOLUME

	check "the drive is shorter again" dmsetup create short \
		--table "0 $((COMMON * 4096)) linear /dev/$LARGE 0"
	dmsetup mknodes short
	check "start" raizn start $VOLUME /dev/op0 /dev/mapper/short /dev/op{2..4}
	dmsetup mknodes $VOLUME
	rebuild_ends
	check "the array is whole" await 30 whole
	check "data are right" all_is_right
	check "stop" raizn stop $VOLUME
	check "the drive is as long as before" dmsetup remove --retry short
fi
check "start" start
check "the array is whole" whole
check "data are right" all_is_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0

# ---- a start that needs a surplus zone first -------------------------------------------
check "stop" raizn stop $VOLUME
check "former members are taken away" rmdir "$GROUP"/op{1,5}
array_of /dev/op0 /dev/op6 /dev/op{2..4} --force
fill_zones
for zone in 4 5 6 7 8 9; do
	check "zone $zone is written" zone_write $zone 0 256
done
check "all is durable" sync $DEV
check_equal "older modules know this array" "$(features)" 0
check "the array's spare zones cannot be used" simulated_zones_turn $LARGE readonly 5 6 7 8
cut_with_debris 8
check "start" start
check "the array is whole" whole
check_equal "the column is in a surplus zone" "$(nr_surplus $LARGE)" 1
check_equal "older modules refuse the array" "$(features)" 1
check "data are right" all_is_right
finish
