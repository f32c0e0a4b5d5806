#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An empty zone is lost on two drives: it is reported as empty, and takes writes as soon as one of them
# has another zone for it.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
free=$(free_zones op3)
check "two drives have no free zones" eval 'simulated_zones_turn op2 readonly $(free_zones op2) &&
	simulated_zones_turn op3 readonly $free'
check "an empty zone is lost on both" eval \
	'simulated_zones_turn op2 offline $(home 11) &&
	 simulated_zones_turn op3 offline $(home 11)'
check "a restart" restart
check "it is reported as empty" eval 'blkzone report -o $((11 * ZONE)) -c 1 $DEV | grep "(em)"'
check_fails "it takes no writes" 'Input/output error' zone_write 11 0 512
check "data are right" data_are_right
check "free zones of a drive work again" simulated_zones_turn op3 empty $free
check "a restart" restart
check "that has another zone for it" await 30 status_is degraded 1 action idle
check "it takes writes" zone_write 11 0 512
check "and a reset" zone_reset 11
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
