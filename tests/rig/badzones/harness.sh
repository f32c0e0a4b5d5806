# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of badzones: zones of drives turn read-only or offline, or are
# found full. Arrays "badzones" of five small simulated drives, bz0 to bz4, one after the
# other; started with dmsetup, and so without the tools' ideas of what works.
. "${BASH_SOURCE[0]%/*}/../../lib/rig.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"
scenario

VOLUME=badzones
DEV=/dev/mapper/$VOLUME
SPARE=4
RESERVED=$((5 + SPARE))
ZONE=16384		# sectors from one zone of the volume to the next

load_module && simulated_group badzones || exit 1
at_exit "dmsetup remove --force --retry $VOLUME"

make_array()
{
	simulated_drives bz 5 || return 1
	raizn create $VOLUME /dev/bz{0..4} --stripe-unit 16K \
		--spare-zones $SPARE >/dev/null || return 1
	TABLE=$(dmsetup table $VOLUME)
	dmsetup mknodes $VOLUME
}

drop_array()
{
	dmsetup remove --retry $VOLUME && rmdir "$GROUP"/bz*
}

# Zone 0 full, 1 and 2 open in the middle of a stripe, 3 finished, 4 empty.
fill_zones()
{
	local zone blocks

	for zone in 0 1 2 3; do
		blocks=$((6 * 256))
		((zone == 0)) || blocks=$((600 + 37 * zone))
		dd if=/dev/urandom of=$DEV bs=4k count=$blocks status=none \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512)) \
			conv=notrunc || return 1
	done
	blkzone finish -o $((3 * ZONE)) -c 1 $DEV && sync $DEV
}

sums()
{
	dd if=$DEV bs=1M count=$((5 * ZONE / 2048)) iflag=direct status=none |
		sha256sum
}

# spoil MEMBER CONDITION ZONE...: what becomes of the member zones that new arrays have
# for these zones of the volume
spoil()
{
	local member=$1 condition=$2 zone
	shift 2

	for zone; do
		simulated_zones_turn "bz$member" "$condition" $((RESERVED + zone)) ||
			return 1
	done
}

start()
{
	dmsetup create $VOLUME --table "$TABLE${1:-}" && dmsetup mknodes $VOLUME
}

# lacks_and_moved: zones that lack a column, and how many columns moved to other member
# zones
lacks_and_moved()
{
	local i moved=0

	status_words || return 1
	for ((i = 0; i < ${RIG_WORDS[members]}; i++)); do
		moved=$((moved + ${RIG_WORDS[member$i]##*,}))
	done
	LACKS="${RIG_WORDS[degraded]} degraded, $moved moved"
}

# settled WANT: wait until nothing is rebuilt any more; LACKS says what is lacked then. What
# begins by itself may begin a moment later, so for what is wanted there is time.
settled()
{
	local i idle=0

	for ((i = 0; i < 600; i++)); do
		lacks_and_moved || return 1
		if [ "${RIG_WORDS[action]}" = idle ]; then
			idle=$((idle + 1))
		else
			idle=0
		fi
		((idle >= 5)) && [ "$LACKS" = "$1" ] && break
		sleep 0.1
	done
}

check_settled()
{
	settled "$2"
	check_equal "$1" "$LACKS" "$2"
}
