#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zone appends of an array of simulated drives are right, in every way to complete.
. "$(dirname "$0")/harness.sh"

load_module || exit 1
at_exit "raizn stop zsarray"
i=0
for completion in direct softirq irq mixed; do
	devices=()
	for j in 0 1 2; do
		drive "zs$j" nr_zones=12 max_open=8 max_active=8 \
			completion=$completion latency_us=$((i * 100)) \
			jitter_us=$((i * 200))
		devices+=("/dev/zs$j")
	done
	check "appends, $completion: an array" raizn create zsarray \
		"${devices[@]}" --stripe-unit 4K
	for j in 1 2 3 4; do
		dd if="$TMP/data" of=/dev/mapper/zsarray bs=3584 \
			count=1 seek=$((j - 1)) status=none \
			oflag=direct,dsync conv=notrunc
	done
	check "... starts again" eval "raizn stop zsarray &&
		raizn start zsarray ${devices[*]} && raizn stop zsarray"
	check_true "... from records that were appended" \
		"$(counter zs0 append) + $(counter zs1 append) +
		 $(counter zs2 append) > 24 && $(counter zs0 append 4) == 0"
	no_drives
	i=$((i + 1))
done
zonesim_end
