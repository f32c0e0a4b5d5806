#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Suspend, resume and reload of the table while fio writes, which reads all of it back in
# the end.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/load.sh"
up
# The report of zones that fio asks for in the beginning must not meet a suspended
# device.
LOAD_VERIFIES=1
load_begins "fio" fio --name=load --filename="$DEV" --zonemode=zbd --direct=1 \
	--rw=write --bs="$(odd_size 36)" --ioengine=libaio --iodepth=8 \
	--offset=4z --size=8z --io_size="$(scaled 300 60)M" \
	--rate="$(scaled 12 1)m" --fsync=100 --verify=crc32c \
	--verify_fatal=1 --verify_interval=4k --verify_state_save=0
suspend_and_reload "$(dmsetup table "$VOLUME")" fio
load_ends "fio verifies what it wrote"
check "flush" sync "$DEV"
parity "members and volume" --volume "$DEV"
down
finish
