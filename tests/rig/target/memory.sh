#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The message "memory" says what zones and active zones take, and that is little.
. "$(dirname "$0")/harness.sh"
up

# memory_field WHAT: bytes that the message says of zones, active or pools.
memory_field()
{
	dmsetup message "$VOLUME" 0 memory |
		sed -nE "s/.*$1( [0-9]+)? bytes ([0-9]+).*/\2/p"
}

nr=$(queue nr_zones)
memory=$(dmsetup message "$VOLUME" 0 memory)
note "$memory"
check "the message answers" grep -Eq \
	"^zones $nr bytes [0-9]+; active 0 bytes 0; pools bytes [0-9]+$" <(echo "$memory")
# And one for each member's zone. Locks that are watched are larger.
if [ -e /proc/lockdep ]; then
	skip "136 bytes for each zone" "not in a debug kernel"
else
	check_true "136 bytes for each zone" \
		"$(memory_field zones) <= 136 * $nr + 100"
fi
check "write half a stripe" write_zone 0 128
active=$(memory_field active)
check_true "an active zone takes one stripe unit and a little" \
	"${active:-0} > 65536 && ${active:-0} < 66000"
check "reset" blkzone reset -c 1 "$DEV"
check_equal "no active zone takes none" "$(memory_field active)" 0
down
finish
