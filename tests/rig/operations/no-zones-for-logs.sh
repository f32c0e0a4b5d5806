#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive comes back, and so many of its log zones are read-only by then that it can have no
# logs: it is refused, and taken as soon as one more can be written.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a member is failed" raizn fail $VOLUME 1 --force
mapfile -t free < <(blkzone report -c 5 /dev/op1 | awk '/\(em\)/ { print NR - 1 }')
check_equal "log zones without a log" ${#free[@]} 3
check "they turn read-only" simulated_zones_turn op1 readonly "${free[@]}"
before=$(fingerprint /dev/op1)
refused "it is not added again" 1 'op1: too few of its log zones can be written' \
	raizn add $VOLUME /dev/op1
check_equal "nothing was written to it" "$(fingerprint /dev/op1)" "$before"
check "the array is as it was" status_is state degraded letters 'A[!A]AAA'
check "data are right" data_are_right
check "one of them can be written again" simulated_zones_turn op1 empty "${free[0]}"
check "it is added" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" await 30 whole
check "a restart" restart
check "data are right" data_are_right
finish
