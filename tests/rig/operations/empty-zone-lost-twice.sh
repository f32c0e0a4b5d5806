#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An empty zone is lost on two drives: both have other zones for it, and it takes writes.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "an empty zone is lost on two drives" eval \
	'simulated_zones_turn op2 offline $(home 11) &&
	 simulated_zones_turn op3 offline $(home 11)'
check "a restart" restart
check "both have other zones for it" await 30 whole
check "it takes writes" zone_write 11 0 512
check "and a reset" zone_reset 11
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
