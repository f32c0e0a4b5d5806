#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# blkzone and libzbd's zbd say of the volume, line by line, what they say of a
# plain drive of the same geometry, and leave both in the same state: reports,
# resets, opens, closes and finishes of odd ranges. So does a write.
. "$(dirname "$0")/harness.sh"

# Few zones; as many can be open as active, and so few that both limits are met.
# If more could be active, a drive would be free to choose which open zone it
# closes for another.
RIG_MEMBER_SETTINGS=(zone_size=1 zone_capacity=1 size=31 zone_max_open=10
		     zone_max_active=10)

# say DEVICE COMMAND...: SAID is what it says and how it ends, without the name
# of the device.
say()
{
	local device=$1 status
	shift

	SAID=$("$@" "$device" 2>&1)
	status=$?
	SAID=${SAID//$device/DEVICE}$'\n'"exit status $status"
}

# The write pointer of a full zone means nothing: null_blk's is at the end of the
# capacity if the zone was written, and at the end of the zone if it was finished.
without_full_pointers()
{
	sed 's/wptr 0x[0-9a-f]*\(.*(fu)\)/wptr -\1/
		s/wp [0-9]*, fu,/wp -, fu,/
		s/[0-9]*, 0xe,/-, 0xe,/' <<<"$1"
}

# same COMMAND...: with either device as the last argument
same()
{
	local volume plain

	say "$DEV" "$@"
	volume=$SAID
	say "$PLAIN" "$@"
	[ "$SAID" != "$volume" ] || return 0
	volume=$(without_full_pointers "$volume")
	plain=$(without_full_pointers "$SAID")
	[ "$plain" != "$volume" ] || return 0
	note "differs: $*"
	diff <(echo "$plain") <(echo "$volume") | sed 's/^/#   /'
	return 1
}

# write_zeroes OFFSET COUNT DEVICE: in pieces of 64 KiB. A larger one that is
# refused may end with the error of any of the pieces that it is split into.
write_zeroes()
{
	dd if=/dev/zero of="$3" bs=64k count="$2" seek="$1" status=none \
		oflag=direct,seek_bytes conv=notrunc
}

# An offset and a length, in sectors: zones, parts of them, a sector beside,
# nothing, all, and what is behind the end.
odd_range()
{
	local at=$((RANDOM % (ZONES + 1) * ZONE)) n=$((RANDOM % 5 * ZONE))

	case $((RANDOM % 10)) in
	0) at=$((at + 1)) ;;
	1) at=$((at + 8 * (RANDOM % 1024))) ;;
	2) at=$((at + CAPACITY)) ;;
	3) at=$((at > 0 ? at - 1 : SIZE)) ;;
	esac
	case $((RANDOM % 12)) in
	0) n=$((n + 1)) ;;
	1) n=$((n + 8 * (RANDOM % 1024))) ;;
	2) n=$((n + CAPACITY)) ;;
	3) n=$((SIZE > at ? SIZE - at : 0)) ;;
	4) n=$SIZE ;;
	5) n=$((SIZE * 1000)) ;;
	esac
	OFFSET=$at
	LENGTH=$n
}

OPERATIONS=(report reset open close finish)

# Some command with an odd range, the same on both; CHANGES: zones may differ then.
odd_command()
{
	local operation=${OPERATIONS[RANDOM % 5]} states=(em oi oe cl fu)
	local zone=$((RANDOM % ZONES)) kind=$((RANDOM % 6))

	odd_range
	case $kind$operation in
	[0-2]report | [34]*) CHANGES=0 ;;
	*) CHANGES=1 ;;
	esac
	case $kind in
	0)
		same blkzone "$operation" -o $OFFSET -l $LENGTH
		;;
	1)
		same blkzone "$operation" -o $OFFSET -c $((LENGTH / ZONE))
		;;
	2)
		same zbd "$operation" -ofst $((OFFSET * 512)) \
			-len $((LENGTH * 512))
		;;
	3)
		same zbd report -csv -ro "${states[RANDOM % 5]}" \
			-ofst $((OFFSET * 512)) -len $((LENGTH * 512))
		;;
	4)
		same blkzone capacity -o $OFFSET -l $LENGTH
		;;
	5)
		# To the middle of zones that may have begun, too: that fails.
		same write_zeroes $((zone * ZONE * 512)) \
			$((RANDOM % 2 ? 1 : CAPACITY / 128))
		;;
	esac
}

check "volume" judged_volume_up || finish
check "plain drive" plain_drive_up || finish
# libzbd does not take symbolic links.
DEV=/dev/$DEV_NAME
SIZE=$(cat "/sys/block/$DEV_NAME/size")
ZONE=$(cat "/sys/block/$DEV_NAME/queue/chunk_sectors")
ZONES=$((SIZE / ZONE))
CAPACITY=$((ZONE * 3 / 4))
note "seed $SEED"
RANDOM=$((SEED % 32768))

# The kernel submits all of them before the first one ends.
check "more zones are finished at once than can be active" same blkzone finish
check "and are full" same blkzone report
check "more zones are reset at once than can be active" same blkzone reset
check "and are empty" same blkzone report

DIFFER=0
COMMANDS=$(scaled 300 50)
for ((i = 0; i < COMMANDS; i++)); do
	odd_command || DIFFER=$((DIFFER + 1))
	((CHANGES)) || continue
	same blkzone report && continue
	DIFFER=$((DIFFER + 1))
	blkzone reset "$DEV"
	blkzone reset "$PLAIN"
done
note "commands compared: $COMMANDS"
check_equal "commands that differ" $DIFFER 0

finish
