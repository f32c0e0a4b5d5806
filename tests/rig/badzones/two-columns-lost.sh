#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two columns of a zone are gone: the zone is read-only, no data are made up, and what there
# is can be read.
. "$(dirname "$0")/harness.sh"

check "an array" make_array || finish
check "data" fill_zones
check "keep what a full zone holds" dd if=$DEV of="$TMP/zone" bs=64k \
	count=96 iflag=direct status=none
check "stop" dmsetup remove --retry $VOLUME
check "zones turn bad" eval 'spoil 0 offline 1 0 && spoil 3 offline 1 0'
kernel_log_new >/dev/null
check "start" start
check_true "the kernel log says which zone" \
	"$(kernel_log_new | grep -c 'logical zone 1: more is lost') == 1"
check_equal "the zone is reported as read-only" \
	"$(blkzone report -o "$ZONE" -c 1 $DEV | grep -o '(ro)')" "(ro)"
check_fails "it takes no writes" "." dd if=/dev/zero of=$DEV \
	bs=4k count=1 oflag=direct,seek_bytes conv=notrunc \
	seek=$(((ZONE + 637 * 8) * 512))
# Of five units of each stripe, three are left: two or three of data.
check_equal "units of a full zone" "$(what_is_read "$TMP/zone" 16384 384)" \
	"$((384 * 3 / 5)) right, $((384 * 2 / 5 + 1)) refused, 0 wrong"
check_fails "reads beyond the write pointer are refused, as nothing tells what is there" \
	"Input/output error" dd if=$DEV of=/dev/null bs=4k count=1 \
	iflag=direct,skip_bytes skip=$(((ZONE + 1000 * 8) * 512))
check "other zones can be read" dd if=$DEV of=/dev/null bs=1M \
	count=4 iflag=direct,skip_bytes skip=$((2 * ZONE * 512)) status=none
check "stop for good" drop_array
finish
