#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `raizn create` is right about file systems, on drives as they are sold: the line that it
# prints for one makes it, and files are there after another mount; a file system that it says
# no to cannot be made or cannot be mounted.
. "$(dirname "$0")/harness.sh"

MNT=$TMP/mnt
mkdir "$MNT"

# line NAME: what create printed of it
line()
{
	sed -nE "s/^$1: +//p" "$TMP/create"
}

# Size of the device that create says f2fs needs, in MiB.
beside_mib()
{
	local gib

	gib=$(sed -nE 's/.*beside the volume, of ([0-9]+) GiB.*/\1/p' "$TMP/create")
	echo $((${gib:-1} * 1024))
}

# mkfs LINE: as printed. A mistake may be an endless loop.
mkfs()
{
	local words

	read -ra words <<<"${1/DEVICE/$CONV}"
	# It wants a node of the kernel's, or a link to one as udev makes.
	[ "${words[0]}" != mkzonefs ] || words[1]=/dev/$(lsblk -dnro KNAME $DEV)
	timeout 300 "${words[@]}"
}

# The capacity that create prints.
can_be_written()
{
	sed -nE 's/^volume: +(.*)/\1/p' "$TMP/create"
}

# mounted NAME
mounted()
{
	case $1 in
	btrfs) mount -t btrfs $DEV "$MNT" ;;
	f2fs) mount -t f2fs "$CONV" "$MNT" ;;
	xfs) mount -t xfs -o rtdev=$DEV "$CONV" "$MNT" ;;
	zonefs) mount -t zonefs $DEV "$MNT" ;;
	esac
}

# file NAME: to be written
file()
{
	if [ "$1" = zonefs ]; then
		echo "$MNT/seq/0"
	else
		echo "$MNT/file"
	fi
}

write_file()
{
	dd if="$TMP/data" of="$(file "$1")" bs=1M oflag=direct conv=notrunc,fsync
}

read_file()
{
	cmp -n 4194304 "$TMP/data" "$(file "$1")"
}

# yes NAME LINE: it works.
yes()
{
	check "$WHERE: $1: $2" mkfs "$2" || return
	check "$WHERE: $1: mount" mounted "$1" || return
	note "df says $(df -h --output=size "$MNT" | tail -n 1), of $(can_be_written)"
	check "$WHERE: $1: write" write_file "$1"
	check "$WHERE: $1: unmount" umount "$MNT"
	check "$WHERE: $1: mount again" mounted "$1" || return
	check "$WHERE: $1: what was written is there" read_file "$1"
	check "$WHERE: $1: unmount again" umount "$MNT"
}

# no NAME LINE: it does not work, whatever the reason that is told.
no()
{
	local try

	case $1 in
	btrfs) try="mkfs.btrfs -m single $DEV" ;;
	f2fs) try="mkfs.f2fs -m -c $DEV DEVICE" ;;
	xfs) try="mkfs.xfs -r zoned=1,rtdev=$DEV DEVICE" ;;
	esac
	if mkfs "$try" >"$TMP/output" 2>&1 && mounted "$1" >>"$TMP/output" 2>&1; then
		umount "$MNT"
		not_ok "$WHERE: $1: $2"
		return
	fi
	ok "$WHERE: $1: $2"
	note "$(tail -n 1 "$TMP/output")"
}

# file_system NAME
file_system()
{
	local line

	line=$(line "$1")
	CONV=$(nullblk create conv zoned=0 size="$(beside_mib)" \
		blocksize="$(blockdev --getss $DEV)") || exit 1
	case $line in
	"no, "*) no "$1" "$line" ;;
	mk*) yes "$1" "$line" ;;
	*) not_ok "$WHERE: $1: create says something of it" "'$line'" ;;
	esac
	nullblk destroy conv
	check "$WHERE: $1: all zones are empty again" blkzone reset $DEV
}

# geometry N PROFILE
geometry()
{
	local name

	WHERE="$1 drives $2"
	array_of "$1" "$2"
	raizn create $VOLUME "${MEMBERS[@]/#//dev/}" >"$TMP/create" 2>&1 ||
		{ not_ok "$WHERE: create"; rig_show "$TMP/create"; return; }
	dmsetup mknodes $VOLUME
	for name in "${FILE_SYSTEMS[@]}"; do
		file_system $name
	done
	check "$WHERE: stop" raizn stop $VOLUME
	faster_no_more
	simulated_group_gone
}

head -c 4M /dev/urandom >"$TMP/data"
at_exit "mountpoint -q '$MNT' && umount '$MNT'; raizn stop $VOLUME"
for name in btrfs f2fs zonefs; do
	modprobe -q $name || :
	grep -qw $name /proc/filesystems || { skip "$name" "not in this kernel"; finish; }
done
FILE_SYSTEMS=(btrfs f2fs zonefs)
if mkfs.xfs -N -r zoned=1,rtdev=/dev/null /dev/null 2>&1 | grep -q 'unknown option'; then
	skip "xfs" "$(mkfs.xfs -V) knows no zones"
else
	FILE_SYSTEMS+=(xfs)
fi
geometry 3 zn540-1t
geometry 5 zn540-1t
geometry 17 zn540-1t
geometry 3 pm1731a
geometry 5 pm1731a
geometry 5 hc620
geometry 5 hc680
finish
