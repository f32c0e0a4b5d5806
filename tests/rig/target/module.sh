#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module comes, works and goes, three times, and leaves nothing: no slab, no work
# queue, no target, no memory.
. "$(dirname "$0")/harness.sh"
KMEMLEAK=/sys/kernel/debug/kmemleak
check "unload" unload_module
if [ -e $KMEMLEAK ]; then
	# What was lost before is not meant.
	echo scan >$KMEMLEAK
	echo clear >$KMEMLEAK
fi

# An object counts as lost when it is 5 seconds old at the beginning of a scan, and did
# not change since the one before.
lost_memory()
{
	echo scan >$KMEMLEAK
	sleep 5.1
	echo scan >$KMEMLEAK
	grep -A40 '^unreferenced' $KMEMLEAK | grep -B40 -A8 'raizn'
}

for i in 1 2 3; do
	check "load, $i" load_module
	up
	check "work, $i" zonemodel --ops "$(scaled 200 60)" --threads 2 --budget 60 "$DEV"
	check_fails "in use, it stays, $i" "in use" rmmod dm-raizn
	down "array down, $i"
	check "unload, $i" unload_module
	check "no slab is left, $i" test -z "$(compgen -G '/sys/kernel/slab/*raizn*')"
	check "no work queue is left, $i" \
		test -z "$(compgen -G '/sys/bus/workqueue/devices/*raizn*')"
	check "the target is gone, $i" test -z "$(dmsetup targets | grep '^raizn')"
done
if [ -e $KMEMLEAK ]; then
	check_equal "no memory is lost" "$(lost_memory | tee "$TMP/output" | wc -l)" 0
	rig_show "$TMP/output"
else
	skip "no memory is lost" "kmemleak is not in this kernel"
fi
finish
