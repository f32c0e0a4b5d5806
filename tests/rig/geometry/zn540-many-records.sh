#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As many ZNS drives as an array takes, with the largest stripe unit: in as many zones as can be
# open each block of a stripe is durable before the next one is written. The records of partial
# parity, of which a start does not keep the superseded ones, do not make it fail after a power cut.
. "$(dirname "$0")/harness.sh"

# fill ZONE: its first stripe but for one block, block by block
fill()
{
	dd if="$TMP/data" of=$DEV bs=4k count=$BLOCKS oflag=direct,dsync,seek_bytes \
		seek=$(($1 * ZONE_SIZE * 512)) conv=notrunc status=none
}

# holds ZONE
holds()
{
	dd if=$DEV bs=1M iflag=direct,skip_bytes,count_bytes count=$((BLOCKS * 4096)) \
		skip=$(($1 * ZONE_SIZE * 512)) status=none | cmp -n $((BLOCKS * 4096)) - "$TMP/data"
}

fill_all()
{
	local zone jobs=()

	for ((zone = 0; zone < ACTIVE; zone++)); do
		fill $zone &
		jobs+=($!)
	done
	for zone in "${jobs[@]}"; do
		wait "$zone" || return
	done
}

all_hold()
{
	local zone

	for ((zone = 0; zone < ACTIVE; zone++)); do
		holds $zone || return
	done
}

array_of 32 zn540-1t
BLOCKS=$((D * 256 - 1))
head -c $((D << 20)) /dev/urandom >"$TMP/data"
check "create" raizn create $VOLUME "${MEMBERS[@]/#//dev/}" --stripe-unit 1M
at_exit stop
dmsetup mknodes $VOLUME
step "write a stripe of $ACTIVE zones" fill_all
records=$(awk '$1 == "append" { n += $2 } END { print n }' "$GROUP"/member*/counters)
check_true "records of partial parity" "$records >= $((BLOCKS * ACTIVE))"
echo 0 >"$GROUP/power"
check "remove the volume without power" dmsetup remove --retry $VOLUME
echo 1 >"$GROUP/power"
# With a drive less, the data that it had is decoded from records.
echo 1 >"$GROUP/member3/unplug"
step "start without a drive" raizn start $VOLUME --degraded
dmsetup mknodes $VOLUME
check "data are right" all_hold
check_equal "no zone is damaged" "$(status_field damaged)" 0
finish
