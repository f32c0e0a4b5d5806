#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A scrub compares a zone to the end of its data also when the zone is finished while the
# scrub is in it, or when a finish of it is under way as the scrub comes.
. "$(dirname "$0")/harness.sh"

# Zone 4 has room left, and its last but some stripes hold one that does not match.
wrong_near_the_end()
{
	check "zone 4 has some room left" zone_write 4 0 5888 "" fsync
	check "a stripe near its end changes silently" eval \
		"echo $(($(zone_at op0 4) + 80 * 32)) 8 >$GROUP/op0/flip"
}

scrub_has_found_it()
{
	check "the scrub ends" await 60 status_is action idle
	check_equal "it has found the stripe" "$(json .mismatches)" 1
}

array_up
wrong_near_the_end
check "slowly" raizn set $VOLUME speed_max=256K
check "scrub" raizn scrub $VOLUME --from 4
check "it is in zone 4" await 30 scrub_is_at 4
check "which is finished" zone_finish 4
check "at full speed" raizn set $VOLUME speed_max=0
scrub_has_found_it

check "zone 4 is reset" zone_reset 4
wrong_near_the_end
check "drives are slow" simulated_latency 300000
zone_finish 4 &
check "a finish is under way" await 10 zone_is_full 4
check "scrub" dmsetup message $VOLUME 0 scrub check 4
check "drives are fast" simulated_latency 0
check "the finish succeeds" wait $!
scrub_has_found_it
finish
