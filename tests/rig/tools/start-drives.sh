#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# start wants each drive of one array, once: it refuses a set that is not that.
. "$(dirname "$0")/harness.sh"
six_drives
three_drives
new_array tank "${FIVE[@]}"
new_array other "${THREE[@]}"
GUARDED=("${ALL[@]}" "${THREE[@]}")

refused "start without one of its drives" 4 \
	"tank: the drive of slot 3 .member $(superblock '.members[3].uuid'). is missing; .*'raizn start tank --degraded'" \
	raizn start tank "${FIVE[@]:0:3}" "${FIVE[4]}"
refused "start without two of its drives" 4 \
	"tank: the drive of slot 3 .* is missing; without slots 3 and 4 there is too little" \
	raizn start tank --degraded "${FIVE[@]:0:3}"
refused "start with the same drive twice" 3 \
	"${FIVE[1]}: the same drive as ${FIVE[1]}" \
	raizn start tank "${FIVE[@]}" "${FIVE[1]}"
refused "start with a foreign member" 3 \
	"${THREE[0]}: a member of array 'other' .*, not of 'tank'" \
	raizn start tank "${FIVE[@]}" "${THREE[0]}"
refused "start with a drive that is no member" 3 \
	"$SPARE: not a member of any array" raizn start tank "${FIVE[@]}" "$SPARE"
refused "start with a drive that is not there" 4 '/dev/none: no such device' \
	raizn start tank "${FIVE[@]}" /dev/none
refused "start of an array that these drives are not" 4 'nobody: no array' \
	raizn start nobody "${FIVE[@]}"
refused "start with a strange write cache" 2 "not 'maybe'" \
	raizn start tank --write-cache maybe
if mapped tank "$SPARE"; then
	refused "start under a name that is taken" 3 \
		'tank: another mapped device has this name' raizn start tank
	refused "stop of a mapped device that is no array" 3 \
		"tank: a mapped device, but not an array's" raizn stop tank
	unmapped tank
fi

# A drive below another mapped device is seen there, and only there.
if mapped low "${FIVE[3]}" 32768; then
	refused "start with a drive hidden below a mapped device" 4 \
		'tank: the drive of slot 3 .* is missing' raizn start tank
	json "status says which drive is missing" \
		'.arrays[]|select(.name=="tank")|[.state,(.members|map(.state))]' \
		'["incomplete",["found","found","found","missing","found"]]' \
		raizn status --json
	unmapped low
fi
if dd if="${FIVE[3]}" of="$SPARE" bs=4K count=2 iflag=direct oflag=direct \
   status=none; then
	refused "start with a copy of a member around" 3 \
		'hold the same member .slot 3., one is a copy' raizn start tank
	advice_by_hand tank copy stopped blkzone reset "$SPARE"
fi
for device in "${THREE[@]}"; do
	forge "$device" name=tank
done
refused "start of an ambiguous name" 3 'tank: two arrays have this name' \
	raizn start tank
finish
