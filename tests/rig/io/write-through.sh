#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio writes an array with write_cache=through in many ways, and all of it is right
# before and after a restart; parity matches.
. "$(dirname "$0")/harness.sh"

if volume_is_array; then
	fio_round --write-cache through
else
	skip "write_cache=through" "a drive has no such setting"
fi
finish
