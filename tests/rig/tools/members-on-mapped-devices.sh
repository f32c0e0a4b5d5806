#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Members may be on mapped devices, which are nodes, not links, where there is no udev:
# commands find them there.
. "$(dirname "$0")/harness.sh"
six_drives
three_drives
GUARDED=()
load_module

new_array tank "${FIVE[@]}"
if ! mapped moved "${FIVE[3]}"; then
	skip "members on mapped devices" "no dm-linear"
	finish
fi
at_exit "raizn stop tank"
dmsetup mknodes moved
check "start with a member on a mapped device" raizn start tank
json "where it is found" '.arrays[0].members[3].device|test("dm-")' \
	true raizn status tank --json
check "stop with a member on a mapped device" raizn stop tank
unmapped moved

check "start, with a map over a member" eval 'start_array tank && mapped over "${FIVE[2]}"'
check "which stop does not take for an unclean one" raizn stop tank
unmapped over

for i in 0 1; do
	mapped low$i "${THREE[i]}"
	rm -f /dev/mapper/low$i
	read -r major minor <<<"$(dmsetup info -c --noheadings --separator ' ' -o major,minor low$i)"
	mknod /dev/mapper/low$i b "$major" "$minor"
done
check "create on mapped devices" raizn create mapped /dev/mapper/low0 \
	/dev/mapper/low1 "${THREE[2]}" --force --no-start
json "inspect of a mapped device" .superblock.name mapped \
	raizn inspect /dev/mapper/low0 --json
checked "check of mapped devices" 0 .name mapped /dev/mapper/low0 \
	/dev/mapper/low1 "${THREE[2]}"
finish
