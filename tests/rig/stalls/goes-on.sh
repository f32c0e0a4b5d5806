#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive stalls and goes on: what does not need it goes on meanwhile, what needs it waits and
# ends without an error, and no member fails.
. "$(dirname "$0")/harness.sh"

array_up
stall "it goes on"
attribute stall 0
check "it goes on: what waited ends" all_end
check "it goes on: data are right" all_right
check "it goes on: no member failed" letters_are AAAAA
check "it goes on: no error is counted" eval \
	"raizn status $VOLUME --json | jq -e '[.arrays[0].members[] |
	 .read_errors + .write_errors + .healed] | add == 0'"
check "it goes on: parity is right" raizn scrub $VOLUME --wait
array_down
finish
