#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A scrub that is under way goes on where it was, and has not forgotten what it found, after
# the array was stopped, and after a power cut. The unit that scrubs each month joins it then,
# and is tried again while the array does not run. A repair, which rewrites parity, waits for its
# owner after a power cut.
. "$(dirname "$0")/harness.sh"

# scrub_noted FILTER: of what the superblock says
scrub_noted()
{
	raizn inspect /dev/op0 superblock --json | jq -c ".superblock|$1"
}

# It is slow enough to be found in zone 2, behind what is wrong.
scrub_begins()
{
	check "slowly" raizn set $VOLUME speed_max=128K
	shows "scrub" 'check begun' raizn scrub $VOLUME
	check "it comes to zone 2" await 60 scrub_is_at 2
}

# of_unit NAME: that setting of raizn-scrub@$VOLUME.service
of_unit()
{
	sed -n "s:^$1=::p" "$RIG_TOP/tools/system/raizn-scrub@.service" |
		sed "s:@SBINDIR@/::; s:%i:$VOLUME:"
}

read -ra UNIT_COMMAND < <(of_unit ExecStart)

# scrub_went_on WHEN
scrub_went_on()
{
	check_equal "$1: it goes on and has not forgotten what it found" \
		"$(json '[.operation.kind,.mismatches]')" '["check",1]'
	check "$1: where it was" scrub_is_at 2
	background joins "${UNIT_COMMAND[@]}"
	check "$1: the unit's command waits for it" await 30 listens $BACKGROUND
	check "$1: at full speed" raizn set $VOLUME speed_max=0
	check "$1: it ends" await 30 status_is action idle
	wait $BACKGROUND
	check_equal "$1: the unit's command tells of the mismatch: exit code" $? 1
	check "$1: in its words" grep -q '1 stripe did not match' "$TMP/joins" ||
		rig_show "$TMP/joins"
	check_equal "$1: it found nothing else" "$(json .mismatches)" 1
	check_equal "$1: the superblock forgets it" \
		"$(scrub_noted '[.slot,.scrub]')" "[0,null]"
}

array_up
check "little data in two zones" eval 'zone_write 0 0 128 && zone_write 1 0 256'
check "a full one behind them" zone_write 2 0 $CAPACITY
flip_parity 1

scrub_begins
shows "the array is stopped" 'it goes on when the array is started' \
	raizn stop $VOLUME
check_equal "the superblock has it" \
	"$(scrub_noted '[.scrub.kind,.scrub.mismatches,.scrub.next_zone>=2]')" \
	'["check",1,true]'
refused "the unit's command finds no array" 4 'no array of this name' \
	"${UNIT_COMMAND[@]}"
check_equal "systemd tries it again then" "$(of_unit RestartForceExitStatus)" "3 4"
check "start" start
scrub_went_on "after a stop"

scrub_begins
shows "pause" 'scrub paused' raizn scrub $VOLUME pause
power_cut
check "start" start
check_equal "it is paused still" \
	"$(json '[.operation.kind,.operation.paused]')" '["check",true]'
check "resume" raizn scrub $VOLUME resume
scrub_went_on "after a power cut"

check "slowly" raizn set $VOLUME speed_max=128K
shows "repair" 'repair begun' raizn scrub $VOLUME repair --force
check "it comes to zone 2" await 60 scrub_is_at 2
power_cut
check "start" start
check_equal "a repair is paused after a power cut" \
	"$(json '[.operation.kind,.operation.paused]')" '["repair",true]'
check "stop" raizn stop $VOLUME
check "start" start
check_equal "it is paused still" \
	"$(json '[.operation.kind,.operation.paused]')" '["repair",true]'
check "resume" raizn scrub $VOLUME resume
check "at full speed" raizn set $VOLUME speed_max=0
check "it ends" await 30 status_is action idle
check "parity is right" raizn scrub $VOLUME --wait
finish
