#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Sectors of a member on dm-crypt that were never written look written. So if its drive has finished
# a zone by itself while it was away, and another drive cannot read the end of its part, the part of
# the first one is taken for whole. A scrub finds the wrong data.
. "$(dirname "$0")/harness.sh"

# crypt_up: all drives below /dev/mapper/crypt0 and so on
crypt_up()
{
	local i

	for i in 0 1 2 3 4; do
		at_exit "dmsetup remove --retry crypt$i"
		dmsetup create crypt$i --table "0 $(blockdev --getsz /dev/op$i) crypt \
			aes-xts-plain64 $(printf '%064d' 7) 0 /dev/op$i 0" || return 1
	done
	dmsetup mknodes
}

if ! modprobe dm-crypt && ! dmsetup targets | grep -q ^crypt; then
	skip "members on dm-crypt" "not in this kernel"
	finish
fi
drives_up 5
check "encrypted drives" crypt_up || finish
at_exit "raizn stop $VOLUME"
array_of /dev/mapper/crypt{0..4}
check "zone 1 is half full" zone_write 1 0 3072
check "a drive fails" raizn fail $VOLUME 1 --force
check "zone 1 is full" zone_write 1 3072 3072
check "the drive finishes its part" simulated_zones_turn op1 full "$(home 1)"
check "another one cannot read the end of its part" simulated_set op3 bad_sectors \
	"$(($(home 1) * 4096 + 3072 - 128)) 128"
check "the first one is taken back" raizn add $VOLUME /dev/mapper/crypt1
rebuild_ends
check "its part was taken for whole" whole
read=$(what_is_read "$TMP/data" 4096 1536 $ZONE)
note "$read"
check_true "data behind the first half is wrong" "${read%% *} < 1536"
check "the first half is right" zone_holds 1 0 3072
check_fails "scrub finds it" 'stripes did not match' raizn scrub $VOLUME --wait
finish
