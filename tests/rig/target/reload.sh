#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A running array turns down a second device over its members, and a reload with another
# length or number of members; they are marked clean while it is suspended, only then.
. "$(dirname "$0")/harness.sh"
up
line=$(dmsetup table "$VOLUME")
check_fails "reload: another length" "." dmsetup reload "$VOLUME" \
	--table "$(awk '{ $2 -= 131072; print }' <<<"$line")"
check_fails "reload: a member less" "." dmsetup reload "$VOLUME" \
	--table "$(awk '{ $4 = 4; NF -= 1; print }' <<<"$line")"
check "write" write_zone 0 300
log_from_here
check_fails "a second device over the same members" "busy|Busy|failed" \
	dmsetup create rig-second --table "$(dmsetup table "$VOLUME")"
check_true "the kernel log says why" "$(logged 'already running') >= 1"
check_equal "the first goes on" "$(status_field state)" active
check "write on" write_on 0 300
check_equal "members are not clean" "$(is_clean)" false
check "suspend" dmsetup suspend "$VOLUME"
check_equal "members are marked clean" "$(is_clean)" true
check "resume" dmsetup resume "$VOLUME"
check_equal "members are not clean after resume" "$(is_clean)" false
down
finish
