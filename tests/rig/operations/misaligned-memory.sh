#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data that a user writes from memory that does not begin at a block's boundary arrive, with
# stripe units of one, two and four blocks, and no member complains.
. "$(dirname "$0")/harness.sh"

# all_right NAME: the array is active, and no member had a write error.
all_right()
{
	[ "$(raizn status "$1" --json |
		jq -c '.arrays[0] | [.state, ([.members[].write_errors] | add)]')" = \
		'["active",0]' ]
}

cat >"$TMP/misaligned.py" <<'PYTHON'
import mmap, os, sys
data = open(sys.argv[1], "rb").read()
memory = mmap.mmap(-1, len(data) + 4096)
memory[512:512 + len(data)] = data
pieces = memoryview(memory)[512:512 + len(data)]
for device in sys.argv[2:]:
    fd = os.open(device, os.O_RDWR | os.O_DIRECT)
    at = os.pwrite(fd, pieces[:4096], 0)
    while at < len(data):
        at += os.pwrite(fd, pieces[at:], at)
PYTHON

array_up
for unit in 4 8; do
	at_exit "raizn stop mis$unit"
	check "drives" simulated_drives mis$unit- 5
	check "an array of ${unit}K" raizn create mis$unit "/dev/mis$unit-"{0..4} \
		--stripe-unit ${unit}K
	dmsetup mknodes mis$unit
done
check "writes from memory between blocks" python3 "$TMP/misaligned.py" "$TMP/data" $DEV \
	/dev/mapper/mis4 /dev/mapper/mis8
for array in $VOLUME mis4 mis8; do
	check "$array: data are right" cmp -n $((CAPACITY * 1024)) "$TMP/data" \
		/dev/mapper/$array
	check "$array: nothing failed" all_right $array
done
finish
