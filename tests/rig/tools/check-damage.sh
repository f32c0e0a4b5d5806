#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# check finds a single wrong byte: in data, parity, tails of zones and logs, and tells of
# what cannot be read. It makes do without one member, and takes what a power cut leaves
# for no damage.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/copies.sh"
six_drives
copy_drives
GUARDED=()
check "an array to check" array_to_check
read_logs
copies
GUARDED=("${COPIES[@]}")

# damage WHAT REGEX SLOT EDIT...: check finds it, on that copy.
damage()
{
	local what=$1 pattern=$2
	recopy "${@:3}"
	checked "check: $what" 2 \
		"[.result,(.problems|map(test(\"$pattern\"))|any)]" \
		'["damaged",true]' "${COPIES[@]}"
	recopy "$3"
}

checked "check without a member" 1 \
	'[.result,.degraded,.members[3].condition,.parity.unverifiable,.parity.mismatches]' \
	'["work",true,"missing",15,0]' "${COPIES[@]:0:3}" "${COPIES[4]}"
refused "check without two members" 3 \
	"2 of 5 members cannot be used, parity makes up for 1" \
	raizn check "${COPIES[@]:0:3}"
damage "a byte of data is wrong" "zone 1, stripe 2: parity P on ${COPIES[1]} does not agree with the data from row 3 on" \
	3 "flip=$(cell 1 $((2 * 128 + 3)))"
damage "a byte of parity is wrong" "zone 1, stripe 2: parity P on ${COPIES[1]} .* row 127" \
	1 "flip=$(cell 1 $((2 * 128 + 127)))"
damage "a byte in the tail of a finished zone is wrong" \
	"zone 2, stripe 2: parity P on ${COPIES[0]} .* row 11" 1 "flip=$(cell 2 $((2 * 128 + 11)))"
damage "a byte in the tail of an open zone is wrong" \
	"zone 0, stripe 3: partial parity [0-9]+ on ${COPIES[1]} .* row 9" \
	2 "flip=$(cell 0 $((3 * 128 + 9)))"
damage "a byte in the general log is wrong" \
	"${COPIES[2]}: zone [0-9]+, byte [0-9]+: 1 block: wrong checksum" \
	2 "flip=$(log_zone 2 "general log"):$(($(log_offset 2 "general log" finish) + 1))"
damage "the checkpoint of a log is gone" \
	"${COPIES[2]}: its general log has no complete checkpoint" \
	2 "flip=$(log_zone 2 "general log"):$(log_offset 2 "general log" checkpoint)"

recopy 4 "flip=$(log_zone 4 "general log"):$(log_offset 4 "general log" reset '.flags==2')"
checked "check: the last record of a log was cut short by a power cut" 1 \
	'[.incomplete_records,.nr_problems]' '[1,0]' "${COPIES[@]}"
recopy 4
spare=$((HOME_ZONE - 1))
dd if=/dev/urandom of="${COPIES[3]}" bs=4K count=1 seek=$((spare * 4096)) oflag=direct \
	status=none
checked "check: a copy that nobody needs" 1 '[.nr_problems,.leftovers]' \
	'[0,[{"slot":3,"member_zone":'$spare'}]]' "${COPIES[@]}"
recopy 3

# ---- what cannot be read ---------------------------------------------------

bad=$(((HOME_ZONE + 1) * 32768 + 130))
if echo "+$bad-$bad" >/sys/kernel/config/nullb/c0/badblocks; then
	GUARDED=()	# cannot be read
	checked "check: a sector cannot be read" 2 \
		'[.parity.unreadable,.parity.unverifiable,.problems[0]]' \
		"[1,1,\"${COPIES[0]}: data of zone 1, stripe 1 cannot be read; see the kernel log\"]" \
		"${COPIES[@]}"
	echo "-$bad-$bad" >/sys/kernel/config/nullb/c0/badblocks
else
	skip "check: a sector cannot be read" "null_blk cannot simulate it"
fi
GUARDED=("${COPIES[@]}")
check_fails "--no-parity reads no data" "^parity: +not compared" \
	raizn check --no-parity "${COPIES[@]}"
if echo $(((HOME_ZONE + 1) * 32768)) >/sys/kernel/config/nullb/c4/zone_offline; then
	checked "check: a zone with data is offline" 1 \
		'[.nr_problems,.parity.unverifiable,.parity.mismatches,(.zones|map([.zone,.action,(.columns|map([.slot,.rebuild]))]))]' \
		'[0,9,0,[[1,"rebuild",[[4,true]]]]]' "${COPIES[@]}"
else
	skip "check: a zone with data is offline" "null_blk cannot simulate it"
fi
finish
