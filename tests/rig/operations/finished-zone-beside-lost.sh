#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive is missing, and another one finishes a zone by itself: after a power cut, a unit that was
# never written may count as written; after a clean stop the start is refused, also with the option
# degraded, and nothing is changed.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "two stripes and two units, the next one is op1's" zone_write 9 0 160 16
check "a drive without a part of the third stripe fails" raizn fail $VOLUME 2 --force
check "all is durable" sync $DEV
power_cut
check "op1 finishes its part of the zone" blkzone finish -o "$(zone_at op1 9)" -c 1 /dev/op1
check "start" start
check "the zone ends one unit later" eval \
	'blkzone report -o $((9 * ZONE)) -c 1 $DEV | grep "wptr 0x000160"'
check "what was written is there" zone_holds 9 0 160
check_equal "the unit behind it was not written" "$(unreadable 44)" "40 right, 0 refused, 4 wrong"
check "data are right" data_are_right

check "stop" raizn stop $VOLUME
check "op1 finishes its part of zone 3" blkzone finish -o "$(zone_at op1 3)" -c 1 /dev/op1
before=$(fingerprint /dev/op{0,1,3,4})
for degraded in "" --degraded; do
	kernel_log_new >/dev/null
	# shellcheck disable=SC2086
	exits "a start${degraded:+ $degraded}" 1 raizn start $VOLUME $degraded
	check_true "it names the zone" \
		"$(kernel_log_new | grep -c 'logical zone 3: .* do not belong together') == 1"
done
check_equal "nothing was written" "$(fingerprint /dev/op{0,1,3,4})" "$before"
finish
