#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Requests of a thousand vectors between page boundaries, far more than a bio takes, and of
# two megabytes in one piece of memory: data and parity are right, also without a member.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

# What is in each zone: NR COUNT BYTES PLACE [FLAG], see src/vectors.c; and last what is
# written without a member.
SHAPES=(
	"2 1024 512 odd"
	"1 1024 4096 odd"
	"1 1000 1536 odd"
	"1 1024 512 odd dsync"
	"2 1 2097152 0"
	"2 1 2093056 512"
	"2 1 2093056 4096"
)
LATER=(
	"2 1024 512 odd"
	"2 1 2093056 512"
)

# shapes write|read WHEN FIRST-ZONE SHAPE...
shapes()
{
	local verb=$1 when=$2 zone=$3 shape nr count bytes place flag
	shift 3

	for shape; do
		read -r nr count bytes place flag <<<"$shape"
		[ $verb = write ] || flag=
		check "$verb $nr of $count vectors of $bytes bytes at $place${flag:+, $flag}, $when" \
			vectors $verb $DEV $((zone * ZONE)) "$nr" "$count" "$bytes" \
			"$place" ${flag:+"$flag"}
		grep -q '^memory' "$TMP/output" && note "$(head -n 1 "$TMP/output")"
		zone=$((zone + 1))
	done
}

no_errors()
{
	status_is state active letters AAAAA member0 0,0,0 member1 0,0,0 member2 0,0,0 \
		member3 0,0,0 member4 0,0,0
}

# an_array BLOCK LOST CREATE-OPTION...: of drives with such blocks; all of its life
an_array()
{
	local block=$1 lost=$2 when="blocks of $1${3:+, ${3#--}}"
	shift 2

	check "drives, $when" simulated_drives "ve$block-" 5 block_size="$block" \
		zone_size_kib=4096 zone_capacity_kib=3072 || finish
	DRIVES=("/dev/ve$block-"{0..4})
	check "an array, $when" raizn create $VOLUME "${DRIVES[@]}" "$@" || finish
	dmsetup mknodes $VOLUME
	DEV_NAME=$(sysfs_name $DEV)
	ZONE=$(queue chunk_sectors)
	shapes write "$when" 0 "${SHAPES[@]}"
	shapes read "$when" 0 "${SHAPES[@]}"
	check "flush, $when" sync $DEV
	parity "parity and data agree, $when" --min-stripes 60 --volume $DEV
	check "no member had an error, $when" no_errors
	check "a member fails, $when" raizn fail $VOLUME "$lost" --force
	when+=", without member $lost"
	shapes write "$when" ${#SHAPES[@]} "${LATER[@]}"
	shapes read "$when" 0 "${SHAPES[@]}" "${LATER[@]}"
	check "flush, $when" sync $DEV
	unset "DRIVES[lost]"
	parity "parity and data agree, $when" --degraded --volume $DEV
	check "stop, $when" raizn stop $VOLUME
	check "drives go, $when" rmdir "$GROUP/ve$block-"*
}

simulated_group vectors || exit 1
VOLUME=vectors
DEV=/dev/mapper/$VOLUME
at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
# Where there are huge pages, they are the memory in one piece.
HUGEPAGES=/proc/sys/vm/nr_hugepages
if [ -e $HUGEPAGES ]; then
	read -r before <$HUGEPAGES
	at_exit "echo $before >$HUGEPAGES"
	echo $((before + 1)) >$HUGEPAGES
fi
check "a drive" simulated_drive probe || finish
if ! vectors try /dev/probe 1 8192 512 >"$TMP/output" 2>&1; then
	skip "memory in one piece" "$(tail -n 1 "$TMP/output")"
	SHAPES=("${SHAPES[@]:0:4}")
	LATER=("${LATER[@]:0:1}")
fi
# What is copied, and what goes to the drives from where it is: a little work is one of them
# for each kind of blocks.
KINDS=("512" "512 --trust-buffers" "4096" "4096 --trust-buffers")
if [ "$RAIZN_TEST_SCALE" -lt 20 ]; then
	KINDS=("${KINDS[SEED % 2]}" "${KINDS[3 - SEED % 2]}")
fi
# Before 6.18 vectors had to be whole blocks.
if ! vectors try /dev/probe 8 512 odd >"$TMP/output" 2>&1; then
	skip "vectors that are no whole blocks" "$(tail -n 1 "$TMP/output")"
	mapfile -t KINDS < <(printf '%s\n' "${KINDS[@]}" | grep '^512')
fi
for i in "${!KINDS[@]}"; do
	read -r block options <<<"${KINDS[i]}"
	an_array "$block" $(((SEED / 2 + i) % 5)) ${options:+"$options"}
done
finish
