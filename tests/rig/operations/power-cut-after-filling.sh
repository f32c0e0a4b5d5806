#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Power fails when as many zones as can be active were filled, without a flush, and another one was
# begun: the drives have kept the ends of full zones, so no more zones are active than before.
. "$(dirname "$0")/harness.sh"

# each FUNCTION ARGUMENT...: of each zone but the last one
each()
{
	local zone

	for ((zone = 0; zone < LAST; zone++)); do
		"$1" $zone "${@:2}" || return 1
	done
}

array_up
read -r LAST <"/sys/block/$(sysfs_name $DEV)/queue/max_active_zones"
check "$LAST zones have a unit" each zone_write 0 16
check "all is durable" sync $DEV
check "they are filled" each zone_write 16 $((CAPACITY - 16))
check "another one has a unit, by FUA" fio --name=fua --filename=$DEV --zonemode=zbd --rw=write \
	--bs=16k --io_size=16k --offset=$((LAST * ZONE * 512)) --size=1z --direct=1 \
	--ioengine=libaio --sync=1
power_cut none
check "start" start
check "the array is whole" whole
check "they are full" each zone_is_full
check "data are right" data_are_right
finish
