#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two drives go while a user has far more writes under way than the array takes at once, most
# of which overtook those before them in a suspend: all of them end, with an error.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

simulated_group lost || exit 1
check "drives" simulated_drives lo 5 nr_zones=10 zone_size_kib=524288 \
	zone_capacity_kib=524288 || finish
VOLUME=lost
DEV=/dev/mapper/$VOLUME
check "an array" raizn create $VOLUME /dev/lo{0..4} || finish
at_exit "raizn stop $VOLUME"
dmsetup mknodes $VOLUME
echo $((1 << 17)) >/proc/sys/fs/aio-max-nr
check "suspend" dmsetup suspend $VOLUME
reversed $DEV 0 20000 >"$TMP/load" 2>&1 &
load=$!
at_exit "dmsetup resume $VOLUME; kill $load"
is_busy()
{
	[ "$(awk '$1 == "write" { print $2 }' "$GROUP/lo0/counters")" -gt 10 ]
}
has_ended()
{
	! kill -0 $load 2>/dev/null
}
# Each command takes so long that no fast machine is done before the drives go.
check "drives are slow" simulated_latency 200000
check "writes in reverse order" await 60 grep -q submitted "$TMP/load"
check "resume" dmsetup resume $VOLUME
check "it writes" await 20 is_busy
check "a drive goes" simulated_set lo1 unplug 1
check "another one goes" simulated_set lo3 unplug 1
check "all writes end" await 30 has_ended
check "with errors" grep -q "of 20000 writes failed" "$TMP/load" || rig_show "$TMP/load"
finish
