#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive stalls: commands that it is sent do not return. What does not need it goes on,
# what needs it waits, and nobody hears of an error: neither when the drive goes on, nor
# when it dies instead.
#
# Simulated drives (tests/zonesim).
. "$(dirname "$0")/../lib/rig.sh"
suite stalls

GROUP=/sys/kernel/config/zonesim/stalls
VOLUME=stalls
DEV=/dev/mapper/$VOLUME
MEMBERS=5
UNIT=16			# KiB, as are all sizes here
STRIPE=$((UNIT * (MEMBERS - 1)))
STALLED=2

# For zone operations: while one is under way, the block layer does not let anybody
# move the file position of the same device.
OPS=/dev/mapper/stalls-ops

# Far more than anything here takes, and less than a hung task is told of.
PATIENCE=20

drive()
{
	local d=$GROUP/$1 setting

	mkdir "$d" || return 1
	for setting in nr_zones=28 zone_size_kib=2048 zone_capacity_kib=1536 \
		       block_size=4096 max_open=14 max_active=14 \
		       write_cache=1 fua=1; do
		echo "${setting#*=}" >"$d/${setting%%=*}" || return 1
	done
	echo 1 >"$d/power"
	rig_scheduler "/dev/${d##*/}"
}

drives_off()
{
	rmdir $GROUP/*/ $GROUP
}

letters_are()
{
	[ "$(dmsetup status $VOLUME | cut -d ' ' -f 6)" = "$1" ]
}

attribute()
{
	echo "$2" >"$GROUP/st$STALLED/$1"
}

# ---- what is where ------------------------------------------------------------

# column ZONE STRIPE POSITION: the member that holds a unit of data; -1: parity
column()
{
	local parity=$((MEMBERS - 1 - ($1 + $2) % MEMBERS))

	echo $(((parity + 1 + $3) % MEMBERS))
}

# free_units ZONE STRIPE: units from the stripe's start that need not be written to
# the member that is stalled. The last one comes with parity.
free_units()
{
	local n=0

	while ((n < MEMBERS - 2)) && [ "$(column "$1" "$2" $n)" != $STALLED ]; do
		n=$((n + 1))
	done
	echo $n
}

# Every zone holds a file of data, from another place on. WP is how far it is written,
# END what the volume says of that if it is something else.
declare -a WP END

# put ZONE SIZE [FLAGS]: write on
put()
{
	local zone=$1 size=$2

	dd if="$TMP/data" of=$DEV bs="${size}k" count=1 conv=notrunc status=none \
		iflag=skip_bytes skip=$(((zone * 64 + WP[zone]) * 1024)) \
		oflag=direct,seek_bytes"${3:+,$3}" \
		seek=$((zone * ZONE + WP[zone] * 1024))
}

# holds ZONE OFFSET SIZE
holds()
{
	dd if=$DEV bs="$3k" count=1 iflag=direct,skip_bytes status=none \
		skip=$(($1 * ZONE + $2 * 1024)) |
		cmp -s -n $(($3 * 1024)) -i 0:$((($1 * 64 + $2) * 1024)) - \
			"$TMP/data"
}

# zone_end ZONE: its write pointer, or "full"
zone_end()
{
	local line
	line=$(blkzone report -c 1 -o $(($1 * ZONE / 512)) $DEV)

	case $line in
	*"(fu)"*)
		echo full
		;;
	*)
		line=${line#*wptr }
		echo $((${line%% *} / 2))
		;;
	esac
}

all_right()
{
	local zone size at

	for zone in "${!WP[@]}"; do
		for ((at = 0; at < WP[zone]; at += size)); do
			size=$((WP[zone] - at < 512 ? WP[zone] - at : 512))
			holds "$zone" "$at" "$size" || {
				echo "zone $zone: wrong data at $at KiB"
				return 1
			}
		done
		[ "$(zone_end "$zone")" = "${END[zone]-${WP[zone]}}" ] || {
			echo "zone $zone: wrong write pointer"
			return 1
		}
	done
}

# ---- what does not need the member ----------------------------------------------

# soon COMMAND...: it need not be killed if it hangs, which might be in vain
soon()
{
	"$@" &
	await 30 eval "! kill -0 $!" && wait $!
}

free_reads()
{
	local zone stripe position n=0

	for zone in 0 1 2 3; do
		for stripe in 0 9; do
			for ((position = 0; position < MEMBERS - 1; position++)); do
				[ "$(column $zone $stripe $position)" != \
					$STALLED ] || continue
				soon holds $zone \
					$((stripe * STRIPE + position * UNIT)) \
					$UNIT || return 1
				n=$((n + 1))
			done
		done
	done
	((n > 20))
}

# free_writes ZONE...: each at the start of a stripe
free_writes()
{
	local zone units n=0

	for zone; do
		units=$(free_units "$zone" $((WP[zone] / STRIPE)))
		for ((; units; units--)); do
			soon put "$zone" $UNIT || return 1
			WP[zone]=$((WP[zone] + UNIT))
			n=$((n + 1))
		done
	done
	((n > 2))
}

# ---- what does --------------------------------------------------------------------

declare -A WAITING

# later NAME COMMAND...: something that is to wait
later()
{
	local name=$1
	shift

	"$@" >"$TMP/$name" 2>&1 </dev/null &
	WAITING[$name]=$!
}

# A unit of the member, in the zone given.
read_stalled()
{
	local position

	for ((position = 0; position < MEMBERS - 1; position++)); do
		[ "$(column "$1" 1 $position)" != $STALLED ] ||
			holds "$1" $((STRIPE + position * UNIT)) $UNIT || return 1
	done
}

begin_waiting()
{
	WAITING=()
	later read read_stalled 0
	later write put 3 $((2 * STRIPE))
	later fua put 4 $((STRIPE + UNIT)) dsync
	later reset blkzone reset -f -o $((5 * ZONE / 512)) -c 1 $OPS
	later finish blkzone finish -f -o $((7 * ZONE / 512)) -c 1 $OPS
	later flush sync $DEV
	WP[3]=$((WP[3] + 2 * STRIPE))
	WP[4]=$((WP[4] + STRIPE + UNIT))
	WP[5]=0
	END[7]=full
}

all_wait()
{
	local name status=0

	for name in "${!WAITING[@]}"; do
		kill -0 "${WAITING[$name]}" || {
			echo "$name: ended"
			cat "$TMP/$name"
			status=1
		}
	done
	return $status
}

all_end()
{
	local name status=0

	for name in "${!WAITING[@]}"; do
		await $PATIENCE eval "! kill -0 ${WAITING[$name]}" &&
			wait "${WAITING[$name]}" && continue
		echo "$name: still waits, or failed"
		cat "$TMP/$name"
		status=1
	done
	return $status
}

# ---- experiments ------------------------------------------------------------------

# Zones 0 to 4 with ten stripes, 5 and 7 with one and a half, the rest is empty. No
# flush: the drives have something to flush.
fill()
{
	local zone

	blkzone reset -f $OPS || return 1
	WP=()
	END=()
	for zone in 0 1 2 3 4 5 6 7 11; do
		WP[zone]=0
	done
	for zone in 0 1 2 3 4; do
		put $zone $((10 * STRIPE)) || return 1
		WP[zone]=$((10 * STRIPE))
	done
	for zone in 5 7; do
		put $zone $((STRIPE + 2 * UNIT)) || return 1
		WP[zone]=$((STRIPE + 2 * UNIT))
	done
}

# stall WHAT: a drive stalls, with all that there can be waiting for it
stall()
{
	check "$1: data" fill
	[ -z "${2:-}" ] || attribute fault "$2"
	attribute stall 1
	check "$1: others are read" free_reads
	check "$1: others are written" free_writes 0 1 2
	begin_waiting
	sleep 1
	check "$1: what needs the drive waits" all_wait
	check "$1: others are read behind it" free_reads
	check "$1: others are written behind it" free_writes 6 11
	check "$1: it still waits" all_wait
	check "$1: nothing failed" letters_are AAAAA
	check "$1: status answers" eval "soon raizn status $VOLUME |
		grep -q 'status: all 5 members work'"
	check_fails "$1: status says who does not" \
		'does not answer; it is left out' \
		eval "raizn status $VOLUME >/dev/null; false"
}

goes_on()
{
	stall "it goes on"
	attribute stall 0
	check "it goes on: what waited ends" all_end
	check "it goes on: data are right" all_right
	check "it goes on: no member failed" letters_are AAAAA
	check "it goes on: no error is counted" eval \
		"raizn status $VOLUME --json | jq -e '[.arrays[0].members[] |
		 .read_errors + .write_errors + .healed] | add == 0'"
	check "it goes on: parity is right" raizn scrub $VOLUME --wait
}

# dies WHAT FAULT ATTRIBUTE VALUE: and it is brought back
dies()
{
	local what=$1

	stall "$what" "$2"
	attribute "$3" "$4"
	check "$what: what waited ends without an error" all_end
	check "$what: the array goes on without it" await $PATIENCE \
		letters_are AAFAA
	check "$what: data are right" all_right
	check "$what: others can be written" put 3 $STRIPE
	WP[3]=$((WP[3] + STRIPE))

	attribute fault clear
	check "$what: it is removed" raizn remove $VOLUME $STALLED
	attribute power 1
	rig_scheduler /dev/st$STALLED
	check "$what: it is back" raizn add $VOLUME /dev/st$STALLED
	check "$what: it is rebuilt" timeout 60 raizn rebuild $VOLUME --wait
	check "$what: data are right then" all_right
	check "$what: parity is right" raizn scrub $VOLUME --wait
}

# flush_waits WHAT: a flush does, until the drive goes on
flush_waits()
{
	WAITING=()
	attribute stall 1
	later flush sync $DEV
	sleep 1
	check "a flush: it waits for $1" all_wait
	attribute stall 0
	check "a flush: it ends with $1" all_end
}

# A flush that finds all writes completed waits for what it sends, and for nothing else.
flushes()
{
	local at=$((2 * STRIPE))

	check "a flush: zones are empty" blkzone reset -f $OPS
	WP=([0]=0 [3]=0 [4]=0)
	END=()
	# The stripe's parity belongs to the drive: (0 + 2) % 5 from the last one.
	check "a flush: data, all of it durable" \
		eval "put 0 $at && WP[0]=$at && sync $DEV"
	check "a flush: data of other drives" \
		eval "put 0 $UNIT && WP[0]=$((at + UNIT))"
	flush_waits "its record"
	# (3 + 0) % 5 from the last one, and so the drive is the first behind it.
	check "a flush: data of the drive" eval "put 3 $UNIT && WP[3]=$UNIT"
	flush_waits "the drive's cache"

	WAITING=()
	attribute stall 1
	later write put 3 $((STRIPE - UNIT + 2 * STRIPE))
	sleep 1
	check "a flush: a write waits for the drive" all_wait
	check "a flush: others are written" eval "put 4 $UNIT && WP[4]=$UNIT"
	check "a flush: it does not wait for that write" soon sync $DEV
	check "a flush: the write still waits" all_wait
	attribute stall 0
	WP[3]=$((3 * STRIPE))
	check "a flush: the write ends" all_end
	check "a flush: data are right" all_right
}

load_module || exit 1
load_zonesim || exit 1
mkdir $GROUP
at_exit drives_off
at_exit "raizn stop $VOLUME || dmsetup remove --force $VOLUME"
at_exit "dmsetup remove --retry ${OPS##*/}"
at_exit "attribute stall 0"
dd if=/dev/urandom of="$TMP/data" bs=1M count=4 status=none
check "drives" eval 'for i in 0 1 2 3 4; do drive st$i; done'
check "an array" raizn create $VOLUME /dev/st{0..4} --stripe-unit ${UNIT}K \
	--spare-zones 4
dmsetup mknodes $VOLUME
check "a device for zone operations" dmsetup create ${OPS##*/} --table \
	"0 $(blockdev --getsz $DEV) linear $DEV 0"
dmsetup mknodes ${OPS##*/}
ZONE=$(($(cat "/sys/block/$(sysfs_name $DEV)/queue/chunk_sectors") * 512))

KINDS=read,write,append,flush,reset,reset_all,finish,report
goes_on
flushes
dies "it loses power" "" power 0
dies "it is pulled out" "" unplug 1
# As if the block layer had lost patience; who knows what the drive has done?
dies "its commands time out" \
	"$KINDS 1 times=1000000 status=timeout effect=none" stall 0
dies "its commands time out, but took effect" \
	"$KINDS 1 times=1000000 status=timeout effect=all" stall 0
check "remove the device for zone operations" dmsetup remove --retry ${OPS##*/}
check "stop" raizn stop $VOLUME
check "all members agree" raizn check $VOLUME
finish
