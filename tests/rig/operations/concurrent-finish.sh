#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A finish that succeeds means that the zone is full on all members, also while a write
# that fills the zone, or another finish of it, is still under way.
. "$(dirname "$0")/harness.sh"

# Zones that are full, of all drives: as the drives know themselves at this moment.
nr_full()
{
	cat "$GROUP"/*/zones | grep -c ' FULL '
}

# beside ZONE WHAT COMMAND...: finish it while the command, which fills it, is under way.
beside()
{
	local zone=$1 what=$2 before
	shift 2

	before=$(nr_full)
	check "$what: drives are slow" simulated_latency 300000
	"$@" &
	check "$what is under way" await 10 zone_is_full "$zone"
	check "$what: a finish beside it" blkzone finish -f -o $((zone * ZONE)) -c 1 $DEV
	check_equal "$what: the zone is full on all members" "$(nr_full)" \
		$((before + 5))
	check "$what: drives are fast" simulated_latency 0
	check "$what succeeds" wait $!
}

array_up
check "zone 4 has some room left" zone_write 4 0 5888
check "zone 5 is written" zone_write 5 0 68
beside 4 "a write of the rest" zone_write 4 5888 256
beside 5 "another finish" zone_finish 5
finish
