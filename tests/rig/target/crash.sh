#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A power cut that takes two stripes from two members: a start recovers, what was flushed
# is there, what was not ends where members lost it, and a second start has nothing to do.
. "$(dirname "$0")/harness.sh"

# The data of zone 3, up to a number of sectors.
zone_3()
{
	dd if="$DEV" bs=4k count=$(($1 / 8)) iflag=direct,skip_bytes status=none \
		skip=$((3 * ZONE * 512))
}

up
reserved=$(raizn inspect "${DRIVES[0]}" superblock --json | jq .superblock.nr_reserved)
check "some data" write_deep --iodepth=8 --bs="$(odd_size 52)" --size=3z \
	--io_size=20M --end_fsync=1
check "write on" dd if=/dev/urandom of="$DEV" bs=32k count=128 conv=notrunc \
	oflag=direct,seek_bytes seek=$((3 * ZONE * 512))
state=$(volume_state 1)
zone_3 8192 >"$TMP/zone3"
check "power is cut" power_cut copy "1 lose=$((reserved + 3)):200" \
	"2 lose=$((reserved + 3)):200"

before=$(members_state)
log_from_here
check "a read-only table starts it in memory" dmsetup create --readonly rig-second \
	--table "0 $LENGTH raizn 5 ${DRIVES[*]}"
check_true "the kernel log says so" "$(logged 'recovered in memory') == 1"
check_equal "what was flushed can be read" \
	"$(fingerprint --volume 1 /dev/mapper/rig-second)" "$state"
check "it is removed" dmsetup remove rig-second
check_equal "the members are as they were" "$(members_state)" "$before"

log_from_here
echo 1024 >/sys/module/dm_raizn/parameters/relocation_max
check "it starts" volume_start || finish
check_true "the kernel log says that it was recovered" \
	"$(logged 'recovered: .* [1-9][0-9]* left with debris') == 1"
check_equal "it is whole" "$(status_field state) $(status_field letters)" "active AAAAA"
check_equal "what was flushed is there" "$(volume_state 1)" "$state"
wp=$(zone_wp 3)
note "of 8192 sectors that were not flushed $wp are left"
check_true "what was not ends where members lost it" \
	"$wp > 8192 - 4 * 512 && $wp < 8192 - 104"
check "and is what was written" cmp -n $((wp * 512)) "$TMP/zone3" <(zone_3 "$wp")
check "write on after recovery" write_on 3 300
parity "members and volume" --volume "$DEV"
check_true "rows are in logs" "$(grep -c 'relocated rows' "$TMP/output") == 1"
check "zone model after recovery" zonemodel --first 8 --threads 2 \
	--ops "$(scaled 400 100)" --budget 60 --save "$TMP/model" "$DEV"
state=$(volume_state 4)
log_from_here
check "restart" volume_restart
check_equal "nothing is to be recovered then" "$(logged 'recovered:')" 0
check_equal "the same data" "$(volume_state 4)" "$state"
check "zone model after restart" zonemodel --first 8 --load "$TMP/model" --verify "$DEV"
check "flush" sync "$DEV"
parity "members and volume after restart" --volume "$DEV"
down
echo 0 >/sys/module/dm_raizn/parameters/relocation_max
finish
