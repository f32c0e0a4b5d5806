#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power fails while a parity log moves to another zone, when the new record of a tail is durable and
# data in it is not: a unit that a flush promised can still be computed from the older record.
. "$(dirname "$0")/harness.sh"

# log_zones: how many of op0 are in use: one of each log, and in a switch another one
log_zones()
{
	awk 'NR <= 5 && $2 != "EMPTY"' "$GROUP/op0/zones" | wc -l
}

log_zones_are()
{
	[ "$(log_zones)" = "$1" ]
}

# hold_switch: what op0 is sent for a log zone that is empty now does not return.
hold_switch()
{
	local zone

	for zone in $(awk 'NR <= 5 && $2 == "EMPTY" { print $1 }' "$GROUP/op0/zones"); do
		simulated_set op0 fault "append 1 zone=$zone status=ok effect=all then=hold" ||
			return 1
	done
}

# switch_waits: one of the three waits.
switch_waits()
{
	[ "$(wc -l <"$GROUP/op0/fault")" = 2 ]
}

let_switch_go()
{
	simulated_set op0 fault clear && simulated_set op0 stall 0
}

has_command()
{
	! grep -q '^0 ' "$GROUP/$1/in_flight"
}

# write_on: the parity of zone 9's first stripe is op0's, and its log has a record of each write.
write_on()
{
	while zone_write 9 0 60 4 dsync && zone_reset 9; do
		:
	done
}

array_up
check "zone 4 has a unit, which is op1's" zone_write 4 0 16 16 fsync
check "op0 has a zone for each log" log_zones_are 2
check "their next zone is to wait" hold_switch
write_on >"$TMP/writer" 2>&1 &
writer=$!
check "the parity log of op0 is full" await 60 switch_waits
check "zone 4 has a second unit, which is op2's" zone_write 4 16 16
check "op2 stalls" simulated_set op2 stall 1
check "the log moves" let_switch_go
check "op2 is to be flushed" await 10 has_command op2
check "until then, the log's old zone is kept" eval '! await 2 log_zones_are 2'
power_cut none
check_fails "the writer has seen it" 'error' eval "wait $writer; cat $TMP/writer; false"
check_equal "op2's unit is lost" "$(on_drive op1 4) $(on_drive op2 4)" "32 0"
check "op1 is not there" simulated_set op1 unplug 1
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "nothing is damaged" status_is letters A-AAA damaged 0
check "the unit of op1 is right" zone_holds 4 0 16
finish
