#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Simulated drives keep pages that repeat one word without memory, and all the same what
# was written. Those with 512e blocks take whole physical blocks only.
. "$(dirname "$0")/../../lib/rig.sh"
. "$(dirname "$0")/../../lib/simulated.sh"
scenario

ZONE=4096			# sectors
simulated_group words || exit 1
simulated_drive words nr_zones=8 nr_conventional=1 block_size=512 || exit 1

# put SECTOR SECTORS: from the file of data, which goes on where the drive does.
put()
{
	dd if="$TMP/data" of=/dev/words bs=512 count="$2" seek="$1" \
		skip=$(($1 % ZONE)) oflag=direct conv=notrunc status=none
}

# holds SECTOR SECTORS: what is in the file of data there.
holds()
{
	dd if=/dev/words bs=512 skip="$1" count="$2" iflag=direct status=none |
		cmp - <(dd if="$TMP/data" bs=512 skip=$(($1 % ZONE)) count="$2" status=none)
}

not()
{
	! "$@"
}

# Pages of one word each, the last of one with the highest bit: that is kept as it is.
for word in abcdefgh ABCDEFGH '\0\0\0\0\0\0\0\0' '\0\0\0\0\0\0\0\200'; do
	for ((i = 0; i < 512; i++)); do
		printf '%b' "$word"
	done
done >"$TMP/words"
cp "$TMP/words" "$TMP/data"
put $ZONE 32
check "pages of one word" holds $ZONE 32
check "... a sector of one" holds $((ZONE + 3)) 1
check "... from the middle of one to that of another" holds $((ZONE + 5)) 9
for ((i = 0; i < 32; i++)); do
	put $((2 * ZONE + i)) 1
done
check "pages that become so by parts" holds $((2 * ZONE)) 32

put 0 32
dd if=/dev/urandom of="$TMP/data" bs=512 seek=10 count=3 conv=notrunc status=none
put 10 3
check "a part of one is written anew" holds 0 32
cp "$TMP/words" "$TMP/data"
put 10 3
check "... and again" holds 0 32

echo "$((ZONE + 9)) 1" >"$GROUP/words/flip"
check "one sector is flipped" not holds $((ZONE + 9)) 1
check "... that one only" eval "holds $ZONE 9 && holds $((ZONE + 10)) 22"

# What a power cut leaves of a page, and what is written behind it.
echo none >"$GROUP/keep"
put $((3 * ZONE)) 3
sync /dev/words
put $((3 * ZONE + 3)) 29
echo 0 >"$GROUP/power"
echo 1 >"$GROUP/power"
check "a page is cut" holds $((3 * ZONE)) 3
dd if=/dev/urandom of="$TMP/data" bs=512 seek=3 count=29 conv=notrunc status=none
put $((3 * ZONE + 3)) 29
check "... and goes on with something else" holds $((3 * ZONE)) 32

# free_mib: memory that is free
free_mib()
{
	echo 3 >/proc/sys/vm/drop_caches
	awk '$1 == "MemFree:" { print int($2 / 1024) }' /proc/meminfo
}

simulated_drive large nr_zones=4 zone_size_kib=1048576 zone_capacity_kib=1048576 || exit 1
before=$(free_mib)
check "512 MiB of one word" dd if=/dev/zero of=/dev/large bs=4M count=128 oflag=direct \
	status=none
after=$(free_mib)
check_true "... take no more than 32 MiB" "$before - $after < 32"
blkzone reset -c 1 /dev/large

simulated_drive e512 block_size=512 physical_block_size=4096 write_granularity=4096 || exit 1
check_equal "512e: blocks, physical blocks, granularity" \
	"$(cat /sys/block/e512/queue/{logical_block_size,physical_block_size,zone_write_granularity} |
		xargs)" "512 4096 4096"
check "... a whole physical block" dd if="$TMP/data" of=/dev/e512 bs=4096 count=1 \
	oflag=direct conv=notrunc status=none
check_fails "... a part of one" "rror" dd if="$TMP/data" of=/dev/e512 bs=512 count=1 seek=8 \
	oflag=direct conv=notrunc status=none
finish
