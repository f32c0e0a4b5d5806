#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Of a member that was away for a moment, only what it missed is written anew, also in a zone that
# was written before and after. After a power cut it is all of the zones that were not full. What the
# member holds is believed: a scrub finds data other than it was sent.
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

check "fail, once more" raizn fail $VOLUME 1 --force
check "it has kept other data than it was sent" simulated_set op1 flip "$(($(zone_at op1 7) + 64)) 8"
check "take it back" raizn add $VOLUME /dev/op1
rebuild_ends
check_fails "a scrub finds that" '1 stripe did not match' raizn scrub $VOLUME check --wait

check "all is durable" sync $DEV
power_cut
check "the member has no power" simulated_set op1 power 0
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "it has power" simulated_set op1 power 1
check "take it back" raizn add $VOLUME /dev/op1
rebuild_ends
# Of zone 3 and zone 7, a quarter of 1792 and of 3072 KiB
check_equal "zones that were not full are written anew" "$(rebuilt_bytes)" $((1216 * 1024))
check "data are right" data_are_right
finish
