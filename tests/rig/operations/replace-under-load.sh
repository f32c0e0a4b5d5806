#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive dies under load and is replaced by a larger one, which is rebuilt: the load sees no
# error, and status says at each step what is the matter and what to do.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a larger drive" simulated_drive op5 nr_zones=32
check "data on it" dd if="$TMP/data" of=/dev/op5 bs=64k count=1 oflag=direct
load_begin
check "the load goes on" load_goes_on
simulated_set op2 power 0
check "a drive dies under load: the array sees it" await 30 letters_are AAFAA
check "the load goes on without it" load_goes_on
check_equal "status: state" "$(json '[.state,.members[2].state]')" \
	'["degraded","failed"]'
shows "status: advice" \
	'action: member 2 .op2. failed: replace it: .raizn replace ops 2 NEW-DRIVE.' \
	raizn status $VOLUME
refused "fail of another member" 3 'works without member 2 .op2. already' \
	raizn fail $VOLUME 1 --force
refused "replace of another member" 3 'works without member 2 .op2. already' \
	raizn replace $VOLUME 1 /dev/op5 --force
refused "scrub of a degraded array" 3 'it is degraded, so there is no parity left' \
	raizn scrub $VOLUME
check_fails "rebuild --wait without a drive" \
	'no drive for the member of slot 2' raizn rebuild $VOLUME --wait

check "a slow rebuild" raizn set $VOLUME speed_max=64K
check_fails "replace asks before data are destroyed" \
	'holds data in 1 of 32 sequential zones' \
	raizn replace $VOLUME 2 /dev/op5
shows "replace" '/dev/op5 is in slot 2 now and is being rebuilt' \
	raizn replace $VOLUME 2 /dev/op5 --force
check "it is being rebuilt" await 30 letters_are AARAA
check "the load goes on meanwhile" load_goes_on
check "there is progress" await 30 json_is \
	'.operation|.kind == "rebuild" and .done > 0 and .total > .done and .rate > 0' \
	true
shows "status: progress" \
	' rebuild: \[=*> *\] +[0-9.]+%  .* of .*iB.*/s, [0-9:]+ left' \
	raizn status $VOLUME
shows "status: the member" 'member 2 .op5. is being rebuilt' raizn status $VOLUME
shows "rebuild tells how far it is" 'ops: rebuild \[.*%' raizn rebuild $VOLUME
(await 30 pgrep -f 'raizn rebuild ops --wait' && raizn set $VOLUME speed_max=0) >/dev/null &
advice_helps $VOLUME rebuild active
shows "what rebuild says then" 'ops: all members are whole' raizn rebuild $VOLUME
check "the array is whole" whole
check "the load ends without an error" load_end || rig_show "$TMP/load"
check "data are right" data_are_right
finish
