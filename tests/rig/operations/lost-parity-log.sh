#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The end of a zone is on a drive that fails, and its partial parity in a log that another
# drive loses: nothing tells where the zone ends, so it is damaged and no data are made up; nor are
# they of a block in its incomplete stripe that cannot be read, whose parity is nowhere.
. "$(dirname "$0")/harness.sh"

# reset_damaged: all zones of the volume that are read-only
reset_damaged()
{
	local zone

	blkzone report $DEV | sed -n 's/^ *start: \(0x[0-9a-f]*\),.*(ro).*/\1/p' |
		while read -r zone; do
			blkzone reset -o "$zone" -c 1 $DEV || exit
		done
}

array_up
check "two stripes and a unit, which is member 4's" zone_write 9 0 144 16
check "all is durable" sync $DEV
check_equal "it is there" "$(on_drive op4 9)" 96
check "the drive with the unit fails" raizn fail $VOLUME 4 --force
check "stop" raizn stop $VOLUME
logs=$(raizn inspect /dev/op3 zones --json |
	jq '.zones[]|select(.role|test("partial-parity"))|.zone')
check_true "the drive of its parity has a log" "${#logs} > 0"
check "the log is lost" simulated_zones_turn op3 offline $logs
raizn check $VOLUME >"$TMP/out" 2>&1
says "check says that the zone is damaged" 'zone 9: damaged'
check "start" start
check_equal "the blocks that may be there are errors" "$(unreadable 36)" 4
check "the drive is back" raizn add $VOLUME /dev/op4
# Other zones may have had more than is known as well, and empty ones anything.
check "damaged zones are reset" reset_damaged
rebuild_ends
check "the array is whole" whole
check "the log's zones are good again" simulated_zones_turn op3 empty $logs
check "a restart" restart
check "the array is whole" whole
check "parity is right" raizn scrub $VOLUME --wait

# older_log DRIVE ZONE: one more zone has the beginning of its partial-parity log, as if the log had
# just been moved from there
older_log()
{
	local zone words

	for zone in 0 1 2 3 4; do
		read -ra words < <(sed -n "$((zone + 1))p" "$GROUP/$1/zones")
		[ "${words[2]}" = 0 ] || continue
		dd if="/dev/$1" of="/dev/$1" bs=4k count=1 skip=$(($2 * 512)) \
			seek=$((zone * 512)) iflag=direct oflag=direct status=none
		return
	done
	return 1
}

# start_is_cut: a drive loses power when its old general log is reset.
start_is_cut()
{
	simulated_set op0 fault "reset 1 then=off" && ! start && simulated_set op0 power 1
}

# log_is_spoilt ATTRIBUTE BLOCK [COMMAND...]: of the drive, for that block of the log
log_is_spoilt()
{
	local attribute=$1 block=$2 logs
	shift 2

	check "an empty zone" zone_reset 9
	check "two stripes and a unit, which is member 4's" zone_write 9 0 144 16
	check "the drive with the unit fails" raizn fail $VOLUME 4 --force
	check "stop" raizn stop $VOLUME
	logs=$(raizn inspect /dev/op3 zones --json |
		jq '.zones[]|select(.role|test("partial-parity"))|.zone')
	[ -z "$*" ] || check "before: $*" "$@" op3 "$logs"
	check "block $block of the log: $attribute" simulated_set op3 "$attribute" \
		"$((logs * 4096 + block * 8)) 8"
	raizn check $VOLUME >"$TMP/out" 2>&1
	says "check says that the zone is damaged" 'zone 9: damaged'
	[ -z "$*" ] || check "a start is interrupted" start_is_cut
	check "start" start
	check_equal "the blocks that may be there are errors" "$(unreadable 36)" 4
}

# The superblock, a record, and the parity of one; the superblock while the old zone is there
for block in 0 1 2 "0 older_log"; do
	# shellcheck disable=SC2086
	log_is_spoilt bad_sectors $block
	check "the drive of the log is in use" json_is '.members[3].state' active
	check "the drive is back" raizn add $VOLUME /dev/op4
	check "damaged zones are reset" reset_damaged
	rebuild_ends
	check "the array is whole" whole
done
# Silently
log_is_spoilt flip 0
check "the drive is back" raizn add $VOLUME /dev/op4
check "damaged zones are reset" reset_damaged
rebuild_ends
log_is_spoilt flip 0 older_log
check "stop" raizn stop $VOLUME

# newest_does_not_tell: a stopped array; the end of zone 9 is on op4, and its parity on op3, in the
# newer zone of a partial-parity log, whose first block cannot be read
newest_does_not_tell()
{
	local zone

	zone_reset 9 && zone_write 9 0 144 16 && raizn stop $VOLUME &&
		zone=$(log_zone op3 partial-parity) && older_log op3 "$zone" &&
		simulated_set op3 bad_sectors "$((zone * 4096)) 8"
}

# start_until PERCENT: power fails at that part of the commands of a start, of $kind, see below.
start_until()
{
	simulated_set . mark 1
	simulated_set . cut_at $((commands * $1 / 100))
	raizn start $VOLUME --degraded
	[ ! -e $DEV ] || dmsetup remove --retry $VOLUME
	simulated_set . cut_at 0
	simulated_set . power 1
	[ "$kind" = later ] || simulated_set op4 unplug 1
}

# op4_is STATE: "away" or "back"
op4_is()
{
	if [ "$1" = away ]; then
		simulated_set op4 in_cut 0 && simulated_set op4 unplug 1
	else
		simulated_set op4 power 1 && simulated_set op4 in_cut 1 &&
			raizn add $VOLUME /dev/op4
	fi
}

# unused DRIVE: its empty log zones
unused()
{
	awk '$1 + 0 < 5 && $3 == 0 { print $1 + 0 }' "$GROUP/$1/zones"
}

# log_zone DRIVE ROLE
log_zone()
{
	raizn inspect "/dev/$1" zones --json |
		jq --arg role "$2" '.zones[]|select(.role|test($role))|.zone'
}

# old_general_log DRIVE: an unused log zone has the beginning of one, the first block damaged.
old_general_log()
{
	local zone

	zone=$(unused "$1" | head -n 1)
	dd if="/dev/$1" of="/dev/$1" bs=4k count=2 skip=$(($(log_zone "$1" general) * 512)) \
		seek=$((zone * 512)) iflag=direct oflag=direct status=none &&
		simulated_set "$1" flip "$((zone * 4096)) 8"
}

# junk DRIVE: in all unused log zones
junk()
{
	local zone

	for zone in $(unused "$1"); do
		dd if=/dev/urandom of="/dev/$1" bs=4k count=2 seek=$((zone * 512)) oflag=direct \
			status=none || return
	done
}

# none_is_damaged: by the array, and by `raizn check` before the start
none_is_damaged()
{
	raizn check $VOLUME >"$TMP/out" 2>&1
	check "check calls no zone damaged" eval "! grep ': damaged' '$TMP/out'"
	check "start" raizn start $VOLUME "$@"
	check "no zone is damaged" status_is damaged 0
}

# Power fails once, or twice, in a start, at which op4 is away from the beginning or later, or in which
# op3 has a bad log zone.
check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 5"
array_of /dev/op{0..4}
check "the newest log does not tell" newest_does_not_tell
simulated_set . mark 1
check "start" start
commands=$(cat "$GROUP/commands")
for cuts in "first 60" "first 88" "first 60 88" "later 60" "later 94" "bad 75" "bad 87"; do
	read -r kind percents <<<"$cuts"
	check "$cuts: the newest log does not tell" newest_does_not_tell
	if [ "$kind" = bad ]; then
		bad=$(unused op3 | tail -n 1)
		check "$cuts: a log zone is bad" simulated_zones_turn op3 offline "$bad"
	fi
	[ "$kind" = later ] || check "$cuts: a drive is away" op4_is away
	for percent in $percents; do
		start_until "$percent" >"$TMP/out" 2>&1
	done
	[ "$kind" != later ] || check "$cuts: a drive is away" op4_is away
	check "$cuts: start" raizn start $VOLUME --degraded
	dmsetup mknodes $VOLUME
	read=$(unreadable 36)
	check "$cuts: blocks that may be there are right or errors: $read" [ "$read" = 4 -o "$read" = 0 ]
	check "$cuts: the drive is back" op4_is back
	[ "$kind" != bad ] || simulated_zones_turn op3 empty "$bad"
	check "$cuts: damaged zones are reset" reset_damaged
	rebuild_ends
	check "$cuts: the array is whole" whole
done
check "stop" raizn stop $VOLUME

# Zones that hold no newer parity
check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 5"
array_of /dev/op{0..4}
check "two stripes and half a unit, which is member 4's" zone_write 9 0 136 8
check "the drive with the unit fails" raizn fail $VOLUME 4 --force
check "stop" raizn stop $VOLUME
check "a damaged zone was one of the general log" old_general_log op3
none_is_damaged
dmsetup mknodes $VOLUME
check_equal "nothing is lost" "$(unreadable 34)" 0
check "the drive is back" raizn add $VOLUME /dev/op4
rebuild_ends
check "stop" raizn stop $VOLUME
check "all unused log zones of a drive have junk" junk op1
none_is_damaged
check "the array is whole" whole
check "stop" raizn stop $VOLUME
check "an empty log does not tell its role" simulated_set op4 bad_sectors \
	"$(($(log_zone op4 partial-parity) * 4096)) 8"
check "another drive is gone" rmdir "$GROUP/op0"
none_is_damaged --degraded
check "stop" raizn stop $VOLUME

check "other drives" eval "rmdir '$GROUP'/op* && simulated_drives op 5"
array_of /dev/op{0..4} --level 6
check "two stripes and a unit" zone_write 9 0 112 16
for slot in 0 1 2 3 4; do
	[ "$(on_drive op$slot 9)" != 96 ] || tail=$slot
done
check "the drive of the next unit fails" raizn fail $VOLUME $(((tail + 1) % 5)) --force
check "stop" raizn stop $VOLUME
for slot in $(((tail + 3) % 5)) $(((tail + 4) % 5)); do
	check "a log of its parity is lost" simulated_zones_turn op$slot offline \
		$(raizn inspect /dev/op$slot zones --json |
			jq '.zones[]|select(.role|test("partial-parity"))|.zone')
done
check "the unit has a block that cannot be read" bad_blocks op$tail 64
check "start" start
check "the zone is damaged, and its write pointer is behind all that can be saved" eval \
	'blkzone report -o $((9 * ZONE)) -c 1 $DEV | grep "wptr 0x0000e0 .*(ro)"'
check_equal "this block is an error" "$(unreadable 28)" 1
check "one more drive fails" raizn fail $VOLUME $(((tail + 2) % 5)) --force
check_equal "this block is an error, and no other one" "$(unreadable 28)" 1
finish
