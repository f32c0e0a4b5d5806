#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive that was replaced comes back and still claims its slot: status, list, check and
# start leave it out, also when the new drive is away.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a new drive" simulated_drive op5
simulated_set op2 power 0
check "a drive fails" raizn fail $VOLUME 2 --force
check "it is replaced" raizn replace $VOLUME 2 /dev/op5
rebuild_ends
simulated_set op2 power 1

shows "status: a replaced drive" '/dev/op2 +replaced +.was slot 2' \
	raizn status $VOLUME
check "stop" raizn stop $VOLUME
check_equal "list counts the drives that belong to it" \
	"$(raizn list --json | jq -rc \
	   '.arrays[]|select(.name == "ops")|[.state,.nr_found]')" \
	'["stopped",5]'
check "check leaves the replaced one out" raizn check $VOLUME
simulated_set op5 unplug 1
refused "start while the new drive is away" 4 \
	'the drive of slot 2 .* is missing' raizn start $VOLUME
simulated_set op5 power 1
refused "start with the replaced drive named" 3 \
	'/dev/op2: was replaced, another drive has its slot 2' \
	raizn start $VOLUME /dev/op{0,1,2,3,4,5}
shows "start leaves the replaced one out" 'ops: started' raizn start $VOLUME
dmsetup mknodes $VOLUME
check_equal "the new drive is used" "$(json '.members[2].device')" /dev/op5
check "data are right" data_are_right
check "the array is whole" whole
finish
