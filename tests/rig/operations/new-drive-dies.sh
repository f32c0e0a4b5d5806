#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A new drive that takes no writes does not become a member. If it does not even take the trial,
# nothing changes; if it fails later, replace says so, the array goes on, and the old drive is
# taken back: by replace itself, if it was copied.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a new drive" simulated_drive op5
check "it does not write" simulated_set op5 fault "append 1 times=100000 status=ioerr"
check_fails "replace" 'does not take a zone append' raizn replace --no-copy $VOLUME 4 /dev/op5 \
	--force
check "nothing has changed" whole
check "it writes" simulated_set op5 fault clear
check "but not for long" simulated_set op5 fault "append 3 times=100000 status=ioerr"
check_fails "replace by a copy" 'slot 4 has its former drive again' \
	raizn replace $VOLUME 4 /dev/op5
rebuild_ends
check "the array is whole" whole
check_equal "the drive is the old one" "$(json '.members[4].device')" /dev/op4
check "it writes" simulated_set op5 fault clear
check "but not for long" simulated_set op5 fault "append 3 times=100000 status=ioerr"
check_fails "replace" 'see the kernel log' raizn replace --no-copy $VOLUME 4 /dev/op5 --force
check "the array goes on" letters_are AAAA-
shows "the old drive is taken back" 'is (back )?in slot 4' raizn add $VOLUME /dev/op4
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check "data are right" data_are_right
check "the new drive is free" rmdir "$GROUP/op5"
finish
