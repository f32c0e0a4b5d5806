#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A copy loses power while the other one is made from it. The new copy does not go on alone: when
# both drives have power again, a restart finds all data, and the rebuild ends.
. "$(dirname "$0")/harness.sh"
ZONE=4096
CAPACITY=1536

drives_up 3
array_of /dev/op0 /dev/op1 --level 1
check "four zones are full" eval \
	'for zone in 0 1 2 3; do zone_write $zone 0 $CAPACITY || return; done' || finish
check "slowly" raizn set $VOLUME speed_max=1K
check "one copy is replaced" raizn replace --no-copy $VOLUME 1 /dev/op2 --force
check "it is being rebuilt" await 30 status_is letters AR action rebuild
check "the other one loses power" simulated_set op0 power 0
check_fails "a write is an error" "" zone_write 4 0 64 "" fsync
check "the array has failed" await 30 status_is state failed
check "the power is back" simulated_set op0 power 1
check "a restart" restart
check "the rebuild goes on" status_is state degraded letters AR damaged 0
check "data are right" data_are_right
check "at full speed" raizn set $VOLUME speed_max=0
rebuild_ends
check "both copies are whole" status_is state active letters AA degraded 0
check "data are right" data_are_right
check "stop" raizn stop $VOLUME
check "check finds nothing wrong" raizn check /dev/op0 /dev/op2
finish
