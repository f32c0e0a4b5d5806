#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create refuses a drive that does not take a trial append of metadata, before anything on
# any drive is lost; it leaves nothing of a trial behind.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"
load_module && simulated_group tools && simulated_drives ct 4 || exit 1
FOUR=(/dev/ct{0..3})
GUARDED=("${FOUR[@]}")
at_exit "raizn stop tank"

# fails_appends WHAT REGEX FAULT: create is refused because of ct2.
fails_appends()
{
	simulated_set ct2 fault "$3"
	refused "a drive whose $1" 3 "/dev/ct2: does not take a zone append of metadata: $2" \
		raizn create tank "${FOUR[@]}" --stripe-unit 16K --force --no-start
	simulated_set ct2 fault clear
}

# data DRIVE ZONE MIB: written there
data()
{
	dd if=/dev/urandom of="/dev/$1" bs=512k count=$(($3 * 2)) seek=$(($2 * 4)) \
		oflag=direct conv=notrunc status=none
}

fails_appends "appends fail" 'Input/output error' "append 1 times=9 status=ioerr"
fails_appends "large appends fail" 'Input/output error' "append 2 times=9 status=ioerr"
fails_appends "appends are not supported" 'Operation not supported' \
	"append 1 times=9 status=notsupp"
fails_appends "appends do nothing" 'Input/output error' \
	"append 1 times=9 status=ok effect=none"
check "data on other drives, and on this one" eval 'data ct0 0 1 && data ct1 3 1 && data ct2 0 1'
fails_appends "appends fail, with data on it" 'Input/output error' \
	"append 1 times=9 status=ioerr"
check "a drive has as many active zones as it allows" eval \
	'for zone in 4 5 6 7 8 9 10 11 12 13 14 15 16; do data ct1 $zone 1 || exit; done'
fails_appends "appends fail, beside one that has no room" 'Input/output error' \
	"append 1 times=9 status=ioerr"

check "one that has no empty zone" eval 'blkzone finish /dev/ct3'
GUARDED=()
shows "create takes good ones" 'tank: created' raizn create tank "${FOUR[@]}" \
	--stripe-unit 16K --force --no-start
check "nothing of the trials is left" raizn check tank
check_equal "no device either" "$(dmsetup ls --target raizn-trial)" "No devices found"
check "the array starts" raizn start tank
check "stop" raizn stop tank
finish
