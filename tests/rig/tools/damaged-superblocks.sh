#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member whose superblock says what cannot be is named, and the array does not start
# with it.
. "$(dirname "$0")/harness.sh"
six_drives
new_array tank "${FIVE[@]}"
keep_superblocks "${FIVE[2]}"

# damaged WHAT CODE REGEX EDIT...: what start says when slot 2 is forged so, and what
# it says when the drives are named.
damaged()
{
	local what=$1 code=$2 pattern=$3
	shift 3
	forge "${FIVE[2]}" "$@" || not_ok "forge: $what"
	refused "start: $what" "$code" "$pattern" raizn start tank
	refused "start with drives named: $what" 3 "${FIVE[2]}" \
		raizn start tank "${FIVE[@]}"
}

damaged "an unknown incompatible feature" 3 \
	"${FIVE[2]} cannot be used: it has incompatible features 0x8, which raizn .* does not know" \
	incompat=8
advice_is tank version-of-drive
damaged "a newer format" 4 'slot 2 .* is missing' version=9
damaged "a name from outside" 3 \
	'cannot be used: its superblock holds an impossible array name' \
	'name=../../etc'
damaged "a name that controls terminals" 3 'impossible array name' \
	'name=a\x1b[2Jb'
damaged "200 members" 3 'makes no sense' nr_members=200
damaged "level 5 with two parity units" 3 'makes no sense' nr_parity=2
damaged "a stripe unit of 0" 3 'makes no sense' stripe_unit=0
damaged "zones without end" 3 'makes no sense|does not fit' \
	nr_zones=0xffffffff
damaged "more zones than the drive has" 3 'does not fit the drive' \
	nr_zones=43
damaged "another zone size" 3 'does not fit the drive .zone size' \
	zone_size=65536
damaged "another first zone" 3 'does not fit the drive .first' first_zone=1
damaged "a slot beyond the table" 3 'does not list the drive' member=31
damaged "the slot of another member" 3 'does not list the drive' member=1
damaged "another name than the others" 3 'disagree on the description of the array' \
	name=tanker
advice_tells tank disagree:1 0 'array name +tank'
advice_tells tank disagree:2 0 'array name +tank'
damaged "another stripe unit than the others" 3 'disagree' stripe_unit=64
damaged "an event that no array reaches" 3 'a counter that no array reaches' \
	event=0xfffffffffffe0000
damaged "a sequence number that no array reaches" 3 \
	'a counter that no array reaches' seq=0xfffffffffffe0000
damaged "a creation that was interrupted" 3 \
	"its creation was interrupted .no checkpoint on ${FIVE[2]}" \
	drop-checkpoint
damaged "a corrupt superblock" 4 \
	"slot 2 .* is missing; it may be ${FIVE[2]}: its superblock is corrupt" bad-crc
refused "inspect of a corrupt superblock" 3 "${FIVE[2]}: its superblock is corrupt" \
	raizn inspect "${FIVE[2]}"
json "list tells of a damaged drive" '[.arrays[0].state,.unusable_drives[0].device]' \
	"[\"incomplete\",\"${FIVE[2]}\"]" raizn list --json
checked "check with a member whose superblock is corrupt" 2 \
	'[.members[2].condition,.nr_problems]' '["missing",1]' "${FIVE[@]}"

for device in "${FIVE[@]}"; do
	forge "$device" nr_members=200
done
advice_tells tank inspect:1 3 'makes no sense'

load_module
new_array tank "${FIVE[@]}"
keep_superblocks "${FIVE[2]}"
forge "${FIVE[2]}" drop-checkpoint
advice_helps tank create-again active DEVICE...="${FIVE[*]}"
check "stop it" raizn stop tank
finish
