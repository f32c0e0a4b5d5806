#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# check says what a start would repair after a power cut: which zones, which columns,
# from where to where, and which member missed something.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/copies.sh"
six_drives
copy_drives
GUARDED=()
check "an array to check" array_to_check
read_logs
copies
GUARDED=("${COPIES[@]}")
checked "check after a power cut in which nothing was lost" 1 \
	'[.result,.clean,.logs_agree,(.zones|length),.parity.stripes,.parity.mismatches]' \
	'["work",false,true,0,14,0]' "${COPIES[@]}"

# Stripe 3 of zone 0 has its parity on slot 1, data on 2, 3, 4, 0.
recopy 2 "cut=$(cell 0 $((3 * 128 + 16)))"
checked "check after a power cut: data that partial parity makes up for" 1 \
	'.zones|map([.zone,.action,.write_pointer_sectors,(.columns|map([.slot,.fill_sectors,.debris_sectors]))])' \
	"[[0,\"repair\",$(((3 * 64 + 21) * 8)),[[2,112,0]]]]" "${COPIES[@]}"
# Without the record on slot 1 nothing does, and what is behind it is debris.
recopy 1 "cut=$(log_zone 1 "partial-parity log"):8"
recopy 2 "cut=$(cell 0 $((3 * 128)))"
checked "check after a power cut: debris behind data that is lost" 1 \
	'.zones|map([.zone,.write_pointer_sectors,(.columns|map([.slot,.fill_sectors,.debris_sectors,.debris_removed_by]))])' \
	'[[0,1536,[[3,0,40,"move"]]]]' "${COPIES[@]}"
check_fails "check for people tells the same" \
	"slot 3 .${COPIES[3]}.: leave 40 sectors in place, or move the 384 before them" \
	raizn check "${COPIES[@]}"
recopy 2

recopy 0 "cut=$(log_zone 0 "partial-parity log"):8"
recopy 1 "cut=$(cell 4 0)"
checked "check after a power cut: nothing but debris" 1 \
	'.zones|map([.zone,.write_pointer_sectors,(.columns|map([.slot,.fill_sectors,.debris_sectors,.debris_removed_by]))])' \
	'[[4,0,[[2,0,112,"reset"]]]]' "${COPIES[@]}"
recopy 0
recopy 1

recopy 2 "cut=$(cell 1 $((4 * 128)))"
recopy 4 "cut=$(cell 1 $((8 * 128)))"
checked "check after a power cut: parity and data of a stripe are lost" 1 \
	'.zones|map([.zone,.write_pointer_sectors,(.columns|map([.slot,.valid_sectors,.fill_sectors,.debris_sectors]))])' \
	'[[1,4224,[[0,1024,0,128],[2,512,512,0],[3,1024,0,128]]]]' "${COPIES[@]}"
recopy 2
recopy 4

recopy 3 "cut=$(cell 2 256)"
checked "check after a power cut in a finish" 1 \
	'.zones|map([.zone,.action,.write_pointer_sectors])' \
	"[[2,\"finish\",$(((2 * 64 + 7) * 8))]]" "${COPIES[@]}"

# ---- in a reset: records of its begin and its end tell what is left to do ---

for i in 0 1 2 3 4; do
	edits=("cut=$(log_zone $i "general log"):$(log_offset $i "general log" reset '.flags==2')"
	       "cut=$(cell 4 0)")
	# The partial parity of what was written after the reset.
	[ $i -ne 0 ] || edits+=("cut=$(log_zone 0 "partial-parity log"):$(
		log_offset 0 "partial-parity log" "partial parity" '.zone==4 and .generation==1')")
	recopy $i "${edits[@]}"
done
checked "check after a power cut in a reset" 1 \
	'[.zones|map([.zone,.action])]' '[[[4,"reset"]]]' "${COPIES[@]}"
copies 1 "cut=$(log_zone 1 "general log"):$(log_offset 1 "general log" reset '.flags==2')"
checked "check after a power cut: a reset is done by one log, begun by another" 1 \
	'[.logs_agree,.degraded,(.zones|length)]' '[false,false,0]' "${COPIES[@]}"
recopy 1 "cut=$(log_zone 1 "general log"):$(log_offset 1 "general log" reset '.flags==1')"
checked "check with a member that missed a reset" 1 \
	'[.degraded,.members[1].condition]' '[true,"stale"]' "${COPIES[@]}"
check_fails "the user hears why" 'slot 1 .* is stale: it knows nothing of a reset of zone 4' \
	raizn check "${COPIES[@]}"
finish
