#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every profile makes a drive of null_blk and a simulated one that look alike, and what
# cannot be is refused in one line.
. "$(dirname "$0")/harness.sh"

# looks DEVICE SECTOR: what the kernel knows of it, and of the zone there
looks()
{
	local queue=/sys/block/${1##*/}/queue

	cat "$queue"/{nr_zones,chunk_sectors,max_open_zones,max_active_zones} \
		"$queue/logical_block_size" | xargs
	blkzone report -o "$2" -c 1 "$1" | sed 's/.*\(cap 0x[0-9a-f]*\).*\[type: \([0-9]\).*/\1 \2/'
}

# refused WHAT REGEX COMMAND...: by one line
refused()
{
	check_fails "$@" && check_equal "... in one line" "$(wc -l <"$TMP/output")" 1
}

simulated_group geometry || exit 1
for profile in zn540-1t:4096 zn540-1t:512 zn540-4t:4096 zn540-4t:512 pm1731a:4096 hc620:4096 \
	       hc680:4096; do
	profile $profile
	read -ra settings <<<"$(drive-profile $profile nullblk)"
	drives profile 1 "${settings[@]}" || exit 1
	read -ra SIMULATED_SETTINGS <<<"$(drive-profile $profile zonesim)"
	simulated_drive simulated || exit 1
	size=$((${PROFILE[zone_mib]} * 2048))
	first=$((${PROFILE[conventional]} * size))
	check_equal "$profile: of null_blk" "$(looks "${DRIVES[0]}" $first)" \
		"${PROFILE[zones]} $size ${PROFILE[open]} ${PROFILE[active]} ${PROFILE[logical]}
$(printf 'cap 0x%06x 2' $((${PROFILE[capacity_mib]} * 2048)))"
	check_equal "$profile: simulated" "$(looks /dev/simulated $first)" \
		"$(looks "${DRIVES[0]}" $first)"
	drives_gone
	rmdir "$GROUP/simulated"
done
check_equal "fewer zones: fewer conventional ones, too" \
	"$(drive-profile hc620 table --zones 1000 | xargs -n 1 | grep conv)" conventional=10
refused "no such profile" "no profile hc999; there are: zn540-1t" drive-profile hc999 nullblk
refused "no such blocks" "zn540-1t has blocks of 4096,512, not 512e" \
	drive-profile zn540-1t:512e zonesim
refused "no 512e of null_blk" "use hc680:4096" drive-profile hc680 nullblk
refused "too little memory" "take [0-9]* MiB in zonesim, and 300 MiB are there: give" \
	drive-profile hc680 zonesim --drives 24 --memory 300
refused "... for a whole disk" "or smaller ones" \
	drive-profile hc680 scsi_debug --zones 64 --drives 5
finish
