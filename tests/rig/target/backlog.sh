#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A user submits a gigabyte at once to drives that are slow, in a machine that has half of
# that: all of it is written, in the memory that the array allows for, and also if the volume
# is suspended again and again meanwhile.
# lab: own-boot --mem 512M
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

# Fewer do not come near the limit.
NR=$(scaled 4096 1024 4096)
ZONE_MIB=600

# What the module says that it holds, in MiB.
held_mib()
{
	dmsetup message "$VOLUME" 0 memory |
		sed -nE 's/.*active [0-9]+ bytes ([0-9]+); pools bytes ([0-9]+).*/\1 \2/p' |
		awk '{ printf "%d", ($1 + $2) / 1048576 }'
}

# Writes down the most that it ever says, until it is killed.
watch_memory()
{
	local now most=0

	while sleep 0.02; do
		now=$(held_mib)
		((now > most)) || continue
		most=$now
		echo "$most" >"$TMP/most"
	done
}

simulated_group backlog || exit 1
check "drives" simulated_drives bl 3 nr_zones=10 zone_size_kib=1048576 \
	zone_capacity_kib=$((ZONE_MIB * 1024)) latency_us=2000 || finish
VOLUME=backlog
DEV=/dev/mapper/$VOLUME
check "an array" raizn create $VOLUME /dev/bl{0..2} || finish
at_exit "raizn stop $VOLUME"
dmsetup mknodes $VOLUME
DEV_NAME=$(sysfs_name $DEV)
ZONE=$(queue chunk_sectors)
watch_memory &
watcher=$!
at_exit "kill $watcher"
check "$NR writes of 256 KiB at once" backlog $DEV 0 256 "$NR"
note "least memory available: $(tail -n 1 "$TMP/output") MiB, most held by the array:" \
	"$(cat "$TMP/most") MiB"
check_true "the array held something" "$(cat "$TMP/most") >= 16"
# A sixteenth of 512 MiB, half of that for parity, and what it always has.
check_true "and no more than it is allowed to" "$(cat "$TMP/most") <= 80"
# Before any suspend, which gives writers ten seconds of grace.
check "$NR writes, half of them when the others are still waiting" \
	backlog $DEV $ZONE 256 "$NR" halves
backlog $DEV $((2 * ZONE)) 256 "$NR" >"$TMP/again" 2>&1 &
again=$!
suspends=0
while kill -0 $again 2>/dev/null; do
	dmsetup suspend --nolockfs $VOLUME && dmsetup resume $VOLUME || break
	suspends=$((suspends + 1))
	sleep 0.1
done
check "the same, suspended $suspends times" wait $again || rig_show "$TMP/again"
check_true "it was suspended" "$suspends > 2"
check "flush" sync $DEV
check "parity and data agree" parity_check --volume $DEV /dev/bl{0..2}
finish
