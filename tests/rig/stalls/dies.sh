#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive stalls and dies instead of going on, for it loses power or is pulled out: what waited
# for it ends without an error, and the array goes on without it until it is rebuilt.
. "$(dirname "$0")/harness.sh"

array_up
dies "it loses power" "" power 0
dies "it is pulled out" "" unplug 1
array_down
finish
