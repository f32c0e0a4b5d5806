#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# trust_buffers is recorded, shown and in force again after a restart, and changes nothing for
# buffers that keep still.
. "$(dirname "$0")/harness.sh"

# trusted WHAT 0|1: status says so, in all ways.
trusted()
{
	local shown=1 json=true

	if [ "$2" = 0 ]; then
		shown=0 json=false
	fi
	check_equal "the target's status, $1" "$(status_field trust_buffers)" "$2"
	check_equal "raizn status, $1" \
		"$(raizn status "$VOLUME" | grep -c 'buffers are trusted')" $shown
	check_equal "raizn status --json, $1" \
		"$(raizn status "$VOLUME" --json | jq '.arrays[0].trust_buffers')" $json
	check_equal "the superblock, $1" \
		"$(raizn inspect "${DRIVES[0]}" superblock --json |
			jq .superblock.trust_buffers)" $json
}

up --trust-buffers
trusted "created so" 1
check "write" write_zone 0 $((20 * 1024)) 256
check "write small pieces" write_on 0 1000
parity "parity and data agree"
check_fails "neither yes nor no" "trust_buffers is yes or no, not 'maybe'" \
	raizn set "$VOLUME" trust_buffers=maybe
check_fails "no number but 0 and 1" "" dmsetup message "$VOLUME" 0 set trust_buffers 2
trusted "after that" 1
check "set it to no" raizn set "$VOLUME" trust_buffers=no
trusted "set to no" 0
check "set the pace" raizn set "$VOLUME" speed_min=20M
trusted "another setting" 0
check "set it to yes" raizn set "$VOLUME" trust_buffers=yes
check "stop" raizn stop "$VOLUME"
check "start" raizn start "$VOLUME"
dmsetup mknodes "$VOLUME"
trusted "after a restart" 1
down
finish
