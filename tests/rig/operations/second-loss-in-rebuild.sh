#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# While a member is being rebuilt, the array loses another one. Zones that lack both take no
# more writes, and can be read in part; all other zones go on, also after stops and power cuts.
# When the drive is back, a restart finds all that was written on it.
. "$(dirname "$0")/harness.sh"

# in_part ZONE: some of a zone can be read, and all of that is right.
in_part()
{
	local read

	read=$(what_is_read "$TMP/data" 16384 $((CAPACITY / 16)) $(($1 * ZONE)))
	[[ $read = [1-9]*" right, "[1-9]*" refused, 0 wrong" ]] || ! note "zone $1: $read"
}

zone_is_readonly()
{
	blkzone report -o $(($1 * ZONE)) -c 1 $DEV | grep -q '(ro)'
}

goes_on()
{
	check "so many zones are damaged" status_is letters 'R[F-]AAA' damaged "$1"
	check "a zone that was rebuilt can be read" zone_holds 3 0 "$2"
	check "and one that was written since" zone_holds 5 0 "$3"
	check "of zone 0, what its drives have" in_part 0
}

array_up
fill_zones
check "slowly" raizn set $VOLUME speed_max=256K
check "a new drive" simulated_drive op5
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
check "the active zone is rebuilt first" await 30 status_is letters RAAAA degraded 3
check "the others are hardly rebuilt" raizn set $VOLUME speed_max=1K
check "a new zone is written" zone_write 5 0 256 "" fsync
load_begin
check "writers are at work" await 30 load_is_past 1
check "another drive loses power" simulated_set op1 power 0
check "the writers go on" load_goes_on
check "the array knows" await 30 status_is state degraded letters RFAAA
check "the zones that lack both are read-only" eval \
	'for zone in 0 1 2; do await 30 zone_is_readonly $zone || return; done'
goes_on 3 1792 256
check_fails "a damaged zone takes no writes" "" zone_write 1 0 256
check "a rebuilt zone does" zone_write 3 1792 256 "" fsync
check "the new one as well" zone_write 5 256 256 "" fsync
check "writers end" load_end

check "a restart, without any option" restart
goes_on 3 2048 512
check "more is written" eval 'zone_write 3 2048 256 "" fsync && zone_write 5 512 256 "" fsync'
power_cut
check "start" start
goes_on 3 2304 768
check "a damaged zone is given up" zone_reset 2
check "and takes writes again" zone_write 2 0 512 "" fsync
check "a restart" restart
goes_on 2 2304 768
check "they are there" zone_holds 2 0 512

check "the drive has power again" simulated_set op1 power 1
check "at full speed" raizn set $VOLUME speed_max=0
advice_helps $VOLUME add-back degraded
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
advice_helps $VOLUME damaged-rebuild:1,2 active
rebuild_ends
check "the array is whole" whole
for zone in 0 1; do
	check "zone $zone is right" zone_holds $zone 0 $CAPACITY
done
check "so is zone 2" zone_holds 2 0 512
check "and zone 3" zone_holds 3 0 2304
check "and zone 5" zone_holds 5 0 768
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0

# Once more; this time the drive is back while the array runs.
check "zone 2 is full, too" zone_write 2 512 $((CAPACITY - 512))
check "slowly" raizn set $VOLUME speed_max=256K
check "a member is replaced" eval \
	"blkzone reset /dev/op0 && raizn replace --no-copy $VOLUME 3 /dev/op0 --force"
check "the active zones are rebuilt first" await 60 status_is letters AAARA degraded 3
check "the others are hardly rebuilt" raizn set $VOLUME speed_max=1K
check "another drive loses power" simulated_set op4 power 0
check "a zone is written" zone_write 4 0 256 "" fsync
check "three zones are damaged" await 30 status_is letters AAARF damaged 3
advice_is $VOLUME needed-member
check "the monitor gives it no spare" eval "blkzone reset /dev/op3 &&
	raizn monitor $VOLUME --once --spare /dev/op3"
refused "another drive may cost what it holds" 3 'may be on the former drive of slot 4' \
	raizn add $VOLUME /dev/op3 </dev/null
check "nothing has changed" status_is letters 'AAA[RA]F' damaged 3
check "the drive has power again" simulated_set op4 power 1
advice_helps $VOLUME add-back degraded
check "at full speed" raizn set $VOLUME speed_max=0
check "a restart" restart
rebuild_ends
check "the array is whole" whole
for zone in 0 1 2; do
	check "zone $zone is right" zone_holds $zone 0 $CAPACITY
done
check "so is zone 4" zone_holds 4 0 256
check "stop" raizn stop $VOLUME
check "check finds nothing wrong" raizn check /dev/op{5,1,2,0,4}
finish
