#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What newer code has written is refused by the module and by raizn, in one line that names
# the drive and the version, and not written to; a version field that is damaged is not
# taken for that.
. "$(dirname "$0")/harness.sh"
six_drives
VICTIM=${FIVE[2]}
NOT_KNOWN="which raizn [0-9.]+ \(format version 1\) does not know"
KNOWS_1="raizn [0-9.]+ knows version 1"

# zone_of ROLE: the log zone of that role of the victim.
zone_of()
{
	raizn inspect "$VICTIM" log --json | jq ".log[]|select(.role==\"$1\")|.zone"
}

# start_module WHAT REGEX: the module does not take the array; it says so in one line, which
# matches, and the drives are as they were.
module_refuses()
{
	local what="the module refuses $1" pattern=$2 before lines

	before=$(guarded)
	kernel_log_new >/dev/null
	dmsetup create tank --table "$TABLE" >"$TMP/out" 2>&1 && {
		not_ok "$what" "it started the array"
		dmsetup remove --retry tank
		return
	}
	kernel_log_new | sed -n 's/.*device-mapper: raizn: //p' >"$TMP/said"
	mapfile -t lines <"$TMP/said"
	if [ ${#lines[@]} -ne 1 ] || ! matches "^${VICTIM##*/}: .*$pattern" "$TMP/said"; then
		not_ok "$what" "no single line with '$pattern'"
		rig_show "$TMP/said"
	elif [ "$(guarded)" != "$before" ]; then
		not_ok "$what" "the drives were changed"
	else
		ok "$what"
	fi
}

# both_refuse WHAT FOUND: the module and `raizn start`, of the array tank.
both_refuse()
{
	module_refuses "$1" "$2.* use the version that wrote it, or a newer one"
	refused "start refuses $1" 3 \
		"$VICTIM cannot be used: .*$2.* use the version that wrote it, or a newer one" \
		raizn start tank
}

# version_of_all VERSION [!] DRIVE...: all log zones begin with it, or with a wrong checksum
# beside it.
version_of_all()
{
	local version=$1 drive zone damage=
	shift
	[ "$1" != ! ] || { damage=! && shift; }
	for drive; do
		for zone in "$GENERAL" "$PARITY"; do
			rewrite "$drive" "$zone" ${version:+"0:${damage}version=$version"}
		done
	done
}

export RAIZN_HOST=11111111-1111-4111-8111-111111111111
check "an array with data" array_with_data
TABLE=$(dmsetup table tank)
check "stop" raizn stop tank
# All members have them in the same places.
GENERAL=$(zone_of "general log") PARITY=$(zone_of "partial-parity log")

# One member, which others need.
version_of_all 9 "$VICTIM"
module_refuses "a member of another format version" "has a record of format version 9, .*1\) does"
refused "start refuses a member of another format version" 4 \
	"slot 2 .* is missing; it may be $VICTIM: its metadata is of format version 9, $KNOWS_1; use the version that wrote it" \
	raizn start tank
refused "start with drives named refuses it, too" 3 \
	"$VICTIM: its metadata is of format version 9, $KNOWS_1; use the version" \
	raizn start tank "${FIVE[@]}"
refused "inspect names the version" 3 \
	"$VICTIM: its metadata is of format version 9, $KNOWS_1" raizn inspect "$VICTIM"
refused "create does so before it destroys that" 3 \
	"$VICTIM: holds a member of an array .*of format version 9, $KNOWS_1.*--force" \
	raizn create other "${FIVE[@]:2}"
shows "list names the version" "^$VICTIM: its metadata is of format version 9, $KNOWS_1$" \
	raizn list
shows "status names the version" "^$VICTIM: its metadata is of format version 9, $KNOWS_1$" \
	raizn status
checked "check names the version" 2 '[.members[2].condition,.nr_problems]' \
	'["missing",1]' "${FIVE[@]}"
check "check says it of the drive" matches \
	"\"$VICTIM: its metadata is of format version 9, $KNOWS_1; it was left out" "$TMP/out"
check_equal "probe tells udev of a member of that version, and nothing more" \
	"$(raizn probe "$VICTIM" | paste -sd ' ')" \
	"ID_FS_TYPE=raizn_member ID_FS_USAGE=raid ID_FS_VERSION=9"
rewrite "${FIVE[0]}" "$GENERAL" -1:flags=0
RAIZN_HOST=22222222-2222-4222-8222-222222222222
advice_is tank version-elsewhere
RAIZN_HOST=11111111-1111-4111-8111-111111111111
rewrite "${FIVE[0]}" "$GENERAL"
version_of_all 9 ! "$VICTIM"
module_refuses "another version with other checksums" "is of format version 9, .* knows version 1"
shows "list names that version, too" "^$VICTIM: its metadata is of format version 9" raizn list

# All of them.
version_of_all 2 "${FIVE[@]}"
refused "start finds no array of this version" 3 \
	"^raizn: tank: no array .*; /dev/t[0-4] cannot be used: .* format version 2, $KNOWS_1; use" \
	raizn start tank
refused "start --all, too" 3 "no array found; /dev/t[0-4] cannot be used: .* version 2" \
	raizn start --all
version_of_all "" "${FIVE[@]}"

# A part of what a member holds.
rewrite "$VICTIM" "$PARITY" 0:version=2
both_refuse "a log zone of another version beside sound ones" "a record of format version 2, "
rewrite "$VICTIM" "$PARITY"
rewrite "$VICTIM" "$GENERAL" add=3 -1:version=2
both_refuse "a record of another version" "a record of format version 2, "
rewrite "$VICTIM" "$GENERAL" add=12
both_refuse "a record of an unknown type" "a record of type 12, "
rewrite "$VICTIM" "$GENERAL" -1:incompat=8
both_refuse "incompatible features of one member" "incompatible features 0x8, "
shows "list names the features" "^$VICTIM: it has incompatible features 0x8, $NOT_KNOWN$" \
	raizn list
refused "inspect names the features" 3 "$VICTIM: it has incompatible features 0x8, $NOT_KNOWN" \
	raizn inspect "$VICTIM"
refused "create names array and features" 3 \
	"$VICTIM: holds a member of array 'tank' .*incompatible features 0x8, $NOT_KNOWN.*--force" \
	raizn create other "${FIVE[@]:2}"
# The partial-parity log is read if the array was not stopped cleanly.
rewrite "$VICTIM" "$GENERAL" -1:flags=0
rewrite "$VICTIM" "$PARITY" add=12
module_refuses "an unknown type in a partial-parity log" "a record of type 12, "
refused "start says what the module says" 1 "${VICTIM##*/}: .* a record of type 12, .* use the version" \
	raizn start tank
checked "check names a record in a partial-parity log" 2 \
	'[.problems[]|select(test("a record of type 12, which raizn"))]|length' 1 "${FIVE[@]}"
rewrite "$VICTIM" "$PARITY"

# What must be known to write.
rewrite "$VICTIM" "$GENERAL" -1:ro_compat=4
BEFORE=$(guarded)
shows "start of an array with features that must be known to write" \
	"^tank: read-only: $VICTIM has .*ro-compat 0x4.* raizn [0-9.]+ .*cannot write; use the version" \
	start_array tank
check "it can be read" has_data
check_fails "it cannot be written" '' dd if="$TMP/data" of=/dev/mapper/tank bs=64K count=1 \
	seek=20 oflag=direct
check "it stops" raizn stop tank
check_equal "nothing was written to it" "$(guarded)" "$BEFORE"
rewrite "$VICTIM" "$GENERAL"

# A field that is damaged, in a log zone and in a record.
rewrite "$VICTIM" "$PARITY" "0:!version=2"
rewrite "$VICTIM" "$GENERAL" add=3 "-1:!version=2"
check "a damaged version field does not keep an array from starting" start_array tank
check "it has its data" has_data
check_equal "with all members" "$(raizn status tank --json | jq -r .arrays[0].state)" active
check "it stops cleanly" raizn stop tank

# What status advises; the drive that is left out is outdated then.
GENERAL=$(zone_of "general log") PARITY=$(zone_of "partial-parity log")
version_of_all 9 "$VICTIM"
advice_helps tank version-or-degraded degraded
check "it has its data without the drive" has_data
check "it stops without the drive" raizn stop tank
finish
