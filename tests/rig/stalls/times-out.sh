#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A drive stalls and its commands time out, as when the block layer loses patience: whether they
# took effect or not, what waited for them ends without an error, and the member fails.
. "$(dirname "$0")/harness.sh"

KINDS=read,write,append,flush,reset,reset_all,finish,report
TIMEOUT="$KINDS 1 times=1000000 status=timeout"

array_up
dies "its commands time out" "$TIMEOUT effect=none" stall 0
dies "its commands time out, but took effect" "$TIMEOUT effect=all" stall 0
array_down
finish
