#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Without the kernel's target, start and create say what is to be installed.
. "$(dirname "$0")/harness.sh"
unload_module
# The tool loads a module that is installed.
if modprobe -n -q dm-raizn; then
	skip "start without the kernel's target" "the module is installed here"
	finish
fi
six_drives
new_array tank "${FIVE[@]}"
refused "start without the kernel's target" 1 \
	"has no device-mapper target 'raizn'" raizn start tank
refused "create without the kernel's target" 1 \
	"has no device-mapper target 'raizn'" \
	raizn create tank "${FIVE[@]}" --force
check "the module loads" load_module
finish
