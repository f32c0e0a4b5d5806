#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A read-only start writes nothing at all to any drive, write-protected as they are: not of an array
# that was stopped, nor of one with debris, gaps, an interrupted reset or finish, relocated rows, or
# without a drive. What it serves is what a start that writes has, later. Beyond a limit it refuses.
. "$(dirname "$0")/harness.sh"

LIMIT=/sys/module/dm_raizn/parameters/stand_in_max

# drives_are: all bytes of all drives, and all their zones
drives_are()
{
	local i

	for i in 0 1 2 3 4; do
		[ "$(cat "$GROUP/op$i/state")" = on ] || continue
		cat "$GROUP/op$i/zones" && cksum <"/dev/op$i" || return 1
	done
}

# changing_commands: commands to the drives so far, but for those that only look
changing_commands()
{
	awk '/^(write|append|flush|reset|reset_all|finish|open|close) / { nr += $2 }
		END { print nr + 0 }' "$GROUP"/op*/counters
}

# protect RO|RW: drives are write-protected, or not any more.
protect()
{
	local i

	for i in 0 1 2 3 4; do
		[ ! -b "/dev/op$i" ] || blockdev "--set${1,,}" "/dev/op$i" || return 1
	done
}

# volume_is: zones of the volume, and all data
volume_is()
{
	blkzone report $DEV && dd if=$DEV bs=1M iflag=direct status=none | cksum
}

turn_cache()
{
	echo "$1" >/sys/block/op1/queue/write_cache
}

# served NAME [OPTION...]: starts read-only, and notes what is served. Drives are write-protected if
# PROTECTED is not empty.
PROTECTED=yes
served()
{
	local what=$1
	shift

	drives=$(drives_are)
	commands=$(changing_commands)
	[ -z "$PROTECTED" ] || check "$what: drives are write-protected" protect RO
	check "$what: read-only start" eval "raizn start $VOLUME --read-only $* &&
		dmsetup mknodes $VOLUME"
	check "$what: it is read-only" status_is state read-only
	volume=$(volume_is)
}

# no_command WHAT COMMAND...: fails
no_command()
{
	local what=$1
	shift

	check_fails "no $what" . "$@"
}

# left_alone NAME: it was stopped, and nothing has happened to the drives.
left_alone()
{
	shows "$1: stop" 'nothing was written to its drives' raizn stop $VOLUME
	check_equal "$1: no command that could change a drive" "$(changing_commands)" "$commands"
	check "$1: zones and bytes of the drives are the same" eval \
		'[ "$(drives_are)" = "$drives" ]'
	check "$1: drives can be written" protect RW
}

# starts_as_served NAME [OPTION...]: a start that writes has the same.
starts_as_served()
{
	local what=$1
	shift

	check "$what: start" eval "raizn start $VOLUME $* && dmsetup mknodes $VOLUME"
	check "$what: it is active" status_is state active
	check "$what: the volume is as it was served" eval '[ "$(volume_is)" = "$volume" ]'
}

array_up
debris_stays 0
fill_zones
check "stop" raizn stop $VOLUME

check "a drive's cache is off" turn_cache "write through"
served "stopped"
check "data are right" data_are_right
no_command "write" dd if="$TMP/data" of=$DEV bs=4k count=1 oflag=direct,seek_bytes conv=notrunc \
	seek=$((3 * ZONE * 512 + 1792 * 1024))
no_command "reset" zone_reset 0
no_command "finish" zone_finish 3
for command in "fail $VOLUME 1 --force" "remove $VOLUME 1" "replace $VOLUME 1 /dev/op1 --force" \
	"add $VOLUME /dev/op1"; do
	check_fails "no ${command%% *}" 'read-only, so that its drives stay' raizn $command
done
check "nor does the module fail a member" eval "! dmsetup message $VOLUME 0 fail 1"
no_command "repair" raizn scrub $VOLUME repair
check "it is turned on" turn_cache "write back"
check "sync" sync $DEV
check "check" raizn scrub $VOLUME check --wait
check "a setting" raizn set $VOLUME error_limit=7
check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "a table that could be written" eval "dmsetup table $VOLUME | dmsetup reload -r $VOLUME &&
	dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "data are right after that" data_are_right
shows "status names write-protected drives" 'write-protected: member 0 \(op0\), member 1' \
	raizn status $VOLUME
left_alone "stopped"
starts_as_served "stopped"

check "80 stripes, a unit and a half" zone_write 5 0 5144 8
check "all is durable" sync $DEV
check "more, of which op1 has nothing" eval "zone_write 5 5144 296 8 &&
	sync /dev/op0 && sync /dev/op2 && sync /dev/op3 && sync /dev/op4"
check "a zone that is reset" zone_write 6 0 1024
check "power fails at its third reset" eval "
	simulated_set . keep none && simulated_set . cut_kinds reset &&
	simulated_set . mark 1 && simulated_set . cut_at 3"
check_fails "reset" 'error' zone_reset 6
check "the array ends" dmsetup remove --retry $VOLUME
check "the power is back" eval 'simulated_set . cut_at 0 && simulated_set . power 1'
check "op3 has more than belongs there" debris op3 5
PROTECTED=
served "debris, gaps, a reset"
check "zone 5 has it all" zone_holds 5 0 5440
check "zone 6 is empty" eval "blkzone report -o $((6 * ZONE)) -c 1 $DEV | grep -q '(em)'"
shows "data are in memory" 'data that they lack is in memory: [0-9]' raizn status $VOLUME
check "parity is right" eval "raizn scrub $VOLUME --wait && [ \$(status_field mismatches) = 0 ]"
check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "the volume is the same" eval '[ "$(volume_is)" = "$volume" ]'
check "a table that may be written" eval "dmsetup table $VOLUME | dmsetup reload $VOLUME &&
	dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "it is read-only all the same" status_is state read-only
check "the volume is the same" eval '[ "$(volume_is)" = "$volume" ]'
left_alone "debris, gaps, a reset"

healthy=$volume
check "op1 is not there" simulated_set op1 power 0
PROTECTED=yes
check_fails "without a drive it is refused" 'missing' raizn start $VOLUME --read-only
served "without a drive" --degraded
check "the volume is as with all drives" eval '[ "$volume" = "$healthy" ]'
left_alone "without a drive"
check "op1 is back" simulated_set op1 power 1

check "less may be in memory" eval "echo 4 >$LIMIT"
drives=$(drives_are)
commands=$(changing_commands)
check_fails "it is refused" 'stand_in_max allows 4: allow more' raizn start $VOLUME --read-only
check_equal "no command that could change a drive" "$(changing_commands)" "$commands"
check "zones and bytes of the drives are the same" eval '[ "$(drives_are)" = "$drives" ]'
check "more may be there" eval "echo 65536 >$LIMIT"

check "a start that writes" start
check "no drive was left behind" whole
check "the volume is as it was served" eval '[ "$(volume_is)" = "$healthy" ]'
check "data are right" data_are_right

check "all is durable" sync $DEV
check "two units of zone 7, on op3 and op4" zone_write 7 0 32 16
check "power fails when parity is in the log, and op4 is flushed" eval "
	simulated_set . keep none && simulated_set . cut_kinds flush &&
	simulated_set . mark 1 && simulated_set . cut_at 2"
check_fails "sync" 'error' sync $DEV
check "the array ends" dmsetup remove --retry $VOLUME
check "the power is back" eval 'simulated_set . cut_at 0 && simulated_set . power 1'
check_equal "op4 has no data of zone 7" "$(on_drive op3 7) $(on_drive op4 7)" "32 0"
served "an incomplete stripe"
check "zone 7 has both units" zone_holds 7 0 32
left_alone "an incomplete stripe"
starts_as_served "an incomplete stripe"

debris_stays 1024
simulated_set . keep random
power_cut
check "op4, which has the next parity, has more than belongs there" debris op4 5
check "start" start
check "it is spoilt" status_is spoilt 32
check "rows are relocated" zone_write 5 5440 96 8 fsync
check "stop" raizn stop $VOLUME
PROTECTED=yes
served "relocated rows, stopped"
check "it is spoilt" status_is spoilt 32
check "zone 5 has it all" zone_holds 5 0 5536
left_alone "relocated rows, stopped"
starts_as_served "relocated rows, stopped"
check "more, of which op2 has nothing" eval "zone_write 5 5536 256 8 &&
	sync /dev/op0 && sync /dev/op1 && sync /dev/op3 && sync /dev/op4"
power_cut none
PROTECTED=
served "relocated rows, gaps"
check "it is spoilt, and other rows are in memory" status_is spoilt 32 stand_ins "[1-9]*"
check "zone 5 has it all" zone_holds 5 0 5792
left_alone "relocated rows, gaps"
starts_as_served "relocated rows, gaps"

check "power fails when a zone is finished" eval "
	simulated_set . keep all && simulated_set . cut_kinds finish &&
	simulated_set . mark 1 && simulated_set . cut_at 2"
check_fails "finish" 'error' zone_finish 5
check "the array ends" dmsetup remove --retry $VOLUME
check "the power is back" eval 'simulated_set . cut_at 0 && simulated_set . power 1'
served "a finish"
check "zone 5 is full" zone_is_full 5
left_alone "a finish"

check "drives are write-protected" protect RO
check "start, read-only or not" start
check "the array is read-only" status_is state read-only
advice_helps $VOLUME write-protected active
check "stop" raizn stop $VOLUME
check "read-only start" eval "raizn start $VOLUME --read-only && dmsetup mknodes $VOLUME"
advice_helps $VOLUME read-only active
check "the volume is as it was served" eval '[ "$(volume_is)" = "$volume" ]'
check "data are right" data_are_right
finish
