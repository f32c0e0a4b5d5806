#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A user changes buffers while they are being written: all that others wrote is right,
# whichever member is lost.
. "$(dirname "$0")/harness.sh"
up

# Zones in which pieces of so many KiB lie: parts of a row, of units, and whole stripes.
declare -A PIECES=([0]=128 [1]=16 [2]=4 [3]=512 [4]=128)
declare -A FROM=([0]=anonymous [1]=anonymous [2]=anonymous [3]=anonymous [4]=$TMP/mapped)

# pairs ZONE: as many as it can take, up to 150.
pairs()
{
	local nr=$((48 * 1024 / (2 * PIECES[$1])))

	echo $((nr < 150 ? nr : 150))
}

for zone in "${!PIECES[@]}"; do
	check "write beside pieces of ${PIECES[$zone]} KiB that change, of ${FROM[$zone]##*/}" \
		changing_buffers write "$DEV" $((zone * ZONE)) "${PIECES[$zone]}" \
		"$(pairs "$zone")" "${FROM[$zone]}"
done
parity "parity and data agree"
check "stop" stop_table
for slot in "${!ALL[@]}"; do
	check "start without member $slot" start_table \
		"$(table_of "$slot" degraded)" --readonly || continue
	for zone in "${!PIECES[@]}"; do
		check "what others wrote without member $slot, pieces of ${PIECES[$zone]} KiB" \
			changing_buffers verify "$DEV" $((zone * ZONE)) \
			"${PIECES[$zone]}" "$(pairs "$zone")"
	done
	check "stop without member $slot" stop_table
done
finish
