#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio writes an array with write_cache=through in many ways, and all of it is right
# before and after a restart; parity matches. In every second run buffers are trusted.
. "$(dirname "$0")/harness.sh"

if volume_is_array; then
	read -ra trust <<<"$(one_of "" --trust-buffers)"
	fio_round --write-cache through "${trust[@]}"
else
	skip "write_cache=through" "a drive has no such setting"
fi
finish
