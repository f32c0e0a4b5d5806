#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A member whose event counter no array reaches is not believed by the module, and the
# others do not take the counter over.
. "$(dirname "$0")/harness.sh"
six_drives
load_module

new_array tank "${FIVE[@]}"
check "start an array for its table" raizn start tank
table=$(dmsetup table tank)
check "stop it" raizn stop tank
new_array tank "${FIVE[@]}"
forge "${FIVE[2]}" event=0xfffffffffffe0000
check_fails "the module believes no counter that no array reaches" '' \
	dmsetup create --noudevsync tank --table "$table"
check "it says so" eval \
	"dmesg | tail -n 20 | grep -q 'have a counter that no array reaches'"
check "it starts without the member" \
	dmsetup create --noudevsync tank --table "$table 1 degraded"
check "remove it" dmsetup remove --retry tank
json "the others did not take it over" '.event<100' true \
	raizn inspect "${FIVE[0]}" superblock --json
finish
