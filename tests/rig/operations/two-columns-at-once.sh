#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two drives fail their parts of the same write: the array fails, though it would go on without a
# column, or with a zone that takes no more writes, had one failed after the other. A restart has
# all that was written before.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
check "all is durable" sync $DEV
for drive in op0 op1; do
	check "$drive will fail a write" simulated_set $drive fault \
		"write 1 zone=$(home 9) effect=none status=ioerr"
done
simulated_latency 20000
check_fails "the writer hears of it" 'Input/output error' zone_write 9 176 256
simulated_latency 0
check "the array fails" await 30 status_is state failed
check "data are right" data_are_right
check "a restart" restart
check "the array is whole" await 30 whole
check "what was durable is there" zone_holds 9 0 176
check "data are right" data_are_right
finish
