#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As many zones are active as may be, at any moment: whenever one is over, the next may
# begin at once (src/active_zones.c).
. "$(dirname "$0")/harness.sh"
RIG_MEMBER_SETTINGS=(zone_size=1 zone_capacity=1 size=64)
up --stripe-unit 16K
check "as many zones are active as may be, at any moment" \
	active_zones "$DEV" "$(queue max_active_zones)" "$(scaled 3000 300)" 65536
note "$(tail -n 1 "$TMP/output")"
down
finish
