#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A rebuild cannot come to its end because another drive cannot read, not even its logs, so that
# nothing is taken for lost: rebuild --wait and status say what is left, and "raizn rebuild" tries
# it again.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a drive cannot read a sector" simulated_set op3 bad_sectors \
	"$(($(zone_at op3 0) + 64)) 8"
check "nor its logs" blind op3
check "a new drive" simulated_drive op5
check "replace a member" raizn replace --no-copy $VOLUME 0 /dev/op5 --force
exits "rebuild --wait ends" 1 timeout 60 raizn rebuild $VOLUME --wait
says "it says what is left" 'nothing is rebuilt, but 1 zone lacks a column'
shows "status: advice" \
	'the kernel log names the zones that cannot be rebuilt; .raizn rebuild ops. tries them again' \
	raizn status $VOLUME
check_equal "nothing is taken for lost" "$(json .lost_sectors)" 0
check "the sector can be read again" good_sectors op3
advice_helps $VOLUME rebuild-again active
check "the array is whole" whole
check "data are right" data_are_right
finish
