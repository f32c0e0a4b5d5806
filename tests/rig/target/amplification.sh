#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Small writes, many at once, cost little more than their parity: members of five get at
# most 1.27 times what users write.
. "$(dirname "$0")/harness.sh"
up
check "4 KiB writes at depth 32" write_deep --bs=4k --iodepth=32 --size=8z \
	--io_size="$(scaled 240 40)M"
user=$(status_field user_written)
others=$(($(status_field data) + $(status_field parity) +
	  $(status_field partial_parity) + $(status_field metadata)))
n=$((others * 1000 / (user ? user : 1)))
note "member bytes / user bytes: $((n / 1000)).$(printf %03d $((n % 1000)))" \
     "after $((user / MIB_SECTORS)) MiB"
check_true "at most 1.27" "$user > 0 && $n <= 1270"
# Less is not possible: every stripe has its parity.
check_true "at least 1.24" "$n >= 1240"
down
finish
