#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Arrays of each level, with the number of drives that it allows at least and with more: as
# many members as it can lose are lost, one after the other and over a restart, while the
# volume is read and written, and are rebuilt; sectors that cannot be read are healed; where
# several units of a stripe tell which one is wrong, a scrub names and repairs that one. A write
# that one drive too many fails costs the writing of its zone; a block that one drive too many
# cannot read during a rebuild costs this block. Reads that meet a copy on its way to another
# place do not get an old copy.
. "$(dirname "$0")/harness.sh"

LETTERS=AAAAAA
UNIT=16

# level LEVEL MEMBERS DATA PARITY: a new array with so many units of data and parity in each
# stripe, and zones with all kinds of ends
level()
{
	local level=$1 members=$2 data=$3 drive

	PARITY=$4
	WHAT="level $level of $members"
	MEMBERS=$members
	CAPACITY=$((1536 * data))
	for ((ZONE = 2048; ZONE < CAPACITY; ZONE *= 2)); do :; done
	ZONE=$((2 * ZONE))
	truncate -s 0 "$TMP/volume"
	truncate -s $((4 * ZONE / 2))K "$TMP/volume"
	for drive in $(drives 0 7); do
		blkzone reset "$drive"
	done
	check "$WHAT: create" raizn create $VOLUME $(drives 0 "$members") --level "$level" \
		--stripe-unit ${UNIT}K --spare-zones 4 --force || finish
	dmsetup mknodes $VOLUME
	check_equal "$WHAT: status tells the level" "$(json '[.level,(.members|length)]')" \
		"[$level,$members]"
	check "$WHAT: zones are full, finished, open with a tail" eval "
		zone_write 0 0 $CAPACITY && zone_write 1 0 1000 8 && zone_finish 1 &&
		zone_write 2 0 52 4 fsync && zone_write 3 0 $((CAPACITY - 20)) 4" || finish
	check "$WHAT: data are right" data_are_right
}

# drives FIRST NR
drives()
{
	seq -f '/dev/op%g' -s ' ' "$1" $(($1 + $2 - 1))
}

is_whole()
{
	status_is state active letters "${LETTERS:0:MEMBERS}" degraded 0
}

# ends: it is stopped cleanly, and nothing is wrong on the drives.
ends()
{
	check "$WHAT: stop" raizn stop $VOLUME
	check "$WHAT: check finds nothing wrong" raizn check $(drives 0 "$MEMBERS") ||
		rig_show "$TMP/output"
}

# lose_a_write: all drives that are left fail a write to zone 2, from there on: it takes no more,
# and all else goes on.
lose_a_write()
{
	local at=$1 slot part

	part=$(($(zone_at "op$PARITY" 2) / 4096))
	for ((slot = PARITY; slot < MEMBERS; slot++)); do
		simulated_set "op$slot" fault "write 1 zone=$part effect=none"
	done
	check_fails "$WHAT: a write that too many drives fail" 'Input/output error' \
		zone_write 2 "$at" $((2 * UNIT * (MEMBERS - PARITY))) $((2 * UNIT * (MEMBERS - PARITY)))
	check "$WHAT: the zone is read-only" await 30 eval \
		"blkzone report -o $((2 * ZONE)) -c 1 $DEV | grep -q '(ro)'"
	check "$WHAT: data are right" data_are_right
	check "$WHAT: another zone is written and synced" zone_write 4 0 64 4 fsync
	check "$WHAT: and holds that" zone_holds 4 0 64
}

# lose_and_rebuild: PARITY members, one after the other, and the array is written meanwhile
lose_and_rebuild()
{
	local slot at=52

	for ((slot = 0; slot < PARITY; slot++)); do
		check "$WHAT: member $slot fails" raizn fail $VOLUME "$slot" --force
		check "$WHAT: data are right" data_are_right
		check "$WHAT: more is written" zone_write 2 $at 100 4 fsync
		at=$((at + 100))
		check "$WHAT: and is right" data_are_right
	done
	check_fails "$WHAT: no more can be spared" 'cannot do without' \
		raizn fail $VOLUME "$PARITY" --force
	lose_a_write $at
	check "$WHAT: a restart" restart
	check "$WHAT: data are right" data_are_right
	check "$WHAT: more is written" zone_write 2 $at 40 4
	for ((slot = 0; slot < PARITY; slot++)); do
		check "$WHAT: member $slot comes back" raizn add $VOLUME "/dev/op$slot" ||
			rig_show "$TMP/output"
	done
	rebuild_ends
	check "$WHAT: all members are whole" is_whole
	check "$WHAT: a scrub finds nothing" raizn scrub $VOLUME --wait
	check "$WHAT: data are right" data_are_right
	# Others are needed then: what was rebuilt is right.
	for ((slot = 0; slot < PARITY; slot++)); do
		check "$WHAT: another one fails" raizn fail $VOLUME $((MEMBERS - 1 - slot)) \
			--force
	done
	check "$WHAT: data are right without these" data_are_right
	for ((slot = 0; slot < PARITY; slot++)); do
		check "$WHAT: it comes back" raizn add $VOLUME \
			"/dev/op$((MEMBERS - 1 - slot))"
	done
	rebuild_ends
	check "$WHAT: all members are whole again" is_whole
}

# unreadable_sectors: as many drives as can be lost cannot read the same rows.
unreadable_sectors()
{
	local slot

	for ((slot = 0; slot < PARITY; slot++)); do
		check "$WHAT: bad sectors on member $slot" simulated_set "op$slot" \
			bad_sectors "$(($(home 0) * 4096 + 32)) 40"
	done
	check "$WHAT: data are right" data_are_right
	# No copy was read that cannot be.
	check "$WHAT: a scrub reads all" raizn scrub $VOLUME --wait
	for ((slot = 0; slot < PARITY; slot++)); do
		check "$WHAT: member $slot is healed" await 30 status_is action idle \
			"member$slot" "*,[1-9]*" || note "$(dmsetup status $VOLUME)"
		simulated_set "op$slot" bad_sectors clear
	done
	check "$WHAT: data are right" data_are_right
	check "$WHAT: nothing is missing" await 30 is_whole
}

# replace_first DRIVE [OPTION]: in slot 0
replace_first()
{
	check "$WHAT: member 0 is replaced" eval \
		"blkzone reset $1 && raizn replace ${2:-} $VOLUME 0 $1 --force" ||
		rig_show "$TMP/output"
	rebuild_ends
	check "$WHAT: all members are whole" is_whole
}

# nothing_wrong: each block of zone 0 is right, or cannot be read
nothing_wrong()
{
	[[ $(what_is_read "$TMP/data" 4096 $((CAPACITY / 4))) = *" 0 wrong" ]]
}

# lose_blocks: a new drive is rebuilt, and one drive too many cannot read the same rows.
lose_blocks()
{
	local slot

	for ((slot = 1; slot <= PARITY; slot++)); do
		check "$WHAT: bad sectors on member $slot" simulated_set "op$slot" \
			bad_sectors "$(($(zone_at "op$slot" 0) + 336)) 24"
	done
	replace_first /dev/op6 --no-copy
	check_true "$WHAT: blocks are lost" "$(json .lost_sectors) >= 24"
	check_true "$WHAT: no more than these rows" \
		"$(json .lost_sectors) <= 24 * ($PARITY + 1)"
	check_equal "$WHAT: status lists them" "$(json '[.lost_blocks[].sectors]|add')" \
		"$(json .lost_sectors)"
	check "$WHAT: nothing is wrong" nothing_wrong
	check "$WHAT: a restart" restart
	check "$WHAT: nothing is wrong" nothing_wrong
	for ((slot = 1; slot <= PARITY; slot++)); do
		simulated_set "op$slot" bad_sectors clear
	done
	check "$WHAT: a scrub" raizn scrub $VOLUME --wait
	check "$WHAT: nothing is lost" await 30 status_is lost 0 action idle
	check "$WHAT: data are right" data_are_right
	replace_first /dev/op0
	check "$WHAT: data are right" data_are_right
}

# says_slot SLOT: to people, too; of parity it says where that is.
says_slot()
{
	shows "$WHAT: status names the slot" \
		"stripe 3: (the unit in slot $1 is wrong|parity is in slot $1)" raizn status $VOLUME
}

# wrong_unit SLOT: what this member holds of a stripe of zone 3 changes silently.
wrong_unit()
{
	check "$WHAT: member $1 changes silently" simulated_set "op$1" flip \
		"$(($(zone_at "op$1" 3) + 3 * 2 * UNIT)) 8"
	check_fails "$WHAT: a scrub finds it" '1 stripe did not match' \
		raizn scrub $VOLUME --wait
	check_equal "$WHAT: and whose it is" \
		"$(json '.mismatches_at|map([.zone,.slot])')" "[[3,$1]]"
	says_slot "$1"
	check "$WHAT: repair" raizn scrub $VOLUME repair --wait --force ||
		rig_show "$TMP/output"
	check "$WHAT: data are right" data_are_right
	check "$WHAT: nothing is left" raizn scrub $VOLUME --wait
}

# two_wrong_units: of one stripe, in different blocks
two_wrong_units()
{
	check "$WHAT: members 0 and 1 change silently" eval "
		simulated_set op0 flip $(($(zone_at op0 3) + 3 * 2 * UNIT)) &&
		simulated_set op1 flip $(($(zone_at op1 3) + 4 * 2 * UNIT - 8))"
	check_fails "$WHAT: a scrub finds them" '1 stripe did not match' \
		raizn scrub $VOLUME --wait
	check "$WHAT: repair" raizn scrub $VOLUME repair --wait --force ||
		rig_show "$TMP/output"
	check "$WHAT: data are right" data_are_right
	check "$WHAT: nothing is left" raizn scrub $VOLUME --wait
	check "$WHAT: a restart" restart
}

wrong_units()
{
	local slot

	for ((slot = 0; slot < MEMBERS; slot++)); do
		wrong_unit $slot
		# Zones that columns left are free again.
		check "$WHAT: a restart" restart
	done
	two_wrong_units
}

# old_copy: zone 4 is read all the time. Member 0 has failed and holds old data; another one cannot
# read its copy again and again, which moves to another place each time.
old_copy()
{
	local -a fio=(fio --name=copy --filename=$DEV --offset=$((4 * ZONE * 512)) --direct=1
		      --size=${CAPACITY}k --bs=${UNIT}k --verify=pattern)
	local pid moves=0

	check "$WHAT: old data" eval "zone_reset 4 &&
		${fio[*]@Q} --rw=write --do_verify=0 --verify_pattern=0x11"
	check "$WHAT: no limit" raizn set $VOLUME error_limit=0
	check "$WHAT: member 0 fails" raizn fail $VOLUME 0 --force
	check "$WHAT: new data" eval "zone_reset 4 &&
		${fio[*]@Q} --rw=write --do_verify=0 --verify_pattern=0x22"
	"${fio[@]}" --rw=randread --norandommap --ioengine=libaio --iodepth=64 --numjobs=4 \
		--verify_pattern=0x22 --time_based --runtime=3 >"$TMP/fio" 2>&1 &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		simulated_set op1 bad_sectors "$(zone_at op1 4) $((2 * CAPACITY))"
		sleep 0.05
		simulated_set op1 bad_sectors clear
		moves=$((moves + 1))
	done
	check "$WHAT: no read gets old data" wait $pid || rig_show "$TMP/fio"
	check_true "$WHAT: the copy was unreadable several times" "$moves > 3"
	check "$WHAT: member 0 comes back" raizn add $VOLUME /dev/op0
	rebuild_ends
	check "$WHAT: all members are whole" is_whole
	check "$WHAT: the zone is emptied" zone_reset 4
}

load_module && simulated_group ops || exit 1
at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
head -c 9M /dev/urandom >"$TMP/data"
# Few active zones leave room in the logs for large stripe units.
simulated_drives op 7 max_open=10 max_active=10 || exit 1

for shape in "6 4 2 2" "6 6 4 2" "5 3 2 1" "1 2 1 1" "1 3 1 2" "1 4 1 3"; do
	# shellcheck disable=SC2086
	level $shape
	lose_and_rebuild
	unreadable_sectors
	lose_blocks
	((PARITY < 2)) || wrong_units
	[[ $shape != "1 3 "* ]] || old_copy
	ends
done

# A unit that is compared in several pieces.
UNIT=128
level 6 4 2 2
two_wrong_units
ends
UNIT=16

level 0 3 3 0
lose_a_write 52
check "$WHAT: a restart" restart
check "$WHAT: data are right" data_are_right
check "$WHAT: more is written" zone_write 2 52 40 4
check_fails "$WHAT: no member can be spared" 'cannot do without' \
	raizn fail $VOLUME 1 --force
ends
check "$WHAT: start" start
simulated_set op1 unplug 1
check_fails "$WHAT: a drive is gone, and so are data" '' data_are_right
check "$WHAT: the others can be read" zone_reads 0 16
simulated_set op1 power 1
shows "$WHAT: stop" 'drives were gone' raizn stop $VOLUME
check "$WHAT: the drive is back: start" start
check "$WHAT: data are right" data_are_right
ends
finish
