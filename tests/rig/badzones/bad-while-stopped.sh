#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones of different members turn read-only or offline while the array is stopped, or off
# after a power cut: each is a missing column of its zone only, and is rebuilt into a spare
# zone after the start.
. "$(dirname "$0")/harness.sh"

# spoiled WHAT COMMAND...: how the array ends before that
spoiled()
{
	local what=$1 before
	shift

	check "$what: an array" make_array || return
	check "$what: data" fill_zones
	before=$(sums)
	check "$what: the array ends" "$@"
	check "$what: zones turn bad" eval 'spoil 0 offline 0 && spoil 1 readonly 1 &&
		spoil 2 offline 2 && spoil 3 readonly 3 && spoil 4 readonly 4'
	check "$what: start" start
	check_settled "$what: all are rebuilt" "0 degraded, 5 moved"
	check_equal "$what: data are right" "$(sums)" "$before"
	check "$what: write on in an open zone" dd if=/dev/zero of=$DEV bs=4k \
		count=9 status=none oflag=direct,seek_bytes conv=notrunc \
		seek=$(((ZONE + 637 * 8) * 512))
	before=$(sums)
	check "$what: stop again" dmsetup remove --retry $VOLUME
	check "$what: start without a member" start " 1 degraded"
	check_settled "$what: nothing is left to rebuild" "0 degraded, 0 moved"
	check_equal "$what: data are still right" "$(sums)" "$before"
	check "$what: stop for good" drop_array
}

power_cut()
{
	simulated_set . power 0 && dmsetup remove --retry $VOLUME &&
		simulated_set . power 1
}

spoiled "after a stop" dmsetup remove --retry $VOLUME
spoiled "after a power cut" power_cut
finish
