#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A write to a zone fails on a drive while another drive's sectors wait to be written anew: the
# zone of the failed column is kept as long as it has the only data to compute them from.
. "$(dirname "$0")/harness.sh"

array_up
check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
# A write fails in the middle of a zone, of one that can only be read from then on, at the end of
# one; and a finish does.
END=(2048 2048 $CAPACITY 2048)
THEN=("" then=readonly "" "")
for zone in 0 1 2 3; do
	check "zone $zone has data" zone_write $zone 0 $((END[zone] - 256)) 256 fsync
	check "a drive cannot read some sectors of it" bad_stripes op1 $zone
	check "they are to be healed" zone_holds $zone 0 1024
	simulated_set op2 fault "write,finish 1 zone=$(home $zone) ${THEN[zone]}"
	if ((zone == 3)); then
		END[3]=$((END[3] - 256))
		check "a finish fails on another drive" zone_finish $zone
	else
		check "a write fails on another drive" zone_write $zone $((END[zone] - 256)) 256
	fi
	check "that column is lost" await 10 json_is .degraded_zones $((zone + 1))
done
check "the drive with the only data cannot be spared" eval \
	"! dmsetup message $VOLUME 0 fail 2"
check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
check "the array is whole" await 30 whole
check "nothing is lost" json_is .lost_sectors 0
for zone in 0 1 2 3; do
	check "zone $zone is right" zone_holds $zone 0 ${END[zone]}
done
check "the place that the column left is empty" await 10 \
	grep -Eq "^ *$(home 0) EMPTY " "$GROUP/op2/zones"
good_sectors op1
check "nothing is wrong" raizn scrub $VOLUME --wait

zone_write 4 0 1792
mapfile -t free < <(free_zones op2)
check "a drive has no free zone left" simulated_zones_turn op2 offline "${free[@]}"
check "a restart" restart
simulated_set op2 fault "write 1 zone=$(home 4)"
check "a write fails on it" zone_write 4 1792 256
check "the column goes back to the zone that it left" await 30 whole
check "all is right" zone_holds 4 0 2048
finish
