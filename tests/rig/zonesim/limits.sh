#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Limits of open and active zones hold, also none; there are conventional zones, and
# blocks of 4096 bytes.
. "$(dirname "$0")/harness.sh"

drive zsa
for i in 0 1 2 3; do
	wr zsa $i 0 8
done
is "a fourth zone closes an implicitly open one" zsa 0 "CLOSED 8 8 0 0"
is "... and is open" zsa 3 "IMP_OPEN 8 8 0 0"
fails "a fifth is too many active ones" wr zsa 4 0 8
fails "also for open" op zsa open 4
op zsa finish 0
check "after finish there is room" wr zsa 4 0 8
op zsa reset
for i in 0 1 2; do
	op zsa open $i
done
fails "no fourth explicitly open one" op zsa open 3
fails "no write beside three of them" wr zsa 3 0 8
op zsa close 1
check "after close there is" wr zsa 3 0 8
no_drives

drive zsa max_open=0 max_active=0 nr_conventional=2
check "conventional zones take writes anywhere" wr zsa 1 100 8
check "... also again" wr zsa 1 100 8
check "... and keep them" holds zsa 1 100 8
for i in 2 3 4 5 6 7; do
	wr zsa $i 0 8
done
is "without limits all zones are open" zsa 2 "IMP_OPEN 8 8 0 0"
no_drives

drive zsa block_size=4096
fails "no write below a block" wr zsa 0 0 1
check "a block" wr zsa 0 0 8
check_equal "sysfs: zones" "$(cat /sys/block/zsa/queue/zoned) $(cat \
	/sys/block/zsa/queue/chunk_sectors) $(cat \
	/sys/block/zsa/queue/max_open_zones) $(cat \
	/sys/block/zsa/queue/max_active_zones)" "host-managed $ZONE 3 4"
zonesim_end
