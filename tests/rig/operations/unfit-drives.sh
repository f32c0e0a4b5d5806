#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A new drive that does not fit the array, is in use or holds data is refused, and the
# array stays as it was.
. "$(dirname "$0")/harness.sh"

# unfit WHAT REGEX [KEY=VALUE...]
unfit()
{
	local what=$1 pattern=$2
	shift 2

	simulated_drive bad "$@" || return 1
	refused "a new drive $what" 3 "/dev/bad: $pattern" \
		raizn replace $VOLUME 2 /dev/bad --force
	rmdir "$GROUP/bad"
}

array_up
unfit "with other zones" 'its zone size is 4 MiB, the array.s drives have 2 MiB' \
	zone_size_kib=4096
unfit "with another capacity" 'its zone capacity is 1 MiB, the array needs 1.5 MiB' \
	zone_capacity_kib=1024
unfit "with other blocks" \
	'its logical block is 512 bytes, the array.s drives have 4096' \
	block_size=512
unfit "that takes larger writes" \
	'it takes writes of multiples of 8192 bytes, the array.s drives of 4096' \
	write_granularity=8192
unfit "that is too small" 'too small: it has 27 sequential zones, the array needs 28' \
	nr_zones=27
unfit "with conventional zones" \
	'it has 1 conventional zones, the array.s drives have 0' \
	nr_zones=29 nr_conventional=1
unfit "that takes few active zones" \
	'takes only 13 active zones, the array uses up to 14' \
	max_open=13 max_active=13

refused "a new drive that is there already" 3 '/dev/op3: is in slot 3 of ops already' \
	raizn replace $VOLUME 2 /dev/op3 --force
refused "a new drive that is nowhere" 4 '/dev/nowhere: no such device' \
	raizn replace $VOLUME 2 /dev/nowhere --force
refused "a new drive that is no drive" 3 '/dev/null: not a block device' \
	raizn replace $VOLUME 2 /dev/null --force

check "a larger drive" simulated_drive op5 nr_zones=32
check "data on it" dd if="$TMP/data" of=/dev/op5 bs=64k count=1 oflag=direct
refused "a new drive with data" 3 \
	'/dev/op5: holds data in 1 of 32 sequential zones; use --force' \
	raizn replace $VOLUME 2 /dev/op5

check "a drive for another user" simulated_drive op6
at_exit "dmsetup remove --retry opsuser"
check "the other user" dmsetup create opsuser --table \
	"0 $(blockdev --getsz /dev/op6) linear /dev/op6 0"
refused "a new drive that is in use" 3 \
	'/dev/op6: in use: part of the mapped device opsuser' \
	raizn replace $VOLUME 2 /dev/op6 --force
finish
