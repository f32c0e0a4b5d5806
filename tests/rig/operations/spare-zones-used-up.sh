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
shows "the other zones are scrubbed" '1 zone was not compared, for want of a column' \
	raizn scrub $VOLUME --wait
check "a new drive" simulated_drive op5
shows "status names the slot" 'replace it: .raizn replace ops 1 NEW-DRIVE.' \
	raizn status $VOLUME
advice_helps $VOLUME zones:2 active NEW-DRIVE=/dev/op5
check "the array is whole" whole
check "data are right" data_are_right

check "a zone of a drive fails, and another drive cannot read a sector of it" eval \
	'simulated_zones_turn op3 offline "$(($(zone_at op3 1) / 4096))" &&
	simulated_set op2 bad_sectors "$(($(zone_at op2 1) + 64)) 8"'
check "very slowly" raizn set $VOLUME speed_max=1K speed_min=1K
check "a restart" restart
check "the other drive cannot read its logs, either" blind op2
check "at full speed" raizn set $VOLUME speed_max=0 speed_min=10M
check "a zone lacks a column, though there is room" await 30 status_is \
	degraded 1 action idle letters AAAAA
check "the sector can be read again" good_sectors op2
advice_helps $VOLUME zones:1 active
check "data are right" data_are_right
finish
