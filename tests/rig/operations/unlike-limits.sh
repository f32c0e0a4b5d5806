#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One drive allows fewer active zones than the others, and is away at a start. The volume keeps the
# limits, so that the drive can come back; without it for good, the next start raises them.
. "$(dirname "$0")/harness.sh"

# limits_are OPEN ACTIVE
limits_are()
{
	json_is '[.limits.max_open,.limits.max_active]' "[$1,$2]"
}

# zones_active FIRST LAST
zones_active()
{
	local zone

	for ((zone = $1; zone <= $2; zone++)); do
		zone_write $zone 0 64 "" fsync || return
	done
}

load_module && simulated_group ops && simulated_drives op 4 max_active=20 max_open=18 &&
	simulated_drive op4 max_active=14 max_open=12 && simulated_drive op5 max_active=20 max_open=18 ||
	exit 1
at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
head -c 6M /dev/urandom >"$TMP/data"
truncate -s $((4 * ZONE / 2))K "$TMP/volume"
check "an array" raizn create $VOLUME /dev/op{0..4} --stripe-unit 16K --spare-zones 4 || finish
dmsetup mknodes $VOLUME
check "the least limits count" limits_are 7 9 || json .limits >&2
check "stop" raizn stop $VOLUME
check_equal "superblocks have them" \
	"$(raizn inspect /dev/op0 --json | jq -c '[.superblock.max_active,.superblock.max_open]')" "[14,12]"

check "that drive is away" simulated_set op4 unplug 1
check "a start without it" raizn start $VOLUME --degraded
dmsetup mknodes $VOLUME
check "its limits count still" limits_are 7 9
check "as many zones as they allow are active" zones_active 0 8
check_fails "one more is refused" "" zone_write 9 0 64
check "the drive is back" simulated_set op4 power 1
check "it is taken back" raizn add $VOLUME /dev/op4
rebuild_ends
check "the array is whole" whole
check "with the same limits" limits_are 7 9

check "another drive takes its place" raizn replace $VOLUME 4 /dev/op5 --force
rebuild_ends
check "the array is whole" whole
check "with the same limits, until it is started again" limits_are 7 9
check "a restart" restart
check "more zones can be active" limits_are 13 15
check "and are" zones_active 9 14
finish
