#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# dm-linear on a part of the volume's zones behaves as zones do, by the zone model, also
# after a restart of the array.
. "$(dirname "$0")/harness.sh"

LINEAR=/dev/mapper/rig-linear

# The zones 8 to 31, as a device of their own.
linear_up()
{
	local zone

	zone=$(cat "/sys/block/$DEV_NAME/queue/chunk_sectors")
	dmsetup create rig-linear --table \
		"0 $((24 * zone)) linear $DEV $((8 * zone))" &&
		dmsetup mknodes rig-linear
}

linear_down()
{
	dmsetup remove --retry rig-linear
}

note "seed $SEED"
fs_volume
at_exit linear_down
plain=()
volume_is_array || plain=(--plain)
must "a part of the zones" linear_up
check "zone model" zonemodel "${plain[@]}" --seed "$SEED" --threads 2 \
	--ops "$(scaled 400 100)" --budget 100 --save "$TMP/linear" $LINEAR
note "$(tail -n 1 "$TMP/output" | cut -c 1-200)"
must "remove" linear_down
# The model may have just reset all zones.
members_and_volume_agree --min-stripes 0
if volume_is_array; then	# a plain drive would not restart
	must "restart of the array" volume_restart
	must "back" linear_up
	check "zone model after restart" zonemodel --load "$TMP/linear" --verify \
		$LINEAR
	check "last remove" linear_down
fi
fs_end
