#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# create refuses drives that cannot be members: too few, too many, none, the same
# twice, partitions, and those whose zones cannot be written.
. "$(dirname "$0")/harness.sh"
six_drives

refused "create on two drives" 3 'needs at least 3 drives, 2 given' \
	raizn create tank "${FIVE[@]:0:2}"
refused "create on 33 drives" 3 'at most 32 drives, 33 given' \
	raizn create tank /dev/none{1..33}
refused "create on a drive that is not there" 4 '/dev/none: no such device' \
	raizn create tank "${FIVE[@]}" /dev/none
echo >"$TMP/file"
refused "create on a regular file" 3 "$TMP/file: not a block device" \
	raizn create tank "${FIVE[@]}" "$TMP/file"
refused "create on a character device" 3 '/dev/null: not a block device' \
	raizn create tank "${FIVE[@]}" /dev/null
refused "create on the same drive twice" 3 \
	"${FIVE[0]}: the same drive as ${FIVE[0]}" \
	raizn create tank "${FIVE[@]}" "${FIVE[0]}"
ln -sf "${FIVE[1]}" "$TMP/alias"
refused "create on the same drive by another name" 3 \
	"$TMP/alias: the same drive as ${FIVE[1]}" \
	raizn create tank "${FIVE[@]}" "$TMP/alias"

# ---- a conventional drive, and a partition of it ---------------------------

drive odd zoned=0
refused "create on a conventional drive" 3 \
	"$DRIVE: not a host-managed zoned drive .zoned model: none" \
	raizn create tank "${FIVE[@]}" "$DRIVE" --force
refused "inspect of a conventional drive" 3 "$DRIVE: not a host-managed" \
	raizn inspect "$DRIVE"

# Every problem is told, not only the first.
dd if=/dev/urandom of="$SPARE" bs=4K count=1 oflag=direct status=none
raizn create tank "${FIVE[@]:0:2}" "$SPARE" "$DRIVE" 2>"$TMP/err"
check_equal "create tells of every drive that does not fit" \
	"$(grep -c "^raizn: \($SPARE\|$DRIVE\): " "$TMP/err")" 2
blkzone reset "$SPARE"

partition_there()
{
	partition=$(compgen -G "$DRIVE?*")
}
if ask partition "$DRIVE" && await 1 partition_there; then
	refused "create on a partition" 3 "$partition: a partition" \
		raizn create tank "${FIVE[@]}" "$partition"
else
	skip "create on a partition" "none could be made"
fi
drive_gone odd0

# ---- a drive that takes no writes, or not all ------------------------------

drive odd
GUARDED=("${ALL[@]}" "$DRIVE")
blockdev --setro "$DRIVE"
refused "create on a read-only drive" 3 "$DRIVE: read-only" \
	raizn create tank "${FIVE[@]}" "$DRIVE"
blockdev --setrw "$DRIVE"
for condition in readonly offline; do
	attribute=/sys/kernel/config/nullb/odd0/zone_$condition
	if [ -e "$attribute" ] && echo $((16 * 2048 * 7)) >"$attribute"; then
		refused "create on a drive with a zone that is $condition" 3 \
			"$DRIVE: zone 7 is ${condition/readonly/read-only}" \
			raizn create tank "${FIVE[@]}" "$DRIVE" --force
	else
		skip "create on a drive with a zone that is $condition" \
			"null_blk cannot simulate it"
	fi
done
finish
