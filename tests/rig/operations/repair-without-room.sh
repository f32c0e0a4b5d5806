#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A repair that has no zone to write to says what it leaves wrong and ends, instead of waiting
# for one.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
free=$(free_zones op1)
flip_parity 1
check "its drive has no free zones" simulated_zones_turn op1 readonly $free
check_fails "repair cannot write it" '1 stripe did not match, 0 repaired' \
	timeout 60 raizn scrub $VOLUME repair --wait --force
check "the free zones work again" simulated_zones_turn op1 empty $free
check "a restart" restart
shows "repair" '1 stripe did not match, 1 repaired' \
	raizn scrub $VOLUME repair --wait --force
check "nothing is left" raizn scrub $VOLUME --wait
check "the array is whole" whole
check "data are right" data_are_right
finish
