#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive cannot read a sector of its logs when the array starts: the other members' records make up
# for it, if they show that the member took part; else the member is not used, and nothing is lost.
. "$(dirname "$0")/harness.sh"

# log_of DRIVE ROLE: its log zone with that log, and the blocks written there
log_of()
{
	raizn inspect "/dev/$1" zones --json | jq -r ".zones[] |
		select(.role | test(\"$2\")) | \"\\(.zone) \\(.written_sectors / 8)\""
}

# log_is_bad DRIVE ROLE BLOCK [READS]: cannot be read, or not after so many reads; a negative block
# counts from the end
log_is_bad()
{
	local zone blocks

	read -r zone blocks < <(log_of "$1" "$2")
	simulated_set "$1" bad_sectors \
		"$((zone * 4096 + ($3 < 0 ? blocks + $3 : $3) * 8)) 8 ${4:-0}"
}

# remember_logs DRIVE: what its log zones hold
remember_logs()
{
	local zone

	rm -f "$TMP"/past.*
	for zone in 0 1 2 3 4; do
		dd if="/dev/$1" of="$TMP/past.$zone" bs=4k skip=$((zone * 512)) \
			count=$(($(blkzone report -o $((zone * 4096)) -c 1 "/dev/$1" |
				sed 's/.*wptr 0x\([0-9a-f]*\) .*/0x\1/') / 8)) \
			iflag=direct status=none || return 1
	done
}

# forget_since DRIVE: they hold that again.
forget_since()
{
	local zone

	simulated_zones_turn "$1" empty 0 1 2 3 4 || return 1
	for zone in 0 1 2 3 4; do
		[ ! -s "$TMP/past.$zone" ] || dd if="$TMP/past.$zone" of="/dev/$1" bs=4k \
			seek=$((zone * 512)) oflag=direct status=none || return 1
	done
}

# starts_whole WHAT: check, which reads only, agrees with the start
starts_whole()
{
	raizn check $VOLUME >"$TMP/out" 2>&1
	says "$1: check uses all members" '^members: +5 of 5 can be used'
	check "$1: start" start
	check "$1: all members are in use" whole
	check "$1: data are right" data_are_right
}

stalls()
{
	[ "$(cat "$GROUP/$1/stall")" = 1 ]
}

# start_is_cut DRIVE: the power goes off with its first append.
start_is_cut()
{
	local begun

	simulated_set "$1" fault "append 1 then=stall" || return 1
	raizn start $VOLUME >/dev/null 2>&1 </dev/null &
	begun=$!
	await 10 stalls "$1" && simulated_set . power 0 || return 1
	! wait $begun && simulated_set . power 1 && simulated_set "$1" stall 0
}

# does_not_start WHAT
does_not_start()
{
	raizn check $VOLUME >"$TMP/out" 2>&1
	says "$1: check says why" 'do not make up for that'
	check_fails "$1: no start" 'do not make up for that' raizn start $VOLUME
	# The tool has refused; so does the module.
	kernel_log_new >/dev/null
	check_fails "$1: nor by the module" '' dmsetup create $VOLUME --table "$TABLE"
	check "$1: the module says why" eval \
		'kernel_log_new | grep "not trusted: its drive cannot read all of its general log"'
}

array_up
TABLE=$(dmsetup table $VOLUME)
fill_zones
check "a zone is reset" zone_reset 2
check "and written anew" zone_write 2 0 $CAPACITY
for block in 0 1 -2 -1; do
	check "stop" raizn stop $VOLUME
	check "block $block of a general log cannot be read" log_is_bad op1 general $block
	starts_whole "block $block"
done
check "stop" raizn stop $VOLUME
check "first blocks of four general logs cannot be read" eval \
	'for i in 0 1 2 3; do log_is_bad op$i general 0; done'
starts_whole "four logs"
check "stop" raizn stop $VOLUME
check "first block of a partial-parity log cannot be read" log_is_bad op2 partial-parity 0
starts_whole "partial parity"
# Reads that fail may take seconds.
check "stop" raizn stop $VOLUME
check "four blocks of a general log cannot be read" eval \
	'for i in 1 2 3 4; do log_is_bad op4 general $i; done'
check "its drive counts" simulated_set op4 counters 0
kernel_log_new >/dev/null
check "a start that writes nothing" dmsetup create $VOLUME --readonly --table "$TABLE"
check_equal "it meets each of them once, after a larger read" \
	"$(awk '$1 == "read" { print $4 }' "$GROUP/op4/counters")" 5
check "it tells of them" eval \
	'kernel_log_new | grep "member 4: the drive cannot read 4 blocks of reserved zone"'
check "stop" dmsetup remove --retry $VOLUME
# The member gets its new log before the others, which would not tell then what it knows.
check "all drives lose power when it gets a new log" start_is_cut op4
starts_whole "an interrupted start"
check "stop" raizn stop $VOLUME
check "a block of all general logs cannot be read" eval \
	'for i in 0 1 2 3 4; do log_is_bad op$i general 1; done'
raizn check $VOLUME >"$TMP/out" 2>&1
says "check says that no log is complete" 'no member can be used'
check_fails "no log is complete: no start" 'do not make up for that' raizn start $VOLUME
good_sectors op{0..4}

# After a power cut, records behind the newest superblock
for block in 0 -2; do
	check "start" start
	check "a zone is written and reset" eval 'zone_write 5 0 256 && zone_reset 5'
	power_cut
	check "block $block of a general log cannot be read" log_is_bad op1 general $block
	starts_whole "power cut, block $block"
	check "stop" raizn stop $VOLUME
done
check "start" start
check "a zone is written and reset" eval 'zone_write 5 0 256 && zone_reset 5'
power_cut
check "the record of the last reset cannot be read" log_is_bad op1 general -1
does_not_start "power cut, a reset that may be unknown"
good_sectors op1
starts_whole "power cut, all can be read"

# A drive that was left behind
check "stop" raizn stop $VOLUME
check "a drive is copied" remember_logs op1
check "start" start
check "a zone is reset" zone_reset 2
check "and written anew" zone_write 2 0 $CAPACITY
check "stop" raizn stop $VOLUME
check "the copy is put back" forget_since op1
check "its newest superblock cannot be read" log_is_bad op1 general -1
does_not_start "a past"
good_sectors op1
check "the begin of its log cannot be read" log_is_bad op1 general 0
shows "inspect says that" '1 block: unreadable' raizn inspect /dev/op1 log
check "start without it" raizn start $VOLUME --degraded
check "it is not in use" letters_are A-AAA
check "data are right" data_are_right
# Its log does not tell what it has.
refused "it is not taken back" 3 \
	'holds a member of array .* cannot read all of its log.* use --force to destroy it' \
	raizn add $VOLUME /dev/op1
advice_helps $VOLUME add-unreadable active
rebuild_ends
check "the array is whole" await 30 whole
check "data are right" data_are_right
check "it is failed, and not let go of" raizn fail $VOLUME 1 --force
good_sectors op1
check "the begin of its log cannot be read" log_is_bad op1 general 0
refused "it is not taken back" 3 'cannot read all of its metadata' raizn add $VOLUME /dev/op1
good_sectors op1
check "it is taken back" raizn add $VOLUME /dev/op1
rebuild_ends

# stale_is_out: a start that writes nothing does not use member 4.
stale_is_out()
{
	local letters

	dmsetup create $VOLUME --readonly --table "$TABLE" || return 0
	status_words
	letters=${RIG_WORDS[letters]}
	dmsetup remove --retry $VOLUME
	note "with READS $reads: $letters"
	[[ $letters = ????[F-] ]]
}

# general_blocks: blocks of op0's general log
general_blocks()
{
	local zone blocks

	read -r zone blocks < <(log_of op0 general)
	echo "$blocks"
}

# general_fills: resets make the general log full, so that the next record goes to a new zone.
general_fills()
{
	local -i blocks

	blocks=$(general_blocks)
	((blocks % 2)) && return 1
	for (( ; blocks < 384; blocks += 2)); do
		zone_write 5 0 4 4 && zone_reset 5 || return 1
	done
	[ "$(general_blocks)" = 384 ]
}

# A drive that lost records of a reset, and the others have them in their checkpoints only
check "a superblock" raizn set $VOLUME speed_max=1G
(($(general_blocks) % 2 == 0)) || check "a superblock" raizn set $VOLUME speed_max=2G
check "a drive is copied" remember_logs op1
check "a zone is reset" zone_reset 2
check "and written anew" zone_write 2 0 $CAPACITY
check "the general logs are full" general_fills
check "a superblock" raizn set $VOLUME speed_max=0
check_equal "they are in new zones" "$(($(general_blocks) < 16))" 1
power_cut
check "the copy is put back" forget_since op1
check "a checkpoint cannot be read" log_is_bad op1 general 1
does_not_start "resets that are in checkpoints only"
good_sectors op1
check "start without it" raizn start $VOLUME --degraded
check "data are right" data_are_right
check "it is taken back" raizn add $VOLUME /dev/op1
rebuild_ends

# A superblock that its drive can read some times only: if it were forgotten after that, the member
# that it calls failed would be used.
check "a drive fails" raizn fail $VOLUME 4 --force
power_cut
for reads in 0 1 2 3 4 5; do
	check "a checkpoint cannot be read" log_is_bad op1 general 1
	check "nor can the newest superblock, after $reads reads" log_is_bad op1 general -1 $reads
	check "the member that failed is not used" stale_is_out
	good_sectors op1
done
check "start" start

# Without another member
check "stop" raizn stop $VOLUME
check "a checkpoint cannot be read" log_is_bad op1 general 1
check "start" start
check "all others are in use" letters_are AAAA-
check "data are right" data_are_right
check "stop" raizn stop $VOLUME
check "the newest superblock cannot be read" log_is_bad op1 general -1
does_not_start "a superblock that one of the others may lack"
good_sectors op1
check "start" start
check "data are right" data_are_right

# Copies
check "stop" raizn stop $VOLUME
check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 2"
array_of /dev/op{0,1} --level 1
TABLE=$(dmsetup table $VOLUME)
check "zone 0 has data" zone_write 0 0 1024
check "stop" raizn stop $VOLUME
check "a checkpoint cannot be read" log_is_bad op1 general 1
check "start" start
check "both are in use" letters_are AA
check "data are right" zone_holds 0 0 1024
check "stop" raizn stop $VOLUME
# It never held a log, and would be in the way of each start.
unused=$(awk '$1 < 5 && !$3 { print $1; exit }' "$GROUP/op1/zones")
check "an unused log zone is read-only" simulated_zones_turn op1 readonly "$unused"
check "and cannot be read" simulated_set op1 bad_sectors "$((unused * 4096)) 16"
check "start" start
check "both are in use" letters_are AA
check "stop" raizn stop $VOLUME
check "the zone is good again" simulated_zones_turn op1 empty "$unused"
good_sectors op1
check "the newest superblock cannot be read" log_is_bad op1 general -1
does_not_start "a superblock that the only copy may lack"
good_sectors op1
check "start" start
power_cut
check "a checkpoint cannot be read" log_is_bad op1 general 1
does_not_start "a copy that may have failed unseen"
good_sectors op1
check "start" start
check "both are in use" letters_are AA
finish
