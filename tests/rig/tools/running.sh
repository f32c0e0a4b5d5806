#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A running array: its device, and what status, list and inspect say of it; what cannot
# be done to its drives now.
. "$(dirname "$0")/harness.sh"
six_drives
new_array tank "${FIVE[@]}"
GUARDED=()

check "start in another order" start_array tank "${FIVE[4]}" "${FIVE[0]}" \
	"${FIVE[2]}" "${FIVE[1]}" "${FIVE[3]}"
check "the volume is there" test -b /dev/mapper/tank
check_equal "it is host-managed" \
	"$(cat "/sys/block/$(sysfs_name /dev/mapper/tank)/queue/zoned")" \
	host-managed
uuid=$(superblock .array_uuid)
check_equal "its device-mapper UUID is the array's" \
	"$(dmsetup info -c --noheadings -o uuid tank)" "RAIZN-${uuid//-/}"
printf -v devices '"%s",' "${FIVE[@]}"
json "slots do not depend on the order of drives" '[.arrays[0].members[].device]' \
	"[${devices%,}]" raizn status tank --json
refused "start of what runs" 3 'tank: already running as /dev/mapper/tank' \
	raizn start tank
refused "start by UUID of what runs" 3 'already running' raizn start "$uuid"
refused "create on the drives of a running array" 3 \
	"${FIVE[2]}: in use: part of the running array tank" \
	raizn create new "${FIVE[@]}" --force
refused "check of a running array" 3 \
	"${FIVE[0]}: in use: part of the running array tank; only an array" \
	raizn check "${FIVE[@]}"
refused "maintain of a running array" 3 'it runs as /dev/mapper/tank; stop it first' \
	raizn maintain "${FIVE[@]}"
if ! kernel_at_least 6 10; then
	check "the scheduler that this kernel needs is set" \
		grep -q '\[mq-deadline\]' \
		"/sys/block/$(basename "${FIVE[0]}")/queue/scheduler"
fi

check "write 1.25 MiB" write_data
json "status of a running array" \
	'.arrays[]|select(.running)|[.name,.state,.bytes.user_written,.bytes.data_written,.bytes.parity_written,.zones.empty,.zones.open,.limits.max_open,.limits.open,(.members|map(.state)|unique)]' \
	'["tank","active",1310720,1310720,327680,40,1,9,1,["active"]]' \
	raizn status --json
json "its write amplification" \
	'.arrays[0]|.write_amplification == .bytes.member_written / .bytes.user_written' \
	true raizn status tank --json
shows "status for people of a running array" 'written by users +1.25 MiB' \
	raizn status tank
json "list of a running array" '.arrays[]|select(.running)|[.name,.state]' \
	'["tank","active"]' raizn list --json
json "inspect of a running array" .superblock.clean false \
	raizn inspect "${FIVE[0]}" superblock --json
check "stop" raizn stop tank
check "the volume is gone" test ! -e /dev/mapper/tank
finish
