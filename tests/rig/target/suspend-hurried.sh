#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Suspends while fio writes as fast as it can, with all its writes under way in one zone:
# some are held back by each suspend, and others come at once after it.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/load.sh"
up
load_begins "fio" fio --name=load --filename="$DEV" --zonemode=zbd --direct=1 \
	--rw=write --bs=16k --ioengine=libaio --iodepth=32 --offset=4z --size=8z \
	--io_size=100G --max_open_zones=1 --time_based --runtime=1000
for ((i = $(scaled 100 20); i > 0; i--)); do
	suspend_resume --nolockfs || break
done
check_equal "suspends to the end" $i 0
check "fio works" load_works
kill $LOAD
# That is what it says when it was told to end and no write had failed.
load_ends "fio with many writes of a zone under way" 128
check "flush" sync "$DEV"
parity "members and volume" --volume "$DEV"
down
finish
