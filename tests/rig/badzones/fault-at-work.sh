#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A command of a drive fails while the array is used: that costs the column of a zone, which
# is rebuilt, or the member, as the command says; users see no error and their data are right.
. "$(dirname "$0")/harness.sh"

# at_work FAULT WANT: what the drive does, and where the array stands then
at_work()
{
	local what=$1 want=$2 before

	check "$what: an array" make_array || return
	simulated_set bz2 fault "$what"
	check "$what: data" fill_zones
	check "$what: reset" blkzone reset -f -o $((2 * ZONE)) -c 1 $DEV
	check "$what: write" dd if="$TMP/data" of=$DEV bs=4k count=777 \
		oflag=direct,seek_bytes seek=$((5 * ZONE * 512)) \
		conv=notrunc,fsync status=none
	check "$what: read" cmp -n $((777 * 4096)) "$TMP/data" \
		<(dd if=$DEV bs=4k count=777 iflag=direct,skip_bytes \
		skip=$((5 * ZONE * 512)) status=none)
	settled "${want%, *}"
	check_equal "$what: where it stands" \
		"$LACKS, ${RIG_WORDS[state]} ${RIG_WORDS[letters]}" "$want"
	before=$(sums)
	check "$what: stop" dmsetup remove --retry $VOLUME
	simulated_set bz2 fault clear
	simulated_set bz2 power 1
	check "$what: start" start
	check_equal "$what: data are still right" "$(sums)" "$before"
	check "$what: stop for good" drop_array
}

ONE_ZONE="0 degraded, 1 moved, active AAAAA"
MEMBER="19 degraded, 0 moved, degraded AAFAA"

check "another array makes all of them faster" faster
at_exit faster_no_more
head -c $((777 * 4096)) /dev/urandom >"$TMP/data"
at_work "write 3" "$ONE_ZONE"
at_work "write 20 effect=part" "$ONE_ZONE"
at_work "write 5 then=offline" "$ONE_ZONE"
at_work "write 40 then=readonly" "$ONE_ZONE"
at_work "write 3 then=off" "$MEMBER"
at_work "append 3" "$MEMBER"
at_work "flush 2" "$MEMBER"
at_work "reset 1" "$ONE_ZONE"
at_work "finish 1" "$ONE_ZONE"
at_work "read 1 times=15" "$ONE_ZONE"
finish
