#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive cannot read a block in a zone that another one is missing from: that counts as one
# error however often it is read, and is healed as soon as the other drive is back.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a drive fails" raizn fail $VOLUME 1 --force
check "another one cannot read a block" simulated_set op3 bad_sectors \
	"$(($(home 1) * 4096 + 64)) 8"
for _ in 1 2 3; do
	check_fails "data that need both are an error" 'error' \
		dd if=$DEV of=/dev/null bs=64k iflag=direct status=none \
		count=$((2 * ZONE / 128))
done
check "it counts once" json_is '.members[3].read_errors' 1
check "take the first one back" raizn add $VOLUME /dev/op1
check "all is whole, and healed" await 60 status_is state active action idle \
	member3 '*,1'
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
check "good sectors again" good_sectors op3
finish
