#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A zone of a drive that was given up cannot be reset when the array stops: no data are in it,
# and the start does not mind.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a drive cannot read a sector" simulated_set op1 bad_sectors "$(zone_at op1 0) 8"
check "scrub" eval "raizn scrub $VOLUME --wait || true"
check "the column is healed, and elsewhere" await 30 healed 1
check "resets of the drive fail" simulated_set op1 fault "reset 1 times=100 status=ioerr"
check "stop" raizn stop $VOLUME
check "the drive works again" eval \
	'simulated_set op1 fault clear && good_sectors op1'
check "start" start
check "the array is whole" whole
check "data are right" data_are_right
finish
