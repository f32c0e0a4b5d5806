#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The end of a zone is on a drive that fails, and its partial parity in a log that another
# drive loses: nothing tells where the zone ends, so it is damaged and no data are made up.
. "$(dirname "$0")/harness.sh"

# reset_damaged: all zones of the volume that are read-only
reset_damaged()
{
	local zone

	blkzone report $DEV | sed -n 's/^ *start: \(0x[0-9a-f]*\),.*(ro).*/\1/p' |
		while read -r zone; do
			blkzone reset -o "$zone" -c 1 $DEV || exit
		done
}

array_up
check "two stripes and a unit, which is member 4's" zone_write 9 0 144 16
check "all is durable" sync $DEV
check_equal "it is there" "$(on_drive op4 9)" 96
check "the drive with the unit fails" raizn fail $VOLUME 4 --force
check "stop" raizn stop $VOLUME
logs=$(raizn inspect /dev/op3 zones --json |
	jq '.zones[]|select(.role|test("partial-parity"))|.zone')
check_true "the drive of its parity has a log" "${#logs} > 0"
check "the log is lost" simulated_zones_turn op3 offline $logs
raizn check $VOLUME >"$TMP/out" 2>&1
says "check says that the zone is damaged" 'zone 9: damaged'
check "start" start
check_equal "the blocks that may be there are errors" "$(unreadable 36)" 4
check "the drive is back" raizn add $VOLUME /dev/op4
# Other zones may have had more than is known as well, and empty ones anything.
check "damaged zones are reset" reset_damaged
rebuild_ends
check "the array is whole" whole
check "the log's zones are good again" simulated_zones_turn op3 empty $logs
check "a restart" restart
check "the array is whole" whole
check "parity is right" raizn scrub $VOLUME --wait
finish
