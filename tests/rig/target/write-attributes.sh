#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Writes to drives have the I/O priority and the write hint of the user's write, where the
# kernel keeps their order, and writes of one zone with many priorities stay in order.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

# Sectors that all drives wrote, by what a line of their counters begins with.
written_by()
{
	cat "$GROUP"/at?/counters | awk -v of="$1" '$1 == of { n += $NF } END { print n + 0 }'
}

# write_with CLASS HINT: a stripe, and a half, where zone 0 goes on.
write_with()
{
	for drive in "$GROUP"/at?; do
		echo 0 >"$drive/counters"
	done
	check "write of class $1, hint $2" attributes $DEV $((at * 2)) 384 "$1" "$1" "$2"
	at=$((at + 384))
}

simulated_group attributes || exit 1
check "drives" simulated_drives at 5 nr_zones=16 zone_size_kib=16384 \
	zone_capacity_kib=16384 || finish
VOLUME=attributes
DEV=/dev/mapper/$VOLUME
check "an array" raizn create --stripe-unit 64K $VOLUME /dev/at{0..4} || finish
at_exit "raizn stop $VOLUME"
dmsetup mknodes $VOLUME
at=0
# Before 6.10 the I/O scheduler may write the urgent ones first, even within a zone.
kept=true
[ "$(printf '%s\n' 6.10 "$(uname -r)" | sort -V | head -n 1)" = 6.10 ] || kept=false
# A stripe of 4 units of data and one of parity, and then two units.
all=$((7 * 128))
write_with 1 2
if $kept; then
	check_equal "sectors of the real-time class" "$(written_by class1)" $all
	check_equal "sectors with that hint" "$(written_by hint2)" $all
else
	check_equal "sectors of the best-effort class" "$(written_by class2)" $all
fi
# Two units and the parity; a stripe.
all=$((8 * 128))
write_with 3 5
if $kept; then
	check_equal "sectors of the idle class" "$(written_by class3)" $all
	check_equal "sectors with that hint" "$(written_by hint5)" $all
else
	check_equal "sectors of the best-effort class" "$(written_by class2)" $all
fi
write_with 0 0
check_equal "sectors of the best-effort class without one" "$(written_by class2)" $((7 * 128))
check_equal "sectors without a hint" "$(written_by hint0)" $((7 * 128))
if $kept; then
	DEV_NAME=$(sysfs_name $DEV)
	check "drives take their time" simulated_latency 500
	check "192 writes of 256 KiB at once, of 8 priorities" \
		backlog $DEV "$(queue chunk_sectors)" 256 192 priorities
fi
check "flush" sync $DEV
check "parity and data agree" parity_check --min-stripes 4 --volume $DEV /dev/at{0..4}
finish
