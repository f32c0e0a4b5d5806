#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Table lines: a wrong one is turned down with a word in the kernel log and changes no
# member; members may be named in any order.
. "$(dirname "$0")/harness.sh"
up
line=$(dmsetup table "$VOLUME")
check_true "one line of the right length" \
	"$(wc -l <<<"$line") == 1 && $(cut -d' ' -f2 <<<"$line") == $LENGTH"
check "stop" volume_stop
# Numbers of the members, as the table line has them.
all=$(cut -d' ' -f5- <<<"$line")
# shellcheck disable=SC2086
set -- $all
check_equal "it names all members" $# 5

other=$(nullblk create other) && RIG_DRIVES+=(other)
flat=$(nullblk create flat zoned=0 size=64) && RIG_DRIVES+=(flat)
rig_scheduler "$other"

# bad WHAT REGEX WORD...: behind the length
bad()
{
	refused "$1" "$2" 0 "$LENGTH" raizn "${@:3}"
}

bad "no words" "raizn"
bad "no members" "number of members" 0
bad "one member" "number of members" 1 "$1"
bad "33 members" "number of members" 33 "$all"
bad "a number that is none" "number of members" five "$all"
bad "more members than words" "Fewer devices" 6 "$all"
bad "fewer members than words" "options|has 5 members" 4 "$all"
bad "a member less" "has 5 members" 4 "$1" "$2" "$3" "$4"
bad "a member twice" "named twice" 5 "$1" "$2" "$3" "$4" "$4"
bad "a missing member" "member 0 .* is missing: connect it" 5 - "$2" "$3" "$4" "$5"
bad "a missing member at the end" "member 4 .* is missing" 5 "$1" "$2" "$3" "$4" -
bad "more missing members than parity" "2 members are missing" \
	5 "$1" - "$3" "$4" - 1 degraded
bad "only missing members" "No member given" 5 - - - - - 1 degraded
bad "a member less, degraded" "has 5 members" 4 "$1" "$2" "$3" "$4" 1 degraded
bad "a device that is not there" "cannot be opened|Cannot open" \
	5 "$1" "$2" "$3" "$4" /dev/not-there
bad "a foreign drive" "no superblock" 5 "$1" "$2" "$3" "$4" "$other"
bad "a conventional drive" "not a host-managed" 5 "$1" "$2" "$3" "$4" "$flat"
bad "more options than there are" "number of options" \
	5 "$all" 6 degraded maintain degraded maintain degraded maintain
bad "a drive to rebuild on, of an array that does not run" "no superblock" \
	5 "$1" "$2" "$3" "$4" "$other" 1 rebuild=4
bad "a member to rebuild that the array does not have" "no such member" \
	5 "$all" 1 rebuild=100000000
bad "an unknown option" "unknown option" 5 "$all" 1 write_cache=sideways
bad "a machine that is no UUID" "unknown option" 5 "$all" 1 host=here
bad "options that are not there" "." 5 "$all" 2 write_cache=back
bad "words behind the options" "[Mm]ore words|option" 5 "$all" 1 write_cache=back more
bad "a number of options that is none" "." 5 "$all" some
refused "a length that is too small" "[Ll]ength" 0 $((LENGTH - ZONE)) raizn 5 "$all"
refused "a length that is too large" "[Ll]ength" 0 $((LENGTH + ZONE)) raizn 5 "$all"
refused "a length that is no number of zones" "." 0 $((LENGTH - 8)) raizn 5 "$all"
refused "a place behind another target" "." "0 $ZONE zero
$ZONE $LENGTH raizn 5 $all"

# In another order, by path, with an option: all the same array.
check "members in another order" start_table \
	"0 $LENGTH raizn 5 $5 $3 $1 $4 $2 1 write_cache=through"
check_equal "write_cache=through" "$(status_field write_cache)" through
check "remove" stop_table
check "start" volume_start
check_equal "write_cache=back again" "$(status_field write_cache)" back
drive_gone other flat
down
finish
