#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A start finds more active zones than users may have, because its drives allow fewer than before:
# users keep those zones, and no other one can be opened until enough of them are full or reset. Nor
# are more columns of them rebuilt on another drive than leave room for its logs.
. "$(dirname "$0")/harness.sh"

# is_copied DRIVE COPY: all that was written to its zones
is_copied()
{
	local -a words
	local zone=0

	while read -ra words; do
		((words[2] == 0)) || dd if="/dev/$1" of="/dev/$2" bs=64k conv=notrunc status=none \
			iflag=direct,skip_bytes,count_bytes oflag=direct,seek_bytes \
			skip=$((zone * 4096 * 512)) seek=$((zone * 4096 * 512)) \
			count=$(((words[2] > 3072 ? 3072 : words[2]) * 512)) || return
		((++zone))
	done <"$GROUP/$1/zones"
}

# zones_hold FIRST LAST: the first unit of each
zones_hold()
{
	local zone

	for ((zone = $1; zone <= $2; zone++)); do
		zone_holds $zone 0 64 || return
	done
}

load_module && simulated_group ops && simulated_drives op 5 max_active=20 max_open=20 || exit 1
at_exit "raizn stop $VOLUME || dmsetup remove --force --retry $VOLUME"
head -c 6M /dev/urandom >"$TMP/data"
truncate -s $((4 * ZONE / 2))K "$TMP/volume"
array_of /dev/op{0..4}
check "as many zones are active as can be" eval '
	for ((zone = 0; zone < 15; zone++)); do zone_write $zone 0 64 "" fsync || return; done'
check "no other one" status_is active 15 max_active 15
check "stop" raizn stop $VOLUME
check "drives that allow fewer" simulated_drives less 5 max_active=18 max_open=18
for i in 0 1 2 3 4; do
	check "they get all that the others hold" is_copied op$i less$i
	check "and take their place" rmdir "$GROUP/op$i"
done
check "start" start
check "users have more zones than they may have" status_is state active active 15 max_active 13
check_equal "the volume says that it allows them" \
	"$(cat "/sys/block/$(sysfs_name $DEV)/queue/max_active_zones")" 15
check "the zones hold what was written" zones_hold 0 14
check "they take writes" zone_write 0 64 64 "" fsync
check_fails "no other zone does" "" zone_write 15 0 64
check "a member fails" raizn fail $VOLUME 4 --force
check "a blank drive of the same kind" simulated_drive less5 max_active=18 max_open=18
check "takes its place" raizn replace $VOLUME 4 /dev/less5 --force
check "the zones that are too many lack its column" await 60 status_is letters AAAAR degraded 2 \
	action idle
check_equal "it has as many as users may have" "$(zones_in_part less5)" 13
shows "status tells of them" '; 3 active zones must become full or be reset before new ones' \
	raizn status $VOLUME
says "and that they wait" 'so are active zones that are too many for the drive'
check "two zones are finished" zone_finish 0 2
check "the rebuild goes on by itself" await 60 whole
check "as many are left as users may have" status_is active 13
check_fails "still no other zone takes writes" "" zone_write 15 0 64
check "another one is reset" zone_reset 2
check "a new one can be written" zone_write 15 0 64 "" fsync
check_fails "one" "" zone_write 16 0 64
power_cut
check "start" start
check "as before" status_is state active active 13 max_active 13
check "the zones hold what was written" zones_hold 3 15
check "parity is right" raizn scrub $VOLUME --wait
check_equal "of all stripes" "$(json .mismatches)" 0
finish
