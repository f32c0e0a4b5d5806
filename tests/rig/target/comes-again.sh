#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A write that may not wait gets EAGAIN, and comes again seconds later: those of its zone that
# were submitted behind it wait for it until then, also if the volume is suspended meanwhile.
. "$(dirname "$0")/harness.sh"
. "${BASH_SOURCE[0]%/*}/../../lib/simulated.sh"

# stall 1|0: hold the commands of all drives, or release them
stall()
{
	local i

	for i in 0 1 2; do
		simulated_set ag$i stall "$1" || return 1
	done
}

# again SECTOR: in the background, as $again. Drives end no write before one is refused.
again()
{
	check "drives stall" stall 1
	# A line of the last program must not be taken for one of this.
	: >"$TMP/again"
	comes_again $DEV "$1" 64 7 >"$TMP/again" 2>&1 &
	again=$!
	check "a write is refused" await 30 grep -q '^write .* is refused' "$TMP/again" ||
		rig_show "$TMP/again"
	check "drives go on" stall 0
}

simulated_group again || exit 1
check "drives" simulated_drives ag 3 nr_zones=10 zone_size_kib=131072 \
	zone_capacity_kib=131072 || finish
VOLUME=again
DEV=/dev/mapper/$VOLUME
check "an array" raizn create $VOLUME /dev/ag{0..2} || finish
at_exit "raizn stop $VOLUME"
dmsetup mknodes $VOLUME
DEV_NAME=$(sysfs_name $DEV)
again 0
check "a write comes again after seven seconds" wait $again || rig_show "$TMP/again"
note "$(tail -n 1 "$TMP/again")"
again "$(queue chunk_sectors)"
check "suspend" dmsetup suspend $VOLUME
check "resume" dmsetup resume $VOLUME
check "it came before the suspend, or after it" wait $again || rig_show "$TMP/again"
check "flush" sync $DEV
check "parity and data agree" parity_check --volume $DEV /dev/ag{0..2}
finish
