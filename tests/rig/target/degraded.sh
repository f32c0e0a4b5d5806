#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Without its second member the array has all data and takes all work; it is the same
# after another start and after a power cut.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/degraded-array.sh"

# Whole stripes: each unit that is there is read once.
reads_each_unit_once()
{
	local user member

	# udev reads what was written to, where there is one.
	udevadm settle
	user=$(status_field user_read)
	member=$(status_field member_read)
	check "read whole stripes, $1" dd if="$DEV" bs=1M of=/dev/null iflag=direct \
		count=12 skip=$((8 * ZONE / MIB_SECTORS))
	check_equal "each unit is read once, $1" \
		$(($(status_field member_read) - member)) \
		$(($(status_field user_read) - user))
}

work()
{
	local line

	check "write on in tails, $1" write_in_tails
	check "reset, $1" blkzone reset -o $((4 * ZONE)) -c 1 "$DEV"
	check "finish, $1" blkzone finish -o $((5 * ZONE)) -c 1 "$DEV"
	check "fill, $1" write_zone 8 $((12 * 1024)) 256
	reads_each_unit_once "$1"
	check "zone model, $1" zonemodel --first 10 --threads 2 \
		--ops "$(scaled 600 120)" --budget 100 --save "$TMP/model" "$DEV"
	line=$(dmsetup table "$VOLUME")
	check "reload, $1" reload "$line"
	check_equal "the table is the same, $1" "$(dmsetup table "$VOLUME")" "$line"
	check "flush, $1" sync "$DEV"
	parity "members and volume, $1" --degraded --volume "$DEV"
}

# is_same LABEL: as it was when it had the state $STATE.
is_same()
{
	check_equal "its state, $1" \
		"$(status_field state) $(status_field letters)" "degraded A-AAA"
	check_equal "all data, $1" "$(volume_state 9)" "$STATE"
	check "zone model, $1" zonemodel --first 10 --load "$TMP/model" --verify "$DEV"
	parity "members and volume, $1" --degraded --volume "$DEV"
}

power_goes()
{
	check "write before the power cut, $1" write_in_tails
	STATE=$(volume_state 9)
	check "power is cut, $1" power_cut cut || finish
	ALL=("${DRIVES[0]}" - "${DRIVES[@]:1}")
	log_from_here
	check "start after the power cut, $1" start_table "$(table_of 1)" || finish
	check_equal "it was recovered, $1" "$(logged 'recovered:')" 1
	is_same "after the power cut, $1"
	check "write after the power cut, $1" write_in_tails
	check "stop after the power cut, $1" stop_table
	check "start after recovery, $1" start_table "$(table_of 1)" || finish
	parity "members and volume after recovery, $1" --degraded --volume "$DEV"
}

for mode in back through; do
	[ "$mode" = back ] || [ "$RAIZN_TEST_SCALE" -ge 20 ] || continue
	array_with_zones --write-cache $mode
	without_second
	check "start, $mode" start_table "$(table_of 1 degraded)" || finish
	check_equal "its state, $mode" \
		"$(status_field state) $(status_field letters)" "degraded A-AAA"
	check "its table line, $mode" grep -q ' - .* 1 degraded$' \
		<(dmsetup table "$VOLUME")
	check_equal "all data, $mode" "$(volume_state 9)" "$STATE"
	parity "members and volume at first, $mode" --degraded --volume "$DEV"
	work $mode
	STATE=$(volume_state 9)
	check "stop after work, $mode" stop_table
	check "start, which needs no option now, $mode" start_table "$(table_of 1)" ||
		finish
	is_same "second start, $mode"
	power_goes $mode
	down "$mode: down"
done
finish
