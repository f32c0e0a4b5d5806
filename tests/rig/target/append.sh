#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zone appends from several threads: each lands where the volume said, also where a zone
# gets full, and after a restart. Only the kernel can submit them: tests/append does.
. "$(dirname "$0")/harness.sh"
if [ -z "$(find "$RIG_TOP" -name zone_append.ko -print -quit)" ]; then
	skip "append" "zone_append.ko is not built"
	finish
fi
for mode in back through; do
	up --write-cache $mode
	check "many zones, $mode" append zones=8 threads=4 appends="$(scaled 600 150)"
	check "flush, $mode" sync "$DEV"
	parity "members and volume, $mode" --volume "$DEV"
	check "reset, $mode" blkzone reset "$DEV"
	check "until a zone is full, $mode" append zones=1 threads=4 appends=200
	check "restart, $mode" volume_restart
	parity "members and volume after restart, $mode" --volume "$DEV"
	down "$mode: down"
done
RIG_MEMBER_SETTINGS=(blocksize=512 size=384)
up --stripe-unit 4K
check "small blocks and units" append first=3 zones=3 threads=3 \
	appends="$(scaled 600 150)" kib=64
check "small blocks and units, flush" sync "$DEV"
parity "small blocks and units, members and volume" --volume "$DEV"
down "small blocks and units: down"
note "$(dmesg | grep -c 'zone_append: .*: right') rounds were right"
finish
