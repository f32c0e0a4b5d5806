#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Arrays that older versions have left, stopped, degraded or cut off by a power cut, are
# checked, started with the right data, written to and stopped: images in tests/images.
. "$(dirname "$0")/harness.sh"
ZONE=8192		# as tests/images/make.sh has it, and what follows
OPEN=1			# a zone that goes on

# image_drives IMAGE: what drives hold, on new ones, which are in DRIVES.
image_drives()
{
	local words number size zones capacity block open

	drives_gone
	read -r _ number _ zones _ size _ capacity _ block _ open < <(grep '^drives ' "$1")
	drives o "$number" size=$((zones * size / 1024)) zone_size=$((size / 1024)) \
		zone_capacity=$((capacity / 1024)) blocksize="$block" \
		zone_max_open="$open" zone_max_active="$open" || return 1
	mapfile -t words < <(sed -n 's/^drive //p' "$1" | tr ' ' :)
	gunzip <"$1.gz" >"$TMP/data" && ask load "$TMP/data" "${DRIVES[@]}" "${words[@]}"
}

# has_image_data IMAGE: the volume holds what the image says.
has_image_data()
{
	local zone sectors sum

	while read -r _ zone sectors sum; do
		echo "$sum  $TMP/zone.$zone"
		dd if=/dev/mapper/tank of="$TMP/zone.$zone" bs=4K iflag=direct status=none \
			skip=$((zone * ZONE / 8)) count=$((sectors / 8)) || return 1
	done < <(grep '^volume ' "$1") >"$TMP/sums"
	[ -s "$TMP/sums" ] && sha256sum -c "$TMP/sums"
}

write_pointer()
{
	blkzone report -o $(($1 * ZONE)) -c 1 /dev/mapper/tank |
		sed -n 's/.*wptr 0x\([0-9a-f]*\).*/\1/p'
}

# goes_on: the open zone takes more, and gives it back.
goes_on()
{
	local block=$((OPEN * ZONE / 8 + 0x$(write_pointer $OPEN) / 8))

	head -c 81920 /dev/urandom >"$TMP/more"
	dd if="$TMP/more" of=/dev/mapper/tank bs=4K seek=$block oflag=direct conv=fsync \
		status=none &&
		dd if=/dev/mapper/tank bs=4K skip=$block count=20 iflag=direct status=none |
		cmp - "$TMP/more"
}

# starts IMAGE BEFORE STATE AFTER: what `check` exits with before the start and after the
# stop, and what state the array is in between.
starts()
{
	local image=$1 what=${1#"$RIG_TOP"/tests/images/} drive status

	check "$what: drives" image_drives "$image" || return
	checked "$what: check" "$2" '.nr_problems' 0 "${DRIVES[@]}"
	check "$what: start" start_array tank || return
	check "$what: data" has_image_data "$image"
	check_equal "$what: status" "$(raizn status tank --json |
		jq -rc '.arrays[0]|[.state,.label]|join(" ")')" \
		"$3 of format ${what//[^0-9]/}"
	check "$what: zones go on" goes_on
	check "$what: stop" raizn stop tank
	checked "$what: check after the stop" "$4" '.nr_problems' 0 "${DRIVES[@]}"
	status=0
	for drive in "${DRIVES[@]}"; do
		raizn inspect "$drive" >"$TMP/out" || status=1
	done
	check_equal "$what: inspect" $status 0
}

for format in "$RIG_TOP"/tests/images/format-*; do
	starts "$format/clean" 0 active 0
	starts "$format/power-cut" 1 active 0
	starts "$format/degraded" 1 degraded 1
done
finish
