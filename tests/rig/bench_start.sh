#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a start costs, in seconds and in CPU seconds of the process that does it: by
# number of zones after a clean stop and after a power cut, by number of zones that were open at
# the power cut, and by how far these were filled, with debris moved and left in place. No check: figures for scripts/bench, in LAB_DIR/start.json.
. "$(dirname "$0")/../lib/rig.sh"
. "$(dirname "$0")/../lib/simulated.sh"
scenario

VOLUME=bench
DEV=/dev/mapper/$VOLUME
REPEATS=3
TIMEFORMAT="%R %U %S"

# make_array ZONES: five drives with so many zones of 1 MiB each.
make_array()
{
	local i

	for i in 0 1 2 3 4; do
		simulated_drive bench$i nr_zones="$1" zone_size_kib=1024 \
			zone_capacity_kib=1024 || return 1
	done
	raizn create $VOLUME /dev/bench{0..4} --stripe-unit 16K >/dev/null &&
		TABLE=$(dmsetup table $VOLUME)
}

drop_array()
{
	dmsetup remove $VOLUME && rmdir "$GROUP"/bench*
}

# open_zones NR: write a bit to so many zones, in the middle of a stripe.
open_zones()
{
	local zone sectors

	sectors=$(cat "/sys/block/$(sysfs_name $DEV)/queue/chunk_sectors")
	for ((zone = 0; zone < $1; zone++)); do
		dd if=/dev/zero of=$DEV bs=100k count=7 oflag=direct,seek_bytes \
			seek=$((zone * sectors * 512)) status=none conv=notrunc
	done
}

# Seconds of a start, and CPU seconds, user and system.
start_times()
{
	{ time dmsetup create $VOLUME --table "$TABLE" >/dev/null; } 2>&1 |
		tail -n 1 | awk '{ printf "%.3f %.3f\n", $1, $2 + $3 }'
	dmsetup mknodes $VOLUME
}

# measure WHAT ZONES OPEN
measure()
{
	local what=$1 zones=$2 open=$3 i wall cpu walls=() cpus=()

	for ((i = 0; i < REPEATS; i++)); do
		make_array "$zones" || return 1
		open_zones "$open"
		if [ "$what" = crash ]; then
			echo 0 >"$GROUP/power"
			dmsetup remove --retry $VOLUME
			echo 1 >"$GROUP/power"
		else
			dmsetup remove --retry $VOLUME
		fi
		read -r wall cpu <<<"$(start_times)"
		walls+=("$wall")
		cpus+=("$cpu")
		drop_array
	done
	printf '%s{"after": "%s", "zones": %d, "open": %d, "seconds": [%s], "cpu_seconds": [%s]}' \
		"$SEPARATOR" "$what" "$zones" "$open" \
		"$(IFS=,; echo "${walls[*]}")" "$(IFS=,; echo "${cpus[*]}")" \
		>>"$LAB_DIR/start.json"
	SEPARATOR=$',\n'
	note "start after $what, 5 x $zones zones, $open open: ${walls[*]} s, ${cpus[*]} s of CPU"
}

# fill_zones PERCENT: eight zones are filled so far, and a bit behind that is not durable.
fill_zones()
{
	local zone sectors mib=$((4 * FILLED_MIB * $1 / 100))

	sectors=$(cat "/sys/block/$(sysfs_name $DEV)/queue/chunk_sectors")
	for ((zone = 0; zone < 8; zone++)); do
		dd if="$TMP/data" of=$DEV bs=1M count=$mib oflag=direct,seek_bytes \
			seek=$((zone * sectors * 512)) status=none conv=notrunc,fsync
		dd if="$TMP/data" of=$DEV bs=1000k count=1 oflag=direct,seek_bytes \
			seek=$((zone * sectors * 512 + (mib << 20))) status=none conv=notrunc
	done
}

# measure_filled PERCENT KIB: a power cut with zones so full; so much debris of a column stays.
measure_filled()
{
	local i wall cpu walls=() cpus=() written=() spoilt=()

	echo "$2" >/sys/module/dm_raizn/parameters/relocation_max
	for ((i = 0; i < REPEATS; i++)); do
		simulated_drives bench 5 nr_zones=40 zone_size_kib=$((FILLED_MIB << 10)) \
			zone_capacity_kib=$((FILLED_MIB << 10)) || return 1
		raizn create $VOLUME /dev/bench{0..4} --stripe-unit 64K >/dev/null &&
			TABLE=$(dmsetup table $VOLUME) || return 1
		fill_zones "$1"
		echo 0 >"$GROUP/power"
		dmsetup remove --retry $VOLUME
		echo 1 >"$GROUP/power"
		read -r wall cpu <<<"$(start_times)"
		walls+=("$wall")
		cpus+=("$cpu")
		written+=("$(status_field rebuild)")
		spoilt+=("$(status_field spoilt)")
		drop_array
	done
	printf '%s{"after": "crash", "filled": %d, "relocation_max": %d, "seconds": [%s], "cpu_seconds": [%s], "moved": [%s], "spoilt": [%s]}' \
		"$SEPARATOR" "$1" "$2" \
		"$(IFS=,; echo "${walls[*]}")" "$(IFS=,; echo "${cpus[*]}")" \
		"$(IFS=,; echo "${written[*]}")" "$(IFS=,; echo "${spoilt[*]}")" \
		>>"$LAB_DIR/start.json"
	note "start after crash, 8 zones $1 % full, $2 KiB stay: ${walls[*]} s, ${written[*]} sectors moved, ${spoilt[*]} spoilt"
	echo 0 >/sys/module/dm_raizn/parameters/relocation_max
}

FILLED_MIB=16
head -c 64M /dev/urandom >"$TMP/data"
load_module && simulated_group bench || exit 1
SEPARATOR=
printf '[' >"$LAB_DIR/start.json"
for zones in 230 922 3690; do
	measure stop $zones 4
	measure crash $zones 4
done
measure crash 3690 0
measure crash 3690 8
for percent in 5 50 95; do
	measure_filled $percent 0
	measure_filled $percent 1024
done
printf ']\n' >>"$LAB_DIR/start.json"
ok "measured"
finish
