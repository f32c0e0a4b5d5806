#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create refuses a drive that differs from the others, or takes too few zones at once. Drives may
# have different numbers of zones.
. "$(dirname "$0")/harness.sh"
six_drives

# odd WHAT REGEX [KEY=VALUE...]: five drives and one that is different.
odd()
{
	local what=$1 pattern=$2
	shift 2
	drive odd "$@" || { not_ok "$what" "no such drive"; return; }
	GUARDED=("${ALL[@]}" "$DRIVE")
	refused "$what" 3 "${pattern//DRIVE/$DRIVE}" \
		raizn create tank "${FIVE[@]}" "$DRIVE" --force
	drive_gone odd0
}

odd "create with another zone size" \
	'DRIVE: its zone size is 32 MiB, .* has 16 MiB' \
	zone_size=32 zone_capacity=12 size=1536
odd "create with another zone capacity" \
	'DRIVE: its zone capacity is 11 MiB, .* has 12 MiB' zone_capacity=11
odd "create with another block size" \
	'DRIVE: its logical block is 512 bytes, .* has 4096' blocksize=512
odd "create with conventional zones on one drive" \
	'DRIVE: it has 2 conventional zones, .* has 0' \
	zone_nr_conv=2
odd "create on a drive with 5 active zones" \
	'DRIVE: takes only 5 active zones; a member needs at least 6' \
	zone_max_active=5 zone_max_open=5
odd "create on a drive with 3 open zones" \
	'DRIVE: takes only 3 open zones; a member needs at least 6' \
	zone_max_open=3

# noted REGEX [KEY=VALUE...]: create takes such a drive beside the five, and says this of its zones.
noted()
{
	local pattern=$1
	shift
	drive odd "$@" || { not_ok "a drive with $*" "no such drive"; return; }
	shows "create with a drive of $*" "$pattern" \
		raizn create tank "${FIVE[@]}" "$DRIVE" --force --dry-run
	check "... of which the smallest drive counts" grep -q "^volume:  .* in $ZONES zones of" "$TMP/out"
	drive_gone odd0
}

ZONES=41
noted '^note: 1 drive has more zones than the smallest; .* spare zones of their drive, up to 16$' size=1024
noted 'up to 41$' size=4096
ZONES=25
noted '^note: 5 drives have more zones than the smallest; .*, up to 16$' size=512
finish
