#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive is back, and another one cannot read the end of a zone that would tell whether the
# returned drive has all of it, as its end is zeros: the zone is not thrown away, and written
# anew elsewhere when all can be read again.
. "$(dirname "$0")/harness.sh"

array_up
fill_zones
check "a zone that ends with zeros" eval "{
	head -c $((CAPACITY * 1024 - (1 << 20))) $TMP/data
	head -c $((1 << 20)) /dev/zero; } >$TMP/zeros &&
	dd if=$TMP/zeros of=$DEV bs=256k status=none conv=notrunc,fsync \
		oflag=direct,seek_bytes seek=$((8 * ZONE * 512))"
check_equal "it is full" "$(on_drive op1 8)" 3072
check "a drive fails" raizn fail $VOLUME 1 --force
check "another one cannot read the end of its zone" simulated_set op3 bad_sectors \
	"$(($(home 8) * 4096 + 3072 - 256)) 256"
check "take the first one back" raizn add $VOLUME /dev/op1
exits "it cannot be rebuilt" 1 timeout 60 raizn rebuild $VOLUME --wait
check_equal "the zone holds what it held" "$(written_at op1 8)" 3072
check "good sectors again" good_sectors op3
rebuild_ends
check "the array is whole" await 30 whole
check "all of the zone is right" eval "dd if=$DEV bs=256k iflag=direct,skip_bytes \
	status=none skip=$((8 * ZONE * 512)) |
	cmp -n $((CAPACITY * 1024)) - $TMP/zeros"
check "data are right" data_are_right
check "parity is right" raizn scrub $VOLUME --wait
finish
