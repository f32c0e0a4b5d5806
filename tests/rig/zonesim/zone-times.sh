#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Simulated drives take as long to finish and reset zones as they are told, by how
# full the zones are. Times of a minute are cut short by power cuts.
. "$(dirname "$0")/../../lib/rig.sh"
. "$(dirname "$0")/../../lib/simulated.sh"
scenario

ZONE=2048		# sectors of a zone; its capacity is 1536
MINUTE=60000000		# microseconds

# put DRIVE ATTRIBUTE VALUE
put()
{
	echo "$3" >"$GROUP/$1/$2"
}

# fill DRIVE ZONE KIB
fill()
{
	dd if=/dev/zero of="/dev/$1" bs="$3K" count=1 status=none conv=notrunc \
		oflag=direct,seek_bytes seek=$(($2 * ZONE * 512))
}

# op DRIVE open|finish|reset ZONE. Unlike blkzone, zbd lets others use the drive.
op()
{
	zbd "$2" -ofst $(($3 * ZONE * 512)) -len $((ZONE * 512)) "/dev/$1"
}

# condition DRIVE ZONE
condition()
{
	awk -v zone="$2" '$1 == zone { print $2 }' "$GROUP/$1/zones"
}

# is WHAT DRIVE ZONE CONDITION
is()
{
	check_equal "$1" "$(condition "$2" "$3")" "$4"
}

# commands_of DRIVE N: so many are in flight
commands_of()
{
	grep -q "^$2 " "$GROUP/$1/in_flight"
}

# takes_at_least WHAT MICROSECONDS COMMAND...
takes_at_least()
{
	local what=$1 us=$2 begun took
	shift 2

	begun=${EPOCHREALTIME/./}
	"$@"
	took=$((${EPOCHREALTIME/./} - begun))
	check_true "$what" "$took >= $us"
}

attributes()
{
	check_equal "without points a drive takes no time" \
		"$(cat "$GROUP/zta/finish_us" "$GROUP/zta/reset_us")" ""
	put zta finish_us "0:907000 6:848000 25:681000 50:457000 100:3000"
	check_equal "points of a curve" "$(cat "$GROUP/zta/finish_us")" \
		"0:907000 6:848000 25:681000 50:457000 100:3000"
	for points in 5 5: :5 5:x 101:1 "5:1 5:2" "6:1 5:1" 5:600000001; do
		check_fails "no curve: $points" "write error" \
			put zta finish_us "$points"
	done
	put zta reset_us "6:1,100:0"
	check_equal "commas do as well" "$(cat "$GROUP/zta/reset_us")" "6:1 100:0"
}

# is_slow WHAT COMMAND...: it is under way until a power cut undoes it.
is_slow()
{
	local what=$1 pid
	shift

	"$@" 2>/dev/null &
	pid=$!
	check "$what" await 20 commands_of zta 1
	put zta power 0
	wait $pid
	put zta power 1
}

curves()
{
	echo none >"$GROUP/keep"
	fill zta 1 384
	fill zta 2 576
	fill zta 3 768
	sync /dev/zta
	put zta finish_us "0:$MINUTE 100:0"
	put zta reset_us "0:0 50:0 100:$MINUTE"
	is_slow "an empty zone: the time of the first point" op zta finish 0
	is_slow "a zone half full: between two points" op zta finish 1
	is_slow "... as well where the curve rises" op zta reset 2
	check "a full zone: the last point" timeout 20 zbd finish \
		-ofst $((3 * ZONE * 512)) -len $((ZONE * 512)) /dev/zta
	put zta finish_us ""
	op zta finish 1
	is_slow "a finished zone is full" op zta reset 1
	put zta reset_us "0:0 50:0 100:200000"
	takes_at_least "a reset of all zones: the sum" 500000 \
		blkzone reset /dev/zta
	is "... is done" zta 3 EMPTY
}

# A finish of a minute, and what goes on meanwhile.
others()
{
	local slow

	put zta finish_us "0:$MINUTE"
	put ztb finish_us "0:1000"
	fill zta 0 4
	fill ztb 0 4
	op zta finish 0 2>/dev/null &
	slow=$!
	await 20 commands_of zta 1
	check "other zones are written meanwhile" fill zta 1 4
	check "... read" dd if=/dev/zta of=/dev/null bs=4K count=1 iflag=direct
	check "... flushed" sync /dev/zta
	check "... and opened" op zta open 2
	check "a shorter finish of another drive ends first" op ztb finish 0
	check "... the long one is still under way" commands_of zta 1
	is "... without effect so far" zta 0 IMP_OPEN
	put zta power 0
	wait $slow
	check_true "a power cut ends it" "$? != 0"
	put zta power 1
	put zta finish_us "0:1000"
	op zta finish 0 &
	slow=$!
	check "... and nothing waits for it" await 20 eval \
		'[ "$(condition zta 0)" = FULL ]'
	wait $slow
	blkzone reset /dev/zta
	blkzone reset /dev/ztb
}

# A reset takes no time, but comes after a finish.
in_turn()
{
	local first

	put zta finish_us "0:300000"
	put zta reset_us "0:0"
	fill zta 0 4
	fill zta 1 4
	op zta finish 0 &
	first=$!
	await 20 commands_of zta 1
	op zta reset 1
	is "a drive carries out one zone command after the other" zta 0 FULL
	wait $first
	blkzone reset /dev/zta
}

# What a power cut leaves of a finish and a reset that are under way.
cut()
{
	local keep=$1 finished=$2 reset=$3

	put zta finish_us "0:0"
	echo "$keep" >"$GROUP/keep"
	fill zta 0 4
	fill zta 1 4
	sync /dev/zta
	put zta finish_us "0:$MINUTE"
	put zta reset_us "0:$MINUTE"
	op zta finish 0 2>/dev/null &
	op zta reset 1 2>/dev/null &
	await 20 commands_of zta 2
	put zta power 0
	wait
	put zta power 1
	is "keep=$keep: the zone that was finished" zta 0 "$finished"
	is "keep=$keep: the zone that was reset" zta 1 "$reset"
	put zta finish_us ""
	put zta reset_us ""
	blkzone reset /dev/zta
}

faults()
{
	put zta finish_us "0:50000"
	fill zta 0 4
	put zta fault "finish 1 effect=none"
	check_fails "a finish fails after its time" . op zta finish 0
	is "... without effect" zta 0 IMP_OPEN
	put zta fault "finish 1 effect=all"
	check_fails "... or fails" . op zta finish 0
	is "... although it took effect" zta 0 FULL
}

simulated_group zonetimes || exit 1
simulated_drive zta zone_size_kib=1024 zone_capacity_kib=768 nr_zones=8 || exit 1
simulated_drive ztb zone_size_kib=1024 zone_capacity_kib=768 nr_zones=8 || exit 1
attributes
curves
others
in_turn
cut none CLOSED CLOSED
cut all FULL EMPTY
faults
finish
