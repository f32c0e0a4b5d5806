#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Resets of all zones from several sides at once, and writes beside them
# (src/reset_alls.c).
. "$(dirname "$0")/harness.sh"
if ! kernel_at_least 6 11; then
	skip "resets of all zones at once" \
		"this kernel makes each one a reset of every zone"
	finish
fi
# Of so many zones that writes may come while all are reset.
RIG_MEMBER_SETTINGS=(zone_size=4 zone_capacity=4 size=16384)
up --stripe-unit 16K
for i in 1 2 3; do
	at_exit "dmsetup remove --retry rig-all$i"
	check "another name for all zones, $i" dmsetup create rig-all$i \
		--table "0 $LENGTH linear $DEV 0"
done
check "resets of all zones at once" reset_alls "$DEV" "$(scaled 100 20)" \
	/dev/mapper/rig-all{1,2,3}
note "$(tail -n 1 "$TMP/output")"
check "the other names go" dmsetup remove --retry rig-all{1,2,3}
down
finish
