#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create on drives of other shapes: conventional zones, a short last zone, small blocks,
# no limits, and zones that are too large for some file systems.
. "$(dirname "$0")/harness.sh"

# shaped WHAT FILTER WANTED [KEY=VALUE...]: the superblock on three such drives.
shaped()
{
	local what=$1 filter=$2 wanted=$3
	shift 3
	drives shaped 3 "$@"
	if new_array shaped "${DRIVES[@]}"; then
		check_equal "$what" "$(superblock "$filter" "${DRIVES[0]}")" "$wanted"
	fi
	drive_gone shaped{0,1,2}
}

shaped "conventional zones at the front are stepped over" \
	'[.first_zone,.nr_zones]' '[3,38]' zone_nr_conv=3
shaped "a shorter last zone is left out" '[.nr_zones]' '[40]' size=760 \
	zone_capacity=16
shaped "drives with blocks of 512 bytes" '[.block_size,.nr_zones]' \
	'[512,41]' blocksize=512
shaped "drives without limits" '[.nr_zones]' '[41]' zone_max_open=0 zone_max_active=0
shaped "one spare zone of 256" '[.nr_reserved]' '[9]' size=4400 zone_size=4 \
	zone_capacity=4

drives conv 3 zone_nr_conv=2
GUARDED=("${DRIVES[@]}")
truncate -s 16M "$TMP/ext4"
mkfs.ext4 -q -F "$TMP/ext4"
dd if="$TMP/ext4" of="${DRIVES[1]}" bs=64K count=1 oflag=direct status=none
refused "create on a drive with a signature in a conventional zone" 3 \
	"${DRIVES[1]}: holds a signature .ext4.; use --force" \
	raizn create conv "${DRIVES[@]}"
shows "create --force says which signature it destroys" \
	"destroys on ${DRIVES[1]}: a signature .ext4." \
	raizn create conv "${DRIVES[@]}" --force --no-start
check_equal "and erases it" "$(blkid -p -o value -s TYPE "${DRIVES[1]}")" ""
shows "conventional zones are mentioned" 'conventional zones of each drive' \
	raizn status conv
drive_gone conv{0,1,2}

# Of 48 zones 2 are conventional, 5 are for metadata and 2 spare; 39 of 48 hold data, two
# thirds of that are not parity, so 54.2 % of all are.
drives conv 3 zone_nr_conv=2 zone_capacity=16
shows "the overhead counts conventional zones" \
	'^overhead: 45.8% of the drives: 1 of 3 for parity, 9 of 48 zones taken' \
	raizn create conv "${DRIVES[@]}" --dry-run
check "... and says how many they are" \
	grep -q '5 for metadata, 2 spare, 2 conventional at the front' "$TMP/out"
drive_gone conv{0,1,2}

drives gaps 4
shows "gaps between zones are explained, with the size that lsblk shows" \
	'count them and show 2.56 GiB' raizn create gaps "${DRIVES[@]}" --dry-run
check "... and drives that make them larger" \
	grep -q 'with 3, 5, 9 or 17 drives' "$TMP/out"
shows "three drives have the gaps of the drives" 'lsblk' \
	raizn create gaps "${DRIVES[@]:0:3}" --dry-run
check "... and no advice to take other numbers" \
	test -z "$(grep 'with 3, 5, 9' "$TMP/out")"
GUARDED=("${DRIVES[@]}")
refused "more zones spare than hold data" 3 \
	'22 zones of each drive would be spare, and only 21 hold data; use --force' \
	raizn create gaps "${DRIVES[@]}" --spare-zones 22
check "... is what --force makes" \
	raizn create gaps "${DRIVES[@]}" --spare-zones 22 --force --no-start
drive_gone gaps{0..3}

# level_shows LEVEL NR REGEX: in a dry run on so many drives
level_shows()
{
	shows "level $1 of $2 drives" "$3" raizn create gaps "${DRIVES[@]:0:$2}" --level "$1" \
		--dry-run
}

drives gaps 6
level_shows 0 3 'of the drives: none for parity, '
check "... and numbers of drives without such gaps" \
	grep -q 'with 2, 4, 8 or 16 drives' "$TMP/out"
level_shows 1 2 'of the drives: 2 copies, '
level_shows 6 5 'of the drives: 2 of 5 for parity, '
check "... and numbers of drives without such gaps" \
	grep -q 'with 4, 6, 10 or 18 drives' "$TMP/out"
level_shows 6 6 'of the drives: 2 of 6 for parity, '
check "... and no advice to take other numbers" test -z "$(grep ' drives$' "$TMP/out")"
level_shows 5 3 'ZenFS:    no, it never flushes: it needs --write-cache through'
drive_gone gaps{0..5}

# As ZN540 drives, of which four have smaller gaps than five.
drives half 4 zone_capacity=8
shows "gaps that are smaller than those of the drives" 'lsblk' \
	raizn create half "${DRIVES[@]}" --dry-run
check "... need no other number of drives" test -z "$(grep 'with 3, 5, 9' "$TMP/out")"
drive_gone half{0..3}

# zones_of MIB: a dry run on five drives with such zones.
zones_of()
{
	drives big 5 zone_size="$1" zone_capacity="$1" size=$((16 * $1)) \
		memory_backed=0
	raizn create big "${DRIVES[@]}" --dry-run >"$TMP/out" 2>&1 ||
		not_ok "a dry run with zones of $1 MiB"
	drive_gone big{0..4}
}

zones_of 512
check "zones of 2 GiB: f2fs can be made" \
	grep -q '^f2fs: *mkfs.f2fs -m -c /dev/mapper/big' "$TMP/out"
check "zones without gaps have no note about gaps" test -z "$(grep gaps "$TMP/out")"
check "9 active zones: btrfs with one copy of metadata" \
	grep -q '^btrfs: *mkfs.btrfs -m single /dev/mapper/big$' "$TMP/out"
check "xfs and zonefs can be made" test "$(grep -cE '^(xfs|zonefs): *mk' "$TMP/out")" = 2
zones_of 1024
check "zones of 4 GiB are not for f2fs" grep -q '^f2fs: *no, .* above 2 GiB' "$TMP/out"
zones_of 4096
check "zones of 16 GiB are not for btrfs" grep -q '^btrfs: *no, .* to 8 GiB' "$TMP/out"
check "... which is all about btrfs" test -z "$(grep -e '-m single' "$TMP/out")"

# limited OPEN ACTIVE: a dry run on drives with these limits, of which logs take five.
limited()
{
	drives few 3 zone_max_open="$1" zone_max_active="$2"
	raizn create few "${DRIVES[@]}" --dry-run >"$TMP/out" 2>&1 ||
		not_ok "a dry run with limits of $1 and $2"
	drive_gone few{0..2}
}

limited 6 12
check "7 active zones are too few for btrfs" grep -q '^btrfs: *no, .* 8 active' "$TMP/out"
check "one open zone is too few for f2fs" grep -q '^f2fs: *no, .* 6 open' "$TMP/out"
check "... and for xfs" grep -q '^xfs: *no, .* 2 open' "$TMP/out"
check "... but enough for zonefs" grep -q '^zonefs: *mkzonefs /dev/mapper/few' "$TMP/out"
limited 0 0
check "without limits btrfs is made as it likes" \
	grep -q '^btrfs: *mkfs.btrfs /dev/mapper/few$' "$TMP/out"
finish
