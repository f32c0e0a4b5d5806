#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio's test script for zoned drives finds on a whole array what it finds on a
# plain drive of the same geometry.
# lab: --judge fio
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/fio_zbd.sh"

check "the script is there" judge_is_there || finish
check "volume" judged_volume_up || finish
check "plain drive" plain_drive_up || finish

judges_begin || finish
judges_end
compare healthy
judge_was_thorough

finish
