#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Arrays start and stop by name, by UUID and all at once, with the write cache that is
# asked for, and keep their data.
. "$(dirname "$0")/harness.sh"
six_drives
three_drives
GUARDED=()
load_module

check "create starts what it made" create --write-cache through --stripe-unit 16K
dmsetup mknodes tank
json "with the options given" '.arrays[0]|[.write_cache,.stripe_unit]' \
	'["through",16384]' raizn status tank --json
check "write 1.25 MiB" write_data
check "stop" raizn stop tank
json "a stopped array is clean" \
	'.arrays[]|select(.name=="tank")|[.running,.state]' '[false,"stopped"]' \
	raizn status --json

uuid=$(superblock .array_uuid)
check "start by UUID, searching the drives" raizn start "$uuid"
check "what was written is there" has_data
check "stop by UUID" raizn stop "$uuid"
check "start with another write cache" raizn start tank --write-cache back
json "which is what it gets" '.arrays[0].write_cache' back raizn status tank --json

new_array other "${THREE[@]}"
check "start --all starts the rest" raizn start --all
json "all arrays run" '[.arrays[]|.running]|unique' '[true]' raizn list --json
check "start --all with nothing to do" raizn start --all
check "stop --all" raizn stop --all
json "none runs" '[.arrays[]|.running]|unique' '[false]' raizn list --json
finish
