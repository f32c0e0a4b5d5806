#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Suspend, resume and reload of the table while the zone model works, which notices
# whatever goes wrong; members and volume agree then, and after a restart.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/load.sh"
up
line=$(dmsetup table "$VOLUME")
load_begins "the zone model" zonemodel --reset --orderly --ops 100000000 --threads 4 \
	--budget 100 "$DEV"
for i in $(seq "$(scaled 5)"); do
	suspend_and_reload "$line" "$i" || break
done
kill $LOAD
load_ends "the zone model found nothing wrong"
rig_show "$TMP/load"
# It may have just reset all zones.
check "reset a zone" blkzone reset -c 1 "$DEV"
check "write it" write_zone 0 1024 64
check "flush" sync "$DEV"
parity "members and volume" --volume "$DEV"
check "restart" volume_restart
parity "members and volume after restart" --volume "$DEV"
down
finish
