#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two paths to one drive are not taken for two drives: a map and the drive below it, two
# maps, maps of maps, two parts of one drive, and a drive and its copy.
. "$(dirname "$0")/harness.sh"
six_drives
load_module
mapped one "${FIVE[0]}" || { skip "two paths" "no dm-linear"; finish; }
mapped two "${FIVE[0]}"
mapped three /dev/mapper/two
mapped other "${FIVE[1]}"
node=${FIVE[0]##*/}

refused "create on a map and its drive" 3 "/dev/mapper/one: on the drive $node, as is ${FIVE[0]}" \
	raizn create tank "${FIVE[@]}" /dev/mapper/one --force
refused "create on two maps of one drive" 3 "/dev/mapper/two: on the drive $node, as is /dev/mapper/one" \
	raizn create tank "${FIVE[@]:1}" /dev/mapper/one /dev/mapper/two --force
refused "create on a map of a map" 3 "/dev/mapper/three: on the drive $node, as is /dev/mapper/one" \
	raizn create tank "${FIVE[@]:1}" /dev/mapper/one /dev/mapper/three --force
unmapped three
unmapped two
GUARDED=()
check "maps of different drives are different drives" raizn create tank /dev/mapper/one \
	/dev/mapper/other "${FIVE[@]:2}" --force
dmsetup mknodes tank
mapped second "${FIVE[2]}"
check "a member fails" raizn fail tank 4 --force
refused "replace by another path to a member" 3 \
	"/dev/mapper/second: on the drive ${FIVE[2]##*/}, as is slot 2 of tank" \
	raizn replace tank 4 /dev/mapper/second --force
refused "add another path to a member" 3 \
	"/dev/mapper/second: on the drive ${FIVE[2]##*/}, as is slot 2 of tank" \
	raizn add tank /dev/mapper/second --force
check "replace by another drive" raizn replace tank 4 "$SPARE" --force
check "it is rebuilt" timeout 60 raizn rebuild tank --wait
unmapped second
check "stop" raizn stop tank

# A copy of a drive has its metadata.
GUARDED=("${FIVE[@]:0:4}")
check "a copy of a member" eval '
	blkzone reset "${FIVE[4]}" &&
	for zone in 0 1 2 3 4; do
		written=$(blkzone report -o $((zone * 32768)) -c 1 "${FIVE[2]}" |
			sed -n "s/.*wptr \(0x[0-9a-f]*\).*/\1/p")
		[ $((written)) = 0 ] || dd if="${FIVE[2]}" of="${FIVE[4]}" bs=4096 \
			skip=$((zone * 4096)) seek=$((zone * 4096)) count=$((written / 8)) \
			oflag=direct iflag=direct conv=notrunc status=none || exit
	done'
refused "create on a drive and its copy" 3 \
	"${FIVE[4]}: has the metadata of the same member as ${FIVE[2]}" \
	raizn create tank "${FIVE[@]:1}" --force
finish
