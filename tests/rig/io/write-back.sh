#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fio writes an array with write_cache=back in many ways, and all of it is right before
# and after a restart; parity matches. TARGET_DEV=raw runs the same jobs on a drive.
. "$(dirname "$0")/harness.sh"

if volume_is_array; then
	fio_round --write-cache back
else
	fio_round
fi
finish
