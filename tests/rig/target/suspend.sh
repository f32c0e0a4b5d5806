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
check "flush" sync "$DEV"
# The model may have just reset all zones.
parity "members and volume" --min-stripes 0 --volume "$DEV"
check "restart" volume_restart
parity "members and volume after restart" --min-stripes 0 --volume "$DEV"
down
finish
