#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create refuses names, sizes, levels, labels and other words that cannot be.
. "$(dirname "$0")/harness.sh"
six_drives

refused "create without a name" 2 'a name' raizn create
refused "create without drives" 2 'name the drives' raizn create tank
for name in a/b .hidden control '' 'a b' "$(printf 'n%.0s' {1..64})"; do
	refused "create with the name '${name:0:12}'" 2 "cannot be an array's name" \
		raizn create "$name" "${FIVE[@]}"
done
newline=$'a\nb'
refused "create with a newline in the name" 2 "'a.b' cannot be an array's name" \
	raizn create "$newline" "${FIVE[@]}"
refused "create with a newline in the path of a drive" 4 '^raizn: /dev/a.b: ' \
	raizn create tank "/dev/$newline" "${FIVE[@]}"
refused "start of an array with a newline in its name" 4 '^raizn: a.b: ' \
	raizn start "$newline"
refused "a command with a newline" 2 "^raizn: .*'a.b'" raizn "$newline"
refused "create of a stripe unit that is no size" 2 'is a size' \
	create --stripe-unit lots
refused "create of a stripe unit that overflows" 2 'is a size' \
	create --stripe-unit 99999999999G
refused "create of a stripe unit of 48K" 2 '48K is not a power of two' \
	create --stripe-unit 48K
for size in 2K 2M 0; do
	refused "create of a stripe unit of $size" 2 'between 4 KiB and 1 MiB' \
		create --stripe-unit $size
done
refused "create of a stripe unit too large for the zones" 3 \
	'stripe unit 1 MiB is too large: .* use up to 512 KiB' \
	create --stripe-unit 1M
refused "create of level 0 with a drive" 3 'level 0 needs at least 2 drives, 1 given' \
	raizn create tank "${FIVE[0]}" --level 0
refused "create of level 1 with a drive" 3 'level 1 needs at least 2 drives, 1 given' \
	raizn create tank "${FIVE[0]}" --level 1
refused "create of level 1 with five" 3 'level 1 takes at most 4 members' \
	create --level 1
refused "create of level 6 with three" 3 'level 6 needs at least 4 drives, 3 given' \
	raizn create tank "${FIVE[@]:0:3}" --level 6
for level in 4 7 five; do
	refused "create of level $level" 2 "not '$level'" create --level $level
done
refused "create with a label too long" 2 'up to 63 bytes' \
	create --label "$(printf 'l%.0s' {1..64})"
refused "create with a label that controls terminals" 2 'printable' \
	create --label $'a\033[31mb'
refused "create with a strange write cache" 2 "not 'maybe'" \
	create --write-cache maybe
refused "create with one spare zone" 2 "from 2 on" create --spare-zones 1
refused "create with more spare zones than zones" 3 \
	'metadata and spare zones would take 105' create --spare-zones 100
finish
