#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Metadata that is damaged, unreadable, cut off, from an earlier time or from another array:
# the array is refused with a message, or what it serves is right.
#
# Simulated drives (tests/zonesim). RAIZN_TEST_SCALE=100 is 200 rounds.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
scenario

ROUNDS=$(scaled 200 12)
ZONE_KIB=1024
ZONE_SECTORS=$((ZONE_KIB * 2))
LOGS=5
VOLUME=badmeta
DEV=/dev/mapper/$VOLUME

RANDOM=$((SEED & 0x7fffffff))
note "seed $SEED"

# make_drives PREFIX: five drives PREFIX0 .. PREFIX4, on.
make_drives()
{
	local i

	for i in 0 1 2 3 4; do
		simulated_drive "$1$i" nr_zones=20 zone_size_kib=$ZONE_KIB \
			zone_capacity_kib=$ZONE_KIB || return 1
	done
}

# Log zones of a drive that hold something: "ZONE SECTORS" lines.
log_zones()
{
	awk -v logs=$LOGS '$1 + 0 < logs && $4 > 0 { print $1 + 0, $4 }' \
		"$GROUP/$1/zones"
}

# One of them.
a_log_zone()
{
	log_zones "$1" | shuf -n 1 --random-source=<(yes $RANDOM)
}

flip()
{
	local drive=$1 n zone sectors

	for ((n = 1 + RANDOM % 6; n > 0; n--)); do
		read -r zone sectors < <(a_log_zone "$drive")
		# The first blocks say most.
		((RANDOM % 2)) && ((sectors > 24)) && sectors=24
		echo $((zone * ZONE_SECTORS + RANDOM % sectors)) \
			>"$GROUP/$drive/flip"
	done
}

# Blocks that the drive cannot read
unreadable()
{
	local drive=$1 n zone sectors

	for ((n = 1 + RANDOM % 3; n > 0; n--)); do
		read -r zone sectors < <(a_log_zone "$drive")
		echo "$((zone * ZONE_SECTORS + RANDOM % (sectors / 8) * 8)) 8" \
			>"$GROUP/$drive/bad_sectors"
	done
}

truncate_log()
{
	local drive=$1 zone sectors keep

	read -r zone sectors < <(a_log_zone "$drive")
	keep=$((RANDOM % (sectors / 8) * 4096))
	rewrite "$drive" "$zone" <(head -c $keep <(read_zone "$drive" "$zone" \
		"$sectors"))
}

read_zone()
{
	dd if="/dev/$1" bs=4096 skip=$(($2 * ZONE_SECTORS / 8)) \
		count=$(($3 / 8)) iflag=direct status=none
}

# rewrite DRIVE ZONE FILE: another content for a zone.
rewrite()
{
	cat "$3" >"$TMP/content"
	echo "$2 empty" >"$GROUP/$1/zone_cond"
	[ ! -s "$TMP/content" ] ||
		dd if="$TMP/content" of="/dev/$1" bs=4096 oflag=direct \
			seek=$(($2 * ZONE_SECTORS / 8)) status=none
}

remember()
{
	local drive=$1 zone sectors

	rm -rf "$TMP/past" && mkdir "$TMP/past"
	while read -r zone sectors; do
		read_zone "$drive" "$zone" "$sectors" >"$TMP/past/$zone"
	done < <(log_zones "$drive")
}

replay_past()
{
	local drive=$1 zone

	for ((zone = 0; zone < LOGS; zone++)); do
		[ -e "$TMP/past/$zone" ] || : >"$TMP/past/$zone"
		rewrite "$drive" "$zone" "$TMP/past/$zone"
	done
}

# Log zones of the other array's drive in the same slot.
from_another()
{
	local drive=$1 zone sectors

	rm -rf "$TMP/past" && mkdir "$TMP/past"
	while read -r zone sectors; do
		read_zone "other${drive#bad}" "$zone" "$sectors" \
			>"$TMP/past/$zone"
	done < <(log_zones "other${drive#bad}")
	replay_past "$drive"
}

work()
{
	timeout "$1" fsynced zones $DEV "$TMP/synced" 0 4 $RANDOM \
		>"$TMP/work" 2>&1
	return 0
}

start()
{
	dmsetup create $VOLUME --table "$TABLE" 2>"$TMP/start" &&
		dmsetup mknodes $VOLUME
}

# A drive that is no member any more is not taken for one that is missing.
leave_out()
{
	local number

	number=$(cat "/sys/block/$1/dev")
	TABLE=${TABLE/ $number / - }
}

# round WHAT MEMBERS CUT: damage so many members after a stop or a power cut.
round()
{
	local what=$1 members=$2 cut=$3 victims drive said=0

	rm -f "$TMP/synced" && : >"$TMP/synced"
	kernel_log_new >/dev/null
	make_drives bad &&
		raizn create $VOLUME /dev/bad{0..4} --stripe-unit 4K \
			>"$TMP/create" 2>&1 || return 1
	TABLE=$(dmsetup table $VOLUME)
	mapfile -t victims < <(printf '%s\n' bad{0..4} |
		shuf -n "$members" --random-source=<(yes $RANDOM))
	work 0.1
	[ "$what" != replay_past ] || remember "${victims[0]}"
	work 0.1
	if ((cut)); then
		echo 0 >$GROUP/power
		dmsetup remove --retry $VOLUME
		echo 1 >$GROUP/power
	else
		dmsetup remove --retry $VOLUME
	fi
	kernel_log_new >/dev/null
	for drive in "${victims[@]}"; do
		"$what" "$drive" || return 1
	done
	# As it is, then without what is not to be trusted, then without the drive.
	if start || { TABLE="$TABLE 1 degraded" && start; } ||
	   { ((members == 1)) && leave_out "${victims[0]}" && start; }; then
		served=$((served + 1))
		if ((members == 1)); then
			fsynced zones-check $DEV "$TMP/synced" >"$TMP/check" 2>&1
		else
			fsynced zones-right $DEV "$TMP/synced" >"$TMP/check" 2>&1
		fi || { cat "$TMP/check"; kernel_log_new; return 1; }
		dmsetup remove --retry $VOLUME || return 1
	else
		refused=$((refused + 1))
		said=$(kernel_log_new | grep -c 'raizn: ')
		((said > 1)) || { echo "refused without a word"; return 1; }
		((members > 1)) || { dmesg | tail -20; return 1; }
	fi
	rmdir $GROUP/bad*
}

load_module && simulated_group badmeta || exit 1
at_exit "dmsetup remove --force --retry $VOLUME"
check "another array" faster
check "an array whose metadata gets mixed up with the other's" \
	eval 'make_drives other && raizn create other /dev/other{0..4} \
		--stripe-unit 4K && raizn stop other'

for what in flip unreadable truncate_log replay_past from_another; do
	for members in 1 2; do
		served=0
		refused=0
		failed=
		[ $what/$members != replay_past/2 ] || continue
		for ((n = ROUNDS / 9; n > 0; n--)); do
			state=$RANDOM
			if ! round $what $members $((n % 2)) >"$TMP/round" 2>&1; then
				failed="round $n, seed $SEED"
				break
			fi
		done
		if [ -n "$failed" ]; then
			not_ok "$what, $members of 5 members" "$failed"
			rig_show "$TMP/round"
			finish
		fi
		ok "$what, $members of 5 members ($served served right, $refused refused)"
	done
done
finish
