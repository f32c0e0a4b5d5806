#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A user has tens of thousands of writes of a zone under way in reverse order while the volume
# is suspended: all are carried out after the resume, and no CPU is kept busy with that.
# Users who write other zones meanwhile, in order or not, see no error.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/load.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

NR=$(scaled 60000 8192 60000)

simulated_group reversed || exit 1
check "drives" simulated_drives rv 5 nr_zones=16 zone_size_kib=65536 \
	zone_capacity_kib=65536 || finish
VOLUME=reversed
DEV=/dev/mapper/$VOLUME
check "an array" raizn create $VOLUME /dev/rv{0..4} || finish
at_exit "raizn stop $VOLUME"
dmsetup mknodes $VOLUME
echo $((1 << 17)) >/proc/sys/fs/aio-max-nr
load_begins "another user" fio --name=other --filename=$DEV --zonemode=zbd --direct=1 \
	--rw=write --bs=16k --ioengine=libaio --iodepth=32 --offset=4z --size=4z \
	--io_size=100G --max_open_zones=1 --time_based --runtime=1000
check "suspend" dmsetup suspend $VOLUME
reversed $DEV 0 "$NR" >"$TMP/reversed" 2>&1 &
load=$!
at_exit "dmsetup resume $VOLUME; kill $load"
check "$NR writes in reverse order" await 120 grep -q submitted "$TMP/reversed"
# A zone of the volume is one zone of each of the four drives with data.
reversed $DEV $((2 * 4 * 65536 * 2)) 64 >"$TMP/few" 2>&1 &
few=$!
at_exit "kill $few"
check "a few in another zone" await 120 grep -q submitted "$TMP/few"
check "resume" dmsetup resume $VOLUME
check "suspend again, at once" dmsetup suspend $VOLUME
check "resume again" dmsetup resume $VOLUME
check "all are written" wait $load || rig_show "$TMP/reversed"
check "the few are written" wait $few || rig_show "$TMP/few"
check "the other user works" load_works
kill "$LOAD"
# That is what it says when it was told to end and no write had failed.
load_ends "the other user" 128
check "flush" sync $DEV
check "parity and data agree" parity_check --volume $DEV /dev/rv{0..4}
finish
