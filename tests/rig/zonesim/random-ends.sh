#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is not durable ends at a random block after a power cut, the same for the same
# seed.
. "$(dirname "$0")/harness.sh"

# The end of a zone that was flushed at 8 of 72 sectors, after cuts with seeds.
random_ends()
{
	local seed end

	for seed; do
		echo "$seed" >"$GROUP/seed"
		wr zsa 0 0 8
		flush zsa
		wr zsa 0 8 64
		power_cut
		power
		read -r _ end _ <<<"$(zone zsa 0)"
		echo "$end"
		holds zsa 0 0 "$end" || echo wrong
		op zsa reset 0
	done
}

drive zsa block_size=4096
ends=$(random_ends {1..14})
again=$(random_ends {1..4})
check_equal "ends of zones: blocks from durable to written" \
	"$(echo "$ends" | awk '$1 < 8 || $1 > 72 || $1 % 8' | wc -l)" 0
check_true "... both and ones between" \
	"$(echo "$ends" | grep -cx 8) > 0 &&
	 $(echo "$ends" | grep -cx 72) > 0 &&
	 $(echo "$ends" | grep -cvxE '8|72') > 0"
# The number of a command is part of some choices, of these not.
check_equal "... the same for the same seeds" "$again" \
	"$(head -n 4 <<<"$ends")"
zonesim_end
