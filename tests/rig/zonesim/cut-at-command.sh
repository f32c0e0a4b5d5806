#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power is cut at the command that was asked for, of all drives in the cut, and what is
# in flight is done, done in part or lost.
. "$(dirname "$0")/harness.sh"

# Five writes; after a cut the end of their zone.
five_writes()
{
	local i

	op zsa reset
	echo 1 >"$GROUP/mark"
	echo "$1" >"$GROUP/cut_at"
	for i in 0 1 2 3 4; do
		wr zsa 0 $((i * 8)) 8 2>/dev/null || break
	done
	flush zsa 2>/dev/null
	echo "$(cat "$GROUP/zsa/state") $(cat "$GROUP/commands")"
	power
	zone zsa 0 | awk '{ print $2 }'
}

drive zsa write_cache=0
echo none >"$GROUP/keep"
check_equal "cut_at=3: the third command has no effect" \
	"$(five_writes 3 | xargs)" "off 3 16"
echo all >"$GROUP/keep"
check_equal "... or has it, and fails all the same" \
	"$(five_writes 3 | xargs)" "off 3 24"
check_equal "cut_at=0: never" "$(five_writes 0 | xargs)" "on 5 40"
echo flush >"$GROUP/cut_kinds"
op zsa reset
put zsa power 0
no_drives

drive zsa
echo all >"$GROUP/keep"
echo write,flush >"$GROUP/cut_kinds"
check_equal "cut_kinds: resets do not count" \
	"$(five_writes 6 | xargs)" "off 6 40"
check_equal "the number of cuts" "$(cat "$GROUP/cuts")" 1
fails "cut_at of what is over" eval "echo 5 >$GROUP/cut_at"
no_drives

# Commands in flight at a cut: all, part of it, nothing.
drive zsa
done=0 part=0 lost=0
for seed in {1..8}; do
	echo "$seed" >"$GROUP/seed"
	put zsa stall 1
	write_only zsa 0 0 64 2>/dev/null &
	write_only zsa 1 0 64 2>/dev/null &
	until grep -q "^2 " "$GROUP/zsa/in_flight"; do
		sleep 0.01
	done
	power_cut
	# shellcheck disable=SC2046
	set -- $(cat "$GROUP/last_cut")
	done=$((done + $3)) part=$((part + $5)) lost=$((lost + $7))
	wait
	power
	op zsa reset
done
check_true "in flight: done, in part, lost" \
	"$done > 0 && $part > 0 && $lost > 0 && $done + $part + $lost == 16"
no_drives

# Two drives lose power at the same command.
drive zsa write_cache=0
drive zsb write_cache=0
drive zsc in_cut=0
echo none >"$GROUP/keep"
echo 1 >"$GROUP/mark"
echo 3 >"$GROUP/cut_at"
wr zsa 0 0 8
wr zsb 0 0 8
fails "a cut at the third command of two drives" wr zsa 0 8 8
fails "... hits the other one, too" wr zsb 0 8 8
check "... and not the one with in_cut=0" wr zsc 0 0 8
power
is "... both keep what they had" zsb 0 "CLOSED 8 8 8 0"
zonesim_end
