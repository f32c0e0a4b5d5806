#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut, drives hold more of a zone than the array can use: that stays where it is, and
# no column moves. Rows that belong there later are in logs: after writes, more power cuts, moves of
# the logs, without a drive, with the drive back, and after a rebuild elsewhere. When users are idle,
# or a column has more of that than it may keep, it is rewritten beside users.
. "$(dirname "$0")/harness.sh"

# has_moved DRIVE: its part of zone 5 is not at home any more.
has_moved()
{
	[ "$(zone_at "$1" 5)" != $(($(home 5) * 4096)) ]
}

# so_far: everything that was written to zone 5 is there, and the parity of it.
so_far()
{
	check "$1: the zone has it all" zone_holds 5 0 "$written"
	check "$1: parity is right" eval "raizn scrub $VOLUME --wait &&
		[ \$(status_field mismatches) = 0 ]"
}

# write_on SIZE [PIECE [fsync|dsync]]
write_on()
{
	check "$1 KiB more" zone_write 5 "$written" "$@"
	((written += $1))
}

# logs_move: each log moves to another zone, at least once.
logs_move()
{
	local before i

	before=$(status_field log_switches)
	for ((i = 0; i < 200 && $(status_field log_switches) < before + 8; i++)); do
		zone_write 9 0 60 4 dsync && zone_write 10 0 60 4 dsync && zone_write 11 0 60 4 dsync &&
			zone_write 8 0 60 4 dsync && zone_write 12 0 60 4 dsync && zone_reset 8 5 ||
			return 1
	done
	[ "$(status_field log_switches)" -ge $((before + 8)) ]
}

# rewrite_after SECONDS without users
rewrite_after()
{
	echo "$1" >/sys/module/dm_raizn/parameters/relocation_idle
	# The next look may be one minute away.
	((!$1)) || restart
}

array_up
debris_stays 1024
fill_zones
check "80 stripes, a unit and a half" zone_write 5 0 5144 8
written=5144
check "all is durable" sync $DEV
power_cut
check "op0 has more than belongs there" debris op0 5
check "op2, too" debris op2 5
check "start" start
check_equal "two units are spoilt, less what is right" "$(status_field spoilt)" 64
check_equal "nothing was rewritten" "$(status_field rebuild)" 0
check "no part has moved" eval '! has_moved op0 && ! has_moved op2'
so_far "after the start"
write_on 512 8
so_far "after writes"
check "stop" raizn stop $VOLUME
check "raizn check finds nothing" raizn check /dev/op{0..4}
check "start" start
so_far "after a stop"
write_on 60 4 dsync
power_cut
check "start" start
so_far "after a power cut"
check "logs move" logs_move
power_cut
check "start" start
so_far "after that and a power cut"
power_cut
check "op1 has more than belongs there" debris op1 5
check "start" start
check "more is spoilt" status_is spoilt 96
write_on 8 4 fsync
power_cut
check "op0 is not there" simulated_set op0 power 0
check "start" eval "raizn start $VOLUME --degraded && dmsetup mknodes $VOLUME"
check "without op0, the zone has it all" zone_holds 5 0 "$written"
write_on 56
check "op0 is back" eval "simulated_set op0 power 1 && raizn add $VOLUME /dev/op0"
check "it is rebuilt" await 60 whole
so_far "after the rebuild"
check "of op0, nothing is spoilt" status_is spoilt 64
check "finish" zone_finish 5
so_far "after a finish"
power_cut
check "start" start
so_far "after a finish and a power cut"
check "reset" zone_reset 5
check_equal "nothing is spoilt" "$(status_field spoilt)" 0

check "an open zone" zone_write 5 0 5144 8 fsync
written=5144
power_cut
check "op0 has more than belongs there" debris op0 5
check "start" start
check "it is spoilt" status_is spoilt 32
check "users are idle" rewrite_after 1
check "nothing is spoilt any more" await 30 status_is spoilt 0 action idle
check "the part has moved" has_moved op0
so_far "after a rewrite"
write_on 320 8 fsync
rewrite_after 0
check "rewriting is slow" raizn set $VOLUME speed_max=32K
power_cut
check "op2 has much more than it may keep" eval "debris_stays 1 && debris op2 5"
check "start" start
shows "it was left in place" ' 1 left with debris' eval "dmesg | grep recovered: | tail -n 1"
check "it is rewritten" await 30 status_is action rebuild
check "meanwhile, another drive may fail: no row of it is needed for op2" raizn fail $VOLUME 4 --force
check "without op4, the zone has it all" zone_holds 5 0 "$written"
check "it is back" raizn add $VOLUME /dev/op4
check "rewriting is fast" raizn set $VOLUME speed_max=0
check "it is rebuilt" await 30 whole
check "nothing is spoilt any more" await 30 status_is spoilt 0 action idle
check "the part has moved" has_moved op2
so_far "after that rewrite"
power_cut
check "start" start
so_far "after a power cut"
check "reset" zone_reset 5

check "80 stripes" zone_write 5 0 5120 8 fsync
power_cut
check "op4, which has the next parity, has more than belongs there" eval "
	debris_stays 1024 && debris op4 5"
check "start" start
check "it is spoilt" status_is spoilt 32
check "a stripe but for half a unit, durable on all drives but op1" eval "
	zone_write 5 5120 56 8 && sync /dev/op0 && sync /dev/op2 && sync /dev/op3"
check "the other half, and parity, durable on op4" eval "
	zone_write 5 5176 8 8 && sync /dev/op4"
power_cut none
check "start: rows of op4 behind its end are needed" start
written=5144
so_far "half a unit was decoded"
check "reset" zone_reset 5
check "data of other zones are right" data_are_right
check "a restart" restart
check "data are right after that" data_are_right
finish
