# SPDX-License-Identifier: GPL-2.0
# Shared by the scenarios of fs: a volume of small zones, files on it that are verified
# later, and the life of a file system over remounts and a restart of the array.
. "$(dirname "${BASH_SOURCE[0]}")/../../lib/rig.sh"
scenario

# Small zones, so that many are filled, finished and reset, and the logs
# switch often. f2fs goes on to the next zone while writes to the last one are
# still queued (with a capacity below the zone size it does not wait), and loses
# data when that makes too many active; so the limits are high here.
RIG_MEMBER_SETTINGS=(size=512 zone_size=8 zone_capacity=6 zone_max_open=40
		     zone_max_active=40)
RIG_RAW_SETTINGS=(size=1856 zone_size=32 zone_capacity=24 zone_max_open=36
		  zone_max_active=36)
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
MNT=$TMP/mnt
mkdir "$MNT"

# The volume is up, and gone in the end, behind what is mounted on it.
fs_volume()
{
	if ! volume_up >"$TMP/output" 2>&1; then
		not_ok "the volume comes up"
		rig_show "$TMP/output"
		finish
	fi
	at_exit 'umount "$MNT"'
}

# fs_end: the last check, and the end
fs_end()
{
	check "down" volume_down
	finish
}

# must WHAT COMMAND...: without it the rest would be in vain.
must()
{
	check "$@" || finish
}

# not_here WHAT WHY: the scenario cannot be shown on this kernel.
not_here()
{
	skip "$1" "$2"
	finish
}

# needs_fs NAME
needs_fs()
{
	has_fs "$1" || not_here "$1" "not in this kernel"
}

has_fs()
{
	modprobe -q "$1"
	grep -qw "$1" /proc/filesystems
}

# 6.1 warns in btrfs_remove_block_group(), on any zoned drive.
btrfs_complains()
{
	! kernel_at_least 6 5
}
FAILS_ON_DRIVES="it fails on plain zoned drives of this kernel"

# A drive without zones, for file systems that want one beside the volume.
conventional()
{
	CONV=$(nullblk create "$1" zoned=0 size="$2") || return 1
	RIG_DRIVES+=("$1")
}

# A zoned drive of the volume's shape, /dev/plain.
plain_drive()
{
	local plain

	plain=$(nullblk create plain "${RIG_RAW_SETTINGS[@]}") || return 1
	RIG_DRIVES+=(plain)
	rig_scheduler "$plain"
}

# members_and_volume_agree OPTION...: of parity_check
# shellcheck disable=SC2120 # scenarios pass some
members_and_volume_agree()
{
	volume_is_array || return 0
	check "members and volume" sh -c 'sync "$0" && parity_check --volume "$0" "$@"' \
		"$DEV" "$@" "${DRIVES[@]}"
	note "$(tail -n 1 "$TMP/output")"
}

write_files()
{
	"$HERE/files.py" write "$MNT" "$@"
}

verify_files()
{
	"$HERE/files.py" verify "$MNT" "$@"
}

mkfs_btrfs()
{
	mkfs.btrfs -f -O zoned -d single -m single "${1:-$DEV}"
}

mount_btrfs()
{
	mount -t btrfs "${1:-$DEV}" "$MNT"
}

# lives MOUNT-FUNCTION MIB [MIB-TO-FILL]: an empty file system was made; it is filled,
# and all is there after remounts, and after a restart of the array.
lives()
{
	local mount=$1 mib=$2 fill

	fill=$(scaled "${3:-$mib}" 20)
	must "mount" "$mount"
	check "write, delete, overwrite" \
		write_files "$TMP/files.1" --seed 1 --mib "$mib" --churn
	note "$(cat "$TMP/output")"
	check "verify" verify_files "$TMP/files.1"
	must "unmount" umount "$MNT"
	must "mount again" "$mount"
	check "verify after mount" verify_files "$TMP/files.1"
	check "fill" write_files "$TMP/files.2" --seed 2 --mib "$fill"
	note "$(cat "$TMP/output")"
	check "verify what filled it" verify_files "$TMP/files.2"
	must "unmount again" umount "$MNT"
	members_and_volume_agree
	must "restart of the array" volume_restart
	must "mount after restart" "$mount"
	check "verify after restart" verify_files "$TMP/files.1"
	check "verify the rest after restart" verify_files "$TMP/files.2"
	check "write after restart" \
		write_files "$TMP/files.3" --seed 3 --mib 10 --churn
	check "verify again" verify_files "$TMP/files.3"
	check "last unmount" umount "$MNT"
}
