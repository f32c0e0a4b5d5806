#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create on members of another array, or with a name that is taken: only by force, or
# not at all.
. "$(dirname "$0")/harness.sh"
six_drives
three_drives
GUARDED=("${ALL[@]}" "${THREE[@]}")
new_array tank "${FIVE[@]}"

refused "create on members" 3 \
	"${FIVE[0]}: holds a member of array 'tank' .*; use --force" \
	raizn create other "${FIVE[@]}"
refused "create with the name of another array" 3 \
	'tank: .* belongs to an array of this name' \
	raizn create tank "${THREE[@]}"
if mapped taken "$SPARE"; then
	refused "create with the name of a mapped device" 3 \
		'taken: a mapped device has this name' \
		raizn create taken "${THREE[@]}"
	unmapped taken
fi
uuid=$(superblock .array_uuid)
shows "create --force says what it destroys" \
	"^destroys on ${FIVE[4]}: a member of array 'tank' .$uuid.*data in 1 of" \
	create --force --no-start
check "and makes a new array" test "$(superblock .array_uuid)" != "$uuid"
forge "${FIVE[2]}" drop-checkpoint
shows "create --force repairs an interrupted creation" \
	"destroys on ${FIVE[2]}: the unfinished array 'tank'" \
	create --no-start --force
forge "${FIVE[2]}" bad-crc
refused "create on a drive with a corrupt superblock" 3 \
	"${FIVE[2]}: holds a member of an array" \
	raizn create other "${THREE[@]}" "${FIVE[2]}"
finish
