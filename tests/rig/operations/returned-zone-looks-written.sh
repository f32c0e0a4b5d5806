#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive is back, and another one cannot read the end of a zone that would tell whether the
# returned drive has all of it: it has, as its end looks written.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check_equal "zone 1 is full" "$(on_drive op1 1)" 3072
check "a drive fails" raizn fail $VOLUME 1 --force
check "another one cannot read the end of its zone" simulated_set op3 bad_sectors \
	"$(($(home 1) * 4096 + 3072 - 128)) 128"
check "take the first one back" raizn add $VOLUME /dev/op1
rebuild_ends
check "all is whole, and healed" await 30 status_is state active action idle \
	member3 '*,1'
check "good sectors again" good_sectors op3
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
