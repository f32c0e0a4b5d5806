#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of a full and of a finished zone, one column is gone and another one is in a member zone that
# turned read-only: its data is used, and the zones are whole again. A column whose last block
# does not look written is not used: the drive may have closed its zone before.
. "$(dirname "$0")/harness.sh"

# ends_unwritten: the member whose column of zone 4 ends with the zone's last unit, of zeros
ends_unwritten()
{
	local m

	for m in 0 1 2 3 4; do
		cmp -s <(dd if=/dev/bz$m iflag=direct,skip_bytes bs=4k count=1 status=none \
			skip=$(($(member_zone_start $m) * 512 + (1536 - 4) * 1024))) \
			<(head -c 4096 /dev/zero) && echo $m
	done
}

# member_zone_start MEMBER: sector of the member zone of zone 4
member_zone_start()
{
	blkzone report /dev/bz$1 | sed -n "$((RESERVED + 4 + 1))s/.*start: 0x0*\([0-9a-f]*\),.*/0x\1/p"
}

check "an array" make_array || finish
check "data" fill_zones
before=$(sums)
check "a zone that ends with zeros" eval '{ head -c $((6128 * 1024)) /dev/urandom &&
	head -c 16384 /dev/zero; } | dd of=$DEV bs=16k iflag=fullblock status=none \
	oflag=direct,seek_bytes conv=notrunc seek=$((4 * ZONE * 512))'
check "stop" dmsetup remove --retry $VOLUME
last=$(ends_unwritten)
check_true "one column ends with zeros ($last)" "${#last} == 1"
check "zones turn bad" eval 'spoil 0 offline 0 3 && spoil 2 readonly 0 3 &&
	spoil $last readonly 4 && spoil $(((last + 1) % 5)) offline 4'
check_equal "raizn check finds what a start will find" \
	"$(raizn check /dev/bz{0..4} | grep -o '.*: damaged,')" "zone 4: damaged,"
kernel_log_new >/dev/null
check "start" start
check_true "the kernel log says what the zones are whole with" \
	"$(kernel_log_new | grep -c 'is whole with .*read-only member zones (members 2)') == 2"
check_equal "the zone that ends with zeros is damaged" \
	"$(blkzone report $DEV | grep -n '(ro)' | cut -d: -f1)" 5
check "it is given up" blkzone reset -o $((4 * ZONE)) -c 1 $DEV
check_settled "the columns that are gone are rebuilt" "0 degraded, 4 moved"
check_equal "data are right" "$(sums)" "$before"
check "stop again" dmsetup remove --retry $VOLUME
check "start again" start
check_settled "columns move out of the read-only zones" "0 degraded, 2 moved"
check_equal "data are still right" "$(sums)" "$before"
check "stop for good" drop_array
finish
