#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The status line has its shape, and its counters add up: data, parity, partial parity,
# open and active zones, flushes.
. "$(dirname "$0")/harness.sh"
up

# counters_add_up SECTORS: nothing written by users is lost in the sums. The volume
# wrote so much in whole stripes of four units.
counters_add_up()
{
	check_equal "user sectors written, $1" "$(status_field user_written)" "$1"
	check_equal "data sectors written, $1" "$(status_field data)" "$1"
	check_equal "parity sectors written, $1" "$(status_field parity)" $(($1 / 4))
	check_equal "no partial parity, $1" "$(status_field partial_parity)" 0
}

pattern="^0 [0-9]+ raizn active 5 A{5} [0-9]+( [0-9]+){10} 0 0 9 9 back"
pattern+=" 0 idle 0 0 0 0 0 0 10240 0 20( 0,0,0){5} 0 0 0 0 0 [0-9]+ 0 0 0 9 0$"
status=$(dmsetup status "$VOLUME")
note "$status"
check "it has its shape" grep -Eq "$pattern" <(echo "$status")
counters_add_up 0
check "write 20 MiB" write_deep --iodepth=8 --bs=256k --size=1z --io_size=20M
counters_add_up $((20 * MIB_SECTORS))
check_equal "one zone open" "$(status_field open)" 1
check_equal "one zone active" "$(status_field active)" 1
check "read 4 MiB" dd if="$DEV" of=/dev/null bs=1M count=4 iflag=direct
check_true "sectors read" \
	"$(status_field user_read) >= 4 * 2048 &&
	 $(status_field member_read) >= 4 * 2048"
check "write 4 KiB, FUA" dd if=/dev/urandom of="$DEV" bs=4k count=1 \
	oflag=direct,sync,seek_bytes seek=$((ZONE * 512)) conv=notrunc
check_true "partial parity of it" \
	"$(status_field partial_parity) > 0 && $(status_field partial_parity) <= 16"
check_equal "no flush to drives without a cache" "$(status_field flushes)" 0
# The record of a write that is durable must be there now.
parity "members hold what FUA promised" --volume "$DEV"
check "reset" blkzone reset -c 2 "$DEV"
check_equal "no zone active" "$(status_field active)" 0
down
finish
