#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Reads and writes that may not wait are answered at once or with EAGAIN, which changes
# nothing (nowait.py).
. "$(dirname "$0")/harness.sh"
up
note "seed $SEED"
check "write" write_zone 0 $((40 * 1024)) 1024
NR=$(scaled 2000 400)
check "reads" python3 -IS "$HERE/nowait.py" read "$DEV" "$NR" $((40 << 8)) "$SEED"
answered=$(tail -n 1 "$TMP/output")
note "read without waiting: $answered"
check_true "most are answered at once" "${answered%% *} * 4 >= NR * 3"
check "writes" python3 -IS "$HERE/nowait.py" write "$DEV" 500 $((5 * ZONE))
note "written without waiting: $(tail -n 1 "$TMP/output")"
down
finish
