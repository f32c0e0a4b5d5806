#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio's test script for zoned drives finds on an array that lacks a member what
# it finds on a plain drive of the same geometry.
# lab: --judge fio
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/fio_zbd.sh"

check "the script is there" judge_is_there || finish
check "volume" judged_volume_up || finish
check "plain drive" plain_drive_up || finish
check "a member fails" raizn fail "$VOLUME" 1 --force || finish

judges_begin || finish
judges_end
compare degraded
judge_was_thorough
check_equal "the array lacked one member all the time" \
	"$(status_field letters)" AFAA

finish
