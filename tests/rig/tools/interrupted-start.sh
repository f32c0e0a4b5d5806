#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A start that was interrupted is in the way of the next, until stop clears it away.
. "$(dirname "$0")/harness.sh"
six_drives
load_module
new_array tank "${FIVE[@]}"

check "a start that is interrupted" dmsetup create --noudevsync --notable \
	-u "RAIZN-$(superblock '.array_uuid|gsub("-";"")')" tank
shows "status" 'the array was stopped cleanly' raizn status
refused "start after that" 3 "an earlier start was interrupted; 'raizn stop tank' clears" \
	raizn start tank
check_fails "start of all does not pass over it" 'an earlier start was interrupted' \
	raizn start --all
shows "stop clears it away" 'removed the remains of an interrupted start' \
	raizn stop tank
check "it starts then" raizn start tank
check "stop it" raizn stop tank
finish
