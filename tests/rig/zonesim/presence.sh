#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Drives are slow, stall, are unplugged and come back, and count their commands.
. "$(dirname "$0")/harness.sh"

# in_flight N: so many commands are
in_flight()
{
	grep -q "^$1 " "$GROUP/zsa/in_flight"
}

drive zsa latency_us=200000
SECONDS=0
for pid in {0..9}; do
	wr zsa 0 $((pid * 8)) 8
done
check_true "latency" "$SECONDS >= 2"
no_drives

drive zsa
wr zsa 0 0 8
flush zsa
put zsa unplug 1
check "unplugged: no disk" eval "[ ! -e /sys/block/zsa ]"
put zsa power 1
check "plugged in again: its data" holds zsa 0 0 8
exec 9</dev/zsa
put zsa power 0
put zsa power 1
fails "an old open file sees no new disk" \
	dd bs=4096 count=1 iflag=direct of=/dev/null <&9
exec 9<&-
check "... others do" holds zsa 0 0 8

put zsa stall 1
wr zsa 0 8 8 &
pid=$!
await 10 in_flight 1
check "stalled: a write waits" kill -0 $pid
is "... without effect" zsa 0 "CLOSED 8 8 8 0"
put zsa stall 0
check "... until the drive goes on" wait $pid
put zsa stall 1
wr zsa 0 16 8 2>/dev/null &
pid=$!
await 10 in_flight 1
put zsa power 0
fails "a cut ends the waiting" wait $pid
put zsa power 1
no_drives

drive zsa
put zsa counters 0
wr zsa 0 0 8
wr zsa 0 8 16
rd zsa 0 0 4 >/dev/null
flush zsa
op zsa finish 0
op zsa reset 0
wr zsa 0 8 8 2>/dev/null
check_equal "counters: writes, sectors, errors" \
	"$(counter zsa write) $(counter zsa write 3) $(counter zsa write 4)" \
	"3 32 1"
check_equal "... reads, flushes, finishes, resets" \
	"$(counter zsa read 3) $(counter zsa flush) $(counter zsa finish) $(counter zsa reset)" \
	"4 1 1 1"
zonesim_end
