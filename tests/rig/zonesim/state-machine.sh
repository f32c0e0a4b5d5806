#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Zones of a simulated drive change state, take writes and refuse them as zones of a
# drive do.
. "$(dirname "$0")/harness.sh"

drive zsa fill=90
check "a write at the write pointer" wr zsa 0 0 8
is "it opens the zone" zsa 0 "IMP_OPEN 8 8 0 0"
fails "a write beyond it" wr zsa 0 16 8
fails "a write below it" wr zsa 0 0 8
is "they change nothing" zsa 0 "IMP_OPEN 8 8 0 0"
check "data are there" holds zsa 0 0 8
check "the fill byte is behind them" holds_byte 132 zsa 0 8 8
check "a read across the end" eval \
	'[ "$(rd zsa 0 0 16 | cmp -n 8192 - "$TMP/data" | wc -l)" = 1 ]'

op zsa open 1
is "open" zsa 1 "EXP_OPEN 0 0 0 0"
op zsa close 1
is "close without data" zsa 1 "EMPTY 0 0 0 0"
op zsa close 0
is "close with data" zsa 0 "CLOSED 8 8 0 0"
fails "close of an empty zone" op zsa close 2
op zsa finish 0
is "finish" zsa 0 "FULL $ZONE 8 8 0"
check "beyond the data the fill byte" holds_byte 132 zsa 0 8 32
fails "a write to a full zone" wr zsa 0 8 8
fails "open of a full zone" op zsa open 0
op zsa reset 0
is "reset" zsa 0 "EMPTY 0 0 0 1"
check "no data any more" holds_byte 132 zsa 0 0 8
check "fill a zone" wr zsa 3 0 $CAP
is "full at the capacity" zsa 3 "FULL $CAP $CAP 0 0"
check "all of it" holds zsa 3 0 $CAP
wr zsa 4 0 $((CAP - 8))
fails "a write beyond the capacity" wr zsa 4 $((CAP - 8)) 16
op zsa reset
is "reset of all: the full one" zsa 3 "EMPTY 0 0 0 1"
is "reset of all: the open one" zsa 4 "EMPTY 0 0 0 1"
is "reset of all: an empty one" zsa 5 "EMPTY 0 0 0 0"
zonesim_end
