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
