#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A clean stop writes general logs anew in which many records are void, and power fails in it at one
# moment or another: the next start finds all resets and all data. A drive with too few log zones
# keeps its log.
. "$(dirname "$0")/harness.sh"

CUTS=$(scaled 12 4)

# log_blocks DRIVE: of its general log
log_blocks()
{
	raizn inspect "/dev/$1" zones --json |
		jq '.zones[] | select(.role | test("general")) | .written_sectors / 8'
}

# many_resets: more records than a stop leaves in a log
many_resets()
{
	zone_resets $DEV 5 3 40
}

# is_empty ZONE
is_empty()
{
	blkzone report -o $(($1 * ZONE)) -c 1 $DEV | grep -q '(em)'
}

# state_is_right WHAT
state_is_right()
{
	check "$1: all members are in use" whole
	check "$1: data are right" data_are_right
	check "$1: what was reset is empty" eval "is_empty 5 && is_empty 6 && is_empty 7"
}

array_up
fill_zones
check "stop" raizn stop $VOLUME
for ((nth = 0; nth <= CUTS; nth++)); do
	check "start" start
	state_is_right "cut $nth of $CUTS"
	check "resets" many_resets
	simulated_set . mark 1
	simulated_set . cut_at $((nth * commands / CUTS))
	dmsetup remove --retry $VOLUME
	((nth)) || commands=$(cat "$GROUP/commands")
	check_equal "power fails at $((nth * commands / CUTS)) of $commands commands" \
		"$(cat "$GROUP/cuts")" $nth
	simulated_set . cut_at 0
	simulated_set . power 1
done
check "start" start
state_is_right "in the end"
check "resets" many_resets
check "the log has grown" test "$(log_blocks op3)" -gt 64
check "stop" raizn stop $VOLUME
for i in 0 1 2 3 4; do
	check "the log of op$i is short" test "$(log_blocks op$i)" -lt 16
done
check "all members agree" raizn check $VOLUME

mapfile -t unused < <(raizn inspect /dev/op3 zones --json |
	jq '.zones[] | select(.role == "log, unused") | .zone' | head -n 2)
check "a drive loses two log zones" simulated_zones_turn op3 offline "${unused[@]}"
check "start" start
check "resets" many_resets
check "stop" raizn stop $VOLUME
check "its log is as long as before" test "$(log_blocks op3)" -gt 64
check "the log of another one is short" test "$(log_blocks op2)" -lt 16
check "start" start
state_is_right "with three log zones"
finish
