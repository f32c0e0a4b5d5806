#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Many zones are filled without a flush, and the drives lose the ends of them in a power cut:
# no more zones are open again than the array has room for, and it starts.
. "$(dirname "$0")/harness.sh"

check "another array makes all of them faster" faster
at_exit faster_no_more
for seed in 1 2 3 4; do
	what="seed $seed"
	check "$what: an array" make_array || finish
	simulated_set . seed $seed
	for ((zone = 0; zone < 16; zone++)); do
		dd if=/dev/zero of=$DEV bs=512k count=12 status=none \
			oflag=direct,seek_bytes conv=notrunc \
			seek=$((zone * ZONE * 512)) || break
	done
	check_equal "$what: so many zones are filled" $zone 16
	simulated_set . power 0
	dmsetup remove --retry $VOLUME
	simulated_set . power 1
	check "$what: start after the power cut" start || {
		dmesg | grep raizn | tail -n 3 | sed 's/^/# /'
		finish
	}
	check "$what: stop for good" drop_array
done
finish
