# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of stalls: the array "stalls" of five small simulated drives, st0
# to st4, one of which stalls: commands that it is sent do not return.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"
scenario

VOLUME=stalls
DEV=/dev/mapper/$VOLUME
MEMBERS=5
UNIT=16			# KiB, as are all sizes here
STRIPE=$((UNIT * (MEMBERS - 1)))
ZONE=$((8 << 20))	# bytes from one zone of the volume to the next
STALLED=2		# the member that stalls
STALLED_SETTINGS=()	# what it has of its own

# A linear device on the volume, for zone operations: while one is under way, the block
# layer does not let anybody move the file position of the same device.
OPS=/dev/mapper/stalls-ops

# Far more seconds than anything here takes, and less than a hung task is told of.
PATIENCE=20

make_drives()
{
	local i own

	for ((i = 0; i < MEMBERS; i++)); do
		own=()
		((i != STALLED)) || own=("${STALLED_SETTINGS[@]}")
		simulated_drive "st$i" "${own[@]}" || return 1
	done
}

array_up()
{
	load_module && simulated_group stalls || exit 1
	at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
	at_exit "dmsetup remove --retry ${OPS##*/}"
	at_exit "attribute stall 0"
	head -c 4M /dev/urandom >"$TMP/data"
	make_drives || exit 1
	check "an array" raizn create $VOLUME /dev/st{0..4} --stripe-unit ${UNIT}K \
		--spare-zones 4 || finish
	dmsetup mknodes $VOLUME
	check "a device for zone operations" dmsetup create ${OPS##*/} --table \
		"0 $(blockdev --getsz $DEV) linear $DEV 0"
	dmsetup mknodes ${OPS##*/}
}

# array_down: and its members agree.
array_down()
{
	check "remove the device for zone operations" dmsetup remove --retry ${OPS##*/}
	check "stop" raizn stop $VOLUME
	check "all members agree" raizn check $VOLUME
}

letters_are()
{
	status_is letters "$1"
}

# attribute NAME VALUE: of the drive that stalls
attribute()
{
	simulated_set st$STALLED "$1" "$2"
}

# ---- what is where ------------------------------------------------------------

# column ZONE STRIPE POSITION: COLUMN is the member that holds a unit of data; -1: parity.
column()
{
	local parity=$((MEMBERS - 1 - ($1 + $2) % MEMBERS))

	COLUMN=$(((parity + 1 + $3) % MEMBERS))
}

# free_units ZONE STRIPE: FREE_UNITS are units from the stripe's start that need not be written
# to the member that is stalled. The last one comes with parity.
free_units()
{
	FREE_UNITS=0
	while ((FREE_UNITS < MEMBERS - 2)); do
		column "$1" "$2" $FREE_UNITS
		((COLUMN != STALLED)) || break
		FREE_UNITS=$((FREE_UNITS + 1))
	done
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

# soon COMMAND...: it need not be killed if it hangs, which might be in vain.
soon()
{
	"$@" &
	await 30 eval "! kill -0 $!" && wait $!
}

# ---- commands that wait -----------------------------------------------------------

declare -A WAITING

# later NAME COMMAND...: something that is to wait
later()
{
	local name=$1
	shift

	"$@" >"$TMP/$name" 2>&1 </dev/null &
	WAITING[$name]=$!
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

# ---- a stall with all that there can be waiting for it ------------------------------

# others_are_read: units of data of all other members
others_are_read()
{
	local zone stripe position n=0

	for zone in 0 1 2 3; do
		for stripe in 0 9; do
			for ((position = 0; position < MEMBERS - 1; position++)); do
				column $zone $stripe $position
				((COLUMN == STALLED)) && continue
				holds $zone $((stripe * STRIPE + position * UNIT)) \
					$UNIT || return 1
				n=$((n + 1))
			done
		done
	done
	((n > 20))
}

# others_are_written ZONE...: each at the start of a stripe
others_are_written()
{
	local zone n=0

	for zone; do
		free_units "$zone" $((WP[zone] / STRIPE))
		for ((; FREE_UNITS; FREE_UNITS--)); do
			soon put "$zone" $UNIT || return 1
			WP[zone]=$((WP[zone] + UNIT))
			n=$((n + 1))
		done
	done
	((n > 2))
}

# A unit of the member, in the zone given.
read_stalled()
{
	local position

	for ((position = 0; position < MEMBERS - 1; position++)); do
		column "$1" 1 $position
		((COLUMN != STALLED)) ||
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

# stall WHAT [FAULT]: a drive stalls. What does not need it goes on, what needs it waits, and
# nothing fails.
stall()
{
	check "$1: data" fill
	[ -z "${2:-}" ] || attribute fault "$2"
	attribute stall 1
	check "$1: others are read" soon others_are_read
	check "$1: others are written" others_are_written 0 1 2
	begin_waiting
	sleep 1
	check "$1: what needs the drive waits" all_wait
	check "$1: others are read behind it" soon others_are_read
	check "$1: others are written behind it" others_are_written 6 11
	check "$1: it still waits" all_wait
	check "$1: nothing failed" letters_are AAAAA
	check "$1: status answers" eval "soon raizn status $VOLUME |
		grep -q 'status: all 5 members work'"
	check_fails "$1: status says who does not" \
		'does not answer; it is left out' \
		eval "raizn status $VOLUME >/dev/null; false"
}

# dies WHAT FAULT ATTRIBUTE VALUE: it stalls, then dies by that, and is brought back.
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
