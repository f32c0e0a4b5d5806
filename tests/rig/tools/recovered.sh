#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a power cut check says what there is to do, start does it, and then the array is
# clean and has its data.
. "$(dirname "$0")/harness.sh"
. "$(dirname "$0")/copies.sh"
six_drives
copy_drives
GUARDED=()

# recovered WHAT [SLOT EDIT...]: power is cut while the array runs, and this much is
# lost; a start brings all of it back.
recovered()
{
	local what=$1 copy
	shift
	check "$what: an array with data" array_with_data
	copies "$@"
	check "$what: power is cut" dmsetup remove --retry tank
	GUARDED=("${COPIES[@]}")
	checked "$what: check" 1 '[.clean,.nr_problems]' '[false,0]' \
		"${COPIES[@]}"
	GUARDED=()
	shows "$what: start" '^tank: recovered' \
		raizn start tank "${COPIES[@]}"
	check "$what: the data is there" has_data
	check "$what: stop" raizn stop tank
	GUARDED=("${COPIES[@]}")
	checked "$what: check again" 0 '[.result,.parity.mismatches]' \
		'["clean",0]' "${COPIES[@]}"
	GUARDED=()
	# One array of a name at a time.
	for copy in "${COPIES[@]}"; do
		blkzone reset "$copy"
	done
}

new_array tank "${FIVE[@]}"
HOME_ZONE=$(superblock .nr_reserved)
recovered "nothing is lost"
recovered "a member lost data" 3 "cut=$(cell 0 40)"
finish
