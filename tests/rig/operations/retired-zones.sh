#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones that a drive retires do not count for error_limit, however many there are; errors
# count less as time goes by.
. "$(dirname "$0")/harness.sh"

HALVING=/sys/module/dm_raizn/parameters/error_halving

# retired ZONE: a zone of member 1 turns read-only, and is written to.
retired()
{
	check "zone $1 of member 1 turns read-only" \
		simulated_zones_turn op1 readonly "$(home "$1")"
	check "it is written to" zone_write "$1" 0 256
	check "its column is elsewhere" await 30 whole
}

# error ZONE: a read error of member 1 in this zone, which users do not see
error()
{
	check "a drive cannot read a sector of zone $1" simulated_set op1 bad_sectors \
		"$(zone_at op1 "$1") 8"
	check "data are right" data_are_right
	check "it is healed" await 30 whole
	good_sectors op1
}

array_up
fill_zones
check "a limit of two errors" raizn set $VOLUME error_limit=2
for zone in 4 5 6; do
	retired $zone
done
check_equal "they are counted as errors" "$(json '.members[1].write_errors')" 3
check "the drive is used" letters_are AAAAA
check "all spare zones are back" restart

read -r before <$HALVING
at_exit "echo $before >$HALVING"
echo 1 >$HALVING
for zone in 0 1 2; do
	error $zone
	sleep 2
done
check_equal "three errors that are old" "$(json '.members[1].read_errors')" 3
check "the drive is used" letters_are AAAAA
echo 0 >$HALVING
check "all spare zones are back" restart
for zone in 0 1; do
	error $zone
done
check "a third error" simulated_set op1 bad_sectors "$(zone_at op1 2) 8"
check "data are right" data_are_right
check "three errors that are new: the drive is failed" await 30 letters_are AFAAA
finish
