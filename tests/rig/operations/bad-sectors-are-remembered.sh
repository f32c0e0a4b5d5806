#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The sectors that a drive cannot read are known when it was away for a moment, too: another
# drive, which is needed for them, cannot be spared.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
free=$(free_zones op1)
check "a drive has no free zones" simulated_zones_turn op1 readonly $free
check "it cannot read some sectors of a zone" bad_stripes op1 1
check "data are right" data_are_right
check "the error was seen" await 30 status_is action idle member1 '[1-9]*,*,*'
refused "another drive cannot be spared" 1 'cannot be spared' \
	raizn fail $VOLUME 2 --force
check "the drive fails" raizn fail $VOLUME 1 --force
check "and is taken back" raizn add $VOLUME /dev/op1
check "it is whole" await 30 letters_are AAAAA
refused "the other drive still cannot be spared" 1 'cannot be spared' \
	raizn fail $VOLUME 2 --force
check "good sectors again" good_sectors op1
check "and good zones" simulated_zones_turn op1 empty $free
check "a restart" restart
check "the array is whole" await 30 whole
check "data are right" data_are_right
finish
