#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member that is back has more partly written zones than its drive may keep active beside those
# of users, so most are rebuilt from the beginning. It has the only data of sectors that another
# drive cannot read any more, known or not: none is lost, also when a rebuild in place fails, as long
# as the array runs. Without a free zone, only known ones keep a column from being rebuilt.
. "$(dirname "$0")/harness.sh"

array_up
for zone in 4 5 6 7; do
	check "zone $zone has data" zone_write $zone 0 1024 256 fsync
done
check "a member is away" raizn fail $VOLUME 1 --force
for zone in 4 5 6 7; do
	check "zone $zone is written meanwhile" zone_write $zone 1024 256 256 fsync
	check "another drive cannot read some sectors of it" bad_stripes op2 $zone
	((zone % 2)) || check "they are errors" eval "! zone_holds $zone 0 1024"
done
check "the member is back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" await 30 whole
check "nothing is lost" json_is .lost_sectors 0
for zone in 4 5 6 7; do
	check "zone $zone is right" zone_holds $zone 0 1280
	check "it can be written" zone_write $zone 1280 256 256 fsync
done
good_sectors op2
check "parity is right" raizn scrub $VOLUME --wait
check_equal "no write has failed" "$(write_errors)" 0

# rebuild_in_vain ZONE: in place, it fails behind what the member has.
rebuild_in_vain()
{
	check "zone $1 has data" zone_write $1 0 1024 256 fsync
	check "the member is away" raizn fail $VOLUME 1 --force
	check "the zone is written meanwhile" zone_write $1 1024 256 256 fsync
	check "another drive cannot read sectors that the member has" bad_stripes op2 $1
	check "nor sectors that the member lacks" simulated_set op2 bad_sectors \
		"$(($(zone_at op2 $1) + 544)) 64"
	check "nor its logs" blind op2
	check "the member is back" raizn add $VOLUME /dev/op1
	exits "a rebuild is in vain" 1 timeout 60 raizn rebuild $VOLUME --wait
	check "zone $1 lacks a column" await 30 status_is degraded 1 action idle
	check "the drive can read the other sectors again" eval "good_sectors op2 &&
		bad_stripes op2 $1"
}

rebuild_in_vain 8
rebuild_ends
check "the array is whole" await 30 whole
check "nothing is lost" json_is .lost_sectors 0
check "zone 8 is right" zone_holds 8 0 1280
good_sectors op2
check "parity is right" raizn scrub $VOLUME --wait

# A restart forgets what the member has.
rebuild_in_vain 11
check "a restart" restart
rebuild_ends
check_true "sectors are lost" "$(json .lost_sectors) > 0"
good_sectors op2
check "the zone is given up" zone_reset 11

check "the member is away again" raizn fail $VOLUME 1 --force
for zone in 4 5 6 7; do
	check "zone $zone is written meanwhile" zone_write $zone 1536 256 256 fsync
done
mapfile -t free < <(free_zones op1)
check "its drive has no free zone left" simulated_zones_turn op1 offline "${free[@]}"
check "the member is back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" await 30 whole
for zone in 4 5 6 7; do
	check "zone $zone is right" zone_holds $zone 0 1792
done
check "parity is right" raizn scrub $VOLUME --wait

# A placeholder is no data.
check "zone 9 has data" zone_write 9 0 1024 256 fsync
check "another drive cannot read some sectors of it" bad_stripes op2 9
check "a new drive" eval "simulated_drive op5 &&
	raizn replace --no-copy $VOLUME 1 /dev/op5 --force"
rebuild_ends
lost=$(unreadable 256)
check_true "blocks are lost: $lost" "$lost > 0"
check "the drive is away" raizn fail $VOLUME 1 --force
for zone in 4 5 6 7; do
	check "zone $zone is written meanwhile" zone_write $zone 1792 256 256 fsync
done
check "zone 9 is written meanwhile" zone_write 9 1024 256 256 fsync
check "the drive is back" raizn add $VOLUME /dev/op5
rebuild_ends
check_equal "the same blocks are lost" "$(unreadable 320)" "$lost"
finish
