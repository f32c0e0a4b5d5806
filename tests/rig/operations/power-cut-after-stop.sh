#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An array that was stopped cleanly has all of its data when the drives lose power, also data that
# nobody flushed.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "zone 4 has a little data" zone_write 4 0 8
check "stop" dmsetup remove --retry $VOLUME
check "the power is off" eval 'simulated_set . keep none && simulated_set . power 0'
check "the power is on again" simulated_set . power 1
check "start" start
check "the array is whole" whole
check "data are right" data_are_right
check "zone 4 is right" zone_holds 4 0 8
finish
