#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Logs that get full go on in another zone, under flushed writes and under resets; the
# volume is the same after a restart.
. "$(dirname "$0")/harness.sh"

# Of four zones, one block at a time.
flushed()
{
	fio --name=flush --filename="$DEV" --zonemode=zbd --direct=1 --bs=4k \
	    --verify=crc32c --verify_fatal=1 --verify_state_save=0 "$@"
}

# Log zones of 3 MiB fill up after some 380 records of 8 KiB.
RIG_MEMBER_SETTINGS=("${SMALL_ZONES[@]}")
for mode in back through; do
	up --write-cache $mode
	before=$(status_field log_switches)
	n=$(scaled 1500 400)
	check "$((4 * n)) flushed writes, $mode" flushed --rw=write --ioengine=psync \
		--fsync=1 --numjobs=4 --offset_increment=1z --offset=0 --size=1z \
		--io_size=$((n * 4))k --group_reporting
	n=$(($(status_field log_switches) - before))
	note "log switches by flushes: $n"
	check_true "the parity logs switched, $mode" "$n >= 2"
	check "flush, $mode" sync "$DEV"
	parity "members and volume, $mode" --volume "$DEV" --min-stripes 1

	before=$(status_field log_switches)
	n=$(scaled 2000 800)
	check "$n resets, $mode" resets "$n"
	n=$(($(status_field log_switches) - before))
	note "log switches by resets: $n"
	check_true "the general logs switched, $mode" "$n >= 5"
	check "zone model, $mode" zonemodel --first 16 --ops "$(scaled 500 100)" \
		--threads 2 --budget 50 --save "$TMP/model" "$DEV"
	check "restart, $mode" volume_restart
	check "read back, $mode" flushed --rw=read --ioengine=libaio --iodepth=8 \
		--offset=0 --size=4z
	check "zone model after restart, $mode" zonemodel --first 16 \
		--load "$TMP/model" --verify "$DEV"
	parity "members and volume after restart, $mode" --volume "$DEV" --min-stripes 0
	down "$mode: down"
done
finish
