# SPDX-License-Identifier: GPL-2.0
# For scenarios of tools, sourced behind harness.sh: copies of an array's members, as a
# power cut leaves them. COPIES are the drives that take them.

copy_drives()
{
	drives c 5
	COPIES=("${DRIVES[@]}")
}

# copies [SLOT EDIT...]: what the members hold goes to COPIES, that of one slot edited.
copies()
{
	local i edits
	for i in "${!FIVE[@]}"; do
		edits=()
		[ "$i" != "${1:-}" ] || edits=("${@:2}")
		recopy "$i" "${edits[@]}"
	done
}

# recopy SLOT EDIT...: one of them again.
recopy()
{
	copy_drive "${FIVE[$1]}" "${COPIES[$1]}" "${@:2}" || not_ok "copy of slot $1"
}

# An array that runs, of zones of 48 MiB in 64 MiB and stripes of 256 KiB: zone 0 has 3
# stripes and 21 blocks, zone 1 has 9 stripes, zone 2 is finished after 2 stripes and 7
# blocks, zone 3 has 5 blocks; zone 4 was reset, and has 30 blocks.
array_to_check()
{
	new_array tank "${FIVE[@]}" || return 1
	HOME_ZONE=$(superblock .nr_reserved)
	start_array tank "${FIVE[@]}" >/dev/null || return 1
	put 0 $((3 * 64 + 21))
	put 1 $((9 * 64))
	put 2 $((2 * 64 + 7))
	put 3 5
	put 4 70
	blkzone finish -o $((2 * 131072)) -l 131072 /dev/mapper/tank || return 1
	blkzone reset -o $((4 * 131072)) -l 131072 /dev/mapper/tank || return 1
	put 4 30
}

# put ZONE BLOCKS: so many blocks of 4 KiB at the start of a zone
put()
{
	dd if=/dev/urandom of=/dev/mapper/tank bs=4K count="$2" \
		seek=$(($1 * 16384)) oflag=direct conv=fsync status=none
}

# cell ZONE SECTOR: ZONE:SECTOR of the members' zone that holds this zone.
cell()
{
	echo $((HOME_ZONE + $1)):$2
}

# read_logs: what inspect says of the members' logs, for log_zone and log_offset.
read_logs()
{
	local i
	for i in "${!FIVE[@]}"; do
		raizn inspect "${FIVE[i]}" log --json >"$TMP/log.$i"
	done
}

# log_zone SLOT ROLE: number of the one log zone of that role.
log_zone()
{
	jq ".log[]|select(.role==\"$2\")|.zone" "$TMP/log.$1"
}

# log_offset SLOT ROLE TYPE [FILTER]: where the first such record is, sectors.
log_offset()
{
	jq "[.log[]|select(.role==\"$2\")|.records[]|
	     select(.type==\"$3\" and (${4:-true}))|.offset]|first/512" "$TMP/log.$1"
}
