#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The simulated drives themselves (tests/zonesim): do they behave as drives do,
# and do they fail as they are told to? Other suites rely on it.
. "$(dirname "$0")/../lib/rig.sh"
suite zonesim

ROOT=/sys/kernel/config/zonesim
G=$ROOT/zonesim		# the group of most tests
ZONE=2048		# sectors of a zone
CAP=1536		# of which can be written

dd if=/dev/urandom of="$TMP/data" bs=64K count=16 status=none

# drive NAME [KEY=VALUE...]: a new drive, with power
drive()
{
	local d=$G/$1 setting
	shift

	mkdir -p "$G" && mkdir "$d" || return 1
	for setting in nr_zones=8 zone_size_kib=1024 zone_capacity_kib=768 \
		       block_size=512 max_open=3 max_active=4 "$@"; do
		echo "${setting#*=}" >"$d/${setting%%=*}" || return 1
	done
	echo 1 >"$d/power"
}

no_drives()
{
	local group

	for group in "$ROOT"/*/; do
		[ -d "$group" ] || continue
		find "$group" -mindepth 1 -maxdepth 1 -type d -exec rmdir {} +
		rmdir "$group"
	done
}

# put DRIVE NAME VALUE
put()
{
	echo "$3" >"$G/$1/$2"
}

# wr DRIVE ZONE SECTOR SECTORS [FLAGS]: the sectors of the file of data. When
# that fails the block layer has to learn anew where the write pointer is.
wr()
{
	write_only "$@" && return
	blkzone report -o $(($2 * ZONE)) -c 1 "/dev/$1" >/dev/null 2>&1
	return 1
}

write_only()
{
	dd if="$TMP/data" of="/dev/$1" bs=$(($4 * 512)) count=1 status=none \
	   skip=$(($3 * 512)) iflag=skip_bytes conv=notrunc \
	   seek=$((($2 * ZONE + $3) * 512)) oflag="seek_bytes,direct${5:+,$5}"
}

# rd DRIVE ZONE SECTOR SECTORS: to standard output
rd()
{
	dd if="/dev/$1" bs=$(($4 * 512)) count=1 status=none \
	   skip=$((($2 * ZONE + $3) * 512)) iflag=skip_bytes,direct
}

# holds DRIVE ZONE SECTOR SECTORS: what wr() writes there
holds()
{
	rd "$@" | cmp -s -n $(($4 * 512)) -i $(($3 * 512)):0 "$TMP/data" -
}

# holds_byte OCTAL DRIVE ZONE SECTOR SECTORS
holds_byte()
{
	local byte=$1
	shift
	[ "$(rd "$@" | tr -d "\\$byte" | wc -c)" = 0 ] &&
		[ "$(rd "$@" | wc -c)" = $(($4 * 512)) ]
}

# op DRIVE WHAT [ZONE]: a zone operation; of all zones without ZONE
op()
{
	if [ $# -lt 3 ]; then
		blkzone "$2" "/dev/$1"
	else
		blkzone "$2" -o $(($3 * ZONE)) -c 1 "/dev/$1"
	fi
}

not()
{
	! "$@"
}

# fails WHAT COMMAND...
fails()
{
	local what=$1
	shift
	check "$what" not "$@"
}

flush()
{
	sync "/dev/$1"
}

# zone DRIVE ZONE: condition, write pointer, end of data, durable, resets
zone()
{
	# shellcheck disable=SC2046
	set -- $(sed -n "$(($2 + 1))p" "$G/$1/zones")
	echo "$2 $3 $4 $5 $6"
}

# is WHAT DRIVE ZONE "COND WP DATA DURABLE RESETS"; a word may be *
is()
{
	local got
	got=$(zone "$2" "$3")
	# shellcheck disable=SC2053
	if [[ $got == $4 ]]; then
		ok "$1"
	else
		not_ok "$1" "zone $3 is '$got', not '$4'"
	fi
}

counter()
{
	awk -v kind="$2" -v n="${3:-2}" '$1 == kind { print $n }' "$G/$1/counters"
}

power_cut()
{
	echo 0 >"$G/power"
}

power()
{
	echo 1 >"$G/power"
}

# ---- the state machine ------------------------------------------------------

state_machine()
{
	drive zsa fill=90
	check "a write at the write pointer" wr zsa 0 0 8
	is "it opens the zone" zsa 0 "IMP_OPEN 8 8 0 0"
	fails "a write beyond it" wr zsa 0 16 8
	fails "a write below it" wr zsa 0 0 8
	is "they change nothing" zsa 0 "IMP_OPEN 8 8 0 0"
	check "data are there" holds zsa 0 0 8
	check "the fill byte is behind them" holds_byte 132 zsa 0 8 8
	check "a read across the end" eval \
		'[ "$(rd zsa 0 0 16 | cmp -n 8192 - "$TMP/data" | wc -l)" = 1 ]'

	op zsa open 1
	is "open" zsa 1 "EXP_OPEN 0 0 0 0"
	op zsa close 1
	is "close without data" zsa 1 "EMPTY 0 0 0 0"
	op zsa close 0
	is "close with data" zsa 0 "CLOSED 8 8 0 0"
	fails "close of an empty zone" op zsa close 2
	op zsa finish 0
	is "finish" zsa 0 "FULL $ZONE 8 8 0"
	check "beyond the data the fill byte" holds_byte 132 zsa 0 8 32
	fails "a write to a full zone" wr zsa 0 8 8
	fails "open of a full zone" op zsa open 0
	op zsa reset 0
	is "reset" zsa 0 "EMPTY 0 0 0 1"
	check "no data any more" holds_byte 132 zsa 0 0 8
	check "fill a zone" wr zsa 3 0 $CAP
	is "full at the capacity" zsa 3 "FULL $CAP $CAP 0 0"
	check "all of it" holds zsa 3 0 $CAP
	wr zsa 4 0 $((CAP - 8))
	fails "a write beyond the capacity" wr zsa 4 $((CAP - 8)) 16
	op zsa reset
	is "reset of all: the full one" zsa 3 "EMPTY 0 0 0 1"
	is "reset of all: the open one" zsa 4 "EMPTY 0 0 0 1"
	is "reset of all: an empty one" zsa 5 "EMPTY 0 0 0 0"
	no_drives
}

limits()
{
	local i

	drive zsa
	for i in 0 1 2 3; do
		wr zsa $i 0 8
	done
	is "a fourth zone closes an implicitly open one" zsa 0 "CLOSED 8 8 0 0"
	is "... and is open" zsa 3 "IMP_OPEN 8 8 0 0"
	fails "a fifth is too many active ones" wr zsa 4 0 8
	fails "also for open" op zsa open 4
	op zsa finish 0
	check "after finish there is room" wr zsa 4 0 8
	op zsa reset
	for i in 0 1 2; do
		op zsa open $i
	done
	fails "no fourth explicitly open one" op zsa open 3
	fails "no write beside three of them" wr zsa 3 0 8
	op zsa close 1
	check "after close there is" wr zsa 3 0 8
	no_drives

	drive zsa max_open=0 max_active=0 nr_conventional=2
	check "conventional zones take writes anywhere" wr zsa 1 100 8
	check "... also again" wr zsa 1 100 8
	check "... and keep them" holds zsa 1 100 8
	for i in 2 3 4 5 6 7; do
		wr zsa $i 0 8
	done
	is "without limits all zones are open" zsa 2 "IMP_OPEN 8 8 0 0"
	no_drives

	drive zsa block_size=4096
	fails "no write below a block" wr zsa 0 0 1
	check "a block" wr zsa 0 0 8
	check_equal "sysfs: zones" "$(cat /sys/block/zsa/queue/zoned) $(cat \
		/sys/block/zsa/queue/chunk_sectors) $(cat \
		/sys/block/zsa/queue/max_open_zones) $(cat \
		/sys/block/zsa/queue/max_active_zones)" "host-managed $ZONE 3 4"
	no_drives
}

# ---- what survives -----------------------------------------------------------

durability()
{
	drive zsa
	echo none >"$G/keep"
	wr zsa 0 0 8
	flush zsa
	is "a flush makes durable" zsa 0 "IMP_OPEN 8 8 8 0"
	wr zsa 0 8 8
	wr zsa 1 0 8
	put zsa fault "flush 1 effect=none times=9"
	wr zsa 2 0 8 dsync 2>/dev/null
	put zsa fault clear
	is "FUA makes durable, without a flush" zsa 2 "IMP_OPEN 8 8 8 0"
	is "... nothing else" zsa 0 "IMP_OPEN 16 16 8 0"
	op zsa finish 3
	wr zsa 4 0 8
	op zsa finish 4
	power_cut
	fails "no power: no reads" rd zsa 0 0 8
	fails "no power: no writes" wr zsa 0 8 8
	fails "no power: no flush" flush zsa
	fails "no power: no report" blkzone report /dev/zsa
	check_equal "state" "$(cat "$G/zsa/state")" off
	power
	is "keep=none: what was flushed stays" zsa 0 "CLOSED 8 8 8 0"
	is "... the rest is gone" zsa 1 "EMPTY 0 0 0 0"
	is "... FUA stays" zsa 2 "CLOSED 8 8 8 0"
	is "... finish without data" zsa 3 "FULL $ZONE 0 0 0"
	is "... finish with data" zsa 4 "FULL $ZONE 8 8 0"
	check "data after a cut" holds zsa 0 0 8
	check "writing goes on where it ended" wr zsa 0 8 8
	op zsa reset 2
	power_cut
	power
	is "a reset is durable" zsa 2 "EMPTY 0 0 0 1"
	echo all >"$G/keep"
	wr zsa 0 8 8
	power_cut
	power
	is "keep=all" zsa 0 "CLOSED 16 16 16 0"
	check "... with its data" holds zsa 0 0 16
	no_drives

	drive zsa write_cache=0
	echo none >"$G/keep"
	wr zsa 0 0 8
	power_cut
	power
	is "without a cache a write is durable" zsa 0 "CLOSED 8 8 8 0"
	check_equal "no cache in sysfs" \
		"$(cat /sys/block/zsa/queue/write_cache)" "write through"
	no_drives

	drive zsa finish_flushes=0
	echo none >"$G/keep"
	wr zsa 0 0 8
	op zsa finish 0
	wr zsa 1 0 $CAP
	power_cut
	power
	is "a finish that does not flush: data are lost" zsa 0 "FULL $ZONE 0 0 0"
	is "a full zone may lose its end" zsa 1 "EMPTY 0 0 0 0"
	no_drives
}

# The end of a zone that was flushed at 8 of 72 sectors, after cuts with seeds.
random_ends()
{
	local seed end

	for seed; do
		echo "$seed" >"$G/seed"
		wr zsa 0 0 8
		flush zsa
		wr zsa 0 8 64
		power_cut
		power
		read -r _ end _ <<<"$(zone zsa 0)"
		echo "$end"
		holds zsa 0 0 "$end" || echo wrong
		op zsa reset 0
	done
}

chance()
{
	local ends again

	drive zsa block_size=4096
	ends=$(random_ends {1..14})
	again=$(random_ends {1..4})
	check_equal "ends of zones: blocks from durable to written" \
		"$(echo "$ends" | awk '$1 < 8 || $1 > 72 || $1 % 8' | wc -l)" 0
	check_true "... both and ones between" \
		"$(echo "$ends" | grep -cx 8) > 0 &&
		 $(echo "$ends" | grep -cx 72) > 0 &&
		 $(echo "$ends" | grep -cvxE '8|72') > 0"
	# The number of a command is part of some choices, of these not.
	check_equal "... the same for the same seeds" "$again" \
		"$(head -n 4 <<<"$ends")"
	no_drives
}

# ---- the command at which it happens -------------------------------------------

# Five writes; after a cut the end of their zone.
five_writes()
{
	local i

	op zsa reset
	echo 1 >"$G/mark"
	echo "$1" >"$G/cut_at"
	for i in 0 1 2 3 4; do
		wr zsa 0 $((i * 8)) 8 2>/dev/null || break
	done
	flush zsa 2>/dev/null
	echo "$(cat "$G/zsa/state") $(cat "$G/commands")"
	power
	zone zsa 0 | awk '{ print $2 }'
}

cut_at()
{
	drive zsa write_cache=0
	echo none >"$G/keep"
	check_equal "cut_at=3: the third command has no effect" \
		"$(five_writes 3 | xargs)" "off 3 16"
	echo all >"$G/keep"
	check_equal "... or has it, and fails all the same" \
		"$(five_writes 3 | xargs)" "off 3 24"
	check_equal "cut_at=0: never" "$(five_writes 0 | xargs)" "on 5 40"
	echo flush >"$G/cut_kinds"
	op zsa reset
	put zsa power 0
	no_drives

	drive zsa
	echo all >"$G/keep"
	echo write,flush >"$G/cut_kinds"
	check_equal "cut_kinds: resets do not count" \
		"$(five_writes 6 | xargs)" "off 6 40"
	check_equal "the number of cuts" "$(cat "$G/cuts")" 1
	fails "cut_at of what is over" eval "echo 5 >$G/cut_at"
	no_drives

	# Commands in flight at a cut: all, part of it, nothing.
	drive zsa
	local seed done=0 part=0 lost=0
	for seed in {1..8}; do
		echo "$seed" >"$G/seed"
		put zsa stall 1
		write_only zsa 0 0 64 2>/dev/null &
		write_only zsa 1 0 64 2>/dev/null &
		until grep -q "^2 " "$G/zsa/in_flight"; do
			sleep 0.01
		done
		power_cut
		# shellcheck disable=SC2046
		set -- $(cat "$G/last_cut")
		done=$((done + $3)) part=$((part + $5)) lost=$((lost + $7))
		wait
		power
		op zsa reset
	done
	check_true "in flight: done, in part, lost" \
		"$done > 0 && $part > 0 && $lost > 0 && $done + $part + $lost == 16"
	no_drives

	# Two drives lose power at the same command.
	drive zsa write_cache=0
	drive zsb write_cache=0
	drive zsc in_cut=0
	echo none >"$G/keep"
	echo 1 >"$G/mark"
	echo 3 >"$G/cut_at"
	wr zsa 0 0 8
	wr zsb 0 0 8
	fails "a cut at the third command of two drives" wr zsa 0 8 8
	fails "... hits the other one, too" wr zsb 0 8 8
	check "... and not the one with in_cut=0" wr zsc 0 0 8
	power
	is "... both keep what they had" zsb 0 "CLOSED 8 8 8 0"
	no_drives
}

# ---- faults ---------------------------------------------------------------------

faults()
{
	local name

	drive zsa max_open=0 max_active=0
	for name in ioerr medium target timeout transport offline; do
		put zsa fault "write 1 status=$name"
		fails "a write fails: $name" wr zsa 0 0 8
	done
	is "none of them had an effect" zsa 0 "EMPTY 0 0 0 0"
	check "the next one works" wr zsa 0 0 8
	put zsa fault "write 2 zone=0"
	check "a fault waits for its command" wr zsa 0 8 8
	check "... in its zone" wr zsa 1 0 8
	fails "... then it strikes" wr zsa 0 16 8
	put zsa fault "write 1 times=2"
	fails "twice: once" wr zsa 0 16 8
	fails "twice: again" wr zsa 0 16 8
	check "twice: not thrice" wr zsa 0 16 8
	put zsa fault "write 1 effect=all"
	fails "an error although it was written" wr zsa 2 0 8
	is "... it was" zsa 2 "IMP_OPEN 8 8 0 0"
	put zsa fault "write 1 effect=part"
	fails "an error after a part" wr zsa 2 8 64
	name=$(zone zsa 2 | awk '{ print $2 }')
	check_true "... a part was written" "$name > 8 && $name < 72"
	put zsa fault "flush 1 status=ok effect=none"
	check "a flush that lies" flush zsa
	is "... nothing is durable" zsa 0 "IMP_OPEN 24 24 0 0"
	for name in read,report reset finish open close reset_all; do
		put zsa fault "$name 1"
	done
	fails "a read fails" rd zsa 0 0 8
	fails "reset fails" op zsa reset 0
	fails "finish fails" op zsa finish 0
	fails "open fails" op zsa open 0
	fails "close fails" op zsa close 0
	fails "reset of all fails" op zsa reset
	is "none had an effect" zsa 0 "IMP_OPEN 24 24 0 0"
	put zsa fault "report 1"
	fails "a report fails" blkzone report /dev/zsa
	check_equal "no faults are left" "$(cat "$G/zsa/fault")" ""
	fails "no such fault" put zsa fault "write 1 zone=99"
	fails "no such kind" put zsa fault "wrote 1"

	put zsa fault "write 1 zone=3 then=readonly"
	wr zsa 3 0 8 2>/dev/null
	is "then=readonly" zsa 3 "READONLY * * * *"
	put zsa zone_cond "0 readonly"
	check "a read-only zone can be read" holds zsa 0 0 24
	fails "... not written" wr zsa 0 24 8
	fails "... not reset" op zsa reset 0
	put zsa zone_cond "0 offline"
	fails "an offline zone can not be read" rd zsa 0 0 8
	check "the report shows it" eval \
		'blkzone report -c 1 /dev/zsa | grep -q "zcond:15"'
	put zsa zone_cond "0 empty"
	check "a healed zone is empty" wr zsa 0 0 8
	put zsa fault "write 1 then=off"
	fails "then=off" wr zsa 0 8 8
	check_equal "... it is off" "$(cat "$G/zsa/state")" off
	no_drives
}

sectors()
{
	drive zsa
	wr zsa 1 0 64
	put zsa bad_sectors "$((ZONE + 16)) 2"
	fails "a bad sector" rd zsa 1 0 64
	check "... beside it" holds zsa 1 18 46
	put zsa power 0
	put zsa power 1
	fails "... stays bad" rd zsa 1 17 1
	op zsa reset 1
	wr zsa 1 0 64
	check "... until it is written anew" holds zsa 1 0 64
	put zsa flip $((ZONE + 5))
	fails "a sector changed silently" holds zsa 1 0 64
	check "... that one only" eval "holds zsa 1 0 5 && holds zsa 1 6 58"
	fails "no flip where nothing was written" \
		put zsa flip $((2 * ZONE))
	no_drives
}

# ---- gone, slow, counted -----------------------------------------------------------

presence()
{
	local pid

	drive zsa latency_us=200000
	SECONDS=0
	for pid in {0..9}; do
		wr zsa 0 $((pid * 8)) 8
	done
	check_true "latency" "$SECONDS >= 2"
	no_drives

	drive zsa
	wr zsa 0 0 8
	flush zsa
	put zsa unplug 1
	check "unplugged: no disk" eval "[ ! -e /sys/block/zsa ]"
	put zsa power 1
	check "plugged in again: its data" holds zsa 0 0 8
	exec 9</dev/zsa
	put zsa power 0
	put zsa power 1
	fails "an old open file sees no new disk" \
		dd bs=4096 count=1 iflag=direct of=/dev/null <&9
	exec 9<&-
	check "... others do" holds zsa 0 0 8

	put zsa stall 1
	wr zsa 0 8 8 &
	pid=$!
	sleep 0.3
	check "stalled: a write waits" kill -0 $pid
	is "... without effect" zsa 0 "CLOSED 8 8 8 0"
	put zsa stall 0
	check "... until the drive goes on" wait $pid
	put zsa stall 1
	wr zsa 0 16 8 2>/dev/null &
	pid=$!
	sleep 0.3
	put zsa power 0
	fails "a cut ends the waiting" wait $pid
	put zsa power 1
	no_drives

	drive zsa
	put zsa counters 0
	wr zsa 0 0 8
	wr zsa 0 8 16
	rd zsa 0 0 4 >/dev/null
	flush zsa
	op zsa finish 0
	op zsa reset 0
	wr zsa 0 8 8 2>/dev/null
	check_equal "counters: writes, sectors, errors" \
		"$(counter zsa write) $(counter zsa write 3) $(counter zsa write 4)" \
		"3 32 1"
	check_equal "... reads, flushes, finishes, resets" \
		"$(counter zsa read 3) $(counter zsa flush) $(counter zsa finish) $(counter zsa reset)" \
		"4 1 1 1"
	no_drives
}

# ---- append, by an array's logs -----------------------------------------------------

# Every way to complete, in turn; delays make appends overlap.
appends()
{
	local i=0 j completion devices

	load_module || return 1
	for completion in direct softirq irq mixed; do
		devices=()
		for j in 0 1 2; do
			drive "zs$j" nr_zones=12 max_open=8 max_active=8 \
				completion=$completion latency_us=$((i * 100)) \
				jitter_us=$((i * 200))
			devices+=("/dev/zs$j")
		done
		check "appends, $completion: an array" raizn create zsarray \
			"${devices[@]}" --stripe-unit 4K
		for j in 1 2 3 4; do
			dd if="$TMP/data" of=/dev/mapper/zsarray bs=3584 \
				count=1 seek=$((j - 1)) status=none \
				oflag=direct,dsync conv=notrunc
		done
		check "... starts again" eval "raizn stop zsarray &&
			raizn start zsarray ${devices[*]} && raizn stop zsarray"
		check_true "... from records that were appended" \
			"$(counter zs0 append) + $(counter zs1 append) +
			 $(counter zs2 append) > 24 && $(counter zs0 append 4) == 0"
		no_drives
		i=$((i + 1))
	done
}

check "the module can be loaded" load_zonesim
at_exit no_drives
for test in ${ZONESIM_ONLY:-state_machine limits durability chance cut_at \
			   faults sectors presence appends}; do
	$test
done
check "the modules can be unloaded" eval "unload_module && rmmod zonesim"
finish
