#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two columns of a finished zone with one block are gone: the zone is finished as before, and
# the block is there, if not both parity and the block are gone: the other columns are empty. Then
# the columns get other zones.
. "$(dirname "$0")/harness.sh"

check "another array makes all of them faster" faster
at_exit faster_no_more
head -c 4096 /dev/urandom >"$TMP/block"
found=""
for pair in "0 1" "1 2" "2 3" "3 4" "4 0"; do
	what="members $pair"
	read -ra members <<<"$pair"
	check "$what: an array" make_array || finish
	check "$what: a block" dd if="$TMP/block" of=$DEV bs=4k count=1 \
		oflag=direct status=none conv=notrunc
	check "$what: finish" blkzone finish -o 0 -c 1 $DEV
	check "$what: stop" dmsetup remove --retry $VOLUME
	check "$what: their zones turn bad" eval \
		'spoil ${members[0]} offline 0 && spoil ${members[1]} offline 0'
	check "$what: start" start
	if cmp -s -n 4096 $DEV "$TMP/block"; then
		check_settled "$what: they have other zones" "0 degraded, 2 moved"
		found+="right "
	else
		found+="lost "
	fi
	found+="$(blkzone report -o 0 -c 1 $DEV | grep -o '([a-z]*) \[')
"
	check "$what: stop for good" drop_array
done
check_equal "what becomes of the zone" \
	"$(sort <<<"$found" | uniq -c | tr -d '\n' | tr -s ' ')" \
	" 1 1 lost (ro) [ 4 right (fu) ["
finish
