#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive has no zones left that work: a zone lacks a column for good, though all members
# work, and status advises to replace the drive, which helps.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a drive's spare zones fail, and one with data" simulated_zones_turn op1 offline \
	5 6 7 8 "$(home 2)"
check "a restart" restart
check "a zone lacks a column for good" await 30 json_is \
	'[([.members[].state]|unique),.degraded_zones,.operation.kind]' \
	'[["active"],1,"idle"]'
shows "status: advice" 'the spare zones of a drive are used up: .*replace it' \
	raizn status $VOLUME
shows "the other zones are scrubbed" '1 zone was not compared, for want of a column' \
	raizn scrub $VOLUME --wait
check "a new drive" simulated_drive op5
shows "replace" '/dev/op5 is in slot 1 now' raizn replace $VOLUME 1 /dev/op5 --force
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
finish
