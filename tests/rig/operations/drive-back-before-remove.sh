#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive that was pulled comes back under its name while the array still holds what was
# there before: the command that status advises takes it back, and so does replace.
. "$(dirname "$0")/harness.sh"

# pulled: op4 is gone, and the array knows it.
pulled()
{
	simulated_set op4 unplug 1
	check "the array knows that the drive is gone" raizn fail $VOLUME 4 --lose --force
	check "the array still holds it" letters_are AAAAF
	check "the drive is back" simulated_set op4 power 1
}

array_up
fill_zones
pulled
advice_helps $VOLUME add-back active
check "the array is whole" whole
check "data are right" data_are_right

pulled
check "replace by another drive" eval 'simulated_drive op5 && raizn replace $VOLUME 4 /dev/op5'
rebuild_ends
check "the array is whole" whole
check "data are right" data_are_right
finish
