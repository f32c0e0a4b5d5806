#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array that was not stopped cleanly is recovered by start, not by maintain; one with
# unknown ro-compatible features starts read-only.
. "$(dirname "$0")/harness.sh"
six_drives
load_module

new_array tank "${FIVE[@]}"
for device in "${FIVE[@]}"; do
	forge "$device" flags=0
done
json "status of an array that was not stopped cleanly" '.arrays[0].state' \
	unclean raizn status tank --json
refused "maintain of an array that was not stopped cleanly" 3 \
	'tank: not stopped cleanly; start it and stop it' raizn maintain tank
refused "maintain without a drive" 4 'slot 0 .* is missing' \
	raizn maintain "${FIVE[@]:1}"
GUARDED=()
advice_tells tank recover:2 1 'not stopped cleanly'
advice_helps tank recover:1 active
check "stop it" raizn stop tank

new_array tank "${FIVE[@]}"
for device in "${FIVE[@]}"; do
	forge "$device" ro_compat=2
done
GUARDED=("${FIVE[@]}")
before=$(guarded)
shows "an unknown ro-compatible feature lets it start" \
	'tank: read-only: .* has features .ro-compat 0x2. .*cannot write' \
	raizn start tank
dmsetup mknodes tank
json "read-only" '.arrays[0].state' read-only raizn status tank --json
advice_is tank version-of-array
check_fails "and takes no writes" 'error' \
	dd if=/dev/zero of=/dev/mapper/tank bs=64K count=1 oflag=direct
check "a read-only array stops" raizn stop tank
check_equal "and has written nothing" "$(guarded)" "$before"
finish
