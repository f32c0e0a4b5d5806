#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# maintain restarts all counters of zone resets, and starts the array if asked;
# it is what helps an array with a counter at its end, which is read-only.
. "$(dirname "$0")/harness.sh"
six_drives
GUARDED=()
check "an array with data" array_with_data
check "reset a zone" blkzone reset -o 0 -l 131072 /dev/mapper/tank
check "stop it" raizn stop tank
json "a counter is not zero" '[.zones[]|.generation//0]|max' 1 \
	raizn inspect "${FIVE[1]}" zones --json
shows "maintain" 'tank: all counters of zone resets were restarted .era [0-9]+.; it is stopped' \
	raizn maintain "${FIVE[@]}"
json "the counters are zero" '[.zones[]|.generation//0]|max' 0 \
	raizn inspect "${FIVE[1]}" zones --json
GUARDED=("${FIVE[@]}")
checked "check after maintain" 0 '[.result,.era>1,.clean]' '["clean",true,true]' \
	"${FIVE[@]}"
shows "maintain --start" 'were restarted .era [0-9]+.; it runs as /dev/mapper/tank' \
	raizn maintain --start tank "${FIVE[@]}"
check "stop it" raizn stop tank

# ---- a counter at its end: no more resets, so no writes ---------------------

new_array tank "${FIVE[@]}"
for device in "${FIVE[@]}"; do
	forge "$device" generation=0xffffffffffff0000
done

checked "check of an array with a counter at its end" 0 .full_generations 1 tank
check "it starts, with a counter at its end" raizn start tank
json "read-only" '.arrays[0].state' read-only raizn status tank --json
refused "fail: a member of an array that takes no writes" 3 \
	'read-only, so that its drives stay as they are' \
	raizn fail tank 1 --force
advice_helps tank maintain active
check "it stops" raizn stop tank
checked "check after that" 0 '[.full_generations,.era>1]' '[0,true]' tank
check "it starts again" raizn start tank
json "and takes writes" '.arrays[0].state' active raizn status tank --json
check "stop it" raizn stop tank
finish
