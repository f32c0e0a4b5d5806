#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A user has tens of thousands of writes of a zone under way in reverse order while the volume
# is suspended: all are carried out after the resume, and no CPU is kept busy with that.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

NR=$(scaled 60000 8192 60000)

simulated_group reversed || exit 1
check "drives" simulated_drives rv 5 nr_zones=12 zone_size_kib=65536 \
	zone_capacity_kib=65536 || finish
VOLUME=reversed
DEV=/dev/mapper/$VOLUME
check "an array" raizn create $VOLUME /dev/rv{0..4} || finish
at_exit "raizn stop $VOLUME"
dmsetup mknodes $VOLUME
echo $((1 << 17)) >/proc/sys/fs/aio-max-nr
check "suspend" dmsetup suspend $VOLUME
reversed $DEV 0 "$NR" >"$TMP/load" 2>&1 &
load=$!
at_exit "dmsetup resume $VOLUME; kill $load"
check "$NR writes in reverse order" await 120 grep -q submitted "$TMP/load"
check "resume" dmsetup resume $VOLUME
check "suspend again, at once" dmsetup suspend $VOLUME
check "resume again" dmsetup resume $VOLUME
check "all are written" wait $load || rig_show "$TMP/load"
check "flush" sync $DEV
check "parity and data agree" parity_check --volume $DEV /dev/rv{0..4}
finish
