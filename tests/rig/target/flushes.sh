#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Drives with a volatile cache get flushes, but only when there is something to flush; a
# write-through volume has all on its members without any.
. "$(dirname "$0")/harness.sh"
RIG_MEMBER_SETTINGS=(cache_size=4)
up
if [ "$(cat "/sys/block/${DRIVES[0]##*/}/queue/write_cache")" != "write back" ]; then
	skip "drives with a cache" "null_blk has none here"
else
	before=$(status_field flushes)
	check "write and flush" write_zone 0 2048 64
	check_true "drives were flushed" "$(status_field flushes) > before"
	before=$(status_field flushes)
	check "once more, nothing new" sync "$DEV"
	check_equal "none were sent" "$(status_field flushes)" "$before"
	check "zone model" zonemodel --reset --threads 2 --ops "$(scaled 300 100)" \
		--budget 100 "$DEV"
	check "flush" sync "$DEV"
	parity "members and volume" --min-stripes 0 --volume "$DEV"
fi
down

RIG_MEMBER_SETTINGS=()
up --write-cache through
check "write through" write_deep --iodepth=8 --bs="$(odd_size 20)" --size=1z --io_size=4M
parity "members hold all without a flush" --volume "$DEV" --min-stripes 8
down "write-through: down"
finish
