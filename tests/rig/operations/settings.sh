#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What raizn set changes is shown by status, recorded on all members, and in force again
# after a restart.
. "$(dirname "$0")/harness.sh"

settings_are_recorded()
{
	local drive

	for drive in /dev/op{0..4}; do
		raizn inspect "$drive" superblock --json |
			jq -e '.superblock | .speed_max == 104857600 and
				.error_limit == 7' ||
			return 1
	done
}

array_up
check "set" raizn set $VOLUME speed_min=2M speed_max=100M error_limit=7
check_equal "what was set" "$(json '.settings')" \
	'{"speed_min":2097152,"speed_max":104857600,"error_limit":7}'
shows "status shows it" \
	'settings: speed_min 2 MiB/s, speed_max 100 MiB/s, a member fails for errors: after 7 errors' \
	raizn status $VOLUME
check "when it starts by itself" raizn set $VOLUME autostart=no
check_equal "status of the running array shows it" "$(json '.autostart')" no
check "stop" raizn stop $VOLUME
check "all members have recorded it" settings_are_recorded
check "start" start
check_equal "what was set is in force" "$(json '.settings')" \
	'{"speed_min":2097152,"speed_max":104857600,"error_limit":7}'
check "set all to none" raizn set $VOLUME speed_min=0 speed_max=0 error_limit=0
shows "status shows that, too" \
	'settings: speed_min none, speed_max none, a member fails for errors: never' \
	raizn status $VOLUME
finish
