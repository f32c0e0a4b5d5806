#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive has a bad log zone, and power fails while it switches its partial-parity log. If the next
# start finds a damaged zone, it has no log zone left for the drive, and leaves that out.
. "$(dirname "$0")/harness.sh"

# log_zones DRIVE ROLE: the zones of its logs of that role
log_zones()
{
	raizn inspect "/dev/$1" zones --json | jq ".zones[]|select(.role == \"$2\")|.zone"
}

array_up
check "zone 0 is full" zone_write 0 0 $CAPACITY
check "stop" raizn stop $VOLUME
check "a drive loses a log zone" simulated_zones_turn op3 offline \
	"$(log_zones op3 "log, unused" | head -n 1)"
check "start" start
check "zone 9 is written" zone_write 9 0 64 "" fsync
check "the drive will stall in the reset of another one" simulated_set op3 fault "reset 1 then=stall"
zone_write 9 64 6080 4 dsync >"$TMP/write" 2>&1 &
check "it does, as a switch of its log is done" await 30 eval \
	'[ "$(cat "$GROUP/op3/stall")" = 1 ]'
check "zone 0 is lost on two drives" eval 'simulated_zones_turn op0 offline "$(home 0)" &&
	simulated_zones_turn op1 offline "$(home 0)"'
power_cut none
check "start" start
check "without the drive" status_is letters AAAFA damaged 1
check "what was durable is there" zone_holds 9 0 64
check "the drive is taken back" raizn add $VOLUME /dev/op3
finish
