# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of zonesim: small drives, reads and writes of known data, and
# the state of zones. Other suites rely on drives that behave, and fail as they are told.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/simulated.sh"
scenario

GROUP=/sys/kernel/config/zonesim/zonesim
SIMULATED_SETTINGS=(nr_zones=8 zone_size_kib=1024 zone_capacity_kib=768
		    block_size=512 max_open=3 max_active=4)
ZONE=2048		# sectors of a zone
CAP=1536		# of which can be written

dd if=/dev/urandom of="$TMP/data" bs=64K count=16 status=none

# drive NAME [KEY=VALUE...]: a new drive, with power, of a new group if there is none
drive()
{
	[ -d "$GROUP" ] || mkdir "$GROUP" || return 1
	simulated_drive "$@"
}

# No drives, and all settings of the group forgotten
no_drives()
{
	simulated_group_gone
}

zonesim_end()
{
	check "the modules can be unloaded" \
		eval "no_drives && unload_module && rmmod zonesim"
	finish
}

# put DRIVE NAME VALUE
put()
{
	echo "$3" >"$GROUP/$1/$2"
}

# wr DRIVE ZONE SECTOR SECTORS [FLAGS]: the sectors of the file of data. When
# that fails the block layer has to learn anew where the write pointer is.
wr()
{
	write_only "$@" && return
	blkzone report -o $(($2 * ZONE)) -c 1 "/dev/$1" >/dev/null 2>&1
	return 1
}

write_only()
{
	dd if="$TMP/data" of="/dev/$1" bs=$(($4 * 512)) count=1 status=none \
	   skip=$(($3 * 512)) iflag=skip_bytes conv=notrunc \
	   seek=$((($2 * ZONE + $3) * 512)) oflag="seek_bytes,direct${5:+,$5}"
}

# rd DRIVE ZONE SECTOR SECTORS: to standard output
rd()
{
	dd if="/dev/$1" bs=$(($4 * 512)) count=1 status=none \
	   skip=$((($2 * ZONE + $3) * 512)) iflag=skip_bytes,direct
}

# holds DRIVE ZONE SECTOR SECTORS: what wr() writes there
holds()
{
	rd "$@" | cmp -s -n $(($4 * 512)) -i $(($3 * 512)):0 "$TMP/data" -
}

# holds_byte OCTAL DRIVE ZONE SECTOR SECTORS
holds_byte()
{
	local byte=$1
	shift
	[ "$(rd "$@" | tr -d "\\$byte" | wc -c)" = 0 ] &&
		[ "$(rd "$@" | wc -c)" = $(($4 * 512)) ]
}

# op DRIVE WHAT [ZONE]: a zone operation; of all zones without ZONE
op()
{
	if [ $# -lt 3 ]; then
		blkzone "$2" "/dev/$1"
	else
		blkzone "$2" -o $(($3 * ZONE)) -c 1 "/dev/$1"
	fi
}

not()
{
	! "$@"
}

# fails WHAT COMMAND...
fails()
{
	local what=$1
	shift
	check "$what" not "$@"
}

flush()
{
	sync "/dev/$1"
}

# zone DRIVE ZONE: condition, write pointer, end of data, durable, resets
zone()
{
	local lines words

	mapfile -t lines <"$GROUP/$1/zones"
	read -ra words <<<"${lines[$2]}"
	echo "${words[*]:1:5}"
}

# is WHAT DRIVE ZONE "COND WP DATA DURABLE RESETS"; a word may be *
is()
{
	local got
	got=$(zone "$2" "$3")
	# shellcheck disable=SC2053
	if [[ $got == $4 ]]; then
		ok "$1"
	else
		not_ok "$1" "zone $3 is '$got', not '$4'"
	fi
}

counter()
{
	awk -v kind="$2" -v n="${3:-2}" '$1 == kind { print $n }' "$GROUP/$1/counters"
}

power_cut()
{
	echo 0 >"$GROUP/power"
}

power()
{
	echo 1 >"$GROUP/power"
}

load_zonesim || exit 1
at_exit no_drives
