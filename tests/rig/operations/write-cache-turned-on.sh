#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The volatile write cache of the drives is turned on while the array runs: the next flush notices,
# and nothing that was flushed or written with O_DSYNC is lost in a power cut.
. "$(dirname "$0")/harness.sh"

# caches_are STATE: as the kernel knows them. The drives always have one, and use it.
caches_are()
{
	local drive

	for drive in op0 op1 op2 op3 op4; do
		echo "$1" >/sys/block/$drive/queue/write_cache || return 1
	done
}

drives_up 5
check "the caches are off" caches_are "write through"
array_of /dev/op{0..4}
check "the caches are turned on" caches_are "write back"
check "a write, and a flush" zone_write 8 0 128 "" fsync
check "a write, and one with O_DSYNC" eval 'zone_write 9 0 128 && zone_write 9 128 16 16 dsync'
power_cut none
check "start" start
check "all is there" eval 'zone_holds 8 0 128 && zone_holds 9 0 144'
finish
