#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A rebuild meets a bad sector of another drive: that costs the sectors that only this one
# knew, and nothing else. The array is whole again, survives the loss of another drive over a
# restart, says which sectors are lost, and has them back when the drive can read them.
. "$(dirname "$0")/harness.sh"

# lost: the sectors that status lists, with slot, and p for a placeholder
lost()
{
	json '[.lost_blocks[]|"\(.sector)+\(.sectors) \(.slot)" +
		if .placeholder then "p" else "u" end]|sort|join(", ")'
}

# zone_0: how much of it can be read
zone_0()
{
	what_is_read "$TMP/data" 4096 $((CAPACITY / 4))
}

others_are_right()
{
	local zone

	for zone in 1 2; do
		zone_holds $zone 0 $CAPACITY || return 1
	done
	zone_holds 3 0 1792
}

# costs NUMBER: blocks of zone 0 are lost, and nothing else is.
costs()
{
	check_equal "that costs $1 blocks of zone 0" "$(zone_0)" \
		"$((CAPACITY / 4 - $1)) right, $1 refused, 0 wrong"
	check "data of the other zones are right" others_are_right
}

whole_but()
{
	status_is state active letters AAAAA degraded 0 action idle lost "$1"
}

array_up
fill_zones
check "a drive cannot read a sector of zone 0" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 0) + 64)) 8"
check "a new drive" simulated_drive op5
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
rebuild_ends
check "the array is whole, but for some sectors" await 30 whole_but 16
check_equal "status tells which" "$(lost)" "256+8 3u, 320+8 0p"
shows "and says so" '8 KiB of the volume is lost, because more drives' raizn status $VOLUME
shows "it lists what the drive cannot read" \
	'lost: sectors 256 to 263 \(4 KiB\), in zone 0: unreadable sectors of slot 3$' \
	raizn status $VOLUME --blocks
shows "and what could not be computed without it" \
	'lost: sectors 320 to 327 \(4 KiB\), in zone 0: a placeholder of slot 0$' \
	raizn status $VOLUME --blocks
exits "events go on" 124 timeout 2 raizn events $VOLUME
says "they tell of it" "$VOLUME lost: 0 -> 16"
shows "the log of a drive has it" \
	'bad blocks .*column 0 of zone 0: placeholder in 64\+8, column 3 of zone 0: unreadable in 64\+8' \
	raizn inspect /dev/op1 log
costs 2
check_fails "a larger read with one of them is an error" 'error reading' zone_reads 0 256
check_equal "the drive's errors were counted, and not for each read" \
	"$(json '.members[3].read_errors <= 2')" true
check "scrub" raizn scrub $VOLUME --wait
check_equal "it finds nothing wrong in what is left" "$(json '.mismatches')" 0
check "a read-only start" eval "raizn stop $VOLUME && raizn start $VOLUME --read-only &&
	dmsetup mknodes $VOLUME"
check "the drive can read it, for a while" good_sectors op3
check "scrub" raizn scrub $VOLUME --wait
check "the list stays as it is" status_is state read-only lost 16
check "the drive cannot read it again" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 0) + 64)) 8"
check "a start that writes" restart
check "the array is whole, but for some sectors" whole_but 16
check "nothing was changed by it" whole_but 16

check "stop" raizn stop $VOLUME
exits "check finds the damage" 2 raizn check /dev/op{5,1,2,3,4}
says "it names the sectors" 'sectors 256 to 263 of the volume, in zone 0, are lost'
says "all of them" 'sectors 320 to 327 of the volume, in zone 0, are lost'
says "and has nothing else to say" '1 stripe with lost blocks cannot be compared'
check "start" start
check_equal "the array knows them" "$(lost)" "256+8 3u, 320+8 0p"
costs 2

check "the sectors can be read again" good_sectors op3
advice_helps $VOLUME lost-sectors active
check "nothing is lost any more" await 30 whole_but 0
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json '.mismatches')" 0

# Two drives in turn: what the first one was left out, the other one needs, too.
check "a drive cannot read a sector of zone 0 again" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 0) + 64)) 8"
check "a drive is replaced" eval "blkzone reset /dev/op0 &&
	raizn replace --no-copy $VOLUME 0 /dev/op0 --force"
rebuild_ends
check "some sectors are lost" await 30 whole_but 16
check "the volume is suspended and resumed" eval \
	"dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
refused "another member cannot be spared" 1 'it has data beside the lost blocks' \
	raizn fail $VOLUME 1 --force
check "it goes all the same" raizn fail $VOLUME 1 --lose --force
costs 3
check "a restart" restart
costs 3
check "another drive takes its place" eval \
	"simulated_drive op6 && raizn replace --no-copy $VOLUME 1 /dev/op6"
rebuild_ends
check "the array is whole, but for some sectors" await 30 whole_but 24
costs 3
power_cut
check "start after a power cut" start
check_equal "the array knows them" "$(lost)" "256+8 3u, 320+8 0p, 352+8 1p"
costs 3
check "the sectors can be read again" good_sectors op3
check "scrub" raizn scrub $VOLUME --wait
check "these are not lost any more, but the others are" await 30 whole_but 16
check_equal "the array knows them" "$(lost)" "320+8 0p, 352+8 1p"
costs 2

check "a drive cannot read a sector of zone 1" simulated_set op4 bad_sectors \
	"$(($(zone_at op4 1) + 320)) 8"
check "a drive is replaced" eval "blkzone reset /dev/op5 &&
	raizn fail $VOLUME 2 --lose --force && raizn replace --no-copy $VOLUME 2 /dev/op5"
rebuild_ends
check "sectors of zone 1 are lost, too" await 30 whole_but 32
check "a reset of zone 0" zone_reset 0
check "forgets those of zone 0" whole_but 16
check "a reset of zone 1" zone_reset 1
check "forgets the others" whole_but 0
check "the zones are written again" eval \
	"zone_write 0 0 $CAPACITY && zone_write 1 0 $CAPACITY"
check "good sectors again" good_sectors op4
check "data are right" data_are_right
check "stop" raizn stop $VOLUME
check "check finds nothing wrong" raizn check /dev/op{0,6,5,3,4}
finish
