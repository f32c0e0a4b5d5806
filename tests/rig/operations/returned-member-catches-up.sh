#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of a member that was away for a moment, only what it missed is written anew, also in a
# zone that was written before and after.
. "$(dirname "$0")/harness.sh"

rebuilt_bytes()
{
	json '.bytes.rebuild_written'
}

array_up
fill_zones
shows "fail, without letting go of it" 'is called failed now' \
	raizn fail $VOLUME 1 --force
moved=$(rebuilt_bytes)
shows "take it back" '/dev/op1 is back in slot 1' raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
moved=$(($(rebuilt_bytes) - moved))
note "$moved bytes"
check_true "it missed nothing: little is written" "$moved < 1 << 20"

check "1.5 MiB in a zone" zone_write 7 0 1536
check "fail, once more" raizn fail $VOLUME 1 --force
check "1.5 MiB more meanwhile" zone_write 7 1536 1536
moved=$(rebuilt_bytes)
check "take it back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
moved=$(($(rebuilt_bytes) - moved))
note "$moved bytes of 393216 that it missed"
check_true "what it missed is written, and little else" \
	"$moved >= 393216 - 65536 && $moved <= 393216 + 65536"
check "the zone is right" zone_holds 7 0 3072
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
