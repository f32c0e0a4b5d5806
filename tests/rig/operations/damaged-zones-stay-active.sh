#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Damaged zones that are partly written are active on their members, and no limit counts them:
# beside three of them, and as many other active zones as users may have, a drive fails the switch
# of a log. A log that has grown does not switch then.
. "$(dirname "$0")/harness.sh"

array_up
for zone in 0 1 2; do
	check "zone $zone is written" zone_write $zone 0 256 "" fsync
	check "op0 loses its part" simulated_zones_turn op0 offline "$(home $zone)"
done
check "another drive fails" raizn fail $VOLUME 4 --force
check "a restart" restart
check "three zones are damaged" status_is damaged 3 active 0
check "many records are in the general logs" zone_resets $DEV 4 1 40
max=$(status_field max_active)
for ((zone = 3; zone < 3 + max; zone++)); do
	check "zone $zone is written" zone_write $zone 0 256
done
check "suspend and resume" eval "dmsetup suspend $VOLUME && dmsetup resume $VOLUME"
check "the general logs stayed where they are" status_is state degraded damaged 3
zone_write 3 256 4096 4 dsync >"$TMP/out" 2>&1
check "the switch of a log fails, and the array with it" status_is state failed damaged 3
check "stop" raizn stop $VOLUME
exits "a start" 1 raizn start $VOLUME
says "it fails, too" 'metadata append failed: -75'
for drive in op1 op2 op3; do
	check "zone 0 is given up on $drive" blkzone reset -o $(($(home 0) * 4096)) -c 1 /dev/$drive
done
check "start" start
check "the other zones are there" eval 'for ((zone = 3; zone < 3 + max; zone++)); do
	zone_holds $zone 0 256 || return; done'
check "the damaged zones are given up" zone_reset 0 3
check "the log is switched" zone_write 4 256 2048 4 dsync
check "the array works" status_is state degraded letters 'AAAA[F-]' damaged 0
finish
