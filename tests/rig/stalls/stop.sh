#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array is stopped while a drive that it has given up does not answer: stop ends, names
# the drive, and does not take the others for unclean.
. "$(dirname "$0")/harness.sh"

array_up
check "data" fill
check "a member is given up" raizn fail $VOLUME $STALLED --force
check "remove the device for zone operations" dmsetup remove --retry ${OPS##*/}
attribute stall 1
check "stop ends" eval "timeout -k 5 60 raizn stop $VOLUME 2>'$TMP/err'" || rig_show "$TMP/err"
check "it names the drive" grep -q "/dev/st$STALLED: does not answer; it is left out" "$TMP/err"
attribute stall 0
check_equal "the array was stopped cleanly" \
	"$(raizn status $VOLUME --json | jq -r .arrays[0].state)" stopped
check "start" raizn start $VOLUME
dmsetup mknodes $VOLUME
check "data are right" all_right
check "stop" raizn stop $VOLUME
finish
