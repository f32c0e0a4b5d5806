#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Members that the others went on without are stale: start and check say so.
. "$(dirname "$0")/harness.sh"
six_drives
new_array tank "${FIVE[@]}"

for i in 0 1 3 4; do
	forge "${FIVE[i]}" event=3 events=2
done
refused "start: a member that the others went on without" 3 \
	"${FIVE[2]} is stale: it took part up to event 1, the others up to 3; .*--degraded" \
	raizn start tank
checked "check with a member that the others went on without" 1 \
	'.members|map(.condition)|join(" ")' 'ok ok stale ok ok' "${FIVE[@]}"
forge "${FIVE[1]}" event=1 events=1
refused "start: two members that are behind" 3 \
	"is stale: .*; without slots 1 and 2 there is too little to start from, parity makes up for 1" \
	raizn start tank --degraded

# Two groups that each went on without the other, but for the member that was in both.
three_drives
new_array pool "${THREE[@]}"
keep_superblocks "${THREE[@]}"
forge "${THREE[0]}" event=3 events=2 lost=2
forge "${THREE[1]}" event=4 events=3 lost=0
forge "${THREE[2]}" event=4 events=3 lost=0
LENGTH=$(blockdev --getsz "${THREE[1]}")
if mapped low "${THREE[1]}" 32768; then
	refused "start without the one that was in both" 3 \
		'two groups of its drives may each have gone on .*; connect all drives' \
		raizn start pool
	advice_by_hand pool connect stopped unmapped low
fi
for device in "${THREE[@]}"; do
	forge "$device" event=3 events=2 lost=1 lost=2
done
advice_is pool hopeless
finish
