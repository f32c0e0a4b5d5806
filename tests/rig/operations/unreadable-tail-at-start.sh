#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Drives cannot read parts of an incomplete stripe that the start needs: what parity has is
# healed, and what it has not is an error until it can be read again, but not lost. A start ends if
# no drive has the parity of such a row.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
write_tail
check "stop" raizn stop $VOLUME
check "a drive cannot read a block of the end" bad_blocks op0 72
check "nor another one, in another row" bad_blocks op1 80
check "start" start
check_equal "all can be read" "$(unreadable 44)" 0
check "both are healed" await 30 status_is state active action idle \
	member0 '*,[1-9]*' member1 '*,[1-9]*'
check_equal "all can still be read" "$(unreadable 44)" 0
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait

check "another drive fails" raizn fail $VOLUME 4 --force
check_equal "all can be read without it" "$(unreadable 44)" 0
check "stop" raizn stop $VOLUME
check "the first one cannot read a block where it is now" bad_blocks op0 72
check "start" start
check "data are right" data_are_right
check_equal "this block cannot be read, nor the other one of its row" \
	"$(unreadable 44)" 2
check "good sectors again" good_sectors op0 op1
check "a restart" restart
check_equal "nothing was lost with that" "$(unreadable 44)" 0
check "the drive is back" raizn add $VOLUME /dev/op4
rebuild_ends
tail_is_right 44
check "data are right" data_are_right

check "the drive of its parity fails" raizn fail $VOLUME 3 --force
check "stop" raizn stop $VOLUME
check "another one cannot read a block of it" bad_blocks op0 72
for degraded in "" --degraded; do
	# shellcheck disable=SC2086
	exits "a start${degraded:+ $degraded}" 1 raizn start $VOLUME $degraded
	says "it is refused" 'member 0 .op0.: a read failed; .* start failed'
done
check "good sectors again" good_sectors op0
check "start" start
check_equal "nothing was lost with that" "$(unreadable 44)" 0
finish
