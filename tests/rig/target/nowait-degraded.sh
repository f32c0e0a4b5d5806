#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reads that may not wait, on an array without a member, are answered; those of the lost
# member's data in incomplete stripes, which are in memory, even if no drive answers. Nothing is
# changed by that.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

UNIT=16		# KiB
MEMBERS=5
ZONES=5		# in each another member has the parity of the incomplete stripe
LOST=$((SEED % MEMBERS))

# nowait VERB OPTION...: RIGHT[KIND] and AGAIN[KIND] are how many were answered or not.
declare -A RIGHT AGAIN
nowait()
{
	local kind right again

	check "$1" timeout -s KILL 60 python3 -IS "$HERE/nowait.py" "${@:2}"
	RIGHT=([there]=0 [lost]=0 [tail]=0)
	AGAIN=([there]=0 [lost]=0 [tail]=0)
	while read -r kind right again; do
		RIGHT[$kind]=$right
		AGAIN[$kind]=$again
		note "$kind: $right answered, $again not"
	done < <(sed -n 's/^of \([a-z]*\): /\1 /p' "$TMP/output")
}

nowait_lost()
{
	nowait "$1" "$2" $DEV "$TMP/data" $ZONES "$KIB" $LOST $MEMBERS $UNIT "$SEED"
}

state()
{
	status_words
	echo "${RIG_WORDS[state]} ${RIG_WORDS[letters]} ${RIG_WORDS[event]}" \
		"${RIG_WORDS[member0]} ${RIG_WORDS[member1]} ${RIG_WORDS[member2]}" \
		"${RIG_WORDS[member3]} ${RIG_WORDS[member4]}"
	members_state
}

# write_up_to KIB: each zone holds so much of the data.
write_up_to()
{
	local zone from=${KIB:-0}

	for ((zone = 0; zone < ZONES; zone++)); do
		dd if="$TMP/data" of=$DEV bs=4k count=$((($1 - from) / 4)) conv=fsync,notrunc \
			iflag=skip_bytes skip=$(((zone * 1024 + from) * 1024)) \
			oflag=direct,seek_bytes seek=$((zone * ZONE * 512 + from * 1024)) ||
			return 1
	done
	KIB=$1
}

# stall 0|1: all drives
stall()
{
	local i

	for ((i = 0; i < MEMBERS; i++)); do
		simulated_set nw$i stall "$1" || return 1
	done
}

all_reads()
{
	local before

	before=$(state)
	nowait_lost "read each block, $1" blocks
	check_true "blocks that are there are answered, $1" \
		"${RIGHT[there]} > 0 && ${AGAIN[there]} * 20 < ${RIGHT[there]}"
	check_true "lost ones are, $1" "${RIGHT[lost]} > 0 && ${AGAIN[lost]} == 0"
	check_true "also in incomplete stripes, $1" "${RIGHT[tail]} > 0 && ${AGAIN[tail]} == 0"
	nowait_lost "read more at a time, $1" ranges
	check_true "ranges without lost blocks are answered, $1" \
		"${RIGHT[there]} > 0 && ${AGAIN[there]} * 20 < ${RIGHT[there]}"
	check_true "others are, $1" \
		"${RIGHT[lost]} > 0 && ${AGAIN[lost]} * 20 < ${RIGHT[lost]}"
	check_equal "nothing has changed, $1" "$(state)" "$before"
	check "no drive answers, $1" stall 1
	nowait_lost "read what is lost of incomplete stripes, $1" tail-blocks
	check_true "it is answered while no drive answers, $1" \
		"${RIGHT[tail]} > 0 && ${AGAIN[tail]} == 0"
	check "drives answer again, $1" stall 0
	check_equal "nothing has changed after that, $1" "$(state)" "$before"
}

note "seed $SEED"
simulated_group nowait || exit 1
check "drives" simulated_drives nw $MEMBERS || finish
VOLUME=nowait
DEV=/dev/mapper/$VOLUME
DRIVES=(/dev/nw{0..4})
check "an array" raizn create --stripe-unit ${UNIT}K $VOLUME "${DRIVES[@]}" || finish
at_exit "stall 0; raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
dmsetup mknodes $VOLUME
DEV_NAME=$(sysfs_name $DEV)
ZONE=$(queue chunk_sectors)
read -r LENGTH <"/sys/block/$DEV_NAME/size"
ALL=("${DRIVES[@]}")
head -c ${ZONES}M /dev/urandom >"$TMP/data"

# Three stripes, and two and a half units.
check "write" write_up_to $((3 * 64 + 40))
check "member $LOST fails" raizn fail $VOLUME $LOST --force
all_reads "after the failure"
check "write on" write_up_to $((6 * 64 + 60))
all_reads "after writes without it"
check "stop" stop_table
check "start without it" start_table "$(table_of $LOST degraded)" || finish
all_reads "after a start without it"
nowait "write" write $DEV 64 $((ZONES * ZONE))
check "flush" sync $DEV
unset "DRIVES[LOST]"
parity "parity and data agree" --degraded --volume $DEV
finish
