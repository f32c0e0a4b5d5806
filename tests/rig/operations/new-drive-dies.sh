#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A new drive that takes no writes does not become a member: replace says so, the array goes
# on, and the old drive can be taken back.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a new drive" simulated_drive op5
check "it does not write" simulated_set op5 fault "append 1 times=100000 status=ioerr"
check_fails "replace" 'see the kernel log' raizn replace --no-copy $VOLUME 4 /dev/op5 --force
check "the array goes on" letters_are AAAA-
shows "the old drive is taken back" 'is (back )?in slot 4' raizn add $VOLUME /dev/op4
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check "the new drive is free" rmdir "$GROUP/op5"
finish
