#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The queue of the volume has the limits of its layout, for members with and without
# limits of their own, with blocks of 4096 and of 512 bytes.
. "$(dirname "$0")/harness.sh"
up
check_equal "zoned" "$(queue zoned)" host-managed
check_equal "zone size" "$(queue chunk_sectors)" 131072
check_equal "zones" "$(queue nr_zones)" 41
check_equal "open zones" "$(queue max_open_zones)" 9
check_equal "active zones" "$(queue max_active_zones)" 9
check_equal "smallest good I/O" "$(queue minimum_io_size)" 65536
check_equal "best I/O" "$(queue optimal_io_size)" 262144
check_equal "logical block" "$(queue logical_block_size)" 4096
check_equal "write granularity" "$(queue zone_write_granularity)" 4096
check_true "zone append" "$(queue zone_append_max_bytes) >= 65536"
check_equal "stable writes" "$(queue stable_writes)" 1
check_equal "discard" "$(queue discard_max_bytes)" 0
check_equal "a volatile cache" "$(queue write_cache)" "write back"
check_equal "FUA" "$(queue fua)" 1
check_equal "capacity of zones" "$(blkzone report -c 1 "$DEV" |
	sed 's/.*cap \(0x[0-9a-f]*\).*/\1/')" 0x018000
# It opens a device for itself alone.
check_fails "members are taken" "busy" blkdiscard "${DRIVES[0]}"
down

RIG_MEMBER_SETTINGS=(zone_max_open=0 zone_max_active=0)
up --stripe-unit 4K
note "members without limits: $(queue max_open_zones) open," \
     "$(queue max_active_zones) active"
check_equal "stripe unit" "$(queue minimum_io_size)" 4096
down "members without limits: down"

RIG_MEMBER_SETTINGS=(blocksize=512 zone_max_open=8)
up --write-cache through
check_equal "512-byte blocks" "$(queue logical_block_size)" 512
check_equal "fewer open zones" "$(queue max_open_zones)" 3
check_equal "write-through has no cache" "$(queue write_cache)" "write through"
down "512-byte blocks: down"
finish
