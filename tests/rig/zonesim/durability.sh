#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a power cut leaves is what was flushed, written with FUA, finished or reset before,
# with a volatile cache and without one.
. "$(dirname "$0")/harness.sh"

drive zsa
echo none >"$GROUP/keep"
wr zsa 0 0 8
flush zsa
is "a flush makes durable" zsa 0 "IMP_OPEN 8 8 8 0"
wr zsa 0 8 8
wr zsa 1 0 8
put zsa fault "flush 1 effect=none times=9"
wr zsa 2 0 8 dsync 2>/dev/null
put zsa fault clear
is "FUA makes durable, without a flush" zsa 2 "IMP_OPEN 8 8 8 0"
is "... nothing else" zsa 0 "IMP_OPEN 16 16 8 0"
op zsa finish 3
wr zsa 4 0 8
op zsa finish 4
power_cut
fails "no power: no reads" rd zsa 0 0 8
fails "no power: no writes" wr zsa 0 8 8
fails "no power: no flush" flush zsa
fails "no power: no report" blkzone report /dev/zsa
check_equal "state" "$(cat "$GROUP/zsa/state")" off
power
is "keep=none: what was flushed stays" zsa 0 "CLOSED 8 8 8 0"
is "... the rest is gone" zsa 1 "EMPTY 0 0 0 0"
is "... FUA stays" zsa 2 "CLOSED 8 8 8 0"
is "... finish without data" zsa 3 "FULL $ZONE 0 0 0"
is "... finish with data" zsa 4 "FULL $ZONE 8 8 0"
check "data after a cut" holds zsa 0 0 8
check "writing goes on where it ended" wr zsa 0 8 8
op zsa reset 2
power_cut
power
is "a reset is durable" zsa 2 "EMPTY 0 0 0 1"
echo all >"$GROUP/keep"
wr zsa 0 8 8
power_cut
power
is "keep=all" zsa 0 "CLOSED 16 16 16 0"
check "... with its data" holds zsa 0 0 16
no_drives

drive zsa write_cache=0
echo none >"$GROUP/keep"
wr zsa 0 0 8
power_cut
power
is "without a cache a write is durable" zsa 0 "CLOSED 8 8 8 0"
check_equal "no cache in sysfs" \
	"$(cat /sys/block/zsa/queue/write_cache)" "write through"
no_drives

drive zsa finish_flushes=0
echo none >"$GROUP/keep"
wr zsa 0 0 8
op zsa finish 0
wr zsa 1 0 $CAP
power_cut
power
is "a finish that does not flush: data are lost" zsa 0 "FULL $ZONE 0 0 0"
is "a full zone may lose its end" zsa 1 "EMPTY 0 0 0 0"
zonesim_end
