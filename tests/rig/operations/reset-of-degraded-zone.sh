#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone that lacks a column is reset, and another drive's part of it is read-only just then:
# that drive gets another zone for it, and the zone takes data.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "some stripes" zone_write 9 0 1280
check "a drive fails" raizn fail $VOLUME 1 --force
check "another drive's part turns read-only" simulated_zones_turn op3 readonly "$(home 9)"
check "reset" zone_reset 9
check "the array goes on" status_is state degraded
check "the other drive has another zone for it" await 30 status_is member3 '*,[1-9]*'
check "the zone is written again" zone_write 9 0 768
check "what was written is there" zone_holds 9 0 768
check "the first drive is back" raizn add $VOLUME /dev/op1
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
