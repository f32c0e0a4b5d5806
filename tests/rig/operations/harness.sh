# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of operations: the array "ops" of five small simulated drives,
# op0 in slot 0 to op4 in slot 4, and how to write to it and look at it. Each scenario
# makes its own; the end of the scenario removes it. Sizes are KiB unless a comment says
# something else.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/advice.sh"
scenario

VOLUME=ops
DEV=/dev/mapper/$VOLUME
ZONE=16384		# sectors from one zone of the volume to the next
CAPACITY=6144		# of each zone of the volume
FIRST=9			# zone of each new drive that holds its part of zone 0

# ---- the array ----------------------------------------------------------------

# drives_up NR: so many drives, and what zones are written with
drives_up()
{
	load_module && simulated_group ops || exit 1
	at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
	head -c 6M /dev/urandom >"$TMP/data"
	truncate -s $((4 * ZONE / 2))K "$TMP/volume"
	simulated_drives op "$1" || exit 1
}

# array_of WORD...: an array, by drives and options of `raizn create`
array_of()
{
	check "an array" raizn create $VOLUME "$@" --stripe-unit 16K --spare-zones 4 || finish
	dmsetup mknodes $VOLUME
}

array_up()
{
	drives_up 5
	array_of /dev/op{0..4}
}

# fill_zones: zones 0 to 2 are full, zone 3 is not.
fill_zones()
{
	check "zones 0 to 3 have data" eval "zone_write 0 0 $CAPACITY &&
		zone_write 1 0 $CAPACITY && zone_write 2 0 $CAPACITY &&
		zone_write 3 0 1792" || finish
}

# data_are_right: zones 0 to 3 hold what was written to them.
data_are_right()
{
	dd if=$DEV bs=1M count=$((4 * ZONE / 2048)) iflag=direct status=none |
		cmp - "$TMP/volume"
}

start()
{
	raizn start $VOLUME && dmsetup mknodes $VOLUME
}

restart()
{
	raizn stop $VOLUME && start
}

# power_cut [KEEP]: all drives lose power; what stays of data that are not durable is
# random, or "none" or "all" of it.
power_cut()
{
	local keep

	read -r keep <"$GROUP/keep"
	[ -z "${1:-}" ] || simulated_set . keep "$1"
	check "the power is off" simulated_set . power 0
	check "the array ends" dmsetup remove --retry $VOLUME
	simulated_set . keep "$keep"
	check "the power is on again" simulated_set . power 1
}

# letters_are LETTERS: the states of the members
letters_are()
{
	status_is letters "$1"
}

# whole: all members work, no zone lacks a column, and none that jobs have begun is active.
whole()
{
	status_is state active letters AAAAA degraded 0 &&
		[ "${RIG_WORDS[places]}" = "${RIG_WORDS[max_active]}" ]
}

rebuild_ends()
{
	check "rebuild --wait" timeout 60 raizn rebuild $VOLUME --wait ||
		note "$(dmsetup status $VOLUME)"
}

# healed MEMBER [PATTERN]: nothing is under way, and so many of its columns were written
# anew because of errors: 1 or more.
healed()
{
	status_is action idle "member$1" "*,${2:-[1-9]*}"
}

write_errors()
{
	json '[.members[].write_errors] | add'
}

# state_metric_is ARRAY STATE: of the monitor whose metrics are in $TMP/prom
state_metric_is()
{
	grep -qxF "raizn_array_state{array=\"$1\",state=\"$2\"} 1" "$TMP/prom" &&
		[ "$(grep -c "^raizn_array_state{array=\"$1\".* 1\$" "$TMP/prom")" = 1 ]
}

# json FILTER: of the array's status
json()
{
	raizn status $VOLUME --json | jq -rc ".arrays[0]|$1"
}

json_is()
{
	[ "$(json "$1")" = "$2" ]
}

# ---- zones of the volume --------------------------------------------------------

# Each zone that is written holds the file $TMP/data, from its beginning on, or from SHIFT on;
# $TMP/volume is what zones 0 to 3 hold.

# zone_write ZONE FROM SIZE [PIECE [fsync|dsync]]: in pieces of 256 if the size is a multiple
# of that, or else in one
zone_write()
{
	local zone=$1 from=$2 size=$3 piece=${4:-} conv=notrunc direct=direct,seek_bytes
	local -a source=(if="$TMP/data" iflag=skip_bytes status=none
			 skip=$(((${SHIFT:-0} + from) * 1024)))

	[ -n "$piece" ] || piece=$((size % 256 ? size : 256))
	case ${5:-} in
	fsync) conv+=,fsync ;;
	dsync) direct+=,dsync ;;
	esac
	dd "${source[@]}" bs="${piece}k" count=$((size / piece)) of=$DEV conv=$conv \
		oflag=$direct seek=$((zone * ZONE * 512 + from * 1024)) || return 1
	((zone > 3)) || dd "${source[@]}" bs="${piece}k" count=$((size / piece)) \
		of="$TMP/volume" conv=notrunc oflag=seek_bytes \
		seek=$((zone * ZONE * 512 + from * 1024))
}

# zone_holds ZONE FROM SIZE: what zone_write() has written
zone_holds()
{
	dd if=$DEV bs=256k count=$(($3 * 1024)) iflag=direct,skip_bytes,count_bytes \
		status=none skip=$(($1 * ZONE * 512 + $2 * 1024)) |
		cmp -n $(($3 * 1024)) -i 0:$(((${SHIFT:-0} + $2) * 1024)) - "$TMP/data"
}

# zone_reads ZONE SIZE: its beginning can be read.
zone_reads()
{
	dd if=$DEV of=/dev/null bs="$2k" count=1 iflag=direct,skip_bytes status=none \
		skip=$(($1 * ZONE * 512))
}

# zone_reset ZONE [NR]
zone_reset()
{
	blkzone reset -o $(($1 * ZONE)) -c "${2:-1}" $DEV
}

# zone_finish ZONE [NR]
zone_finish()
{
	blkzone finish -o $(($1 * ZONE)) -c "${2:-1}" $DEV
}

zone_is_full()
{
	blkzone report -o $(($1 * ZONE)) -c 1 $DEV | grep -q '(fu)'
}

# ---- zones of the drives ----------------------------------------------------------

# home ZONE: where a new drive has its part of a zone of the volume, a zone of it
home()
{
	echo $((FIRST + $1))
}

# on_drive DRIVE ZONE: so many sectors of a zone of the volume are in that place.
on_drive()
{
	local -a lines words

	mapfile -t lines <"$GROUP/$1/zones"
	read -ra words <<<"${lines[FIRST + $2]}"
	echo "${words[2]}"
}

# zone_at DRIVE ZONE: first sector of the drive's zone that holds its part of a zone of
# the volume now
zone_at()
{
	raizn inspect "/dev/$1" zones --json |
		jq ".zones[] | select(.logical_zone == $2).zone * 4096"
}

# written_at DRIVE ZONE: sectors written there
written_at()
{
	raizn inspect "/dev/$1" zones --json |
		jq ".zones[] | select(.logical_zone == $2).written_sectors"
}

# debris DRIVE ZONE: two blocks more than belong to its part of a zone
debris()
{
	dd if="$TMP/data" of="/dev/$1" bs=4k count=2 status=none conv=notrunc \
		oflag=direct,seek_bytes \
		seek=$((($(zone_at "$1" "$2") + $(written_at "$1" "$2")) * 512))
}

# debris_stays KIB: of a column, at most; with more it is rewritten (0: starts move debris)
debris_stays()
{
	echo "$1" >/sys/module/dm_raizn/parameters/relocation_max
}

# zones_in_part DRIVE: how many it holds in part, behind its logs
zones_in_part()
{
	blkzone report -o $((5 * 4096)) "/dev/$1" | grep -vc '(fu)\|(em)'
}

# free_zones DRIVE: those that a column could be moved to
free_zones()
{
	raizn inspect "/dev/$1" zones --json | jq '.zones[] |
		select((has("logical_zone") | not) and
		       (.role | test("^spare|moved|lost"))) | .zone'
}

# bad_stripes DRIVE ZONE: the drive cannot read the beginning of its part of two stripes,
# one of which is data.
bad_stripes()
{
	local at
	at=$(zone_at "$1" "$2")

	simulated_set "$1" bad_sectors "$at 8" &&
		simulated_set "$1" bad_sectors "$((at + 32)) 8"
}

# blind DRIVE: it cannot even read where its logs begin. So if a rebuild cannot read another
# block of the drive, it waits, and does not take that block for lost.
blind()
{
	local zone

	for zone in 0 1 2 3 4; do
		simulated_set "$1" bad_sectors "$((zone * 4096)) 8" || return 1
	done
}

# good_sectors DRIVE...: all can be read again.
good_sectors()
{
	local drive

	for drive; do
		simulated_set "$drive" bad_sectors clear || return 1
	done
}

# flip_parity ZONE: parity of a stripe of one of zones 0 to 3 changes silently, on member 1;
# no data do.
flip_parity()
{
	check "parity of a stripe of zone $1 changes silently" simulated_set op1 flip \
		"$(($(home "$1") * 4096 + (8 - $1) % 5 * 32)) 8"
	check "data are as they were" data_are_right
}

# scrub_is_at ZONE: it is there, or behind it.
scrub_is_at()
{
	status_words && ((RIG_WORDS[scrub_next] >= $1))
}

# ---- the end of zone 9 ------------------------------------------------------------
# With 11 stripe units it ends in its third stripe: members 4, 0 and 1 have a unit of that,
# 32 sectors behind 64 of the first two stripes, and the parity will be member 3's.

write_tail()
{
	check "zone 9: two stripes and three units" zone_write 9 0 176 16
	check_equal "members 4, 0 and 1 have a part of its incomplete stripe" \
		"$(for i in 0 1 2 3 4; do on_drive op$i 9; done | xargs)" "96 96 64 64 96"
}

# bad_blocks DRIVE SECTOR...: blocks of its part of zone 9 that the drive cannot read
bad_blocks()
{
	local drive=$1 at sector
	at=$(zone_at "$drive" 9)
	shift

	for sector; do
		simulated_set "$drive" bad_sectors "$((at + sector)) 8" || return 1
	done
}

# unreadable BLOCKS: how many of zone 9's first blocks of 4 KiB cannot be read. What can
# be read is right, or the answer says something else.
unreadable()
{
	local read

	read=$(what_is_read "$TMP/data" 4096 "$1" $((9 * ZONE)))
	if [[ $read = *" 0 wrong" ]]; then
		read=${read#*, }
		echo "${read% refused*}"
	else
		echo "$read"
	fi
}

# tail_is_right BLOCKS: nothing is missing.
tail_is_right()
{
	check "the array is whole" await 30 whole
	check_equal "all can be read" "$(unreadable "$1")" 0
	check "parity is right" raizn scrub $VOLUME --wait
}

# ---- a load -------------------------------------------------------------------

# load_begin: a writer that never stops goes round zones 6 to 11: each is filled, synced
# and compared, then reset. It ends with the first error, or with load_end.
load_begin()
{
	at_exit load_end
	touch "$TMP/go"
	: >"$TMP/zones"
	(
		zone=6
		while [ -e "$TMP/go" ]; do
			zone_write $zone 0 $CAPACITY "" fsync || exit 1
			zone_holds $zone 0 $CAPACITY || exit 1
			echo $zone >>"$TMP/zones"
			zone_reset $zone || exit 1
			zone=$((zone == 11 ? 6 : zone + 1))
		done
	) >"$TMP/load" 2>&1 &
	LOAD=$!
}

load_is_past()
{
	local zones

	mapfile -t zones <"$TMP/zones"
	((${#zones[@]} > $1))
}

# load_goes_on: a zone was begun and compared since.
load_goes_on()
{
	local zones

	mapfile -t zones <"$TMP/zones"
	await 30 load_is_past $((${#zones[@]} + 1))
}

load_end()
{
	rm -f "$TMP/go"
	wait $LOAD
}

# ---- raizn(8) -------------------------------------------------------------------

# shows WHAT REGEX COMMAND...: it succeeds, and its output matches.
shows()
{
	local what=$1 pattern=$2
	shift 2

	if "$@" >"$TMP/out" 2>&1 </dev/null &&
	   grep -Eq -- "$pattern" "$TMP/out"; then
		ok "$what"
		return 0
	fi
	not_ok "$what" "no success, or no '$pattern' in its output"
	note "command: $*"
	rig_show "$TMP/out"
	return 1
}

# exits WHAT CODE COMMAND...: with this exit code; its output goes to $TMP/out.
exits()
{
	local what=$1 code=$2
	shift 2

	"$@" >"$TMP/out" 2>&1 </dev/null
	check_equal "$what: exit code" $? "$code" || rig_show "$TMP/out"
}

# says WHAT REGEX: the output of the last of these did.
says()
{
	check "$1" grep -Eq -- "$2" "$TMP/out" || rig_show "$TMP/out"
}

# state_of_the_array: what a refused command must not change
state_of_the_array()
{
	dmsetup table
	status_words && echo "${RIG_WORDS[state]} ${RIG_WORDS[members]}" \
		"${RIG_WORDS[letters]} ${RIG_WORDS[event]}"
}

# refused WHAT CODE REGEX COMMAND...: it ends with this exit code and one line that
# matches, and the array is as it was.
refused()
{
	local what=$1 code=$2 pattern="^raizn: .*$3" before status
	local -a lines
	shift 3

	before=$(state_of_the_array)
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	mapfile -t lines <"$TMP/err"
	if [ "$status" != "$code" ]; then
		not_ok "$what" "exit code $status, want $code"
	elif [ ${#lines[@]} != 1 ]; then
		not_ok "$what" "not one line on standard error"
	elif ! [[ ${lines[0]} =~ $pattern ]]; then
		not_ok "$what" "no '$pattern' on standard error"
	elif [ "$before" != "$(state_of_the_array)" ]; then
		not_ok "$what" "the array is not as it was"
	else
		ok "$what"
		return 0
	fi
	note "command: $*"
	rig_show "$TMP/err"
	return 1
}

# background NAME COMMAND...: its output goes to $TMP/NAME, its process id to BACKGROUND.
background()
{
	local name=$1
	shift

	"$@" >"$TMP/$name" 2>&1 </dev/null &
	BACKGROUND=$!
	at_exit "kill $BACKGROUND"
}

# listens PID: it waits for events of arrays. libdevmapper has the control device open,
# and a process that waits for events has it open once more.
listens()
{
	[ "$(find "/proc/$1/fd" -lname '*/mapper/control' | wc -l)" -ge 2 ]
}

# background_ends PID...
background_ends()
{
	kill "$@"
	wait "$@"
}

# events_begin: raizn events, for seen()
events_begin()
{
	background events raizn events $VOLUME
	EVENTS=$BACKGROUND
	check "raizn events waits for events" await 30 listens $EVENTS
}

# seen WHAT REGEX: raizn events tells of it, soon.
seen()
{
	if await 30 grep -Eq -- "$2" "$TMP/events"; then
		ok "events: $1"
	else
		not_ok "events: $1" "no '$2'"
		rig_show "$TMP/events"
	fi
}

# telling_program: one for raizn monitor that appends what it is told to $TMP/told
telling_program()
{
	cat >"$TMP/program" <<-PROGRAM
		#!/bin/sh
		echo \$* \$RAIZN_ARRAY \$RAIZN_WHAT \$RAIZN_SLOT \$RAIZN_DEVICE \$RAIZN_OLD \$RAIZN_NEW \$RAIZN_STATE >>$TMP/told
	PROGRAM
	chmod +x "$TMP/program"
	: >"$TMP/told"
}
