#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# More zones of a drive go bad than it has spare ones: as many are rebuilt as there is room,
# and the others stay degraded.
. "$(dirname "$0")/harness.sh"

check "an array" make_array || finish
check "data" fill_zones
before=$(sums)
check "stop" dmsetup remove --retry $VOLUME
check "zones turn bad" spoil 2 offline 0 1 2 3 4 5
check "start" start
check_settled "as many are rebuilt as there is room" \
	"$((6 - SPARE)) degraded, $SPARE moved"
check_equal "data are right" "$(sums)" "$before"
check "a zone without a column can be written" dd if=/dev/urandom \
	of=$DEV bs=4k count=777 status=none oflag=direct,seek_bytes \
	conv=notrunc seek=$((5 * ZONE * 512))
check "stop for good" drop_array
finish
